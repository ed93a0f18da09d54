#include "plinth/support/text.h"

#include "gtest/gtest.h"

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

}  // namespace
}  // namespace plinth
