// SPDX-License-Identifier: Apache-2.0
// libplinth loaded as a plugin: copies of libplinth.so in one process.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "impl/loader/test_folder.h"
#include "pjrt_c_api.h"
#include "plinth/support/abi_version.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A copy is never closed, as no plugin is; its file may go.
const PJRT_Api* OpenCopy(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    return nullptr;
  }
  auto entry = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
  const PJRT_Api* api = entry();
  EXPECT_EQ(entry(), api);
  return api;
}

std::string Redirect(const std::string& plugin) {
  return StrCat(R"({"manifest_version": "1.0", "layers": "", "plugin": ")", plugin, "\"}");
}

std::string Initialize(const PJRT_Api* api) {
  PJRT_Plugin_Initialize_Args args = {};
  args.struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE;
  return TakeError(api->PJRT_Plugin_Initialize(&args)).ToString();
}

std::string CreateClient(const PJRT_Api* api) {
  PJRT_Client_Create_Args args = {};
  args.struct_size = PJRT_Client_Create_Args_STRUCT_SIZE;
  return TakeError(api->PJRT_Client_Create(&args)).ToString();
}

class EntryPointTest : public testing::Test {
 protected:
  EntryPointTest() {
    unsetenv("PLINTH_PLUGIN");
    setenv("HOME", folder_.Path().c_str(), 1);
    setenv("PLINTH_PYTHON_PATH", folder_.Path().c_str(), 1);
  }
  TestFolder folder_;
};

TEST_F(EntryPointTest, TwoCopiesStandInFrontOfTwoPlugins) {
  folder_.Copy(PLINTH_TEST_PLUGINS "/WORKS.so", "works.so");
  folder_.Write("libplinth_a.plinth.json", Redirect("./works.so"));
  folder_.Write("libplinth_b.plinth.json", Redirect(PLINTH_TEST_PLUGINS "/FAILS_IN_INITIALIZE.so"));
  // A file beside the copy counts more than what all copies share.
  setenv("PLINTH_PLUGIN", "/no/such/plugin.so", 1);
  const PJRT_Api* a = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_a.so"));
  const PJRT_Api* b = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_b.so"));
  ASSERT_NE(a, b);
  EXPECT_EQ(Initialize(a), "OK");
  EXPECT_EQ(Initialize(b), "UNAVAILABLE: the device is switched off");
  EXPECT_EQ(Initialize(a), "OK");
}

TEST_F(EntryPointTest, VariableNamesThePlugin) {
  setenv("PLINTH_PLUGIN", PLINTH_TEST_PLUGINS "/WORKS.so", 1);
  const PJRT_Api* api = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_variable.so"));
  EXPECT_EQ(Initialize(api), "OK");
}

// Every slot of a table as a function of any arguments.
std::vector<void*> Slots(const PJRT_Api& api) {
  std::vector<void*> slots(kPjrtFunctionCount);
  std::memcpy(slots.data(), &api.PJRT_Error_Destroy, slots.size() * sizeof(void*));
  return slots;
}

