// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/text.h"

#include "gtest/gtest.h"
#include "plinth/support/parse_number.h"

namespace plinth {
namespace {

TEST(TextTest, SplitsAndTrims) {
  EXPECT_EQ(Split("a,,b c,", ','), (std::vector<std::string>{"a", "b c"}));
  EXPECT_TRUE(Split("", ',').empty());
  EXPECT_EQ(Trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(Trim("  "), "");
}

TEST(TextTest, GlobsMatchTheWholeText) {
  EXPECT_TRUE(GlobMatches("*", "L0/a/b"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("L0/*/b", "L0/a/c/b"));
  EXPECT_TRUE(GlobMatches("L?/a", "L1/a"));
  EXPECT_TRUE(GlobMatches("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(GlobMatches("a**", "a"));
  EXPECT_FALSE(GlobMatches("a*b*c", "aXbYbZ"));
  EXPECT_FALSE(GlobMatches("", "a"));
  EXPECT_FALSE(GlobMatches("a", "A"));
  EXPECT_TRUE(GlobMatches("a*Z", "AbcZ", LetterCase::kIgnored));
  // Brackets and backslashes have no meaning.
  EXPECT_FALSE(GlobMatches("[ab]", "a"));
}

TEST(TextTest, ManyStarsTakeNoTime) {
  std::string pattern, text(100000, 'a');
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(GlobMatches(pattern + "b", text));
}

TEST(ParseNumberTest, TheWholeTextIsTheNumber) {
  int8_t small = 7;
  EXPECT_TRUE(ParseNumber("-128", &small));
  EXPECT_EQ(small, -128);
  uint64_t large = 0;
  EXPECT_TRUE(ParseNumber("18446744073709551615", &large));
  EXPECT_EQ(large, ~uint64_t{0});
  float real = 0;
  EXPECT_TRUE(ParseNumber("1e-3", &real));
  EXPECT_EQ(real, 1e-3f);
  for (const char* text : {"", " 1", "1 ", "128", "1.0", "+1", "0x1", "one"}) {
    EXPECT_FALSE(ParseNumber(text, &small)) << text;
  }
  EXPECT_FALSE(ParseNumber("-1", &large));
}

TEST(ParseNumberTest, Lists) {
  std::vector<int64_t> numbers = {9};
  EXPECT_TRUE(ParseNumbers(" ", &numbers));
  EXPECT_TRUE(numbers.empty());
  EXPECT_TRUE(ParseNumbers("1, -2 ,3", &numbers));
  EXPECT_EQ(numbers, (std::vector<int64_t>{1, -2, 3}));
  for (const char* text : {",", "1,", ",1", "1,,2", "1 2", "1,x"}) {
    EXPECT_FALSE(ParseNumbers(text, &numbers)) << text;
  }
}

}  // namespace
}  // namespace plinth
