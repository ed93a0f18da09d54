// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "impl/loader/environment.h"
#include "impl/loader/files.h"
#include "plinth/support/json.h"

namespace plinth::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAreArray;

std::string ErrorOf(std::string_view text) {
  Expected<Manifest> manifest = ParseManifest(text, "/f");
  return manifest.ok() ? "" : manifest.status().ToString();
}

TEST(ManifestTest, AllKeys) {
  Expected<Manifest> manifest = ParseManifest(R"({
    "$schema": "x", "manifest_version": "1.3", "name": "npu", "library": "lib/npu.so",
    "description": "d", "vendor": "v", "license": "l", "version": "2", "pjrt_api": "0.114",
    "create_options": {"text": "a", "number": 3, "list": [1, 2], "share": 0.5, "flag": true},
    "default_layouts": true})",
                                              "/f");
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ(manifest->name, "npu");
  EXPECT_EQ(manifest->library, "/f/lib/npu.so");
  EXPECT_EQ(manifest->create_options_json,
            R"({"text":"a","number":3,"list":[1,2],"share":0.5,"flag":true})");
  EXPECT_TRUE(manifest->default_layouts);
  EXPECT_TRUE(manifest->warnings.empty());
}

TEST(ManifestTest, LibraryForThisPlatform) {
  Expected<Manifest> manifest = ParseManifest(
      R"({"manifest_version": "1.0", "name": "n",
          "library": {"x86_64-linux": "/abs/n.so", "aarch64-linux": "/abs/n.so"}})",
      "/f");
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  EXPECT_EQ(manifest->library, "/abs/n.so");
  EXPECT_THAT(ErrorOf(R"({"manifest_version": "1.0", "name": "n", "library": {"vax-vms": "n"}})"),
              HasSubstr("is missing; there are those for: vax-vms"));
}

TEST(ManifestTest, ControlCharactersAreRefused) {
  for (const char* text : {R"(a\u001b[2Jb)", R"(a\nb)", R"(\u007f)"}) {
    EXPECT_THAT(
        ErrorOf(StrCat(R"({"manifest_version": "1.0", "name": "n", "library": ")", text, "\"}")),
        HasSubstr("'library' has a control character"));
  }
}

TEST(ManifestTest, UnknownKeyIsReportedAndIgnored) {
  Expected<Manifest> manifest = ParseManifest(
      R"({"manifest_version": "1.0", "name": "n", "library": "n.so", "libary": 1})", "/f");
  ASSERT_TRUE(manifest.ok());
  EXPECT_THAT(manifest->warnings, ElementsAre(HasSubstr("'libary' is not known")));
}

TEST(ManifestTest, UnknownMajorIsRefused) {
  // Also where its keys mean something else.
  EXPECT_THAT(ErrorOf(R"({"manifest_version": "2.0", "name": 7, "library": []})"),
              HasSubstr("manifest_version is 2.0; this loader reads 1.x"));
  EXPECT_THAT(ErrorOf(R"({"manifest_version": "10", "name": "n", "library": "n"})"),
              HasSubstr("manifest_version is 10;"));
}

TEST(ManifestTest, EachErrorSaysWhatIsWrong) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case kCases[] = {
      {"", "line 1, column 1: this is not JSON"},
      {"[1]", "an object is needed; this is a list"},
      {"{\n \"a\": tru}", "line 2"},
      {"{} {}", "line 1, column 4: text after the end"},
      {"{\"a\": 1, \"a\": 2}", "the key 'a' occurs twice"},
      {"{\"a\": {\"b\": 1, \"b\": 2}}", "the key 'b' occurs twice"},
      {"{\"a\": \"\\u0000\"}", "a NUL character"},
      {"{\"a\": \"\xff\"}", "bytes that are not UTF-8"},
      {"{\"a\": \"\xed\xa0\x80\"}", "bytes that are not UTF-8"},
      {R"({"name": "n", "library": "l"})", "the key 'manifest_version' is missing"},
      {R"({"manifest_version": 1, "name": "n", "library": "l"})",
       "'manifest_version' must be a text; it is a number"},
      {R"({"manifest_version": "one", "name": "n", "library": "l"})", "a form like 1.0 is needed"},
      {R"({"manifest_version": "1.0", "library": "l"})", "the key 'name' is missing"},
      {R"({"manifest_version": "1.0", "name": "", "library": "l"})", "the key 'name' is empty"},
      {R"({"manifest_version": "1.0", "name": "a/b", "library": "l"})", "name is 'a/b'"},
      {R"({"manifest_version": "1.0", "name": "n"})", "the key 'library' is missing"},
      {R"({"manifest_version": "1.0", "name": "n", "library": 3})", "must be a text or an object"},
      {R"({"manifest_version": "1.0", "name": "n", "library": "l", "default_layouts": "yes"})",
       "must be a boolean"},
      {R"({"manifest_version": "1.0", "name": "n", "library": "l", "create_options": {"a": null}})",
       "create_options: 'a' must be"},
      {R"({"manifest_version": "1.0", "name": "n", "library": "l", "create_options": {"a": [0.5]}})",
       "create_options: 'a' must be"},
  };
  for (const Case& c : kCases) EXPECT_THAT(ErrorOf(c.text), HasSubstr(c.message)) << c.text;
}

