// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/library/library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <random>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/cuda/testing/host_device.h"

// Printed library steps, run on the host, against their definitions.
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
using compiler::testing::Load;
using compiler::testing::Save;
using testing::GuardedArray;
using testing::HostDevice;

// An array of real numbers.
struct Array {
  Type type;
  std::vector<double> values;

  Array(DType dtype, Dims dims, std::vector<double> v = {})
      : type(Type::Tensor(dtype, std::move(dims))), values(std::move(v)) {
    values.resize(static_cast<size_t>(type.NumElements()));
  }
  double& operator[](size_t i) { return values[i]; }
  double operator[](size_t i) const { return values[i]; }
};

PlanStep MakeStep(Opcode opcode, const std::vector<Array>& operands, std::vector<Type> results,
                  std::shared_ptr<const compiler::Attributes> attributes,
                  std::vector<Combiner> combiners = {}) {
  PlanStep step;
  step.kind = compiler::plan::PlanStepKind::kLibrary;
  step.opcode = opcode;
  for (const Array& operand : operands) step.operands.push_back({0, operand.type});
  for (Type& result : results) step.results.push_back({0, std::move(result)});
  step.attributes = std::move(attributes);
  step.combiners = std::move(combiners);
  return step;
}

// Runs the step; results begin as `initial`, which a scatter adds to.
std::vector<Array> RunStep(const PlanStep& step, const std::vector<Array>& operands,
                           const std::vector<Array>& initial = {},
                           const Architecture& architecture = {},
                           const PrintOptions& options = {}) {
  std::vector<Array> out;
  for (const auto& result : step.results) out.emplace_back(result.type.dtype, result.type.dims);
  auto printed = Print(step, architecture, options);
  EXPECT_TRUE(printed.ok()) << printed.status().ToString();
  if (!printed.ok()) return out;
  HostDevice device;
  const Status loaded = device.Load({&*printed, 1});
  EXPECT_TRUE(loaded.ok()) << loaded.ToString();
  if (!loaded.ok()) return out;
  std::deque<GuardedArray> in, results;
  auto fill = [](GuardedArray& memory, const Array& array) {
    for (size_t i = 0; i < array.values.size(); ++i) {
      Save(array.type.dtype, array[i],
           memory.data() + static_cast<int64_t>(i) * ByteSize(array.type.dtype));
    }
  };
  for (const Array& operand : operands) {
    fill(in.emplace_back(operand.type.SizeInBytes()), operand);
  }
  for (size_t i = 0; i < step.results.size(); ++i) {
    results.emplace_back(step.results[i].type.SizeInBytes());
    if (i < initial.size()) fill(results.back(), initial[i]);
  }
  std::vector<std::byte*> from, to;
  for (GuardedArray& array : in) from.push_back(array.data());
  for (GuardedArray& array : results) to.push_back(array.data());
  const Status run = device.Run(*printed, from, to);
  EXPECT_TRUE(run.ok()) << run.ToString();
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_TRUE(results[i].IsIntact());
    for (size_t e = 0; e < out[i].values.size(); ++e) {
      out[i][e] = Load(out[i].type.dtype,
                       results[i].data() + static_cast<int64_t>(e) * ByteSize(out[i].type.dtype));
    }
  }
  return out;
}

// The values that elements of the array's type can have.
Array RoundTrip(const Array& array) {
  Array rounded = array;
  for (double& value : rounded.values) {
    std::byte element[16];
    Save(array.type.dtype, value, element);
    value = Load(array.type.dtype, element);
  }
  return rounded;
}

