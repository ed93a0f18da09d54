// SPDX-License-Identifier: Apache-2.0
// plinth.h, through libplinth.so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "impl/loader/test_folder.h"
#include "plinth.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/str_cat.h"

namespace plinth {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kWorks[] = PLINTH_TEST_PLUGINS "/WORKS.so";

plinth_load_options Options(const char* plugin) {
  plinth_load_options options = {};
  options.struct_size = plinth_load_options_STRUCT_SIZE;
  options.plugin = plugin;
  options.layers = "";
  return options;
}

// Code and message of a status, which is destroyed.
std::string Take(plinth_status* status) {
  std::string text =
      StrCat(static_cast<int>(plinth_status_code(status)), " ", plinth_status_message(status));
  plinth_status_destroy(status);
  return text;
}

TEST(CApiTest, Version) { EXPECT_STREQ(plinth_version(), PLINTH_VERSION); }

TEST(CApiTest, NullIsSuccess) {
  EXPECT_EQ(plinth_status_code(nullptr), PJRT_Error_Code_OK);
  EXPECT_STREQ(plinth_status_message(nullptr), "");
  plinth_status_destroy(nullptr);
  plinth_string_free(nullptr);
  plinth_plugin_destroy(nullptr);
  plinth_plugin_list_destroy(nullptr);
}

TEST(CApiTest, Load) {
  plinth_load_options options = Options(kWorks);
  std::string log;
  options.log = [](plinth_log_level level, const char* message, void* data) {
    *static_cast<std::string*>(data) += StrCat(static_cast<int>(level), ":", message, "\n");
  };
  options.log_user_data = &log;
  plinth_plugin* plugin = nullptr;
  ASSERT_EQ(Take(plinth_load(&options, &plugin)), "0 ");
  EXPECT_STREQ(plinth_plugin_path(plugin), kWorks);
  EXPECT_STREQ(plinth_plugin_name(plugin), "WORKS");
  EXPECT_STREQ(plinth_plugin_layers(plugin), "");
  EXPECT_EQ(plinth_plugin_create_options(plugin), nullptr);
  EXPECT_THAT(plinth_plugin_report(plugin), HasSubstr("loading 'WORKS'"));
  EXPECT_THAT(log, HasSubstr("3:loading 'WORKS'"));
  const PJRT_Api* api = plinth_plugin_api(plugin);
  EXPECT_EQ(api->pjrt_api_version.minor_version, kPjrtReportedMinor);
  plinth_plugin_destroy(plugin);

  // The table outlives the handle, and the same load gives the same one.
  PJRT_Plugin_Initialize_Args initialize = {};
  initialize.struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE;
  EXPECT_EQ(api->PJRT_Plugin_Initialize(&initialize), nullptr);
  options.log = nullptr;
  ASSERT_EQ(Take(plinth_load(&options, &plugin)), "0 ");
  EXPECT_EQ(plinth_plugin_api(plugin), api);
  plinth_plugin_destroy(plugin);
}

TEST(CApiTest, LoadFromAManifest) {
  loader::TestFolder folder;
  std::string manifest =
      folder.Write("npu.json", StrCat(R"({"manifest_version": "1.0", "name": "npu", "library": ")",
                                      kWorks, R"(", "create_options": {"n": 3}})"));
  plinth_load_options options = Options("npu");
  options.search = PLINTH_SEARCH_ENVIRONMENT;
  options.manifest_path = manifest.c_str();
  plinth_plugin* plugin = nullptr;
  ASSERT_EQ(Take(plinth_load(&options, &plugin)), "0 ");
  EXPECT_STREQ(plinth_plugin_name(plugin), "npu");
  EXPECT_STREQ(plinth_plugin_create_options(plugin), R"({"n":3})");
  EXPECT_THAT(plinth_plugin_report(plugin), HasSubstr("manifest_path of the options"));
  plinth_plugin_destroy(plugin);
}

