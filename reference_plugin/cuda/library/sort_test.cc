// SPDX-License-Identifier: Apache-2.0
// Sorts of short rows, and of long ones by their digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "reference_plugin/cuda/library/library_test_util.h"

namespace plinth::cuda {
namespace {

using compiler::Combiner;
using compiler::Dims;
using compiler::MakeAttributes;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Type;
using compiler::plan::PlanStep;
using testing::Array;
using testing::MakeComparator;
using testing::MakeStep;
using testing::RoundTrip;
using testing::RunStep;

class SortTest : public testing::LibraryTest {};

TEST_F(SortTest, SortsStably) {
  for (const int64_t length : {1, 2, 37, 300}) {
    for (const int64_t inner : {1, 3}) {
      const Dims dims = {2, length, inner};
      std::vector<Array> in = {Random(DType::kF32, dims, 9), Array(DType::kS32, dims)};
      std::iota(in[1].values.begin(), in[1].values.end(), 0);
      compiler::DimensionAttributes attributes;
      attributes.dimension = 1;
      attributes.is_stable = true;
      const auto out =
          RunStep(MakeStep(Opcode::kSort, in, {in[0].type, in[1].type}, MakeAttributes(attributes),
                           {MakeComparator(DType::kF32, compiler::ComparisonDirection::kGt)}),
                  in);
      for (int64_t row = 0; row < 2 * inner; ++row) {
        auto at = [&](int64_t e) {
          return static_cast<size_t>((row / inner * length + e) * inner + row % inner);
        };
        std::vector<size_t> order;
        for (int64_t e = 0; e < length; ++e) order.push_back(at(e));
        std::stable_sort(order.begin(), order.end(),
                         [&](size_t a, size_t b) { return in[0][a] > in[0][b]; });
        for (int64_t e = 0; e < length; ++e) {
          ASSERT_EQ(out[0][at(e)], in[0][order[static_cast<size_t>(e)]]) << length;
          ASSERT_EQ(out[1][at(e)], in[1][order[static_cast<size_t>(e)]]) << length;
        }
      }
    }
  }
}

// Long rows of known keys, whose digits are sorted: types of every kind, both directions, negative
// zeros, rows that lie apart, and an array that goes with them.
TEST_F(SortTest, SortsLongRowsByDigits) {
  using compiler::ComparisonDirection;
  using compiler::ComparisonType;
  bool descending = false;
  for (const DType type : {DType::kF32, DType::kF16, DType::kBF16, DType::kF64, DType::kS8,
                           DType::kS32, DType::kS64, DType::kU16, DType::kPred}) {
    descending = !descending;
    const Dims dims = {1, 4500, type == DType::kS32 ? 2 : 1};
    std::vector<Array> in = {Random(type, dims, 60), Array(DType::kS32, dims)};
    std::iota(in[1].values.begin(), in[1].values.end(), 0);
    const DTypeClass kind = InfoOf(type).kind;
    if (kind == DTypeClass::kFloat) {
      for (size_t i = 0; i < in[0].values.size(); i += 7) in[0][i] = i % 2 == 0 ? 0.0 : -0.0;
      for (size_t i = 3; i < in[0].values.size(); i += 5) in[0][i] *= 0.37;
      in[0] = RoundTrip(in[0]);
    }
    Combiner comparator =
        MakeComparator(type, descending ? ComparisonDirection::kGt : ComparisonDirection::kLt);
    if (kind != DTypeClass::kFloat) {
      comparator.nodes[2].compare.type =
          kind == DTypeClass::kSigned ? ComparisonType::kSigned : ComparisonType::kUnsigned;
    }
    compiler::DimensionAttributes attributes;
    attributes.dimension = 1;
    attributes.is_stable = true;
    const PlanStep step = MakeStep(Opcode::kSort, in, {in[0].type, in[1].type},
                                   MakeAttributes(attributes), {comparator});
    // Merges count nothing.
    const auto printed = Print(step, {});
    ASSERT_TRUE(printed.ok());
    EXPECT_NE(printed->actions[1].kernel->text.find("atomicAdd"), std::string::npos);
    const auto out = RunStep(step, in);
    const int64_t inner = dims[2];
    for (int64_t row = 0; row < inner; ++row) {
      std::vector<size_t> order;
      for (int64_t e = 0; e < dims[1]; ++e) order.push_back(static_cast<size_t>(e * inner + row));
      std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return descending ? in[0][a] > in[0][b] : in[0][a] < in[0][b];
      });
      for (int64_t e = 0; e < dims[1]; ++e) {
        const auto at = static_cast<size_t>(e * inner + row);
        ASSERT_EQ(out[0][at], in[0][order[static_cast<size_t>(e)]]) << Name(type) << e;
        ASSERT_EQ(out[1][at], in[1][order[static_cast<size_t>(e)]]) << Name(type) << e;
      }
    }
  }
}

