// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace plinth {
namespace {

TEST(StrCatTest, TakesTextCharactersAndEveryNumber) {
  const char* c_text = "c";
  EXPECT_EQ(StrCat(), "");
  EXPECT_EQ(StrCat(std::string("s"), std::string_view("v"), c_text, '/', true, false),
            "svc/truefalse");
  EXPECT_EQ(StrCat(int8_t{-1}, ' ', uint8_t{200}, ' ', std::numeric_limits<int64_t>::min(), ' ',
                   std::numeric_limits<uint64_t>::max()),
            "-1 200 -9223372036854775808 18446744073709551615");
  EXPECT_EQ(StrCat(0.1f, ' ', 0.1, ' ', -1.5, ' ', 1e300), "0.1 0.1 -1.5 1e+300");
}

TEST(StrCatTest, JoinsRanges) {
  EXPECT_EQ(StrJoin(std::vector<int>{1, 2, 3}), "1, 2, 3");
  EXPECT_EQ(StrJoin(std::vector<bool>{true, false}, "x"), "truexfalse");
  EXPECT_EQ(StrJoin(std::vector<std::string>{}), "");
}

}  // namespace
}  // namespace plinth
