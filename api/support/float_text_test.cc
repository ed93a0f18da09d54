// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/float_text.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "api/support/comma_locale.h"

namespace plinth {
namespace {

TEST(FloatTextTest, IsTheShortest) {
  EXPECT_EQ(FloatText(0.1f), "0.1");
  EXPECT_EQ(FloatText(0.1), "0.1");
  EXPECT_EQ(FloatText(static_cast<double>(0.1f)), "0.10000000149011612");
  EXPECT_EQ(FloatText(1.0f), "1");
  EXPECT_EQ(FloatText(-2.5), "-2.5");
  EXPECT_EQ(FloatText(0.0), "0");
  EXPECT_EQ(FloatText(-0.0), "-0");
  EXPECT_EQ(FloatText(-20.0f), "-20");
  EXPECT_EQ(FloatText(9999220736.0f), "9999220736");
  EXPECT_EQ(FloatText(1e10), "1e+10");
  EXPECT_EQ(FloatText(1e300), "1e+300");
  EXPECT_EQ(FloatText(INFINITY), "inf");
  EXPECT_EQ(FloatText(-INFINITY), "-inf");
  EXPECT_EQ(FloatText(NAN), "nan");
}

TEST(FloatTextTest, LocaleDoesNotMatter) {
  CommaLocale locale;
  ASSERT_TRUE(locale.is_set()) << "localedef made no locale";
  EXPECT_EQ(FloatText(2.5f), "2.5");
  EXPECT_EQ(FloatText(-0.1), "-0.1");
  EXPECT_EQ(FloatText(1.25e300), "1.25e+300");
}

TEST(FloatTextTest, ReadsBack) {
  uint64_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double wide = std::bit_cast<double>(state);
    float narrow = std::bit_cast<float>(static_cast<uint32_t>(state >> 32));
    if (!std::isnan(wide)) {
      ASSERT_EQ(std::strtod(FloatText(wide).c_str(), nullptr), wide);
    }
    if (!std::isnan(narrow)) {
      ASSERT_EQ(std::strtof(FloatText(narrow).c_str(), nullptr), narrow);
    }
  }
  EXPECT_EQ(FloatText(std::numeric_limits<double>::denorm_min()), "5e-324");
}

}  // namespace
}  // namespace plinth