// Two keys: the second decides among equals of the first. The row has more tiles than a block has
// threads.
TEST_F(SortTest, SortsLongRowsByTwoKeys) {
  using compiler::ComparisonDirection;
  const Dims dims = {1'100'000};
  const std::vector<Array> in = {Random(DType::kU8, dims, 5), Random(DType::kU8, dims, 200)};
  Combiner comparator;
  for (int32_t i = 0; i < 4; ++i) {
    Node parameter;
    parameter.kind = NodeKind::kParameter;
    parameter.dtype = DType::kU8;
    parameter.index = i;
    comparator.nodes.push_back(parameter);
  }
  auto add = [&](Opcode opcode, std::initializer_list<int32_t> operands,
                 ComparisonDirection direction = {}) {
    Node node;
    node.opcode = opcode;
    node.dtype = DType::kPred;
    for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
    if (opcode == Opcode::kCompare) {
      node.compare = {direction, compiler::ComparisonType::kUnsigned};
    }
    comparator.nodes.push_back(node);
    return static_cast<int32_t>(comparator.nodes.size()) - 1;
  };
  const int32_t first = add(Opcode::kCompare, {0, 1}, ComparisonDirection::kLt);
  const int32_t equal = add(Opcode::kCompare, {0, 1}, ComparisonDirection::kEq);
  const int32_t second = add(Opcode::kCompare, {2, 3}, ComparisonDirection::kLt);
  comparator.results = {add(Opcode::kOr, {first, add(Opcode::kAnd, {equal, second})})};
  compiler::DimensionAttributes attributes;
  const PlanStep step = MakeStep(Opcode::kSort, in, {in[0].type, in[1].type},
                                 MakeAttributes(attributes), {comparator});
  const auto printed = Print(step, {});
  ASSERT_TRUE(printed.ok());
  EXPECT_EQ(printed->actions[1].kind, Action::Kind::kFill);
  const auto out = RunStep(step, in);
  std::vector<std::pair<double, double>> expected;
  for (size_t i = 0; i < in[0].values.size(); ++i) expected.emplace_back(in[0][i], in[1][i]);
  std::stable_sort(expected.begin(), expected.end());
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(std::pair(out[0][i], out[1][i]), expected[i]) << i;
  }
}

TEST_F(SortTest, AComparatorThatContradictsItselfHarmsNobody) {
  const std::vector<Array> in = {Random(DType::kF32, {100})};
  compiler::DimensionAttributes attributes;
  const auto out =
      RunStep(MakeStep(Opcode::kSort, in, {in[0].type}, MakeAttributes(attributes),
                       {MakeComparator(DType::kF32, compiler::ComparisonDirection::kNe)}),
              in);
  for (double value : out[0].values) {
    EXPECT_NE(std::find(in[0].values.begin(), in[0].values.end(), value), in[0].values.end());
  }
}

TEST_F(SortTest, TopK) {
  const std::vector<Array> in = {Random(DType::kF32, {3, 50}, 20)};
  compiler::DimensionAttributes attributes;
  attributes.count = 7;
  const auto out =
      RunStep(MakeStep(Opcode::kTopK, in,
                       {Type::Tensor(DType::kF32, {3, 7}), Type::Tensor(DType::kS32, {3, 7})},
                       MakeAttributes(attributes)),
              in);
  for (size_t row = 0; row < 3; ++row) {
    std::vector<size_t> order(50);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return in[0][50 * row + a] > in[0][50 * row + b]; });
    for (size_t i = 0; i < 7; ++i) {
      ASSERT_EQ(out[0][7 * row + i], in[0][50 * row + order[i]]);
      ASSERT_EQ(out[1][7 * row + i], static_cast<double>(order[i]));
    }
  }
}

}  // namespace
}  // namespace plinth::cuda