TEST_F(EntryPointTest, FailureIsAFullTable) {
  setenv("PLINTH_PLUGIN", "/no/such/plugin.so", 1);
  const PJRT_Api* api = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_failure.so"));
  ASSERT_NE(api, nullptr);
  EXPECT_EQ(api->struct_size, static_cast<size_t>(PJRT_Api_STRUCT_SIZE));
  EXPECT_EQ(api->pjrt_api_version.major_version, 0);
  EXPECT_EQ(api->pjrt_api_version.minor_version, kPjrtReportedMinor);
  std::string error = Initialize(api);
  EXPECT_THAT(error, StartsWith("NOT_FOUND: PJRT_Plugin_Initialize: libplinth could not load"));
  EXPECT_THAT(error, HasSubstr("the plugin given by PLINTH_PLUGIN: /no/such/plugin.so: No such"));
  EXPECT_THAT(CreateClient(api), HasSubstr("/no/such/plugin.so"));

  std::vector<std::string> null;
  int slot = 0;
  std::vector<void*> slots = Slots(*api);
  enum class Absent { Required, Stub, Null };
#define PLINTH_PJRT_FUNCTION(index, name, since, absent, minimum_struct_size)                    \
  EXPECT_EQ(slots[slot] == nullptr, Absent::absent == Absent::Null) << #name;                    \
  if (slots[slot] != nullptr && slot > 2 && std::strcmp(#name, "PJRT_Plugin_Attributes") != 0 && \
      std::strcmp(#name, "PJRT_Error_ForEachPayload") != 0) {                                    \
    auto call = reinterpret_cast<PJRT_Error* (*)(name##_Args*)>(slots[slot]);                    \
    EXPECT_THAT(TakeError(call(nullptr)).ToString(), HasSubstr(#name));                          \
  }                                                                                              \
  ++slot;
#include "plinth/support/abi_tables.inc"
  EXPECT_EQ(slot, kPjrtFunctionCount);
}

TEST_F(EntryPointTest, ErrorsOfTheFailureTable) {
  setenv("PLINTH_PLUGIN", "/no/such/plugin.so", 1);
  const PJRT_Api* api = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_errors.so"));
  PJRT_Plugin_Initialize_Args args = {};
  args.struct_size = PJRT_Plugin_Initialize_Args_STRUCT_SIZE;
  PJRT_Error* error = api->PJRT_Plugin_Initialize(&args);
  PJRT_Error_GetCode_Args code = {PJRT_Error_GetCode_Args_STRUCT_SIZE, nullptr, error,
                                  PJRT_Error_Code_OK};
  EXPECT_EQ(api->PJRT_Error_GetCode(&code), nullptr);
  EXPECT_EQ(code.code, PJRT_Error_Code_NOT_FOUND);
  PJRT_Error_Message_Args message = {PJRT_Error_Message_Args_STRUCT_SIZE, nullptr, error, nullptr,
                                     0};
  api->PJRT_Error_Message(&message);
  EXPECT_THAT(std::string(message.message, message.message_size), HasSubstr("/no/such/plugin.so"));
  PJRT_Error_Destroy_Args destroy = {PJRT_Error_Destroy_Args_STRUCT_SIZE, nullptr, error};
  api->PJRT_Error_Destroy(&destroy);
  destroy.error = nullptr;
  api->PJRT_Error_Destroy(&destroy);
  code.error = nullptr;
  EXPECT_FALSE(TakeError(api->PJRT_Error_GetCode(&code)).ok());
  PJRT_Plugin_Attributes_Args attributes = {};
  attributes.struct_size = PJRT_Plugin_Attributes_Args_STRUCT_SIZE;
  attributes.num_attributes = 5;
  EXPECT_EQ(api->PJRT_Plugin_Attributes(&attributes), nullptr);
  EXPECT_EQ(attributes.num_attributes, 0u);
}

TEST_F(EntryPointTest, RedirectIsNamedInErrors) {
  std::string file = folder_.Write("libplinth_lost.plinth.json", Redirect("/no/such/plugin.so"));
  const PJRT_Api* api = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_lost.so"));
  EXPECT_THAT(Initialize(api), HasSubstr("the plugin given by " + file + ": /no/such/plugin.so"));
}

TEST_F(EntryPointTest, BrokenRedirect) {
  folder_.Write("libplinth_broken.plinth.json", "{\"plugin\": ");
  const PJRT_Api* api = OpenCopy(folder_.Copy(PLINTH_LIBRARY, "libplinth_broken.so"));
  EXPECT_THAT(Initialize(api), HasSubstr("libplinth_broken.plinth.json: line 1"));
}

TEST_F(EntryPointTest, NothingNamedSaysWhatCouldBe) {
  std::string copy = folder_.Copy(PLINTH_LIBRARY, "libplinth_nothing.so");
  setenv("PLINTH_MANIFEST_PATH", folder_.Path().c_str(), 1);
  std::string error = Initialize(OpenCopy(copy));
  unsetenv("PLINTH_MANIFEST_PATH");
  EXPECT_THAT(error, HasSubstr("no plugin was found, and none was named"));
  EXPECT_THAT(error, HasSubstr(folder_.Path("libplinth_nothing.plinth.json")));
}

TEST_F(EntryPointTest, CircleOfCopiesEnds) {
  folder_.Write("libplinth_one.plinth.json", Redirect("./libplinth_two.so"));
  folder_.Write("libplinth_two.plinth.json", Redirect("./libplinth_one.so"));
  std::string one = folder_.Copy(PLINTH_LIBRARY, "libplinth_one.so");
  folder_.Copy(PLINTH_LIBRARY, "libplinth_two.so");
  EXPECT_THAT(Initialize(OpenCopy(one)), HasSubstr("leads back to it"));
}

TEST_F(EntryPointTest, TableThatEndsACircleStays) {
  // The load that the circle is a part of fails as well, after the circle's table was given out.
  folder_.Write("libplinth_first.plinth.json",
                R"({"manifest_version": "1.0", "layers": "/no/such/layer.so",
                    "plugin": "./libplinth_second.so"})");
  folder_.Write("libplinth_second.plinth.json", Redirect("./libplinth_first.so"));
  std::string first = folder_.Copy(PLINTH_LIBRARY, "libplinth_first.so");
  folder_.Copy(PLINTH_LIBRARY, "libplinth_second.so");
  EXPECT_THAT(Initialize(OpenCopy(first)), HasSubstr("leads back to it"));
}

TEST_F(EntryPointTest, CopyInFrontOfACopy) {
  folder_.Write("libplinth_outer.plinth.json", Redirect("./libplinth_inner.so"));
  folder_.Write("libplinth_inner.plinth.json", Redirect(PLINTH_TEST_PLUGINS "/WORKS.so"));
  std::string outer = folder_.Copy(PLINTH_LIBRARY, "libplinth_outer.so");
  folder_.Copy(PLINTH_LIBRARY, "libplinth_inner.so");
  EXPECT_EQ(Initialize(OpenCopy(outer)), "OK");
}

}  // namespace
}  // namespace plinth::loader
