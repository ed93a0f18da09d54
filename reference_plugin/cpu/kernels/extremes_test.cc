// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/kernels/extremes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/cpu/kernels/kernel_step.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::ComparisonDirection;
using compiler::Dims;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Node Parameter(DType type, int32_t number) {
  Node node;
  node.kind = NodeKind::kParameter;
  node.dtype = type;
  node.index = number;
  return node;
}

Node OpOf(Opcode opcode, DType type, std::initializer_list<int32_t> operands) {
  Node node;
  node.opcode = opcode;
  node.dtype = type;
  for (int32_t operand : operands) node.operands[node.num_operands++] = operand;
  return node;
}

Node Compare(ComparisonDirection direction, compiler::ComparisonType type, int32_t a, int32_t b) {
  Node node = OpOf(Opcode::kCompare, DType::kPred, {a, b});
  node.compare = {direction, type};
  return node;
}

// The combiner that JAX writes, for f32 values and s32 indices.
compiler::Combiner ArgCombiner(bool is_max) {
  constexpr auto kFloat = compiler::ComparisonType::kFloat;
  compiler::Combiner combiner;
  combiner.nodes = {
      Parameter(DType::kF32, 0),
      Parameter(DType::kS32, 1),
      Parameter(DType::kF32, 2),
      Parameter(DType::kS32, 3),
      Compare(is_max ? ComparisonDirection::kGt : ComparisonDirection::kLt, kFloat, 0, 2),
      Compare(ComparisonDirection::kNe, kFloat, 0, 0),
      OpOf(Opcode::kOr, DType::kPred, {4, 5}),
      Compare(ComparisonDirection::kEq, kFloat, 0, 2),
      Compare(ComparisonDirection::kLt, compiler::ComparisonType::kSigned, 1, 3),
      OpOf(Opcode::kAnd, DType::kPred, {7, 8}),
      OpOf(Opcode::kOr, DType::kPred, {6, 9}),
      OpOf(Opcode::kSelect, DType::kF32, {6, 0, 2}),
      OpOf(Opcode::kSelect, DType::kS32, {10, 1, 3})};
  combiner.results = {11, 12};
  return combiner;
}

// The index of the extreme element of each row of a [rows, length] array, which lies row by row or
// column by column.
std::shared_ptr<compiler::Kernel> ArgKernel(int64_t rows, int64_t length, bool is_max,
                                            bool by_columns) {
  auto kernel = std::make_shared<compiler::Kernel>();
  kernel->name = "arg";
  kernel->shape.extents = Dims{rows, length};
  kernel->shape.num_parallel = 1;
  compiler::Access input;
  input.dtype = DType::kF32;
  input.byte_strides = by_columns ? Dims{4, 4 * rows} : Dims{4 * length, 4};
  kernel->shape.inputs = {input};
  compiler::Access output;
  output.dtype = DType::kS32;
  output.byte_strides = Dims{4, 0};
  kernel->shape.outputs = {output};
  compiler::Phase reduce;
  reduce.over_reduced = true;
  Node value, index, start, zero;
  value.kind = NodeKind::kInput;
  value.dtype = DType::kF32;
  index.kind = NodeKind::kIota;
  index.dtype = DType::kS32;
  index.index = 1;
  index.constant.high = 1;
  start.kind = zero.kind = NodeKind::kConstant;
  start.dtype = DType::kF32;
  const float worst = is_max ? -kInfinity : kInfinity;
  std::memcpy(&start.constant.low, &worst, sizeof(worst));
  zero.dtype = DType::kS32;
  reduce.nodes = {value, index, start, zero};
  compiler::Reduction reduction;
  reduction.combiner = ArgCombiner(is_max);
  reduction.inputs = {0, 1};
  reduction.initial = {2, 3};
  reduce.reductions = {reduction};
  compiler::Phase store;
  Node reduced;
  reduced.kind = NodeKind::kReduced;
  reduced.dtype = DType::kS32;
  reduced.component = 1;
  store.nodes = {reduced};
  store.stores = {{0, 0}};
  kernel->body.phases = {reduce, store};
  return kernel;
}

Extremes FoundOf(const compiler::Kernel& kernel) {
  const compiler::Phase& phase = kernel.body.phases[0];
  return FindExtremesOf(kernel, phase, phase.reductions[0], 0);
}

