// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "reference_plugin/cpu/math/tile_test_support.h"

// Corner cases of the ops, on every target.
namespace plinth::cpu::math {
namespace {

using compiler::CompareAttributes;
using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::Opcode;
using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class SemanticsTest : public testing::TestWithParam<SimdTarget> {
 protected:
  TileRoutine Find(Opcode opcode, DType type) const { return Find(opcode, type, type); }
  TileRoutine Find(Opcode opcode, DType operand, DType result,
                   const CompareAttributes& compare = {}) const {
    return FindTileRoutine(opcode, operand, result, compare, GetParam());
  }
  void SetUp() override {
    if (!IsSupported(GetParam())) GTEST_SKIP() << "this machine lacks the instructions";
  }
};

// Like ==, but a NaN equals a NaN and -0 differs from 0.
template <class T>
void ExpectSame(const std::vector<T>& actual, const std::vector<T>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const bool same =
        std::isnan(expected[i])
            ? std::isnan(actual[i])
            : actual[i] == expected[i] && std::signbit(actual[i]) == std::signbit(expected[i]);
    EXPECT_TRUE(same) << "element " << i << ": " << actual[i] << ", expected " << expected[i];
  }
}

template <class T>
void CheckSignedDivision(const TileRoutine& divide, const TileRoutine& remainder) {
  constexpr T kMin = std::numeric_limits<T>::min();
  const std::vector<T> a = {5, -5, kMin, kMin, 7, -7, 0}, b = {0, 0, -1, 0, -3, 3, 0};
  EXPECT_THAT(RunTile<T>(divide, a, b), ElementsAre(-1, -1, kMin, -1, -2, -2, -1));
  EXPECT_THAT(RunTile<T>(remainder, a, b), ElementsAre(5, -5, 0, kMin, 1, -1, 0));
}

TEST_P(SemanticsTest, IntegerDivision) {
  CheckSignedDivision<int8_t>(Find(Opcode::kDivide, DType::kS8),
                              Find(Opcode::kRemainder, DType::kS8));
  CheckSignedDivision<int16_t>(Find(Opcode::kDivide, DType::kS16),
                               Find(Opcode::kRemainder, DType::kS16));
  CheckSignedDivision<int32_t>(Find(Opcode::kDivide, DType::kS32),
                               Find(Opcode::kRemainder, DType::kS32));
  CheckSignedDivision<int64_t>(Find(Opcode::kDivide, DType::kS64),
                               Find(Opcode::kRemainder, DType::kS64));
  const std::vector<uint8_t> a = {5, 0, 255}, b = {0, 0, 2};
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kDivide, DType::kU8), a, b),
              ElementsAre(255, 255, 127));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kRemainder, DType::kU8), a, b), ElementsAre(5, 0, 1));
}

// Quotients beside integers, where one that is rounded would not be cut off to the same.
template <class T>
void CheckDivisionAroundMultiples(const TileRoutine& divide, const TileRoutine& remainder) {
  constexpr T kMax = std::numeric_limits<T>::max();
  std::vector<T> a, b, quotients, remainders;
  for (int64_t divisor : {int64_t{1}, int64_t{3}, int64_t{7}, int64_t{641}, int64_t{65537},
                          int64_t{kMax} / 2, int64_t{kMax} - 1, int64_t{kMax}}) {
    for (int64_t multiple : {int64_t{1}, kMax / divisor / 2, kMax / divisor}) {
      for (int64_t beside : {-1, 0, 1}) {
        const int64_t dividend = divisor * multiple + beside;
        if (dividend < 0 || dividend > kMax) continue;
        for (int sign : {1, -1}) {
          if (sign < 0 && !std::is_signed_v<T>) continue;
          a.push_back(static_cast<T>(sign * dividend));
          b.push_back(static_cast<T>(divisor));
          quotients.push_back(static_cast<T>(sign * dividend / divisor));
          remainders.push_back(static_cast<T>(sign * dividend % divisor));
        }
      }
    }
  }
  EXPECT_EQ(RunTile<T>(divide, a, b), quotients);
  EXPECT_EQ(RunTile<T>(remainder, a, b), remainders);
}