void ForEachIndex(const Dims& sizes, const std::function<void(const Dims&)>& visit) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return;
  Dims index(sizes.size(), 0);
  for (;;) {
    visit(index);
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

size_t Place(const Dims& dims, const Dims& index) {
  int64_t place = 0;
  for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + index[d];
  return static_cast<size_t>(place);
}

Combiner MakeCombiner(Opcode opcode, DType type, DType result) {
  Combiner combiner;
  for (int32_t i = 0; i < 2; ++i) {
    Node parameter;
    parameter.kind = NodeKind::kParameter;
    parameter.dtype = type;
    parameter.index = i;
    combiner.nodes.push_back(parameter);
  }
  Node op;
  op.opcode = opcode;
  op.dtype = result;
  op.num_operands = 2;
  op.operands[1] = 1;
  combiner.nodes.push_back(op);
  combiner.results = {2};
  return combiner;
}

Combiner MakeComparator(DType type, compiler::ComparisonDirection direction) {
  Combiner combiner = MakeCombiner(Opcode::kCompare, type, DType::kPred);
  combiner.nodes[2].compare = {direction, compiler::ComparisonType::kFloat};
  return combiner;
}

class LibraryTest : public ::testing::Test {
 protected:
  int64_t Below(int64_t limit) {
    return std::uniform_int_distribution<int64_t>(0, limit - 1)(random_);
  }
  // Small integers, so that sums are exact.
  Array Random(DType type, Dims dims, int64_t spread = 5) {
    Array array(type, std::move(dims));
    const bool is_signed =
        InfoOf(type).kind == DTypeClass::kSigned || InfoOf(type).kind == DTypeClass::kFloat;
    for (double& value : array.values) {
      value = static_cast<double>(Below(spread) - (is_signed ? spread / 2 : 0));
      if (type == DType::kPred) value = value != 0 && Below(4) == 0;
    }
    return array;
  }
  std::mt19937_64 random_{7};
};

TEST_F(LibraryTest, MatrixProducts) {
  struct Case {
    DType in, out;
    int64_t batch, m, n, k;
  };
  const Case cases[] = {
      {DType::kF32, DType::kF32, 1, 5, 7, 3},     {DType::kF32, DType::kF32, 2, 40, 33, 70},
      {DType::kF32, DType::kF32, 1, 10, 12, 700}, {DType::kBF16, DType::kBF16, 1, 33, 20, 18},
      {DType::kF16, DType::kF32, 3, 1, 65, 17},   {DType::kF64, DType::kF64, 1, 17, 16, 16},
      {DType::kS8, DType::kS32, 1, 9, 34, 20},    {DType::kU16, DType::kU16, 1, 4, 4, 40},
      {DType::kPred, DType::kPred, 1, 12, 12, 5}, {DType::kF32, DType::kF32, 1, 4, 4, 0},
  };
  for (const Case& c : cases) {
    for (const bool turned : {false, true}) {
      compiler::DotAttributes dot;
      dot.lhs_batch = {0};
      dot.rhs_batch = {turned ? 1 : 0};
      dot.lhs_contracting = {2};
      dot.rhs_contracting = {turned ? 2 : 1};
      const std::vector<Array> in = {
          Random(c.in, {c.batch, c.m, c.k}),
          Random(c.in, turned ? Dims{c.n, c.batch, c.k} : Dims{c.batch, c.k, c.n})};
      const Dims out_dims = {c.batch, c.m, c.n};
      const PlanStep step =
          MakeStep(Opcode::kDotGeneral, in, {Type::Tensor(c.out, out_dims)}, MakeAttributes(dot));
      const Array out = RunStep(step, in)[0];
      ForEachIndex(out_dims, [&](const Dims& i) {
        double sum = 0;
        for (int64_t k = 0; k < c.k; ++k) {
          sum += in[0][Place(in[0].type.dims, {i[0], i[1], k})] *
                 in[1][Place(in[1].type.dims, turned ? Dims{i[2], i[0], k} : Dims{i[0], k, i[2]})];
        }
        if (c.out == DType::kPred) sum = sum != 0;
        ASSERT_EQ(out[Place(out_dims, i)], sum) << Name(c.in) << " " << c.m << " " << c.n;
      });
    }
  }
}

TEST_F(LibraryTest, Convolutions) {
  for (int round = 0; round < 12; ++round) {
    compiler::ConvolutionAttributes conv{};
    conv.input_batch = 0, conv.input_spatial = {1, 2}, conv.input_feature = 3;
    conv.kernel_spatial = {0, 1}, conv.kernel_input_feature = 2, conv.kernel_output_feature = 3;
    conv.output_batch = 0, conv.output_spatial = {1, 2}, conv.output_feature = 3;
    const int64_t groups = round % 3 == 2 ? 2 : 1, features = 1 + Below(3);
    conv.feature_group_count = groups;
    Dims in_dims = {1 + Below(2), 4 + Below(5), 3 + Below(5), features * groups};
    Dims kernel_dims = {1 + Below(3), 1 + Below(3), features, groups * (1 + Below(4))};
    Dims out_dims = {in_dims[0], 0, 0, kernel_dims[3]};
    compiler::Window& w = conv.window;
    bool is_empty = false;
    for (int64_t d = 0; d < 2; ++d) {
      w.sizes.push_back(kernel_dims[d]);
      w.strides.push_back(1 + Below(2));
      w.padding_low.push_back(Below(3)), w.padding_high.push_back(Below(3));
      w.base_dilation.push_back(1 + Below(2)), w.window_dilation.push_back(1 + Below(2));
      w.reversal.push_back(Below(2) == 0);
      const int64_t padded =
          (in_dims[1 + d] - 1) * w.base_dilation[d] + 1 + w.padding_low[d] + w.padding_high[d];
      const int64_t window = (kernel_dims[d] - 1) * w.window_dilation[d] + 1;
      out_dims[1 + d] = padded < window ? 0 : (padded - window) / w.strides[d] + 1;
      is_empty |= out_dims[1 + d] == 0;
    }
    if (is_empty) continue;
    const std::vector<Array> in = {Random(DType::kF32, in_dims), Random(DType::kF32, kernel_dims)};
    const PlanStep step = MakeStep(Opcode::kConvolution, in, {Type::Tensor(DType::kF32, out_dims)},
                                   MakeAttributes(conv));
    const Array out = RunStep(step, in)[0];
    ForEachIndex(out_dims, [&](const Dims& o) {
      double sum = 0;
      const int64_t group = o[3] / (kernel_dims[3] / groups);
      ForEachIndex({kernel_dims[0], kernel_dims[1], features}, [&](const Dims& t) {
        Dims at = {o[0], 0, 0, group * features + t[2]}, tap = {t[0], t[1], t[2], o[3]};
        for (int64_t d = 0; d < 2; ++d) {
          int64_t x = o[1 + d] * w.strides[d] + t[d] * w.window_dilation[d] - w.padding_low[d];
          if (x < 0 || x % w.base_dilation[d] != 0) return;
          at[1 + d] = x / w.base_dilation[d];
          if (at[1 + d] >= in_dims[1 + d]) return;
          if (w.reversal[d]) tap[d] = kernel_dims[d] - 1 - t[d];
        }
        sum += in[0][Place(in_dims, at)] * in[1][Place(kernel_dims, tap)];
      });
      ASSERT_EQ(out[Place(out_dims, o)], sum) << "round " << round;
    });
  }
}

TEST_F(LibraryTest, GatherClampsAndScatterDrops) {
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
TEST_F(LibraryTest, ScattersManyWindows) {
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

TEST_F(LibraryTest, SortsStably) {
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
TEST_F(LibraryTest, SortsLongRowsByDigits) {
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
TEST_F(LibraryTest, SortsLongRowsByTwoKeys) {
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

TEST_F(LibraryTest, AComparatorThatContradictsItselfHarmsNobody) {
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

TEST_F(LibraryTest, TopK) {
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

TEST_F(LibraryTest, CumulativeSumsBothWays) {
  for (const bool reverse : {false, true}) {
    compiler::DimensionAttributes attributes;
    attributes.dimension = 1;
    attributes.reverse = reverse;
    for (const DType type : {DType::kF32, DType::kS16}) {
      const std::vector<Array> in = {Random(type, {3, 20, 2}), Array(type, {}, {4})};
      const auto out =
          RunStep(MakeStep(Opcode::kCumulativeReduce, in, {in[0].type}, MakeAttributes(attributes),
                           {MakeCombiner(Opcode::kAdd, type, type)}),
                  in);
      for (size_t row = 0; row < 6; ++row) {
        double sum = 4;
        for (size_t k = 0; k < 20; ++k) {
          const size_t at = (row / 2 * 20 + (reverse ? 19 - k : k)) * 2 + row % 2;
          sum += in[0][at];
          ASSERT_EQ(out[0][at], sum);
        }
      }
    }
  }
}

// Rows in parts: by warps where neighbours lie side by side, by threads where rows do; a device
// with few multiprocessors cuts them coarsely. The combiner that gives its right operand tells
// orders apart.
TEST_F(LibraryTest, CumulativeReductionsOfLongRows) {
  struct Case {
    int64_t outer, length, inner;
  };
  for (const Case& c : {Case{1, 5000, 1}, Case{3, 1100, 2}, Case{2, 700, 40}, Case{2, 33, 1}}) {
    for (const int32_t multiprocessors : {1, 132}) {
      for (const bool reverse : {false, true}) {
        compiler::DimensionAttributes attributes;
        attributes.dimension = 1;
        attributes.reverse = reverse;
        Architecture architecture;
        architecture.multiprocessors = multiprocessors;
        // The maximum of the right operand and itself.
        Combiner last = MakeCombiner(Opcode::kMaximum, DType::kS32, DType::kS32);
        last.nodes[2].operands[0] = 1;
        const bool sums = multiprocessors == 1;
        const std::vector<Array> in = {Random(DType::kS32, {c.outer, c.length, c.inner}, 1000),
                                       Array(DType::kS32, {}, {4})};
        const auto out = RunStep(
            MakeStep(Opcode::kCumulativeReduce, in, {in[0].type}, MakeAttributes(attributes),
                     {sums ? MakeCombiner(Opcode::kAdd, DType::kS32, DType::kS32) : last}),
            in, {}, architecture);
        for (int64_t row = 0; row < c.outer * c.inner; ++row) {
          double expected = 4;
          for (int64_t k = 0; k < c.length; ++k) {
            const auto at = static_cast<size_t>(
                (row / c.inner * c.length + (reverse ? c.length - 1 - k : k)) * c.inner +
                row % c.inner);
            expected = sums ? expected + in[0][at] : in[0][at];
            ASSERT_EQ(out[0][at], expected) << c.length << " " << k << " " << reverse;
          }
        }
      }
    }
  }
}

TEST_F(LibraryTest, SelectAndScatter) {
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

// The words of Random123's known answers.
TEST_F(LibraryTest, RandomBitsAreThePublishedOnes) {
  Array state(DType::kU64, {2});
  compiler::RngBitGeneratorAttributes attributes{compiler::RngAlgorithm::kThreeFry};
  const std::vector<Array> in = {state};
  auto out =
      RunStep(MakeStep(Opcode::kRngBitGenerator, in, {state.type, Type::Tensor(DType::kU32, {2})},
                       MakeAttributes(attributes)),
              in);
  EXPECT_EQ(out[1].values, (std::vector<double>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(out[0].values, (std::vector<double>{0, 1}));
  attributes.algorithm = compiler::RngAlgorithm::kPhilox;
  out = RunStep(MakeStep(Opcode::kRngBitGenerator, in, {state.type, Type::Tensor(DType::kU32, {5})},
                         MakeAttributes(attributes)),
                in);
  out[1].values.resize(4);
  EXPECT_EQ(out[1].values, (std::vector<double>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(out[0].values, (std::vector<double>{0, 2}));
}

TEST_F(LibraryTest, Factors) {
  constexpr int64_t kOrder = 19;
  Array root(DType::kF64, {2, kOrder, kOrder}), a(DType::kF64, {2, kOrder, kOrder});
  auto at = [](int64_t m, int64_t i, int64_t j) {
    return static_cast<size_t>((m * kOrder + i) * kOrder + j);
  };
  ForEachIndex({2, kOrder, kOrder}, [&](const Dims& i) {
    if (i[2] <= i[1]) root[at(i[0], i[1], i[2])] = i[1] == i[2] ? 3 + Below(3) : Below(5) - 2.0;
  });
  ForEachIndex({2, kOrder, kOrder, kOrder}, [&](const Dims& i) {
    a[at(i[0], i[1], i[2])] += root[at(i[0], i[1], i[3])] * root[at(i[0], i[2], i[3])];
  });
  for (const bool lower : {true, false}) {
    const auto out = RunStep(MakeStep(Opcode::kCholesky, {a}, {a.type},
                                      MakeAttributes(compiler::CholeskyAttributes{lower})),
                             {a});
    ForEachIndex({2, kOrder, kOrder}, [&](const Dims& i) {
      const double expected = lower ? root[at(i[0], i[1], i[2])] : root[at(i[0], i[2], i[1])];
      ASSERT_NEAR(out[0][at(i[0], i[1], i[2])], expected, 1e-9);
    });
  }
  Array negative = a;
  negative[at(1, 4, 4)] = -1;
  const auto bad = RunStep(MakeStep(Opcode::kCholesky, {negative}, {a.type},
                                    MakeAttributes(compiler::CholeskyAttributes{true})),
                           {negative});
  EXPECT_NEAR(bad[0][0], root[0], 1e-9);
  EXPECT_TRUE(std::isnan(bad[0][at(1, 0, 0)]));

  using compiler::TransposeMode;
  for (const bool left : {true, false}) {
    for (const bool lower : {true, false}) {
      for (const TransposeMode mode : {TransposeMode::kNoTranspose, TransposeMode::kTranspose}) {
        Array factor = root;
        if (!lower) {
          ForEachIndex({2, kOrder, kOrder}, [&](const Dims& i) {
            factor[at(i[0], i[1], i[2])] = root[at(i[0], i[2], i[1])];
          });
        }
        const Dims dims = left ? Dims{2, kOrder, 3} : Dims{2, 3, kOrder};
        const Array b = Random(DType::kF64, dims);
        const compiler::TriangularSolveAttributes how{left, lower, false, mode};
        const auto x =
            RunStep(MakeStep(Opcode::kTriangularSolve, {factor, b}, {b.type}, MakeAttributes(how)),
                    {factor, b});
        ForEachIndex(dims, [&](const Dims& i) {
          double sum = 0;
          for (int64_t k = 0; k < kOrder; ++k) {
            int64_t r = left ? i[1] : k, c = left ? k : i[2];
            if (mode == TransposeMode::kTranspose) std::swap(r, c);
            const Dims other = left ? Dims{i[0], k, i[2]} : Dims{i[0], i[1], k};
            sum += factor[at(i[0], r, c)] * x[0][Place(dims, other)];
          }
          ASSERT_NEAR(sum, b[Place(dims, i)], 1e-6) << left << lower << static_cast<int>(mode);
        });
      }
    }
  }
}

TEST_F(LibraryTest, MorePointsThanALaunchTakesAreRefused) {
  compiler::GatherAttributes gather;
  gather.offset_dims = {1}, gather.start_index_map = {0}, gather.collapsed_slice_dims = {0};
  gather.slice_sizes = {1, 256};
  gather.index_vector_dim = 1;
  const std::vector<Array> in = {Array(DType::kS8, {2, 256}), Array(DType::kS32, {1, 1})};
  const auto print = [&](int64_t rows) {
    PlanStep step = MakeStep(Opcode::kGather, in, {Type::Tensor(DType::kS8, {rows, 256})},
                             MakeAttributes(gather));
    step.operands[1].type = Type::Tensor(DType::kS32, {rows, 1});
    return Print(step, {});
  };
  constexpr int64_t kMost = INT32_MAX;  // blocks
  EXPECT_TRUE(print(kMost).ok());
  for (const int64_t rows : {kMost + 1, (int64_t{1} << 32) + 1}) {
    const Status status = print(rows).status();
    EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    EXPECT_NE(status.ToString().find("gather: a step over more than 549755813632 points"),
              std::string::npos)
        << status.ToString();
  }
}

TEST_F(LibraryTest, WhatIsNotHereIsRefusedByName) {
  const Array x(DType::kF32, {8});
  PlanStep step = MakeStep(Opcode::kFft, {x}, {x.type}, nullptr);
  step.location = std::make_shared<const std::string>("model.py:3");
  const auto printed = Print(step, {});
  ASSERT_FALSE(printed.ok());
  EXPECT_EQ(printed.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(printed.status().ToString().find("fft at model.py:3"), std::string::npos)
      << printed.status().ToString();
}

}  // namespace
}  // namespace plinth::cuda