TEST(CApiTest, List) {
  loader::TestFolder folder;
  folder.Write("a.json",
               StrCat(R"({"manifest_version": "1.0", "name": "a", "library": ")", kWorks, "\"}"));
  folder.Write("b.json", "broken");
  std::string path = folder.Path();
  plinth_load_options options = Options(nullptr);
  options.search = PLINTH_SEARCH_ENVIRONMENT;
  options.manifest_path = path.c_str();
  plinth_plugin_list* list = nullptr;
  ASSERT_EQ(Take(plinth_list(&options, &list)), "0 ");
  ASSERT_EQ(plinth_plugin_list_size(list), 2u);
  const plinth_plugin_entry* entry = plinth_plugin_list_entry(list, 0);
  EXPECT_EQ(entry->struct_size, static_cast<size_t>(plinth_plugin_entry_STRUCT_SIZE));
  EXPECT_STREQ(entry->name, "a");
  EXPECT_STREQ(entry->path, kWorks);
  EXPECT_STREQ(entry->source, "manifest");
  EXPECT_EQ(entry->ignored_because, nullptr);
  EXPECT_THAT(entry->manifest_json, StartsWith("{\"manifest_version"));
  entry = plinth_plugin_list_entry(list, 1);
  EXPECT_STREQ(entry->name, "b");
  EXPECT_STREQ(entry->path, "");
  EXPECT_THAT(entry->ignored_because, HasSubstr("this is not JSON"));
  EXPECT_EQ(plinth_plugin_list_entry(list, 2), nullptr);
  EXPECT_EQ(plinth_plugin_list_entry(list, SIZE_MAX), nullptr);
  EXPECT_THAT(plinth_plugin_list_report(list), HasSubstr("2 manifests"));
  plinth_plugin_list_destroy(list);
}

TEST(CApiTest, ListOpensNothing) {
  loader::TestFolder folder;
  // Whoever opens it does not live on.
  std::string manifest =
      folder.Write("a.json", StrCat(R"({"manifest_version": "1.0", "name": "a", "library": ")",
                                    PLINTH_TEST_PLUGINS, "/ABORTS_IN_ENTRY_POINT.so\"}"));
  plinth_load_options options = Options(nullptr);
  options.manifest_path = manifest.c_str();
  plinth_plugin_list* list = nullptr;
  ASSERT_EQ(Take(plinth_list(&options, &list)), "0 ");
  EXPECT_STREQ(plinth_plugin_list_entry(list, 0)->name, "a");
  plinth_plugin_list_destroy(list);
}

TEST(CApiTest, LoadErrors) {
  plinth_plugin* plugin = nullptr;
  auto error_of = [&](plinth_load_options options) {
    plugin = reinterpret_cast<plinth_plugin*>(1);
    std::string text = Take(plinth_load(&options, &plugin));
    EXPECT_EQ(plugin, nullptr);
    return text;
  };
  EXPECT_THAT(Take(plinth_load(nullptr, nullptr)), StartsWith("3 plinth_load: plugin is null"));
  EXPECT_THAT(error_of(Options("/no/such.so")), HasSubstr("5 the plugin given by the caller"));
  EXPECT_THAT(error_of(Options("no_such_name")), HasSubstr("Tried:\n  PJRT_NAMES_AND_"));
  EXPECT_THAT(error_of(Options(PLINTH_TEST_PLUGINS "/NO_SYMBOL.so")), HasSubstr("GetPjrtApi"));
  EXPECT_THAT(error_of(Options(PLINTH_TEST_PLUGINS "/NULL_TABLE.so")), HasSubstr("null"));
  EXPECT_THAT(error_of(Options(PLINTH_TEST_PLUGINS "/WRONG_MAJOR.so")),
              HasSubstr(StrCat("1.", kPjrtReportedMinor)));
  EXPECT_THAT(error_of(Options(PLINTH_LIBRARY)), HasSubstr("is this libplinth itself"));
  plinth_load_options options = Options(kWorks);
  options.struct_size = 7;
  EXPECT_THAT(error_of(options), StartsWith("3 plinth_load_options: struct_size is 7"));
  options = Options(kWorks);
  options.search = 1u << 31;
  EXPECT_THAT(error_of(options), StartsWith("3 plinth_load_options: search"));
  options = Options(kWorks);
  options.api_minor = -1;
  EXPECT_THAT(error_of(options), StartsWith("3 plinth_load_options: api_minor"));
  for (const char* layers : {"trace(", "trace)", "a(b))", "(("}) {
    options = Options(kWorks);
    options.layers = layers;
    EXPECT_THAT(error_of(options), HasSubstr("parentheses that do not match")) << layers;
  }
}

