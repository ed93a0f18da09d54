// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "reference_plugin/cpu/math/tile_test_support.h"

// Conversions from wide types round once. Every number between two neighbours of a narrow type goes
// to the nearer one, and the one in the middle to the even one; what lies how is known exactly.
namespace plinth::cpu::math {
namespace {

using compiler::Opcode;
using testing::ElementsAre;

constexpr DType kNarrowTypes[] = {DType::kF16,           DType::kBF16,       DType::kF8E5M2,
                                  DType::kF8E4M3,        DType::kF8E3M4,     DType::kF8E4M3FN,
                                  DType::kF8E4M3B11FNUZ, DType::kF8E5M2FNUZ, DType::kF8E4M3FNUZ,
                                  DType::kF6E2M3FN,      DType::kF6E3M2FN,   DType::kF4E2M1FN,
                                  DType::kF8E8M0FNU};

// Finite numbers of a type, from the smallest that is not negative; a last one that would come
// next is what overflows.
std::vector<double> Magnitudes(DType type) {
  const TileFunction load = FindLoad(type, SimdTarget::kBaseline);
  std::vector<double> values;
  for (uint32_t pattern = 0; pattern < (1u << InfoOf(type).bits); ++pattern) {
    const uint16_t wide = static_cast<uint16_t>(pattern);
    const uint8_t narrow = static_cast<uint8_t>(pattern);
    float value;
    load(&value, ByteSize(type) == 2 ? static_cast<const void*>(&wide) : &narrow, nullptr, nullptr,
         1, {});
    if (!std::isfinite(value) || std::signbit(value)) break;
    values.push_back(value);
  }
  return values;
}

struct Example {
  double expected;
  long double x;  // holds every f64, s64 and u64
};

// Around the middle of all neighbours: the numbers of T that are nearest to it.
template <class T>
void AddExamples(double low, double high, bool high_is_even, bool has_middle,
                 std::vector<Example>* examples) {
  const long double middle = (static_cast<long double>(low) + high) / 2;
  if constexpr (std::is_floating_point_v<T>) {
    const T at = static_cast<T>(middle);
    examples->push_back({low, std::nextafter(at, T{0})});
    if (!has_middle) return;
    examples->push_back({high_is_even ? high : low, at});
    examples->push_back({high, std::nextafter(at, std::numeric_limits<T>::infinity())});
  } else {
    if (middle < 1 || middle > static_cast<long double>(std::numeric_limits<T>::max()) - 2) return;
    const long double down = std::ceil(middle) - 1, up = std::floor(middle) + 1;
    if (down >= low) examples->push_back({low, down});
    if (!has_middle) return;
    if (down + 1 == middle) examples->push_back({high_is_even ? high : low, middle});
    if (up <= high) examples->push_back({high, up});
  }
}

template <class T>
std::vector<Example> MakeExamples(DType type) {
  const std::vector<double> values = Magnitudes(type);
  std::vector<Example> examples;
  const bool ties_up = type == DType::kF8E8M0FNU;
  for (size_t i = 0; i + 1 < values.size(); ++i) {
    AddExamples<T>(values[i], values[i + 1], ties_up || i % 2 == 1, true, &examples);
  }
  // What the middle and more become at the end is each type's own affair.
  const double last = values.back(), previous = values[values.size() - 2];
  const double next = ties_up ? 2 * last : last + (last - previous);
  AddExamples<T>(last, next, false, false, &examples);
  if (!ties_up && std::is_signed_v<T>) {
    for (size_t i = 0, count = examples.size(); i < count; ++i) {
      examples.push_back({-examples[i].expected, -examples[i].x});
    }
  }
  return examples;
}

class RoundingTest : public testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override {
    if (!IsSupported(GetParam())) GTEST_SKIP() << "this machine lacks the instructions";
  }

  // `Element` is T or a complex number of it.
  template <class T, class Element = T>
  void Check(DType from) {
    size_t count = 0;
    for (DType to : kNarrowTypes) {
      const std::vector<Example> examples = MakeExamples<T>(to);
      std::vector<Element> x;
      for (const Example& example : examples) x.push_back(static_cast<T>(example.x));
      const std::vector<float> rounded =
          RunTile<float>(FindTileRoutine(Opcode::kConvert, from, to, {}, GetParam()), x);
      for (size_t i = 0; i < examples.size(); ++i) {
        ASSERT_EQ(rounded[i], examples[i].expected)
            << Name(from) << " " << examples[i].x << " as " << Name(to);
      }
      count += examples.size();
    }
    EXPECT_GT(count, 200u);
  }
};

TEST_P(RoundingTest, WideFloatsRoundOnce) {
  Check<double>(DType::kF64);
  Check<double, std::complex<double>>(DType::kC128);
  Check<float>(DType::kF32);
  Check<float, std::complex<float>>(DType::kC64);
}

TEST_P(RoundingTest, WideIntegersRoundOnce) {
  Check<int64_t>(DType::kS64);
  Check<uint64_t>(DType::kU64);
  Check<int32_t>(DType::kS32);
  Check<uint32_t>(DType::kU32);
}

TEST_P(RoundingTest, NumbersThatRoundedTwice) {
  const auto convert = [](DType from, DType to) {
    return FindTileRoutine(Opcode::kConvert, from, to, {}, GetParam());
  };
  EXPECT_THAT(RunTile<float>(convert(DType::kF64, DType::kF16),
                             std::vector<double>{1 + 0x1p-11 + 0x1p-40, 65520 - 0x1p-20}),
              ElementsAre(1 + 0x1p-10f, 65504));
  EXPECT_THAT(
      RunTile<float>(convert(DType::kF64, DType::kBF16), std::vector<double>{1 + 0x1p-8 + 0x1p-40}),
      ElementsAre(1 + 0x1p-7f));
  EXPECT_THAT(RunTile<float>(convert(DType::kS32, DType::kBF16),
                             std::vector<int32_t>{(1 << 24) + (1 << 16) + 1}),
              ElementsAre(0x1.02p24f));
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min(),
                    kMax = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(RunTile<float>(convert(DType::kS64, DType::kBF16),
                             std::vector<int64_t>{kMin, kMin + 1, kMax}),
              ElementsAre(-0x1p63f, -0x1p63f, 0x1p63f));
  EXPECT_THAT(RunTile<float>(convert(DType::kU64, DType::kBF16), std::vector<uint64_t>{UINT64_MAX}),
              ElementsAre(0x1p64f));
}

TEST_P(RoundingTest, LargeIotasRoundOnce) {
  std::vector<float> values(2);
  FindIota(DType::kBF16, GetParam())(values.data(), (1 << 24) + (1 << 16), 1, 2);
  EXPECT_THAT(values, ElementsAre(0x1p24f, 0x1.02p24f));
}

INSTANTIATE_TEST_SUITE_P(Targets, RoundingTest,
                         testing::Values(SimdTarget::kBaseline, SimdTarget::kAvx2,
                                         SimdTarget::kAvx512));

}  // namespace
}  // namespace plinth::cpu::math