TEST_P(SemanticsTest, DivisionAroundMultiples) {
  CheckDivisionAroundMultiples<int32_t>(Find(Opcode::kDivide, DType::kS32),
                                        Find(Opcode::kRemainder, DType::kS32));
  CheckDivisionAroundMultiples<uint32_t>(Find(Opcode::kDivide, DType::kU32),
                                         Find(Opcode::kRemainder, DType::kU32));
  EXPECT_THAT(RunTile<uint32_t>(Find(Opcode::kDivide, DType::kU32),
                                std::vector<uint32_t>{5, 0, UINT32_MAX}, {0, 0, 1}),
              ElementsAre(UINT32_MAX, UINT32_MAX, UINT32_MAX));
  EXPECT_THAT(RunTile<uint32_t>(Find(Opcode::kRemainder, DType::kU32),
                                std::vector<uint32_t>{5, 0, 7}, {0, 0, 4}),
              ElementsAre(5, 0, 3));
}

TEST_P(SemanticsTest, IntegersWrap) {
  const std::vector<int32_t> large = {INT32_MAX, INT32_MIN, 65536}, other = {1, -1, 65536};
  EXPECT_THAT(RunTile<int32_t>(Find(Opcode::kAdd, DType::kS32), large, other),
              ElementsAre(INT32_MIN, INT32_MAX, 131072));
  EXPECT_THAT(RunTile<int32_t>(Find(Opcode::kMultiply, DType::kS32), large, other),
              ElementsAre(INT32_MAX, INT32_MIN, 0));
  EXPECT_THAT(RunTile<int32_t>(Find(Opcode::kAbs, DType::kS32), large),
              ElementsAre(INT32_MAX, INT32_MIN, 65536));
  EXPECT_THAT(RunTile<uint16_t>(Find(Opcode::kMultiply, DType::kU16), std::vector<uint16_t>{65535},
                                {65535}),
              ElementsAre(1));
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kSign, DType::kS8), std::vector<int8_t>{-128, 0, 3}),
              ElementsAre(-1, 0, 1));
}

TEST_P(SemanticsTest, SubByteIntegersWrapToTheirWidth) {
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kAdd, DType::kS4), std::vector<int8_t>{7, -8}, {1, -1}),
              ElementsAre(-8, 7));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kAdd, DType::kU4), std::vector<uint8_t>{15, 3}, {1, 4}),
              ElementsAre(0, 7));
  EXPECT_THAT(
      RunTile<int8_t>(Find(Opcode::kDivide, DType::kS4), std::vector<int8_t>{-8, 5}, {-1, 0}),
      ElementsAre(-8, -1));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kDivide, DType::kU2), std::vector<uint8_t>{2}, {0}),
              ElementsAre(3));
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kPopcnt, DType::kS4), std::vector<int8_t>{-1, 3, 0}),
              ElementsAre(4, 2, 0));
  EXPECT_THAT(
      RunTile<int8_t>(Find(Opcode::kCountLeadingZeros, DType::kS4), std::vector<int8_t>{-1, 3, 0}),
      ElementsAre(0, 2, 4));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kNot, DType::kU4), std::vector<uint8_t>{5}),
              ElementsAre(10));
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kShiftRightLogical, DType::kS4),
                              std::vector<int8_t>{-1, -8, -1}, {1, 1, 4}),
              ElementsAre(7, 4, 0));
}

