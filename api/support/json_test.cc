// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/json.h"

#include <limits>
#include <string>

#include "api/support/comma_locale.h"
#include "gtest/gtest.h"

namespace plinth {
namespace {

TEST(JsonTest, WritesWhatItReads) {
  const char* text = R"({"b":[1,2.5,-3,1e+300,-0],"a":{"c":null,"d":true},"e":"x\"\\\n\u0001é"})";
  Expected<Json> json = Json::Parse(text);
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  EXPECT_EQ(json->ToString(), text);
}

TEST(JsonTest, IndentedForPeople) {
  Json json = Json::Object{{"a", 1}, {"b", Json::Object{{"c", Json::Array{1, "x"}}}}, {"d", {}}};
  EXPECT_EQ(json.ToIndentedString(),
            "{\n\t\"a\":\t1,\n\t\"b\":\t{\n\t\t\"c\":\t[1, \"x\"]\n\t},\n\t\"d\":\tnull\n}");
  EXPECT_EQ(Json(Json::Object()).ToIndentedString(), "{}");
}

TEST(JsonTest, IntegersAreExact) {
  const char* text = "[9223372036854775807,-9223372036854775808,18446744073709551615]";
  Expected<Json> json = Json::Parse(text);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->ToString(), text);
  const Json::Array& numbers = json->Elements();
  EXPECT_EQ(numbers[0].AsInteger(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(numbers[0].AsUnsigned(), 9223372036854775807u);
  EXPECT_EQ(numbers[1].AsInteger(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(numbers[1].AsUnsigned(), std::nullopt);
  EXPECT_EQ(numbers[2].AsInteger(), std::nullopt);
  EXPECT_EQ(numbers[2].AsUnsigned(), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(numbers[2].AsNumber(), 18446744073709551616.0);
  EXPECT_EQ(Json(std::numeric_limits<uint64_t>::max()).ToString(), "18446744073709551615");
}

TEST(JsonTest, WholeNumbersInOtherForms) {
  for (const char* text : {"3", "3.0", "3e0", "0.3e1", "30E-1"}) {
    EXPECT_EQ(Json::Parse(text)->AsInteger(), 3) << text;
  }
  for (const char* text : {"3.5", "1e300", "1e16", "\"3\"", "true", "null"}) {
    EXPECT_EQ(Json::Parse(text)->AsInteger(), std::nullopt) << text;
  }
  EXPECT_EQ(Json::Parse("123456789012345678901")->AsNumber(), 123456789012345678901.0);
}

TEST(JsonTest, NumbersThatAreNone) {
  const double infinity = std::numeric_limits<double>::infinity();
  Json json = Json::Array{infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(json.ToString(), "[null,null,null]");
  for (const char* text :
       {"01", "-", "+1", ".5", "5.", "1e", "1e+", "inf", "nan", "0x1", "1e999"}) {
    EXPECT_FALSE(Json::Parse(text).ok()) << text;
  }
}

TEST(JsonTest, LocaleDoesNotMatter) {
  CommaLocale locale;
  ASSERT_TRUE(locale.is_set()) << "localedef made no locale";
  EXPECT_EQ(Json::Parse("[2.5]")->ToString(), "[2.5]");
}

TEST(JsonTest, ObjectsKeepTheirOrder) {
  Json::Object object{{"z", 1}, {"a", 2}};
  object["m"] = "x";
  object["z"] = 3;
  EXPECT_EQ(Json(object).ToString(), R"({"z":3,"a":2,"m":"x"})");
  object.Erase("a");
  object.Erase("no such");
  EXPECT_EQ(object.Find("a"), nullptr);
  EXPECT_EQ(object.size(), 2u);
}

TEST(JsonTest, WhatIsNotThere) {
  const Json json = Json::Object{{"a", Json::Object{{"b", "c"}}}};
  EXPECT_EQ(json.At("a").At("b").Text(), "c");
  EXPECT_EQ(json.At("x").At("y").Text(), "");
  EXPECT_TRUE(json.At("a").Elements().empty());
  EXPECT_FALSE(json.At("a").IsTrue());
  EXPECT_EQ(json.At("x").KindName(), "null");
  EXPECT_EQ(json.Find("x"), nullptr);
  EXPECT_EQ(Json::ParseObject("[]").status().message(), "an object is needed; this is a list");
}

TEST(JsonTest, UnderstandsEscapes) {
  Expected<Json> json = Json::Parse(R"(["\u00e9\n\/", "\ud83d\ude00", "\ud800x\udc00", "\ud800"])");
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  EXPECT_EQ(json->Elements()[0].Text(), "\xC3\xA9\n/");
  EXPECT_EQ(json->Elements()[1].Text(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(json->Elements()[2].Text(), "\xEF\xBF\xBDx\xEF\xBF\xBD");
  EXPECT_EQ(json->Elements()[3].Text(), "\xEF\xBF\xBD");
}

TEST(JsonTest, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(Json(std::string("a\xFF\x80z\0", 5)).ToString(),
            "\"a\xEF\xBF\xBD\xEF\xBF\xBDz\xEF\xBF\xBD\"");
  EXPECT_EQ(Json(Json::Object{{"\xFF", "x\xC3\xA9"}}).ToString(),
            "{\"\xEF\xBF\xBD\":\"x\xC3\xA9\"}");
}

TEST(JsonTest, ErrorsSayWhere) {
  const std::pair<std::string_view, std::string_view> kBad[] = {
      {"", "line 1, column 1: this is not JSON: expected a value"},
      {"{\"a\": }", "line 1, column 7: this is not JSON: expected a value"},
      {"[1,\n2", "line 2, column 2: this is not JSON: expected `,` or `]`"},
      {"\"abc", "expected `\"`"},
      {"\"abc\\", "expected an escape of JSON"},
      {"{\"a\": 1, \"b\": 2, \"a\": 2}", "column 25: the key 'a' occurs twice"},
      {"[1] 2", "line 1, column 5: text after the end"},
      {"[1e999]", "line 1, column 2: this is not JSON: expected a value"},
      {"\"\\u12\"", "expected an escape of JSON"},
      {"\"\\u0000\"", "line 1, column 2: a NUL character"},
      {{"\"\0\"", 3}, "line 1, column 2: a NUL character"},
      {"\"x\xff\"", "line 1, column 3: bytes that are not UTF-8"},
      {"\"\xed\xa0\x80\"", "bytes that are not UTF-8"},
      {"\"\xc0\xaf\"", "bytes that are not UTF-8"},
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
  EXPECT_TRUE(Json::Parse(std::string(32, '[') + std::string(32, ']')).ok());
  EXPECT_EQ(Json::Parse(std::string(33, '[') + std::string(33, ']')).status().message(),
            "line 1, column 33: nested deeper than 32");
  EXPECT_FALSE(Json::Parse(std::string(100000, '[')).ok());
}

TEST(JsonTest, ManyKeysTakeNoQuadraticTime) {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += StrCat("\"", i, "\":0,");
  EXPECT_TRUE(Json::ParseObject(text + "\"last\":0}").ok());
  EXPECT_FALSE(Json::ParseObject(text + "\"0\":0}").ok());
}

}  // namespace
}  // namespace plinth
