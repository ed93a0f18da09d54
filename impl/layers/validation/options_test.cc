// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/options.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace plinth::layers::validation {
namespace {

using ::testing::HasSubstr;

TEST(OptionsTest, NothingIsAllByDefault) {
  Expected<Options> options = ParseOptions("");
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->mode, Mode::kLog);
  EXPECT_EQ(options->limit, 1000u);
  EXPECT_TRUE(options->leaks);
}

TEST(OptionsTest, EachIsRead) {
  Expected<Options> options = ParseOptions("mode=error, limit=3,leaks=false,");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_EQ(options->mode, Mode::kError);
  EXPECT_EQ(options->limit, 3u);
  EXPECT_FALSE(options->leaks);
  EXPECT_EQ(ParseOptions("mode=break")->mode, Mode::kBreak);
}

TEST(OptionsTest, WhatIsWrongIsNamed) {
  for (const char* text :
       {"mode=loud", "limit=many", "limit=-1", "limit=5x", "leaks=maybe", "color=red", "mode"}) {
    Expected<Options> options = ParseOptions(text);
    ASSERT_FALSE(options.ok()) << text;
    EXPECT_EQ(options.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(options.status().message()), HasSubstr("layer validation"));
  }
  EXPECT_THAT(std::string(ParseOptions("color=red").status().message()),
              HasSubstr("mode=log|error|break"));
}

}  // namespace
}  // namespace plinth::layers::validation