TEST_P(SemanticsTest, Shifts) {
  const std::vector<int8_t> a = {-128, 127, -1, 1, -128, -1, 64, -1},
                            count = {7, 7, 8, 8, -1, 100, 1, 0};
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kShiftLeft, DType::kS8), a, count),
              ElementsAre(0, -128, 0, 0, 0, 0, -128, -1));
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kShiftRightLogical, DType::kS8), a, count),
              ElementsAre(1, 0, 0, 0, 0, 0, 32, -1));
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kShiftRightArithmetic, DType::kS8), a, count),
              ElementsAre(-1, 0, -1, 0, -1, -1, 32, -1));
  EXPECT_THAT(RunTile<uint64_t>(Find(Opcode::kShiftLeft, DType::kU64),
                                std::vector<uint64_t>{1, 1, 1}, {63, 64, 1ull << 40}),
              ElementsAre(1ull << 63, 0, 0));
}

TEST_P(SemanticsTest, BitCounts) {
  EXPECT_THAT(RunTile<uint64_t>(Find(Opcode::kPopcnt, DType::kU64),
                                std::vector<uint64_t>{~0ull, 0, 0x8001}),
              ElementsAre(64, 0, 2));
  EXPECT_THAT(RunTile<int32_t>(Find(Opcode::kCountLeadingZeros, DType::kS32),
                               std::vector<int32_t>{0, 1, -1, 65536}),
              ElementsAre(32, 31, 0, 15));
  EXPECT_THAT(
      RunTile<uint16_t>(Find(Opcode::kPopcnt, DType::kU16), std::vector<uint16_t>{65535, 257}),
      ElementsAre(16, 2));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kCountLeadingZeros, DType::kU8),
                               std::vector<uint8_t>{0, 255, 2}),
              ElementsAre(8, 0, 6));
}

TEST_P(SemanticsTest, IntegerPower) {
  EXPECT_THAT(RunTile<int32_t>(Find(Opcode::kPower, DType::kS32),
                               std::vector<int32_t>{2, 1, -1, -1, 2, 3, -3, 0, 2, 0},
                               {-1, -5, -5, -4, 0, 5, 3, 0, 40, -1}),
              ElementsAre(0, 1, -1, 1, 1, 243, -27, 1, 0, 0));
  EXPECT_THAT(
      RunTile<uint8_t>(Find(Opcode::kPower, DType::kU8), std::vector<uint8_t>{3, 2}, {255, 8}),
      ElementsAre(171, 0));
}

TEST_P(SemanticsTest, MaximumAndMinimum) {
  const std::vector<float> a = {0.f, -0.f, kNan, 1, -kInf, 2}, b = {-0.f, 0.f, 1, kNan, 3, 2};
  ExpectSame<float>(RunTile<float>(Find(Opcode::kMaximum, DType::kF32), a, b),
                    {0.f, 0.f, kNan, kNan, 3, 2});
  ExpectSame<float>(RunTile<float>(Find(Opcode::kMinimum, DType::kF32), a, b),
                    {-0.f, -0.f, kNan, kNan, -kInf, 2});
  ExpectSame<float>(
      RunTile<float>(Find(Opcode::kClamp, DType::kF32), std::vector<float>{0, kNan, 0, 2, 0},
                     {kNan, 1, 1, 1, -0.5}, {1, 1, kNan, 0, 1}),
      {kNan, kNan, kNan, 0, 0});
}

TEST_P(SemanticsTest, SignAndRounding) {
  ExpectSame<float>(RunTile<float>(Find(Opcode::kSign, DType::kF32),
                                   std::vector<float>{0.f, -0.f, kNan, -3, kInf}),
                    {0.f, -0.f, kNan, -1, 1});
  const std::vector<float> x = {.5f,       1.5f, 2.5f, -.5f, -2.5f, .49999997f,
                                8388609.f, -0.f, kNan, kInf, -0.2f};
  ExpectSame<float>(RunTile<float>(Find(Opcode::kRoundNearestAfz, DType::kF32), x),
                    {1, 2, 3, -1, -3, 0, 8388609.f, -0.f, kNan, kInf, -0.f});
  ExpectSame<float>(RunTile<float>(Find(Opcode::kRoundNearestEven, DType::kF32), x),
                    {0, 2, 2, -0.f, -2, 0, 8388609.f, -0.f, kNan, kInf, -0.f});
  ExpectSame<double>(RunTile<double>(Find(Opcode::kFloor, DType::kF64),
                                     std::vector<double>{-0.5, 0.5, -0.0, 1e300}),
                     {-1, 0, -0.0, 1e300});
  ExpectSame<double>(
      RunTile<double>(Find(Opcode::kCeil, DType::kF64), std::vector<double>{-0.5, 0.5, 2}),
      {-0.0, 1, 2});
}

