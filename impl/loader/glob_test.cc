// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/glob.h"

#include <gtest/gtest.h>

namespace plinth::loader {
namespace {

TEST(GlobListTest, GivesThePatternThatMatched) {
  GlobList list(" cpu , xla_* ,,");
  EXPECT_EQ(list.Match("CPU"), "cpu");
  EXPECT_EQ(list.Match("xla_cuda"), "xla_*");
  EXPECT_EQ(list.Match("tpu"), "");
  EXPECT_EQ(GlobList("").Match("tpu"), "");
}

}  // namespace
}  // namespace plinth::loader
