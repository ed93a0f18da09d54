// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/test_support.h"

// The gradient of pooling against a loop over windows, whichever of the ways computes it.
namespace plinth::cpu::library {
namespace {

using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::Dims;
using compiler::Opcode;

compiler::Combiner OfParameters(Opcode opcode, DType type, DType result,
                                ComparisonDirection direction = ComparisonDirection::kEq) {
  compiler::Combiner combiner;
  for (int p = 0; p < 2; ++p) {
    compiler::Node node;
    node.kind = compiler::NodeKind::kParameter;
    node.index = p;
    node.dtype = type;
    combiner.nodes.push_back(node);
  }
  compiler::Node node;
  node.opcode = opcode;
  node.dtype = result;
  node.num_operands = 2;
  node.operands[1] = 1;
  node.compare = {direction, ComparisonType::kFloat};
  combiner.nodes.push_back(node);
  combiner.results = {2};
  return combiner;
}

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
  step.combiners = {OfParameters(Opcode::kCompare, dtype, DType::kPred, direction),
                    OfParameters(Opcode::kAdd, dtype, dtype)};
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

}  // namespace
}  // namespace plinth::cpu::library