TEST_P(SemanticsTest, FloatRemainder) {
  ExpectSame<float>(
      RunTile<float>(Find(Opcode::kRemainder, DType::kF32),
                     std::vector<float>{5, -5, kInf, 1, -0.f, 1}, {3, 3, 2, kInf, 2, 0}),
      {2, -2, kNan, 1, -0.f, kNan});
}

// Quotients of all sizes, near multiples too, as the C library answers them.
template <typename T>
void CheckRemainders(const TileRoutine& routine) {
  std::mt19937_64 random(1);
  std::vector<T> a, b, expected;
  const auto scale = [&] { return std::ldexp(T{1}, static_cast<int>(random() % 200) - 100); };
  for (int i = 0; i < 20000; ++i) {
    const T size = scale();
    const T divisor = static_cast<T>(random() % 1000 + 1) * (i % 3 == 0 ? scale() : size);
    T dividend = static_cast<T>(static_cast<int64_t>(random() % 20000000) - 10000000) * size;
    if (i % 2 == 0) dividend = divisor * static_cast<T>(random() % (1 << 20));
    if (i % 4 == 0) dividend = std::nextafter(dividend, i % 8 == 0 ? T{0} : T(kInf));
    if (i % 1000 == 7) dividend = static_cast<T>(kInf);
    if (i % 1000 == 8) dividend = std::numeric_limits<T>::denorm_min() * static_cast<T>(i);
    a.push_back(dividend);
    b.push_back(i % 1000 == 9 ? std::numeric_limits<T>::denorm_min() * T{3} : divisor);
    expected.push_back(std::fmod(a.back(), b.back()));
  }
  ExpectSame<T>(RunTile<T>(routine, a, b), expected);
}

TEST_P(SemanticsTest, RemaindersAreExact) {
  CheckRemainders<float>(Find(Opcode::kRemainder, DType::kF32));
  CheckRemainders<double>(Find(Opcode::kRemainder, DType::kF64));
}

TEST_P(SemanticsTest, SubnormalsAreKept) {
  ExpectSame<float>(
      RunTile<float>(Find(Opcode::kMultiply, DType::kF32), std::vector<float>{1e-30f}, {1e-10f}),
      {1e-40f});
}

#if defined(__x86_64__)
// Numbers that underflow take processors a hundred cycles each: masks of attention are -1e9.
TEST_P(SemanticsTest, ExponentialsThatVanishAreNotComputed) {
  const auto run = [&]<typename T>(DType type, Opcode opcode, std::vector<T> x) {
    const TileRoutine routine = Find(opcode, type);
    const unsigned modes = _mm_getcsr();
    _mm_setcsr(modes & ~_MM_EXCEPT_MASK);
    const std::vector<T> result = RunTile<T>(routine, x);
    EXPECT_EQ(_mm_getcsr() & _MM_EXCEPT_UNDERFLOW, 0u) << Name(type);
    _mm_setcsr(modes);
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] < -750) {
        EXPECT_EQ(result[i], 0) << x[i];
      }
    }
    EXPECT_EQ(RunTile<T>(routine, std::vector<T>{x[0]})[0], result[0]);
  };
  std::vector<float> x = {0.5, -1e9f, -kInf, -800};
  for (int i = 0; i < 60; ++i) x.push_back(i % 2 == 0 ? -1e9f : 0.01f * static_cast<float>(i));
  run(DType::kF32, Opcode::kExponential, x);
  run(DType::kF64, Opcode::kExponential, std::vector<double>(x.begin(), x.end()));
  // What does not vanish stays subnormal.
  EXPECT_GT(RunTile<float>(Find(Opcode::kExponential, DType::kF32), std::vector<float>{-103.9f})[0],
            0.f);
}
#endif

