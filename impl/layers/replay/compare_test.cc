// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/replay/compare.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "plinth/support/float_format.h"

namespace plinth::layers {
namespace {

using testing::ElementsAre;

template <typename T>
std::string Bytes(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

std::optional<ArrayDifference> Compare(DType type, std::vector<int64_t> dims, std::string got,
                                       std::string wanted) {
  return CompareArrays(type, dims, got, wanted, DefaultTolerance(type, wanted));
}

TEST(CompareTest, IntegersAreExact) {
  EXPECT_FALSE(Compare(DType::kS32, {2}, Bytes({1, 2}), Bytes({1, 2})));
  auto difference =
      Compare(DType::kS32, {2, 3}, Bytes({1, 2, 3, 4, -5, 6}), Bytes({1, 2, 3, 4, 5, 7}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->elements, 2u);
  EXPECT_THAT(difference->first, ElementsAre(1, 1));
  EXPECT_EQ(difference->got, "-5");
  EXPECT_EQ(difference->wanted, "5");
  EXPECT_EQ(difference->largest, 10);
  // Not even as numbers of 53 bits.
  int64_t large = (int64_t{1} << 60) + 1;
  difference = Compare(DType::kS64, {1}, Bytes({large}), Bytes({-large - 1}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->got, "1152921504606846977");
  EXPECT_EQ(difference->wanted, "-1152921504606846978");
  EXPECT_TRUE(Compare(DType::kPred, {1}, std::string(1, 1), std::string(1, 0)));
}

TEST(CompareTest, FloatsHaveATolerance) {
  EXPECT_FALSE(Compare(DType::kF32, {2}, Bytes({1.000001f, 2.0f}), Bytes({1.0f, 2.0f})));
  EXPECT_TRUE(Compare(DType::kF32, {2}, Bytes({1.001f, 2.0f}), Bytes({1.0f, 2.0f})));
  // Small next to the largest of the array.
  EXPECT_FALSE(Compare(DType::kF32, {2}, Bytes({1e-5f, 2.0f}), Bytes({0.0f, 2.0f})));
  EXPECT_TRUE(Compare(DType::kF64, {2}, Bytes({1e-5, 2.0}), Bytes({0.0, 2.0})));
  EXPECT_FALSE(Compare(DType::kC64, {1}, Bytes({1.0f, 2.0f}), Bytes({1.0f, 2.000001f})));
  auto difference = Compare(DType::kC64, {1}, Bytes({1.0f, 2.0f}), Bytes({1.0f, 3.0f}));
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->got, "1 + i 2");
}

TEST(CompareTest, NansAndInfinities) {
  float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(Compare(DType::kF32, {2}, Bytes({-nan, inf}), Bytes({nan, inf})));
  EXPECT_TRUE(Compare(DType::kF32, {1}, Bytes({nan}), Bytes({1.0f})));
  EXPECT_TRUE(Compare(DType::kF32, {1}, Bytes({1.0f}), Bytes({nan})));
  EXPECT_TRUE(Compare(DType::kF32, {2}, Bytes({inf, 1.0f}), Bytes({-inf, 1.0f})));
  EXPECT_TRUE(Compare(DType::kF32, {2}, Bytes({3e38f, inf}), Bytes({inf, inf})));
}

TEST(CompareTest, NarrowFloats) {
  for (DType type : {DType::kF16, DType::kBF16, DType::kF8E5M2, DType::kF4E2M1FN}) {
    auto bytes = [&](double value) {
      uint64_t bits = FloatToBits(type, value);
      return std::string(reinterpret_cast<const char*>(&bits), static_cast<size_t>(ByteSize(type)));
    };
    EXPECT_FALSE(Compare(type, {1}, bytes(1.5), bytes(1.5)));
    auto difference = Compare(type, {1}, bytes(1.0), bytes(4.0));
    ASSERT_TRUE(difference) << Name(type);
    EXPECT_EQ(difference->got, "1");
    EXPECT_EQ(difference->wanted, "4");
  }
}

}  // namespace
}  // namespace plinth::layers