TEST(CApiTest, FieldsBeyondStructSizeAreNotRead) {
  plinth_load_options options;
  memset(&options, 0xff, sizeof(options));
  options.struct_size = offsetof(plinth_load_options, layers) + sizeof(options.layers);
  options.plugin = kWorks;
  options.layers = "";
  plinth_plugin* plugin = nullptr;
  EXPECT_EQ(Take(plinth_load(&options, &plugin)), "0 ");
  plinth_plugin_destroy(plugin);
  // A newer caller's larger struct is fine too.
  struct {
    plinth_load_options known;
    char more[64];
  } newer = {Options(kWorks), {}};
  newer.known.struct_size = sizeof(newer);
  EXPECT_EQ(Take(plinth_load(&newer.known, &plugin)), "0 ");
  plinth_plugin_destroy(plugin);
}

// That a run is repeated is shown by impl/layers/replay/jax_test.py.
TEST(CApiTest, ReplayErrors) {
  plinth_load_options load = Options(kWorks);
  plinth_plugin* plugin = nullptr;
  ASSERT_EQ(Take(plinth_load(&load, &plugin)), "0 ");
  const PJRT_Api* api = plinth_plugin_api(plugin);
  plinth_plugin_destroy(plugin);
  loader::TestFolder folder;
  const std::string text = folder.Write("text", "something else, long enough");
  const auto error_of = [&](const plinth_replay_options* options, const char* capture) {
    char set = 'x', *result = &set;
    std::string error = Take(plinth_replay(api, capture, options, &result));
    EXPECT_EQ(result, nullptr);
    return error;
  };
  EXPECT_THAT(Take(plinth_replay(api, text.c_str(), nullptr, nullptr)), StartsWith("3 "));
  char* result = nullptr;
  EXPECT_THAT(Take(plinth_replay(nullptr, text.c_str(), nullptr, &result)), HasSubstr("api is"));
  EXPECT_THAT(error_of(nullptr, nullptr), HasSubstr("capture is null"));
  EXPECT_THAT(error_of(nullptr, text.c_str()), HasSubstr("is no capture"));
  EXPECT_THAT(error_of(nullptr, (text + ".missing").c_str()), StartsWith("5 "));
  plinth_replay_options options = {};
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("struct_size is 0"));
  options.struct_size = plinth_replay_options_STRUCT_SIZE;
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("is no capture"));
  options.relative_tolerance = -1;
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("a tolerance of -1"));
  options.relative_tolerance = 0.5;
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("is no capture"));
  options.exact = true;
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("one of them"));
  options = {};
  options.struct_size = plinth_replay_options_STRUCT_SIZE;
  options.memory_limit = -1;
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("memory_limit -1"));
  options.memory_limit = 0;
  options.timeout_ms = -5;
  EXPECT_THAT(error_of(&options, text.c_str()), HasSubstr("timeout_ms is -5"));
  options.timeout_ms = 0;
  options.create_options_json = "{\"a\": {}}";
  EXPECT_THAT(error_of(&options, text.c_str()), StartsWith("3 "));
}

TEST(CApiTest, OtherLibrariesMakeStatuses) {
  const std::string_view text = "what is wrong, and more";
  plinth_status* status = plinth_status_create(PJRT_Error_Code_NOT_FOUND, text.data(), 13);
  EXPECT_EQ(plinth_status_code(status), PJRT_Error_Code_NOT_FOUND);
  EXPECT_STREQ(plinth_status_message(status), "what is wrong");
  plinth_status_destroy(status);
  EXPECT_EQ(plinth_status_create(PJRT_Error_Code_OK, nullptr, 0), nullptr);
  status = plinth_status_create(static_cast<PJRT_Error_Code>(99), nullptr, 0);
  EXPECT_EQ(plinth_status_code(status), PJRT_Error_Code_UNKNOWN);
  plinth_status_destroy(status);
}

}  // namespace
}  // namespace plinth