TEST_P(SemanticsTest, Compare) {
  const auto find = [&](ComparisonDirection direction, ComparisonType type) {
    return Find(Opcode::kCompare, DType::kF32, DType::kPred, {direction, type});
  };
  const std::vector<float> a = {-kNan, -0.f, kNan, -kInf, 1}, b = {-kInf, 0.f, kInf, kNan, 1};
  EXPECT_THAT(RunTile<uint8_t>(find(ComparisonDirection::kLt, ComparisonType::kFloat), a, b),
              ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(RunTile<uint8_t>(find(ComparisonDirection::kEq, ComparisonType::kFloat), a, b),
              ElementsAre(0, 1, 0, 0, 1));
  EXPECT_THAT(RunTile<uint8_t>(find(ComparisonDirection::kNe, ComparisonType::kFloat), a, b),
              ElementsAre(1, 0, 1, 1, 0));
  EXPECT_THAT(RunTile<uint8_t>(find(ComparisonDirection::kLt, ComparisonType::kTotalOrder), a, b),
              ElementsAre(1, 1, 0, 1, 0));
  EXPECT_THAT(RunTile<uint8_t>(find(ComparisonDirection::kGe, ComparisonType::kTotalOrder), a, b),
              ElementsAre(0, 0, 1, 0, 1));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kCompare, DType::kU8, DType::kPred,
                                    {ComparisonDirection::kGt, ComparisonType::kUnsigned}),
                               std::vector<uint8_t>{200}, {100}),
              ElementsAre(1));
  EXPECT_FALSE(Find(Opcode::kCompare, DType::kC64, DType::kPred,
                    {ComparisonDirection::kLt, ComparisonType::kFloat}));
}

TEST_P(SemanticsTest, Select) {
  const std::vector<uint8_t> pred = {1, 0, 1};
  const std::vector<double> on_true = {1, 2, 3}, on_false = {4, 5, 6};
  const auto bytes = RunBytes(Find(Opcode::kSelect, DType::kF64), 8, 3, pred.data(), on_true.data(),
                              on_false.data());
  std::vector<double> result(3);
  std::memcpy(result.data(), bytes.data(), bytes.size());
  EXPECT_THAT(result, ElementsAre(1, 5, 3));
}

TEST_P(SemanticsTest, Pred) {
  const std::vector<uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kAdd, DType::kPred), a, b), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kMultiply, DType::kPred), a, b),
              ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kXor, DType::kPred), a, b), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kNot, DType::kPred), a), ElementsAre(1, 1, 0, 0));
}

TEST_P(SemanticsTest, ReducePrecision) {
  const auto reduce = [&](int exponent, int mantissa, std::vector<float> x) {
    return RunTile<float>(Find(Opcode::kReducePrecision, DType::kF32), x, {}, {},
                          {exponent, mantissa});
  };
  ExpectSame<float>(reduce(5, 10, {1.0000001f, 5.9e-5f, 65519, 65520, kInf, kNan, -0.f, -1e38f}),
                    {1, 0, 65504, kInf, kInf, kNan, -0.f, -kInf});
  ExpectSame<float>(reduce(8, 7, {65504, 1e-39f}), {65536, 1.0101904577379033e-39f});
  ExpectSame<float>(reduce(8, 23, {1e-45f, 3.3f}), {1e-45f, 3.3f});
  ExpectSame<float>(reduce(8, 0, {1e-39f, 6e-5f}), {0, 6.103515625e-05f});
  // Without mantissa there is no NaN.
  const float no_number = std::bit_cast<float>(0xFFFFFFFFu);
  ExpectSame<float>(reduce(5, 0, {kNan, no_number, 1.5f, -kInf}), {kInf, kInf, 2, -kInf});
  ExpectSame<double>(
      RunTile<double>(Find(Opcode::kReducePrecision, DType::kF64),
                      std::vector<double>{std::bit_cast<double>(INT64_MAX), 1.5}, {}, {}, {5, 0}),
      {kInf, 2});
  // A format with f16's exponents keeps f16's subnormals.
  ExpectSame<float>(RunTile<float>(Find(Opcode::kReducePrecision, DType::kF16),
                                   std::vector<float>{0x1p-24f, 0x1p-14f}, {}, {}, {5, 10}),
                    {0x1p-24f, 0x1p-14f});
  // They lose as many last places as other numbers; halfway goes to the even one.
  ExpectSame<float>(
      RunTile<float>(Find(Opcode::kReducePrecision, DType::kF16),
                     std::vector<float>{0x1p-24f, -0x1p-24f, 0x8p-24f, 0x9p-24f, 0x38p-24f, 1.125f},
                     {}, {}, {5, 6}),
      {0, -0.f, 0, 0x10p-24f, 0x40p-24f, 1.125f});
}

