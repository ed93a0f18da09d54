// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/past_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "reference_plugin/backend/host/core_cache.h"
#include "reference_plugin/cpu/kernels/kernel_test_util.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Kernel;
using compiler::Opcode;

// More elements of four bytes than any cache keeps for a core, no whole number of lines.
int64_t Many() { return 24 * backend::CoreCacheBytes() / 4 + 77; }

std::unique_ptr<backend::PreparedStep> Prepare(const Kernel& kernel) {
  auto step =
      PrepareKernel(std::make_shared<const Kernel>(kernel), std::make_shared<emit::CodeCache>());
  EXPECT_TRUE(step.ok()) << step.status().ToString();
  return step.ok() ? std::move(*step) : nullptr;
}

TEST(PastCacheTest, CopiesAllBytesAndNoOthers) {
  std::vector<uint8_t> from(1000), to(from.size());
  std::iota(from.begin(), from.end(), uint8_t{1});
  for (size_t begin = 0; begin < 130; begin += 13) {
    for (size_t bytes = 0; bytes < 300; bytes += 7) {
      std::fill(to.begin(), to.end(), uint8_t{0});
      CopyPastCache(&to[begin], &from[bytes % 5], bytes);
      StoreFence();
      for (size_t i = 0; i < to.size(); ++i) {
        const bool is_copied = i >= begin && i < begin + bytes;
        ASSERT_EQ(to[i], is_copied ? from[i - begin + bytes % 5] : 0) << begin << " " << bytes;
      }
    }
  }
}

TEST(PastCacheTest, ItIsForLargeOutputs) {
  Kernel kernel = Elementwise(Many(), {DType::kF32}, {Input(0)});
  EXPECT_TRUE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 0));
  kernel.shape.outputs[0].byte_strides = {0};
  EXPECT_FALSE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 0));
  kernel = Elementwise(Many() / 2, {DType::kF32}, {Input(0)});
  EXPECT_FALSE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 0));
  // Half of a large array, and a few rows of one.
  EXPECT_TRUE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 4 * Many()));
  EXPECT_FALSE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 2 * Many()));
  kernel = Elementwise(Many() / 24, {DType::kF32}, {Input(0)});
  EXPECT_FALSE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 4 * Many()));
}

// Aligned, not aligned, and over the operand.
TEST(PastCacheTest, OpsAndCopiesOfLargeArrays) {
  const int64_t count = Many();
  const auto add =
      Prepare(Elementwise(count, {DType::kF32}, {Input(0), Operation(Opcode::kAdd, {0, 0})}));
  const auto copy = Prepare(Elementwise(count, {DType::kF32}, {Input(0)}));
  Kernel backwards = Elementwise(count, {DType::kF32}, {Input(0)});
  backwards.shape.inputs[0].byte_offset = 4 * (count - 1);
  backwards.shape.inputs[0].byte_strides = {-4};
  const auto reverse = Prepare(backwards);
  ASSERT_TRUE(add && copy && reverse);
  std::vector<float> x(static_cast<size_t>(count), 1), y(x.size() + 1);
  void* operands[] = {x.data()};
  x.back() = 7;
  for (float* const result : {y.data(), y.data() + 1}) {
    void* results[] = {result};
    ASSERT_TRUE(reverse->Run(operands, results, backend::RunContext()).is_done());
    EXPECT_EQ(result[0], 7);
    EXPECT_EQ(std::count(result, result + count, 1.0f), count - 1);
  }
  x.back() = 1;
  for (float* const result : {y.data(), y.data() + 1, x.data()}) {
    void* results[] = {result};
    ASSERT_TRUE(copy->Run(operands, results, backend::RunContext()).is_done());
    EXPECT_EQ(std::count(result, result + count, 1.0f), count);
    ASSERT_TRUE(add->Run(operands, results, backend::RunContext()).is_done());
    EXPECT_EQ(std::count(result, result + count, 2.0f), count);
  }
}

// Of 1,024 elements, each of which begins at a line, and of 1,003.
TEST(PastCacheTest, Rows) {
  for (const int64_t columns : {1024, 1003}) {
    const int64_t rows = Many() / columns + 1;
    Kernel kernel;
    kernel.name = "shares";
    kernel.shape.extents = {rows, columns};
    kernel.shape.num_parallel = 1;
    kernel.shape.inputs = {MakeAccess(0, DType::kF32, {4 * columns, 4})};
    kernel.shape.outputs = {MakeAccess(0, DType::kF32, {4 * columns, 4})};
    compiler::Phase sum, divide;
    sum.over_reduced = divide.over_reduced = true;
    sum.nodes = {Input(0), Constant(0.0f)};
    sum.reductions = {Reduce(Opcode::kAdd, DType::kF32, 0, 1)};
    divide.nodes = {Input(0), Leaf(compiler::NodeKind::kReduced, DType::kF32, 0),
                    Operation(Opcode::kDivide, {0, 1})};
    divide.stores = {{2, 0}};
    kernel.body.phases = {sum, divide};
    ASSERT_TRUE(HasOutputPastCache(kernel, SimplifyDomain(kernel, false), 0));
    const auto step = Prepare(kernel);
    ASSERT_NE(step, nullptr);
    std::vector<float> x(static_cast<size_t>(rows * columns), 2), y(x.size());
    void* operands[] = {x.data()};
    void* results[] = {y.data()};
    ASSERT_TRUE(step->Run(operands, results, backend::RunContext()).is_done());
    const float share = 1 / static_cast<float>(columns);
    EXPECT_EQ(std::count(y.begin(), y.end(), share), rows * columns);
  }
}

}  // namespace
}  // namespace plinth::cpu::kernels
