// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters: few windows, many, and those of pools.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference_plugin/cuda/library/library_test_util.h"

namespace plinth::cuda {
namespace {

using compiler::Combiner;
using compiler::MakeAttributes;
using compiler::Opcode;
using compiler::Type;
using compiler::plan::PlanStep;
using testing::Array;
using testing::MakeCombiner;
using testing::MakeComparator;
using testing::MakeStep;
using testing::RunStep;

class ScatterTest : public testing::LibraryTest {};

TEST_F(ScatterTest, GatherClampsAndScatterDrops) {
  // Rows of [6, 4] by an index; one index is too large, one negative.
  const std::vector<double> indices = {2, 9, -3, 2, 0};
  compiler::GatherAttributes gather;
  gather.offset_dims = {1}, gather.collapsed_slice_dims = {0}, gather.start_index_map = {0};
  gather.slice_sizes = {1, 4};
  gather.index_vector_dim = 1;
  std::vector<Array> in = {Random(DType::kF32, {6, 4}), Array(DType::kS32, {5, 1}, indices)};
  Array out = RunStep(
      MakeStep(Opcode::kGather, in, {Type::Tensor(DType::kF32, {5, 4})}, MakeAttributes(gather)),
      in)[0];
  for (size_t i = 0; i < 5; ++i) {
    const auto row = static_cast<size_t>(std::clamp(indices[i], 0.0, 5.0));
    for (size_t j = 0; j < 4; ++j) ASSERT_EQ(out[4 * i + j], in[0][4 * row + j]);
  }

  for (const bool unique : {false, true}) {
    compiler::ScatterAttributes scatter;
    scatter.update_window_dims = {1}, scatter.inserted_window_dims = {0};
    scatter.scatter_dims_to_operand_dims = {0};
    scatter.index_vector_dim = 1;
    scatter.unique_indices = unique;
    Array places(DType::kS32, {5, 1}, indices);
    if (unique) places.values = {5, 9, -3, 2, 0};
    in = {Random(DType::kF32, {6, 4}), places, Random(DType::kF32, {5, 4})};
    out = RunStep(MakeStep(Opcode::kScatter, in, {in[0].type}, MakeAttributes(scatter),
                           {MakeCombiner(Opcode::kAdd, DType::kF32, DType::kF32)}),
                  in, {in[0]})[0];
    Array expected = in[0];
    for (size_t i = 0; i < 5; ++i) {
      if (places[i] < 0 || places[i] > 5) continue;
      for (size_t j = 0; j < 4; ++j) {
        expected[4 * static_cast<size_t>(places[i]) + j] += in[2][4 * i + j];
      }
    }
    EXPECT_EQ(out.values, expected.values);
  }
}

// Many windows: rows that are sorted by their place (runs within a chunk, over two, over many), by
// atomic operations, and combiners of which only the order of all updates is right.
TEST_F(ScatterTest, ScattersManyWindows) {
  struct Case {
    DType type;
    Opcode op;  // kSelect: the update itself
    int64_t places, windows, elements, batches;
    bool deterministic = true;
    int32_t multiprocessors = 132;
  };
  const Case cases[] = {
      {DType::kF32, Opcode::kAdd, 50, 3000, 1, 1},
      {DType::kF32, Opcode::kAdd, 2000, 700, 3, 1},
      {DType::kF32, Opcode::kAdd, 2, 900, 2, 1, true, 1},
      {DType::kBF16, Opcode::kMaximum, 40, 600, 5, 2},
      {DType::kF64, Opcode::kAdd, 1, 500, 1, 1, true, 1},
      {DType::kF32, Opcode::kSelect, 30, 500, 3, 1},
      {DType::kF32, Opcode::kSubtract, 30, 500, 3, 2},
      {DType::kS32, Opcode::kAdd, 30, 500, 2, 1},
      {DType::kS64, Opcode::kMinimum, 30, 300, 2, 1},
      {DType::kF32, Opcode::kAdd, 30, 500, 2, 1, false},
      {DType::kF64, Opcode::kMaximum, 30, 300, 2, 1, false},
      {DType::kU8, Opcode::kAdd, 60, 400, 1, 1},
  };
  for (const Case& c : cases) {
    // [batches, places, elements], by indices [batches, windows, 1].
    compiler::ScatterAttributes scatter;
    scatter.update_window_dims = {2};
    scatter.inserted_window_dims = {1};
    scatter.input_batching_dims = {0}, scatter.scatter_indices_batching_dims = {0};
    scatter.scatter_dims_to_operand_dims = {1};
    scatter.index_vector_dim = 2;
    Array places(DType::kS32, {c.batches, c.windows, 1});
    for (double& place : places.values) {
      place = Below(10) == 0 ? static_cast<double>(Below(c.places + 4) - 2)
                             : static_cast<double>(Below(Below(2) == 0 ? 1 : c.places));
    }
    const std::vector<Array> in = {Random(c.type, {c.batches, c.places, c.elements}), places,
                                   Random(c.type, {c.batches, c.windows, c.elements})};
    Combiner combiner = MakeCombiner(c.op == Opcode::kSelect ? Opcode::kAdd : c.op, c.type, c.type);
    if (c.op == Opcode::kSelect) combiner.results = {1};
    Architecture architecture;
    architecture.multiprocessors = c.multiprocessors;
    PrintOptions options;
    options.deterministic = c.deterministic;
    const PlanStep step =
        MakeStep(Opcode::kScatter, in, {in[0].type}, MakeAttributes(scatter), {combiner});
    const Array out = RunStep(step, in, {in[0]}, architecture, options)[0];
    Array expected = in[0];
    for (int64_t w = 0; w < c.batches * c.windows; ++w) {
      const double place = places[static_cast<size_t>(w)];
      if (place < 0 || place >= static_cast<double>(c.places)) continue;
      const int64_t row = w / c.windows * c.places + static_cast<int64_t>(place);
      for (int64_t e = 0; e < c.elements; ++e) {
        double& value = expected[static_cast<size_t>(row * c.elements + e)];
        const double update = in[2][static_cast<size_t>(w * c.elements + e)];
        switch (c.op) {
          case Opcode::kAdd:
            value += update;
            break;
          case Opcode::kSubtract:
            value -= update;
            break;
          case Opcode::kMaximum:
            value = std::max(value, update);
            break;
          case Opcode::kMinimum:
            value = std::min(value, update);
            break;
          default:
            value = update;
        }
        if (c.type == DType::kU8) value = std::fmod(value, 256);
      }
    }
    EXPECT_EQ(out.values, expected.values) << Name(c.type) << " " << Name(c.op) << " " << c.windows;
  }
}

TEST_F(ScatterTest, SelectAndScatter) {
  compiler::WindowAttributes attributes;
  compiler::Window& w = attributes.window;
  w.sizes = {1, 3}, w.strides = {1, 2}, w.padding_low = {0, 1}, w.padding_high = {0, 1};
  w.base_dilation = {1, 1}, w.window_dilation = {1, 1};
  const std::vector<Array> in = {Random(DType::kF32, {2, 9}, 30), Random(DType::kF32, {2, 5}, 30),
                                 Array(DType::kF32, {}, {1})};
  const auto out =
      RunStep(MakeStep(Opcode::kSelectAndScatter, in, {in[0].type}, MakeAttributes(attributes),
                       {MakeComparator(DType::kF32, compiler::ComparisonDirection::kGe),
                        MakeCombiner(Opcode::kAdd, DType::kF32, DType::kF32)}),
              in);
  std::vector<double> expected(18, 1);
  for (size_t row = 0; row < 2; ++row) {
    for (int64_t s = 0; s < 5; ++s) {
      int64_t best = -1;
      for (int64_t x = std::max<int64_t>(0, 2 * s - 1); x <= std::min<int64_t>(8, 2 * s + 1); ++x) {
        const auto at = static_cast<size_t>(x), kept = static_cast<size_t>(best);
        if (best < 0 || !(in[0][9 * row + kept] >= in[0][9 * row + at])) best = x;
      }
      expected[9 * row + static_cast<size_t>(best)] += in[1][5 * row + static_cast<size_t>(s)];
    }
  }
  EXPECT_EQ(out[0].values, expected);
}

}  // namespace
}  // namespace plinth::cuda
