#include "impl/loader/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace plinth::loader {
namespace {

TEST(GlobTest, Matches) {
  EXPECT_TRUE(GlobMatches("cuda", "cuda"));
  EXPECT_TRUE(GlobMatches("CUDA", "cuda"));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("*", "anything"));
  EXPECT_TRUE(GlobMatches("xla_*_1?", "xla_cuda_13"));
  EXPECT_TRUE(GlobMatches("*a*b*c", "aXbXbXc"));
  EXPECT_TRUE(GlobMatches("", ""));
}

TEST(GlobTest, DoesNotMatch) {
  EXPECT_FALSE(GlobMatches("cuda", "cuda12"));
  EXPECT_FALSE(GlobMatches("cuda?", "cuda"));
  EXPECT_FALSE(GlobMatches("", "a"));
  EXPECT_FALSE(GlobMatches("*a*b", "ba"));
  // Brackets and backslashes have no meaning.
  EXPECT_FALSE(GlobMatches("[ab]", "a"));
}

TEST(GlobTest, ManyStarsTakeNoTime) {
  std::string pattern, text(100000, 'a');
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_FALSE(GlobMatches(pattern + "b", text));
}

TEST(GlobListTest, GivesThePatternThatMatched) {
  GlobList list(" cpu , xla_* ,,");
  EXPECT_EQ(list.Match("CPU"), "cpu");
  EXPECT_EQ(list.Match("xla_cuda"), "xla_*");
  EXPECT_EQ(list.Match("tpu"), "");
  EXPECT_EQ(GlobList("").Match("tpu"), "");
}

}  // namespace
}  // namespace plinth::loader