math::ExtremesFunction Found(const compiler::Kernel& kernel) { return FoundOf(kernel).of_lanes; }

// Left to right, as the combiner says.
int32_t FirstExtreme(const std::vector<float>& row, bool is_max) {
  size_t best = 0;
  for (size_t i = 1; i < row.size(); ++i) {
    const bool beats = is_max ? row[i] > row[best] : row[i] < row[best];
    if (!std::isnan(row[best]) && (beats || std::isnan(row[i]))) best = i;
  }
  return static_cast<int32_t>(best);
}

TEST(Extremes, FirstOfEqualElementsAndOfNans) {
  std::mt19937 random(1);
  backend::ThreadPool pool(3);
  for (const auto& [rows, length] : {std::pair<int64_t, int64_t>{1, 1},
                                     {1, 700'000},
                                     {3, 1000},
                                     {40, 7},
                                     {1, 513},
                                     {5, 4099},
                                     {700, 33}}) {
    for (int variant = 0; variant < 24; ++variant) {
      const bool is_max = variant % 2 == 0, by_columns = variant % 4 > 1;
      const bool is_computed = variant >= 12;
      std::vector<std::vector<float>> data(static_cast<size_t>(rows));
      std::vector<float> memory(static_cast<size_t>(rows * length));
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t i = 0; i < length; ++i) {
          const int kind = variant % 12;
          float x = static_cast<float>(random() % (kind < 4 ? 5 : 100'000));
          if (x == 0 && random() % 2 == 0) x = -x;
          if (kind >= 8 && random() % 50 == 0) x = random() % 2 == 0 ? kNan : -kNan;
          if (kind == 7) x = -kInfinity;
          data[static_cast<size_t>(r)].push_back(x);
          memory[static_cast<size_t>(by_columns ? i * rows + r : r * length + i)] = x;
        }
      }
      const auto kernel = ArgKernel(rows, length, is_max != is_computed, by_columns);
      if (is_computed) {
        compiler::Phase& phase = kernel->body.phases[0];
        phase.nodes.push_back(OpOf(Opcode::kNegate, DType::kF32, {0}));
        phase.reductions[0].inputs[0] = 4;
      }
      ASSERT_TRUE(compiler::Verify(*kernel).ok()) << compiler::Verify(*kernel).ToString();
      ASSERT_NE(Found(*kernel), nullptr);
      auto step = PrepareKernel(kernel);
      ASSERT_TRUE(step.ok()) << step.status().ToString();
      for (backend::ThreadPool* threads : {static_cast<backend::ThreadPool*>(nullptr), &pool}) {
        std::vector<int32_t> result(static_cast<size_t>(rows), -1);
        std::vector<std::byte> scratch(static_cast<size_t>((*step)->scratch_bytes()) + 64);
        void* aligned = scratch.data();
        size_t space = scratch.size();
        std::align(64, space - 64, aligned, space);
        backend::RunContext context;
        context.scratch = {static_cast<std::byte*>(aligned), space};
        context.pool = threads;
        void* operands[] = {memory.data()};
        void* results[] = {result.data()};
        ASSERT_TRUE((*step)->Run(operands, results, context).is_done());
        for (size_t r = 0; r < result.size(); ++r) {
          ASSERT_EQ(result[r], FirstExtreme(data[r], is_max))
              << rows << "x" << length << " variant " << variant << " row " << r;
        }
      }
    }
  }
}

TEST(Extremes, OtherReductionsAreNone) {
  const auto usual = ArgKernel(4, 100, true, false);
  ASSERT_NE(Found(*usual), nullptr);
  const auto without = [&](auto change) {
    compiler::Kernel kernel = *usual;
    change(kernel, kernel.body.phases[0]);
    return Found(kernel) == nullptr;
  };
  EXPECT_TRUE(without([](auto& kernel, auto&) {  // the value is a result, too
    kernel.body.phases[1].nodes[0].component = 0;
  }));
  EXPECT_TRUE(without([](auto&, auto& phase) { phase.nodes[1].constant.high = uint64_t(-1); }));
  EXPECT_TRUE(without([](auto&, auto& phase) { phase.nodes[1].kind = NodeKind::kInput; }));
  EXPECT_TRUE(without([](auto&, auto& phase) { phase.nodes[3].constant.low = 7; }));
  EXPECT_TRUE(without([](auto&, auto& phase) { phase.nodes[1].constant.high = 2; }));
  EXPECT_TRUE(without([](auto&, auto& phase) { phase.nodes[1].constant.low = 1; }));
  EXPECT_TRUE(without([](auto& kernel, auto&) { kernel.shape.num_parallel = 0; }));
  for (size_t node = 4; node < 13; ++node) {  // each part of the combiner counts
    EXPECT_TRUE(without([&](auto&, auto& phase) {
      Node& changed = phase.reductions[0].combiner.nodes[node];
      if (changed.opcode == Opcode::kCompare) {
        changed.compare.direction = ComparisonDirection::kGe;
      } else if (changed.opcode == Opcode::kSelect) {
        std::swap(changed.operands[1], changed.operands[2]);
      } else {
        changed.opcode = Opcode::kXor;
      }
    })) << node;
  }
}

// Over two dimensions, as of a flattened array: the index is a sum.
TEST(Extremes, IndicesOfSeveralDimensions) {
  const auto kernel = ArgKernel(30, 50, true, false);
  kernel->shape.num_parallel = 0;
  kernel->shape.outputs[0].byte_strides = Dims{0, 0};
  compiler::Phase& phase = kernel->body.phases[0];
  Node rows = phase.nodes[1];
  rows.index = 0;
  rows.constant.high = 50;
  phase.nodes.push_back(rows);
  phase.nodes.push_back(OpOf(Opcode::kAdd, DType::kS32, {1, 4}));
  phase.reductions[0].inputs[1] = 5;
  ASSERT_TRUE(compiler::Verify(*kernel).ok()) << compiler::Verify(*kernel).ToString();
  ASSERT_NE(Found(*kernel), nullptr);
  for (int32_t nan : {0, 49, 777, 1499}) {
    std::vector<float> memory(1500, 1.0f);
    memory[static_cast<size_t>(nan)] = memory[1499] = kNan;
    memory[1400] = 2.0f;
    auto step = PrepareKernel(kernel);
    ASSERT_TRUE(step.ok()) << step.status().ToString();
    int32_t result = -1;
    std::vector<std::byte> scratch(static_cast<size_t>((*step)->scratch_bytes()) + 64);
    backend::RunContext context;
    context.scratch = {scratch.data(), scratch.size()};
    void* operands[] = {memory.data()};
    void* results[] = {&result};
    ASSERT_TRUE((*step)->Run(operands, results, context).is_done());
    EXPECT_EQ(result, nan);
  }
  phase.nodes[4].constant.high = 49;
  EXPECT_EQ(Found(*kernel), nullptr);
}

// Every instruction set gives the same, also at the end of a tile.
TEST(Extremes, EveryInstructionSet) {
  std::mt19937 random(2);
  for (bool is_max : {true, false}) {
    for (math::SimdTarget target :
         {math::SimdTarget::kBaseline, math::SimdTarget::kAvx2, math::SimdTarget::kAvx512}) {
      const auto take = math::FindExtremes(is_max, DType::kF32, DType::kS32, target);
      ASSERT_NE(take, nullptr);
      for (size_t count : {0, 1, 7, 16, 100}) {
        std::vector<float> a(count), b(count);
        std::vector<int32_t> i(count), j(count);
        for (size_t lane = 0; lane < count; ++lane) {
          const auto pick = [&] { return random() % 4 == 0 ? kNan : float(random() % 3); };
          a[lane] = pick();
          b[lane] = pick();
          i[lane] = static_cast<int32_t>(random() % 3);
          j[lane] = static_cast<int32_t>(random() % 3);
        }
        std::vector<int32_t> result = i;
        std::vector<float> values = a;
        take(values.data(), result.data(), b.data(), j.data(), count);
        for (size_t lane = 0; lane < count; ++lane) {
          const bool beats = is_max ? b[lane] > a[lane] : b[lane] < a[lane];
          const bool nans = std::isnan(a[lane]) && std::isnan(b[lane]);
          const bool takes = beats || (!std::isnan(a[lane]) && std::isnan(b[lane])) ||
                             ((a[lane] == b[lane] || nans) && j[lane] < i[lane]);
          EXPECT_EQ(result[lane], takes ? j[lane] : i[lane]);
          EXPECT_EQ(std::isnan(values[lane]), std::isnan(takes ? b[lane] : a[lane]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace plinth::cpu::kernels
