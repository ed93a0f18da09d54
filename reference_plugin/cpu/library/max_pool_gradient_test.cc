// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/test_combiners.h"
#include "reference_plugin/cpu/library/test_support.h"

// The gradient of pooling, a select_and_scatter, against a loop over windows, whichever of the ways
// computes it.
namespace plinth::cpu::library {
namespace {

using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::Dims;
using compiler::MakeAttributes;
using compiler::Opcode;

struct Pool2d {
  Dims operand, source;  // [a, y, x, b]: windows move along y and x
  int64_t size, stride, low;
};

void ExpectGradient(const Pool2d& pool, DType dtype, ComparisonDirection direction) {
  compiler::WindowAttributes attributes;
  attributes.window.sizes = {1, pool.size, pool.size, 1};
  attributes.window.strides = {1, pool.stride, pool.stride, 1};
  attributes.window.padding_low = {0, pool.low, pool.low, 0};
  attributes.window.padding_high = {0, pool.low, pool.low, 0};
  TestArray operand(dtype, pool.operand), source(dtype, pool.source), initial(dtype, {}),
      result(dtype, pool.operand);
  std::mt19937_64 random(7);
  // Small integers: ties, and sums without rounding.
  for (int64_t i = 0; i < operand.NumElements(); ++i) {
    operand.Set(i, static_cast<double>(random() % 9) - 4);
  }
  for (int64_t i = 0; i < source.NumElements(); ++i) {
    source.Set(i, static_cast<double>(random() % 16));
  }
  initial.Set(0, 2.0);
  auto step = MakeStep(Opcode::kSelectAndScatter, {operand.type, source.type, initial.type},
                       {result.type}, std::make_shared<const compiler::Attributes>(attributes));
  step.combiners = {ComparatorOfTwo(direction, ComparisonType::kFloat, dtype),
                    OfTwo(Opcode::kAdd, dtype)};
  backend::ThreadPool threads(2);
  ASSERT_TRUE(RunStep(step, {&operand, &source, &initial}, {&result}, &threads).ok());

  std::vector<double> expected(static_cast<size_t>(operand.NumElements()), 2);
  const Dims& in = pool.operand;
  const Dims& out = pool.source;
  for (int64_t s = 0; s < source.NumElements(); ++s) {
    const int64_t b = s % out[3], x = s / out[3] % out[2], y = s / out[3] / out[2] % out[1];
    const int64_t a = s / out[3] / out[2] / out[1];
    int64_t best = -1;
    for (int64_t w = 0; w < pool.size * pool.size; ++w) {
      const int64_t row = y * pool.stride + w / pool.size - pool.low;
      const int64_t column = x * pool.stride + w % pool.size - pool.low;
      if (row < 0 || row >= in[1] || column < 0 || column >= in[2]) continue;
      const int64_t at = ((a * in[1] + row) * in[2] + column) * in[3] + b;
      const double value = operand.Get<double>(at), held = best < 0 ? 0 : operand.Get<double>(best);
      const bool keep = best >= 0 && (direction == ComparisonDirection::kGe   ? held >= value
                                      : direction == ComparisonDirection::kLe ? held <= value
                                                                              : held > value);
      if (!keep) best = at;
    }
    if (best >= 0) expected[static_cast<size_t>(best)] += source.Get<double>(s);
  }
  for (int64_t i = 0; i < operand.NumElements(); ++i) {
    ASSERT_EQ(result.Get<double>(i), expected[static_cast<size_t>(i)]) << Name(dtype) << " " << i;
  }
}

TEST(MaxPoolGradientTest, EveryWay) {
  const Pool2d pools[] = {
      {{2, 6, 8, 3}, {2, 3, 4, 3}, 2, 2, 0},    // as in most networks
      {{1, 5, 7, 70}, {1, 3, 4, 70}, 3, 2, 1},  // overlapping, padded, several runs of lanes
      {{3, 4, 4, 1}, {3, 8, 8, 1}, 3, 1, 3},    // windows wholly in the padding
      {{2, 5, 5, 0}, {2, 2, 2, 0}, 2, 2, 0},
  };
  for (const Pool2d& pool : pools) {
    for (DType dtype : {DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
      for (auto direction :
           {ComparisonDirection::kGe, ComparisonDirection::kLe, ComparisonDirection::kGt}) {
        ExpectGradient(pool, dtype, direction);
      }
    }
  }
}

TEST(SelectAndScatterTest, GradientOfMaxPooling) {
  // [2, 5, 4]: windows of 3 with stride 2 and one of padding along the middle dimension.
  DType dtype = DType::kF32;
  compiler::WindowAttributes attributes;
  attributes.window.sizes = {1, 3, 1};
  attributes.window.strides = {1, 2, 1};
  attributes.window.padding_low = {0, 1, 0};
  attributes.window.padding_high = {0, 1, 0};
  TestArray operand(dtype, {2, 5, 4}), source(dtype, {2, 3, 4}), initial(dtype, {}),
      result(dtype, {2, 5, 4});
  for (int64_t i = 0; i < 40; ++i) operand.Set(i, static_cast<double>((i * 7) % 10));
  for (int64_t i = 0; i < 24; ++i) source.Set(i, static_cast<double>(i + 1));
  auto step = MakeStep(Opcode::kSelectAndScatter, {operand.type, source.type, initial.type},
                       {result.type}, MakeAttributes(attributes));
  step.combiners = {ComparatorOfTwo(ComparisonDirection::kGe, ComparisonType::kFloat, dtype),
                    OfTwo(Opcode::kAdd, dtype)};
  backend::ThreadPool pool(2);
  ASSERT_TRUE(RunStep(step, {&operand, &source, &initial}, {&result}, &pool).ok());
  std::vector<double> expected(40, 0);
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t c = 0; c < 4; ++c) {
        int64_t best = -1;
        for (int64_t w = 0; w < 3; ++w) {
          int64_t at = s * 2 + w - 1;
          if (at < 0 || at >= 5) continue;
          int64_t offset = (b * 5 + at) * 4 + c;
          if (best < 0 || operand.Get<double>(offset) > operand.Get<double>(best)) best = offset;
        }
        expected[best] += source.Get<double>((b * 3 + s) * 4 + c);
      }
    }
  }
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(result.Get<double>(i), expected[i]) << i;
}

