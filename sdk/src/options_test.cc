// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plinth::sdk {
namespace {

using ::testing::HasSubstr;

const std::vector<OptionSpec>& Specs() {
  static const auto* const specs = new std::vector<OptionSpec>{
      {.name = "threads", .default_value = int64_t{0}, .doc = "how many", .min = 0, .max = 64},
      {.name = "ratio", .default_value = 0.5f, .doc = "a part", .min = 0, .max = 1},
      {.name = "fast", .default_value = false, .doc = "hurry"},
      {.name = "sizes", .default_value = std::vector<int64_t>{1}, .doc = "list", .min = 0},
      {.name = "mode", .default_value = std::string("a"), .doc = "how", .choices = {"a", "b"}}};
  return *specs;
}

Expected<Options> Parse(std::string name, Value value) {
  return Options::Parse(Specs(), std::vector<NamedValue>{{std::move(name), std::move(value)}});
}

TEST(Options, DefaultsHold) {
  Expected<Options> options = Options::Parse(Specs(), {});
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->GetInt64("threads"), 0);
  EXPECT_EQ(options->GetFloat("ratio"), 0.5f);
  EXPECT_FALSE(options->GetBool("fast"));
  EXPECT_EQ(options->GetInt64List("sizes"), std::vector<int64_t>{1});
  EXPECT_EQ(options->GetString("mode"), "a");
  EXPECT_FALSE(options->IsSet("threads"));
  EXPECT_EQ(options->GetInt64("nonsense"), 0);
  EXPECT_EQ(options->GetString("threads"), "");
}

TEST(Options, TypedAndStringFormsAgree) {
  EXPECT_EQ(Parse("threads", int64_t{4})->GetInt64("threads"), 4);
  EXPECT_EQ(Parse("threads", "4")->GetInt64("threads"), 4);
  EXPECT_TRUE(Parse("threads", "4")->IsSet("threads"));
  EXPECT_EQ(Parse("ratio", "0.25")->GetFloat("ratio"), 0.25f);
  EXPECT_EQ(Parse("ratio", int64_t{1})->GetFloat("ratio"), 1.0f);
  EXPECT_TRUE(Parse("fast", "True")->GetBool("fast"));
  EXPECT_TRUE(Parse("fast", true)->GetBool("fast"));
  EXPECT_EQ(Parse("sizes", "1, 2,3")->GetInt64List("sizes"), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(Parse("sizes", "[5]")->GetInt64List("sizes"), std::vector<int64_t>{5});
  EXPECT_EQ(Parse("sizes", "")->GetInt64List("sizes"), std::vector<int64_t>{});
  EXPECT_EQ(Parse("mode", "b")->GetString("mode"), "b");
}

void ExpectInvalid(const Expected<Options>& options, const std::string& text) {
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(options.status().message()), HasSubstr(text));
}

TEST(Options, MistakesAreNamed) {
  ExpectInvalid(Options::Parse(Specs(), std::vector<NamedValue>{{"threads", Value(int64_t{1})},
                                                                {"fast", Value(true)},
                                                                {"threads", Value("1")}}),
                "option \"threads\" is given twice: 1, then \"1\"");
  ExpectInvalid(Parse("thread", int64_t{1}), "unknown option \"thread\"");
  ExpectInvalid(Parse("thread", int64_t{1}), "threads (int64, default 0, from 0 to 64): how many");
  ExpectInvalid(Parse("threads", int64_t{65}), "from 0 to 64");
  ExpectInvalid(Parse("threads", "4x"), "no int64");
  ExpectInvalid(Parse("threads", ""), "no int64");
  ExpectInvalid(Parse("threads", "99999999999999999999"), "no int64");
  ExpectInvalid(Parse("threads", 4.0f), "must be of type int64");
  ExpectInvalid(Parse("ratio", "nan"), "from 0 to 1");
  ExpectInvalid(Parse("fast", "maybe"), "no bool");
  ExpectInvalid(Parse("sizes", "1,,2"), "no list");
  ExpectInvalid(Parse("sizes", "-1"), "must be from 0");
  ExpectInvalid(Parse("mode", "c"), "one of: a, b");
}

}  // namespace
}  // namespace plinth::sdk
