// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/matrix_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cuda/testing/host_device.h"

// Which products are a library's, and that what it is asked for is the product: the same numbers as
// the printed kernels'.
namespace plinth::cuda {
namespace {

using compiler::DotAttributes;
using compiler::Opcode;
using compiler::Precision;
using compiler::Type;
using compiler::plan::PlanStep;
using Rounding = MatrixProduct::Rounding;
using testing::GuardedArray;

// Takes everything, or nothing by lists of addresses.
class TakesAll final : public ProductLibrary {
 public:
  explicit TakesAll(bool lists = true) : lists_(lists) {}
  std::optional<int64_t> Workspace(const MatrixProduct& product) override {
    if (product.by_pointers && !lists_) return std::nullopt;
    return kArrayAlignment;
  }

 private:
  const bool lists_;
};

PlanStep Dot(const Type& left, const Type& right, const Type& result, const DotAttributes& dot) {
  PlanStep step;
  step.kind = compiler::plan::PlanStepKind::kLibrary;
  step.opcode = Opcode::kDotGeneral;
  step.operands = {{0, left}, {1, right}};
  step.results = {{2, result}};
  step.attributes = compiler::MakeAttributes(dot);
  return step;
}

std::vector<std::byte> RunPrinted(const PlanStep& step, const PrintedStep& printed) {
  testing::HostDevice device;
  EXPECT_TRUE(device.Load({&printed, 1}).ok());
  std::mt19937 random(5);
  std::vector<GuardedArray> arrays;
  arrays.reserve(3);
  std::vector<std::byte*> operands;
  for (const auto& operand : step.operands) {
    GuardedArray& array = arrays.emplace_back(operand.type.SizeInBytes());
    for (int64_t e = 0; e < operand.type.NumElements(); ++e) {
      compiler::testing::Save(operand.type.dtype, static_cast<double>(random() % 7) - 3,
                              array.data() + e * ByteSize(operand.type.dtype));
    }
    operands.push_back(array.data());
  }
  GuardedArray& result = arrays.emplace_back(step.results[0].type.SizeInBytes());
  std::byte* const results[] = {result.data()};
  const Status run = device.Run(printed, operands, results);
  EXPECT_TRUE(run.ok()) << run.ToString();
  for (const GuardedArray& array : arrays) EXPECT_TRUE(array.IsIntact());
  return {result.bytes().begin(), result.bytes().end()};
}

// Products and launches of the step, as the library does it; then that both ways agree.
struct Taken {
  std::vector<MatrixProduct> products;
  size_t launches = 0;
};
Taken Take(const PlanStep& step, bool lists = true) {
  TakesAll library(lists);
  const auto with = Print(step, {}, {{&library, true, 0}});
  const auto without = Print(step, {});
  EXPECT_TRUE(with.ok() && without.ok());
  Taken taken;
  for (const Action& action : with->actions) {
    if (action.kind == Action::Kind::kProduct) {
      taken.products.push_back(*action.product);
    } else {
      ++taken.launches;
    }
  }
  EXPECT_EQ(RunPrinted(step, *with), RunPrinted(step, *without));
  // What was compiled without a device has the kernels for one.
  for (const Action& action : with->actions) {
    if (action.kernel == nullptr || taken.products.empty()) continue;
    EXPECT_TRUE(std::any_of(without->spare.begin(), without->spare.end(),
                            [&](const auto& spare) { return spare->name == action.kernel->name; }));
  }
  return taken;
}

Type F32(compiler::Dims dims) { return Type::Tensor(DType::kF32, std::move(dims)); }

TEST(MatrixProductTest, TakesEachWayThatMatricesLie) {
  for (const bool left : {false, true}) {
    for (const bool right : {false, true}) {
      DotAttributes dot;
      dot.lhs_contracting = {left ? 0 : 1};
      dot.rhs_contracting = {right ? 1 : 0};
      const Taken taken =
          Take(Dot(F32(left ? compiler::Dims{9, 5} : compiler::Dims{5, 9}),
                   F32(right ? compiler::Dims{7, 9} : compiler::Dims{9, 7}), F32({5, 7}), dot));
      ASSERT_EQ(taken.products.size(), 1u);
      EXPECT_EQ(taken.launches, 0u);
      // By columns: the transpose of the result.
      EXPECT_EQ(taken.products[0].rows, 7);
      EXPECT_EQ(taken.products[0].left.is_turned, right);
      EXPECT_EQ(taken.products[0].right.is_turned, left);
    }
  }
}

TEST(MatrixProductTest, TakesTypesAndVectors) {
  for (const auto& [operands, result] :
       {std::pair(DType::kF16, DType::kF32), std::pair(DType::kBF16, DType::kBF16),
        std::pair(DType::kF64, DType::kF64), std::pair(DType::kS8, DType::kS32)}) {
    for (const int64_t rows : {1, 6}) {
      DotAttributes dot;
      dot.lhs_contracting = {1};
      dot.rhs_contracting = {1};
      const Taken taken =
          Take(Dot(Type::Tensor(operands, {rows, 20}), Type::Tensor(operands, {3, 20}),
                   Type::Tensor(result, {rows, 3}), dot));
      EXPECT_EQ(taken.products.size(), 1u) << Name(operands);
    }
  }
}

TEST(MatrixProductTest, BatchesThatMergeAreStrided) {
  DotAttributes dot;
  dot.lhs_batch = dot.rhs_batch = {0, 1};
  dot.lhs_contracting = {3};
  dot.rhs_contracting = {2};
  const Taken taken = Take(Dot(F32({2, 3, 4, 5}), F32({2, 3, 5, 8}), F32({2, 3, 4, 8}), dot));
  ASSERT_EQ(taken.products.size(), 1u);
  EXPECT_EQ(taken.products[0].batch, 6);
  EXPECT_FALSE(taken.products[0].by_pointers);
  EXPECT_EQ(taken.products[0].result.batch_stride, 32);
  // 5 x 8 floats, so that each starts at a multiple of 16 bytes; 4 x 5 of the other do, too.
  EXPECT_EQ(taken.products[0].left.alignment, 16);
}

// Queries and keys of attention: [batch, time, heads, features].
TEST(MatrixProductTest, BatchesThatDoNotMergeAreListsOrCalls) {
  DotAttributes dot;
  dot.lhs_batch = dot.rhs_batch = {0, 2};
  dot.lhs_contracting = dot.rhs_contracting = {3};
  const PlanStep step = Dot(F32({2, 5, 3, 4}), F32({2, 6, 3, 4}), F32({2, 3, 5, 6}), dot);
  const Taken lists = Take(step);
  ASSERT_EQ(lists.products.size(), 1u);
  EXPECT_EQ(lists.launches, 1u);
  EXPECT_TRUE(lists.products[0].by_pointers);
  EXPECT_EQ(lists.products[0].batch, 6);
  EXPECT_EQ(lists.products[0].left.alignment, 16);
  EXPECT_EQ(lists.products[0].result.alignment, 8);
  const Taken calls = Take(step, /*lists=*/false);
  EXPECT_EQ(calls.products.size(), 2u);
  EXPECT_EQ(calls.launches, 0u);
  EXPECT_EQ(calls.products[0].batch, 3);
}

// A dimension of rows that lies apart in the result and the operand.
TEST(MatrixProductTest, RowsThatDoNotMergeAreProducts) {
  DotAttributes dot;
  dot.lhs_contracting = {1};
  dot.rhs_contracting = {0};
  const Taken taken = Take(Dot(F32({2, 5, 3}), F32({5, 4}), F32({2, 3, 4}), dot));
  ASSERT_EQ(taken.products.size(), 1u);
  EXPECT_EQ(taken.products[0].batch, 2);
  EXPECT_EQ(taken.products[0].left.batch_stride, 0);
}

TEST(MatrixProductTest, LeavesTheOthersToKernels) {
  DotAttributes dot;
  dot.lhs_contracting = {0, 2};
  dot.rhs_contracting = {1, 0};
  // What is summed over lies apart.
  EXPECT_TRUE(Take(Dot(F32({2, 3, 4}), F32({4, 2, 5}), F32({3, 5}), dot)).products.empty());
  DotAttributes plain;
  plain.lhs_contracting = {1};
  plain.rhs_contracting = {0};
  const PlanStep empty = Dot(F32({3, 0}), F32({0, 2}), F32({3, 2}), plain);
  EXPECT_TRUE(Take(empty).products.empty());
  const PlanStep integers =
      Dot(Type::Tensor(DType::kS32, {3, 4}), Type::Tensor(DType::kS32, {4, 2}),
          Type::Tensor(DType::kS32, {3, 2}), plain);
  EXPECT_TRUE(Take(integers).products.empty());
  TakesAll library;
  const auto small =
      Print(Dot(F32({3, 4}), F32({4, 2}), F32({3, 2}), plain), {}, {{&library, true, 25}});
  ASSERT_TRUE(small.ok());
  EXPECT_EQ(small->actions[0].kind, Action::Kind::kLaunch);
}

TEST(MatrixProductTest, PointwiseConvolutionsAreProducts) {
  compiler::ConvolutionAttributes conv{};
  conv.input_batch = 0, conv.input_spatial = {1}, conv.input_feature = 2;
  conv.kernel_spatial = {0}, conv.kernel_input_feature = 1, conv.kernel_output_feature = 2;
  conv.output_batch = 0, conv.output_spatial = {1}, conv.output_feature = 2;
  conv.window.strides = conv.window.base_dilation = conv.window.window_dilation = {1};
  conv.window.reversal = {false};
  for (const int64_t taps : {1, 2}) {
    conv.window.sizes = {taps};
    conv.window.padding_low = conv.window.padding_high = {taps - 1};
    PlanStep step = Dot(F32({2, 8, 3}), F32({taps, 3, 5}), F32({2, 7 + taps, 5}), {});
    step.opcode = Opcode::kConvolution;
    step.attributes = compiler::MakeAttributes(conv);
    EXPECT_EQ(Take(step).products.size(), taps == 1 ? 1u : 0u);
  }
}

TEST(MatrixProductTest, RoundsAsProgramsAsk) {
  auto rounding = [](Precision precision, std::optional<compiler::DotAlgorithm> algorithm = {},
                     bool allow_tf32 = true) {
    return RoundingOf(precision, algorithm, DType::kF32, allow_tf32);
  };
  EXPECT_EQ(rounding(Precision::kDefault), Rounding::kTf32);
  EXPECT_EQ(rounding(Precision::kDefault, {}, false), Rounding::kNone);
  EXPECT_EQ(rounding(Precision::kHigh), Rounding::kNone);
  EXPECT_EQ(rounding(Precision::kHighest), Rounding::kNone);
  EXPECT_EQ(RoundingOf(Precision::kDefault, {}, DType::kF64, true), Rounding::kNone);
  compiler::DotAlgorithm algorithm;
  algorithm.accumulation = DType::kF32;
  // Asked for by name, also where the default is exact.
  EXPECT_EQ(rounding(Precision::kHighest, algorithm, false), Rounding::kTf32);
  algorithm.lhs_precision = algorithm.rhs_precision = DType::kBF16;
  EXPECT_EQ(rounding(Precision::kDefault, algorithm), Rounding::kBF16);
  algorithm.primitive_operations = 6;
  EXPECT_EQ(rounding(Precision::kDefault, algorithm), Rounding::kNone);
  algorithm.primitive_operations = 1;
  algorithm.lhs_precision = algorithm.rhs_precision = DType::kF32;
  EXPECT_EQ(rounding(Precision::kDefault, algorithm), Rounding::kNone);
}

}  // namespace
}  // namespace plinth::cuda
