// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace plinth {
namespace {

constexpr DType kSmallTypes[] = {
    DType::kF16,       DType::kBF16,     DType::kF8E5M2,        DType::kF8E4M3,
    DType::kF8E3M4,    DType::kF8E4M3FN, DType::kF8E5M2FNUZ,    DType::kF8E4M3FNUZ,
    DType::kF4E2M1FN,  DType::kF6E2M3FN, DType::kF8E4M3B11FNUZ, DType::kF6E3M2FN,
    DType::kF8E8M0FNU,
};

TEST(FloatFormat, EveryValueSurvivesTheWayThroughDouble) {
  for (DType type : kSmallTypes) {
    const uint64_t count = uint64_t{1} << InfoOf(type).bits;
    for (uint64_t bits = 0; bits < count; ++bits) {
      const double value = FloatFromBits(type, bits);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(FloatFromBits(type, FloatToBits(type, value)))) << Name(type);
      } else {
        EXPECT_EQ(FloatToBits(type, value), bits) << Name(type) << " " << value;
      }
    }
  }
}

TEST(FloatFormat, RoundsToNearestEven) {
  for (DType type : kSmallTypes) {
    if (type == DType::kF8E8M0FNU) continue;
    // Between neighbours: their middle goes to the even one, anything nearer to the nearer.
    const uint64_t count = uint64_t{1} << (InfoOf(type).bits - 1);
    for (uint64_t bits = 0; bits + 1 < count; ++bits) {
      const double low = FloatFromBits(type, bits);
      const double high = FloatFromBits(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      const uint64_t even = bits % 2 == 0 ? bits : bits + 1;
      EXPECT_EQ(FloatToBits(type, middle), even) << Name(type) << " " << middle;
      EXPECT_EQ(FloatToBits(type, std::nextafter(middle, low)), bits) << Name(type);
      EXPECT_EQ(FloatToBits(type, std::nextafter(middle, high)), bits + 1) << Name(type);
    }
  }
}

TEST(FloatFormat, SpecialValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(FloatToBits(DType::kF16, infinity), 0x7C00u);
  EXPECT_EQ(FloatToBits(DType::kF16, 65520.0), 0x7C00u);
  EXPECT_EQ(FloatToBits(DType::kF16, -0.0), 0x8000u);
  EXPECT_EQ(FloatToBits(DType::kBF16, -infinity), 0xFF80u);
  EXPECT_EQ(FloatToBits(DType::kF8E4M3FN, 1e9), 0x7Fu);
  EXPECT_EQ(FloatToBits(DType::kF8E4M3FNUZ, -0.0), 0u);
  EXPECT_EQ(FloatToBits(DType::kF8E4M3FNUZ, infinity), 0x80u);
  EXPECT_EQ(FloatToBits(DType::kF4E2M1FN, 100.0), 7u);
  EXPECT_EQ(FloatToBits(DType::kF32, 0.1), std::bit_cast<uint32_t>(0.1f));
  EXPECT_EQ(FloatFromBits(DType::kF8E8M0FNU, 127), 1.0);
}

}  // namespace
}  // namespace plinth
