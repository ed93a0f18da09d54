// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/first_extreme.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "reference_plugin/cpu/math/tile_test_support.h"

namespace plinth::cpu::math {
namespace {

template <class T>
class FirstExtremeTest : public testing::Test {};
using Types = testing::Types<float, double, int8_t, int32_t, int64_t, uint8_t, uint32_t>;
TYPED_TEST_SUITE(FirstExtremeTest, Types);

template <class T>
constexpr DType kTypeOf = std::is_same_v<T, float>     ? DType::kF32
                          : std::is_same_v<T, double>  ? DType::kF64
                          : std::is_same_v<T, int8_t>  ? DType::kS8
                          : std::is_same_v<T, int32_t> ? DType::kS32
                          : std::is_same_v<T, int64_t> ? DType::kS64
                          : std::is_same_v<T, uint8_t> ? DType::kU8
                                                       : DType::kU32;

template <class T>
size_t FirstOfWalk(const std::vector<T>& values, bool is_max) {
  size_t best = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] != values[i]) return i;
    if (is_max ? values[i] > values[best] : values[i] < values[best]) best = i;
  }
  return best;
}

// The lengths are around those of vectors, blocks and strips.
std::vector<size_t> Counts() {
  std::vector<size_t> counts;
  for (size_t count = 1; count < 300; ++count) counts.push_back(count);
  for (size_t near : {512, 1024, 2048, 4096, 8192}) {
    for (size_t count : {near - 1, near, near + 1, near + 5, near + 70}) counts.push_back(count);
  }
  return counts;
}

TYPED_TEST(FirstExtremeTest, IsThatOfAWalk) {
  using T = TypeParam;
  std::mt19937 random(3);
  for (const SimdTarget target : SupportedTargets()) {
    for (const bool is_max : {true, false}) {
      const FirstExtremeFunction find = FindFirstExtreme(is_max, kTypeOf<T>, target);
      ASSERT_NE(find, nullptr);
      for (const size_t count : Counts()) {
        // All alike; few values; one that is better; the worst there are; NaNs.
        for (int variant = 0; variant < 6; ++variant) {
          std::vector<T> values(count, T{5});  // as large as it is read, for a sanitizer
          for (T& value : values) {
            if (variant == 1) value = static_cast<T>(random() % 3);
            if (variant == 2) value = static_cast<T>(random());
          }
          const size_t place = random() % count;
          if (variant == 3) values[place] = is_max ? T{6} : T{4};
          if (variant == 4) {
            using Limits = std::numeric_limits<T>;
            constexpr T kLow = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
            constexpr T kHigh = Limits::has_infinity ? Limits::infinity() : Limits::max();
            std::fill(values.begin(), values.end(), is_max ? kLow : kHigh);
            if (count % 2 == 0) values[place] = is_max ? kHigh : kLow;
          }
          if constexpr (std::is_floating_point_v<T>) {
            if (variant == 1) {
              for (T& value : values) value *= random() % 2 == 0 ? T{1} : T{-0.0};
            }
            if (variant == 5) {
              values[place] = values[random() % count] = std::numeric_limits<T>::quiet_NaN();
            }
          }
          ASSERT_EQ(find(values.data(), count), FirstOfWalk(values, is_max))
              << count << " values, variant " << variant << ", max " << is_max << ", target "
              << static_cast<int>(target);
        }
      }
    }
  }
}

TEST(FirstExtreme, KnowsNoOtherTypes) {
  EXPECT_EQ(FindFirstExtreme(true, DType::kC64), nullptr);
  EXPECT_EQ(FindFirstExtreme(false, DType::kPred), nullptr);
}

}  // namespace
}  // namespace plinth::cpu::math