TEST_P(SemanticsTest, FloatToInteger) {
  const std::vector<float> x = {0,       -0.f,    1.5f,  -1.5f, 127.6f,       128,
                                -129,    255.9f,  -0.9f, 65536, 2147483648.f, -3e9f,
                                9.3e18f, 1.9e19f, kInf,  -kInf, kNan};
  const auto convert = [&](DType to) { return Find(Opcode::kConvert, DType::kF32, to); };
  EXPECT_THAT(RunTile<int8_t>(convert(DType::kS8), x),
              ElementsAreArray(
                  {0, 0, 1, -1, 127, 127, -128, 127, 0, 127, 127, -128, 127, 127, 127, -128, 0}));
  EXPECT_THAT(
      RunTile<uint8_t>(convert(DType::kU8), x),
      ElementsAreArray({0, 0, 1, 0, 127, 128, 0, 255, 0, 255, 255, 0, 255, 255, 255, 0, 0}));
  EXPECT_THAT(
      RunTile<int32_t>(convert(DType::kS32), x),
      ElementsAreArray<int32_t>({0, 0, 1, -1, 127, 128, -129, 255, 0, 65536, INT32_MAX, INT32_MIN,
                                 INT32_MAX, INT32_MAX, INT32_MAX, INT32_MIN, 0}));
  EXPECT_THAT(RunTile<uint32_t>(convert(DType::kU32), x),
              ElementsAreArray<uint32_t>({0, 0, 1, 0, 127, 128, 0, 255, 0, 65536, 2147483648u, 0,
                                          UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, 0}));
  EXPECT_THAT(
      RunTile<int64_t>(convert(DType::kS64), x),
      ElementsAreArray<int64_t>({0, 0, 1, -1, 127, 128, -129, 255, 0, 65536, 2147483648,
                                 -3000000000, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MIN, 0}));
  EXPECT_THAT(RunTile<uint64_t>(convert(DType::kU64), x),
              ElementsAreArray<uint64_t>({0, 0, 1, 0, 127, 128, 0, 255, 0, 65536, 2147483648u, 0,
                                          9300000300729368576u, UINT64_MAX, UINT64_MAX, 0, 0}));
  EXPECT_THAT(RunTile<int8_t>(convert(DType::kS4), x),
              ElementsAreArray({0, 0, 1, -1, 7, 7, -8, 7, 0, 7, 7, -8, 7, 7, 7, -8, 0}));
  EXPECT_THAT(RunTile<uint8_t>(convert(DType::kU2), x),
              ElementsAreArray({0, 0, 1, 0, 3, 3, 0, 3, 0, 3, 3, 0, 3, 3, 3, 0, 0}));
  EXPECT_THAT(RunTile<uint8_t>(convert(DType::kPred), x),
              ElementsAreArray({0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST_P(SemanticsTest, OtherConversions) {
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kConvert, DType::kS32, DType::kS8),
                              std::vector<int32_t>{300, -129}),
              ElementsAre(44, 127));
  EXPECT_THAT(
      RunTile<int8_t>(Find(Opcode::kConvert, DType::kS32, DType::kS4), std::vector<int32_t>{9, -9}),
      ElementsAre(-7, 7));
  EXPECT_THAT(
      RunTile<uint64_t>(Find(Opcode::kConvert, DType::kS8, DType::kU64), std::vector<int8_t>{-1}),
      ElementsAre(UINT64_MAX));
  EXPECT_THAT(
      RunTile<float>(Find(Opcode::kConvert, DType::kPred, DType::kF32), std::vector<uint8_t>{0, 1}),
      ElementsAre(0, 1));
  // The imaginary part is dropped, also before the comparison with zero.
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kConvert, DType::kC128, DType::kPred),
                               std::vector<std::complex<double>>{-1, {0, 1}, 1, {0, kNan}}),
              ElementsAre(1, 0, 1, 0));
  ExpectSame<float>(RunTile<float>(Find(Opcode::kConvert, DType::kS64, DType::kF16),
                                   std::vector<int64_t>{2049, 65520, -70000}),
                    {2048, kInf, -kInf});
  ExpectSame<float>(RunTile<float>(Find(Opcode::kConvert, DType::kF64, DType::kF8E4M3FN),
                                   std::vector<double>{1 + 0x1p-4 + 0x1p-40, 1e300, 449}),
                    {1.125f, kNan, 448});
}

