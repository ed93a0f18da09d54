#include "conformance/runner/json.h"

#include <string>

#include "gtest/gtest.h"

namespace plinth::conformance {
namespace {

TEST(JsonTest, WritesWhatItReads) {
  const char* text = R"({"a": [1, 2.5, -3], "b": {"c": null, "d": true}, "e": "x\"\\\u000a"})";
  Expected<Json> json = Json::Parse(text);
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  EXPECT_EQ(json->ToString(), text);
}

TEST(JsonTest, UnderstandsEscapes) {
  Expected<Json> json = Json::Parse(R"(["\u00e9\n\/", "\ud800"])");
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  EXPECT_EQ(*(*json->AsArray())[0].AsString(), "\xC3\xA9\n/");
  EXPECT_EQ(*(*json->AsArray())[1].AsString(), "\xEF\xBF\xBD");
}

TEST(JsonTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Json(std::string("a\xFF\x80z")).ToString(), "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\"");
}

TEST(JsonTest, ErrorsSayWhere) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "line 1, column 1: expected a value"},
      {"{\"a\": }", "line 1, column 7: expected a value"},
      {"[1,\n2", "line 2, column 2: expected `,` or `]`"},
      {"\"abc", "expected `\"`"},
      {"{\"a\": 1, \"a\": 2}", "expected each key once"},
      {"[1] 2", "expected nothing more"},
      {"1e999", "expected a value"},
      {"\"\\u12\"", "expected an escape of JSON"},
      {"{a: 1}", "expected a key in quotes"},
  };
  for (const auto& [text, wanted] : kBad) {
    Expected<Json> json = Json::Parse(text);
    ASSERT_FALSE(json.ok()) << text;
    EXPECT_NE(json.status().message().find(wanted), std::string_view::npos)
        << text << ": " << json.status().ToString();
  }
}

TEST(JsonTest, DepthIsLimited) {
  EXPECT_TRUE(Json::Parse(std::string(60, '[') + std::string(60, ']')).ok());
  EXPECT_FALSE(Json::Parse(std::string(100000, '[')).ok());
}

}  // namespace
}  // namespace plinth::conformance
