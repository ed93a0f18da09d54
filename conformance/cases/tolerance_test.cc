// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

namespace plinth::conformance {
namespace {

template <typename T>
HostArray One(DType type, T value) {
  return HostArray::Of<T>(type, {}, std::span<const T>(&value, 1));
}

bool NearF32(float wanted, float got, Tolerance tolerance = {}) {
  HostArray expected = One(DType::kF32, wanted);
  return IsNear(expected, One(DType::kF32, got), 0, tolerance, LargestOf(expected));
}

Tolerance Ulps(int64_t ulps, bool of_max = false) {
  return {ToleranceClass::kElementary, ulps, of_max, false};
}

TEST(ToleranceTest, CountsPlacesOfReals) {
  float next = std::nextafter(1.0f, 2.0f), third = std::nextafter(next, 2.0f);
  EXPECT_TRUE(NearF32(1, 1));
  EXPECT_FALSE(NearF32(1, next));
  EXPECT_TRUE(NearF32(1, next, Ulps(1)));
  EXPECT_FALSE(NearF32(1, third, Ulps(1)));
  EXPECT_TRUE(NearF32(-1, -third, Ulps(2)));
  EXPECT_FALSE(NearF32(1, -1, Ulps(1000)));
}

TEST(ToleranceTest, ZerosInfinitiesAndNaN) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kLeast = std::numeric_limits<float>::denorm_min();
  EXPECT_FALSE(NearF32(0.0f, -0.0f, Ulps(4)));
  Tolerance any_sign = Ulps(0);
  any_sign.any_zero_sign = true;
  EXPECT_TRUE(NearF32(0.0f, -0.0f, any_sign));
  EXPECT_TRUE(NearF32(kLeast, 0.0f, Ulps(1)));
  EXPECT_FALSE(NearF32(kLeast, 0.0f));
  EXPECT_TRUE(NearF32(std::nanf("1"), -std::nanf("2")));
  EXPECT_FALSE(NearF32(std::nanf(""), 0, Ulps(1 << 20)));
  EXPECT_FALSE(NearF32(0, std::nanf(""), Ulps(1 << 20)));
  EXPECT_TRUE(NearF32(kInfinity, kInfinity));
  EXPECT_FALSE(NearF32(kInfinity, kMax));
  EXPECT_FALSE(NearF32(kInfinity, kMax, Ulps(1)));
  EXPECT_FALSE(NearF32(kMax, kInfinity, Ulps(1)));
  EXPECT_FALSE(NearF32(kMax, kInfinity, Ulps(1 << 20, true)));
  EXPECT_FALSE(NearF32(kInfinity, -kInfinity, Ulps(1 << 20)));
}

TEST(ToleranceTest, RelativeToTheLargestElement) {
  float wanted[] = {1000, 0.001f}, got[] = {1000, 0.0011f};
  HostArray expected = HostArray::Of<float>(DType::kF32, {2}, wanted);
  HostArray found = HostArray::Of<float>(DType::kF32, {2}, got);
  EXPECT_EQ(LargestOf(expected), 1000);
  EXPECT_TRUE(IsNear(expected, found, 1, Ulps(1, true), 1000));
  EXPECT_FALSE(IsNear(expected, found, 1, Ulps(1), 1000));
}

TEST(ToleranceTest, ComplexNumbersByTheirModulus) {
  using Complex = std::complex<double>;
  HostArray expected = One(DType::kC128, Complex(1, 1e-20));
  auto near = [&](Complex got, Tolerance tolerance) {
    return IsNear(expected, One(DType::kC128, got), 0, tolerance, 1);
  };
  EXPECT_TRUE(near({1, 1e-20}, Ulps(0)));
  EXPECT_FALSE(near({1, 2e-20}, Ulps(0)));
  EXPECT_TRUE(near({1, 2e-20}, Ulps(1)));
  EXPECT_FALSE(near({1, 1e-3}, Ulps(16)));
}

TEST(ToleranceTest, NarrowFloatsAndIntegers) {
  HostArray one = One<uint16_t>(DType::kBF16, 0x3f80), next = One<uint16_t>(DType::kBF16, 0x3f81);
  EXPECT_FALSE(IsNear(one, next, 0, Ulps(0), 0));
  EXPECT_TRUE(IsNear(one, next, 0, Ulps(1), 0));
  HostArray minus = One<int8_t>(DType::kS8, -5), other = One<int8_t>(DType::kS8, -4);
  EXPECT_TRUE(IsNear(minus, minus, 0, Ulps(0), 0));
  EXPECT_FALSE(IsNear(minus, other, 0, Ulps(100), 0));
  HostArray nibble = One<uint8_t>(DType::kS4, 0x0e), extended = One<uint8_t>(DType::kS4, 0xfe);
  EXPECT_TRUE(IsNear(nibble, extended, 0, Ulps(0), 0));
  EXPECT_FALSE(IsNear(nibble, One<uint8_t>(DType::kS4, 0x0d), 0, Ulps(0), 0));
  EXPECT_EQ(ElementText(minus, 0), "-5");
  EXPECT_EQ(ElementText(one, 0), "1 (0x3f80)");
  EXPECT_EQ(ElementText(One<uint64_t>(DType::kU64, ~uint64_t{0}), 0), "18446744073709551615");
}

TEST(ToleranceTest, AProfileWidensUpToTheCap) {
  Profile profile;
  profile.tolerances = {{"elementary", 1000}, {"arithmetic", 1}, {"algorithm", 1 << 20}};
  auto widened = [&](Tolerance tolerance, DType type = DType::kF32) {
    return Widened(tolerance, type, profile).ulps;
  };
  EXPECT_EQ(widened(Ulps(8)), 64);
  EXPECT_EQ(widened({ToleranceClass::kArithmetic, 0, false, false}), 1);
  EXPECT_EQ(widened({ToleranceClass::kArithmetic, 3, false, false}), 3);
  EXPECT_EQ(widened({ToleranceClass::kExact, 0, false, false}), 0);
  EXPECT_EQ(widened({ToleranceClass::kSum, 32, true, false}), 32);
  Tolerance algorithm{ToleranceClass::kAlgorithm, 4, true, false};
  EXPECT_EQ(widened(algorithm), 1 << 14);
  EXPECT_EQ(widened(algorithm, DType::kF64), 1 << 14);
  // Thousands of units would be more than the largest number of so few bits.
  EXPECT_EQ(widened(algorithm, DType::kBF16), 8);
  EXPECT_EQ(widened(algorithm, DType::kF16), 8);
  EXPECT_EQ(widened(Ulps(1), DType::kBF16), 8);
}

}  // namespace
}  // namespace plinth::conformance