TEST(ManifestTest, DepthIsBounded) {
  // The object itself is the first level.
  auto nested = [](int depth) {
    return "{\"a\": " + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_THAT(ErrorOf(nested(32)), HasSubstr("manifest_version' is missing"));
  EXPECT_THAT(ErrorOf(nested(33)), HasSubstr("nested deeper than 32"));
  std::string deep(100000, '[');
  EXPECT_THAT(ErrorOf("{\"a\": " + deep), HasSubstr("nested deeper than 32"));
  // Brackets inside of a text do not nest.
  EXPECT_THAT(ErrorOf("{\"a\": \"" + deep + "\"}"), HasSubstr("manifest_version' is missing"));
  EXPECT_THAT(ErrorOf("{\"a\": \"\\\"" + deep + "\"}"), HasSubstr("manifest_version' is missing"));
}

TEST(ManifestTest, SchemaHasTheKeysThatAreRead) {
  Expected<std::string> text = ReadFile("manifest.schema.json", 1 << 20);
  ASSERT_TRUE(text.ok());
  Expected<Json> schema = Json::Parse(*text);
  ASSERT_TRUE(schema.ok()) << schema.status().ToString();
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : schema->At("properties").Members()) keys.emplace_back(key);
  EXPECT_THAT(keys, UnorderedElementsAreArray(ManifestKeys()));
}

TEST(DocsTest, NameEveryKeyAndVariable) {
  Expected<std::string> page = ReadFile("../../docs/using/loader.md", 1 << 20);
  ASSERT_TRUE(page.ok());
  for (std::string_view key : ManifestKeys()) {
    EXPECT_THAT(*page, HasSubstr(StrCat("`", key, "`")));
  }
  for (const Variable& variable : kVariables) {
    EXPECT_THAT(*page, HasSubstr(StrCat("`", variable.name, "`")));
  }
}

TEST(JaxConfigTest, LibraryAndOptions) {
  Expected<Manifest> config =
      ParseJaxConfig(R"({"library_path": "x/y.so", "create_options": {"a": 1}, "more": 2})");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->library, "x/y.so");
  EXPECT_EQ(config->create_options_json, R"({"a":1})");
  EXPECT_THAT(config->warnings, ElementsAre(HasSubstr("'more'")));
  EXPECT_FALSE(ParseJaxConfig(R"({"create_options": {}})").ok());
}

TEST(RedirectTest, AllKeys) {
  Expected<Redirect> redirect = ParseRedirect(
      R"({"manifest_version": "1.0", "plugin": "./a.so", "layers": "validation", "api_minor": 90,
          "allow_old": true})",
      "/f");
  ASSERT_TRUE(redirect.ok()) << redirect.status().ToString();
  EXPECT_EQ(redirect->plugin, "/f/./a.so");
  EXPECT_TRUE(redirect->has_layers);
  EXPECT_EQ(redirect->layers, "validation");
  EXPECT_EQ(redirect->api_minor, 90);
  EXPECT_TRUE(redirect->allow_old);
}

TEST(RedirectTest, NameStaysAName) {
  Expected<Redirect> redirect =
      ParseRedirect(R"({"manifest_version": "1.0", "plugin": "cuda"})", "/f");
  ASSERT_TRUE(redirect.ok());
  EXPECT_EQ(redirect->plugin, "cuda");
  EXPECT_FALSE(redirect->has_layers);
}

TEST(RedirectTest, Broken) {
  for (const char* text : {
           R"({"plugin": "cuda"})",
           R"({"manifest_version": "2.0", "plugin": "cuda"})",
           R"({"manifest_version": "1.0"})",
           R"({"manifest_version": "1.0", "plugin": "a", "api_minor": -1})",
           R"({"manifest_version": "1.0", "plugin": "a", "api_minor": 1e300})",
           R"({"manifest_version": "1.0", "plugin": "a", "layers": ["b"]})",
       }) {
    EXPECT_FALSE(ParseRedirect(text, "/f").ok()) << text;
  }
}

}  // namespace
}  // namespace plinth::loader