TEST(SelectAndScatterTest, WideRowsArePlanned) {
  constexpr DType kType = DType::kS16;
  constexpr int64_t kLanes = 600'000;
  compiler::WindowAttributes attributes;
  attributes.window.sizes = attributes.window.strides = {2, 1};
  attributes.window.padding_low = attributes.window.padding_high = {0, 0};
  TestArray operand(kType, {2, kLanes}), source(kType, {1, kLanes}), initial(kType, {}),
      result(kType, {2, kLanes});
  for (int64_t i = 0; i < 2 * kLanes; ++i) operand.Set(i, i * 13 % 7);
  for (int64_t i = 0; i < kLanes; ++i) source.Set(i, i % 100 + 1);
  auto step = MakeStep(Opcode::kSelectAndScatter, {operand.type, source.type, initial.type},
                       {result.type}, MakeAttributes(attributes));
  step.combiners = {ComparatorOfTwo(ComparisonDirection::kGe, ComparisonType::kSigned, kType),
                    OfTwo(Opcode::kMultiply, kType)};
  initial.Set(0, int64_t{1});
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_TRUE(prepared.ok());
  EXPECT_GE((*prepared)->scratch_bytes(), kLanes * 11);
  ASSERT_TRUE(RunStep(step, {&operand, &source, &initial}, {&result}).ok());
  for (int64_t i = 0; i < kLanes; ++i) {
    const bool first = operand.Get<int64_t>(i) >= operand.Get<int64_t>(kLanes + i);
    ASSERT_EQ(result.Get<int64_t>(i), first ? i % 100 + 1 : 1) << i;
    ASSERT_EQ(result.Get<int64_t>(kLanes + i), first ? 1 : i % 100 + 1) << i;
  }
}

}  // namespace
}  // namespace plinth::cpu::library