TEST_P(SemanticsTest, Bitcasts) {
  EXPECT_THAT(RunTile<uint32_t>(Find(Opcode::kBitcastConvert, DType::kF32, DType::kU32),
                                std::vector<float>{1}),
              ElementsAre(0x3F800000));
  EXPECT_THAT(RunTile<uint16_t>(Find(Opcode::kBitcastConvert, DType::kBF16, DType::kU16),
                                std::vector<float>{1, -2}),
              ElementsAre(0x3F80, 0xC000));
  EXPECT_THAT(RunTile<float>(Find(Opcode::kBitcastConvert, DType::kS16, DType::kF16),
                             std::vector<int16_t>{0x3C00, 1}),
              ElementsAre(1, 0x1p-24f));
  EXPECT_THAT(RunTile<float>(Find(Opcode::kBitcastConvert, DType::kF16, DType::kBF16),
                             std::vector<float>{1, 2, 1.5f}),
              ElementsAre(0x1p-7f, 2, 0x1p-3f));
  EXPECT_THAT(RunTile<int8_t>(Find(Opcode::kBitcastConvert, DType::kU4, DType::kS4),
                              std::vector<uint8_t>{15, 7}),
              ElementsAre(-1, 7));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kBitcastConvert, DType::kF8E4M3FN, DType::kU8),
                               std::vector<float>{448, -1}),
              ElementsAre(0x7E, 0xB8));
  EXPECT_FALSE(Find(Opcode::kBitcastConvert, DType::kF32, DType::kU64));
}

TEST_P(SemanticsTest, ComplexNumbers) {
  EXPECT_THAT(RunTile<double>(Find(Opcode::kAbs, DType::kC128, DType::kF64),
                              std::vector<std::array<double, 2>>{{3e300, 4e300}}),
              ElementsAre(5e300));
  const float infinite = std::numeric_limits<float>::infinity();
  ExpectSame(RunTile<float>(Find(Opcode::kAbs, DType::kC64, DType::kF32),
                            std::vector<std::array<float, 2>>{{3e30f, 4e30f},
                                                              {-3e-40f, 0},
                                                              {kNan, -infinite},
                                                              {infinite, 1},
                                                              {kNan, 0},
                                                              {0, -2},
                                                              {3e38f, 3e38f},
                                                              {-5, 12},
                                                              {8, -15}}),
             std::vector<float>{5e30f, 3e-40f, infinite, infinite, kNan, 2, infinite, 13, 17});
  const std::vector<std::array<float, 2>> z = {{1, 2}, {0, -1}};
  EXPECT_THAT((RunTile<std::array<float, 2>>(Find(Opcode::kMultiply, DType::kC64), z, z)),
              ElementsAre(std::array<float, 2>{-3, 4}, std::array<float, 2>{-1, 0}));
  EXPECT_THAT((RunTile<std::array<float, 2>>(Find(Opcode::kDivide, DType::kC64), z, z)),
              ElementsAre(std::array<float, 2>{1, 0}, std::array<float, 2>{1, 0}));
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT((RunTile<std::array<double, 2>>(
                  Find(Opcode::kPower, DType::kC128),
                  std::vector<std::array<double, 2>>{{kInfinite, 0}, {kInfinite, 0}, {1e300, 0}},
                  {{1, 0}, {-0.5, 0}, {1, 0}})),
              ElementsAre(std::array<double, 2>{kInfinite, 0}, std::array<double, 2>{0, 0},
                          std::array<double, 2>{1e300, 0}));
  EXPECT_THAT(RunTile<float>(Find(Opcode::kImag, DType::kC64, DType::kF32), z), ElementsAre(2, -1));
  EXPECT_THAT(RunTile<uint8_t>(Find(Opcode::kConvert, DType::kC64, DType::kPred),
                               std::vector<std::array<float, 2>>{{0, 2}, {0, 0}, {kNan, 0}}),
              ElementsAre(0, 0, 1));
}

// Quotients, exp and log of c64 are those of the C library in f64, rounded, but for the last bit.
TEST_P(SemanticsTest, ComplexFunctionsOfFloats) {
  using Element = std::array<float, 2>;
  using Value = std::complex<double>;
  const float infinite = std::numeric_limits<float>::infinity();
  const float parts[] = {0,    -0.0f, 1,     -1,    0.5f,  -3,     1e-42f,    -1e-30f,  3e38f,
                         -88,  100,   1e30f, 0.75f, -0.6f, 0.8f,   1.000001f, infinite, -infinite,
                         kNan, 7e8f,  -2.5f, 0.1f,  1e-5f, -1e20f, 3.14159f,  42,       -745};
  std::vector<Element> a, b;
  for (const float re : parts) {
    for (const float im : parts) {
      a.push_back({re, im});
      b.push_back({parts[(7 * a.size() + 3) % std::size(parts)],
                   parts[(11 * a.size() / 5) % std::size(parts)]});
    }
  }
  const auto check = [&](Opcode opcode, const auto& function) {
    const std::vector<Element> results = RunTile<Element>(Find(opcode, DType::kC64), a, b);
    for (size_t i = 0; i < a.size(); ++i) {
      const Value wide = function(Value(a[i][0], a[i][1]), Value(b[i][0], b[i][1]));
      const Element wanted = {static_cast<float>(wide.real()), static_cast<float>(wide.imag())};
      for (size_t part = 0; part < 2; ++part) {
        const float x = results[i][part], y = wanted[part];
        const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                          x == std::nextafter(y, infinite) || x == std::nextafter(y, -infinite);
        EXPECT_TRUE(same) << compiler::Name(opcode) << " part " << part << " of (" << a[i][0]
                          << ", " << a[i][1] << "), (" << b[i][0] << ", " << b[i][1] << "): " << x
                          << " is not " << y;
      }
    }
  };
  check(Opcode::kDivide, [](Value x, Value y) { return x / y; });
  check(Opcode::kExponential,
        [](Value x, Value) { return x.imag() == 0 ? Value(std::exp(x.real()), 0) : std::exp(x); });
  check(Opcode::kLog, [](Value x, Value) { return std::log(x); });
}

INSTANTIATE_TEST_SUITE_P(Targets, SemanticsTest,
                         testing::Values(SimdTarget::kBaseline, SimdTarget::kAvx2,
                                         SimdTarget::kAvx512));

}  // namespace
}  // namespace plinth::cpu::math
