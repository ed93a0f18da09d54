// SPDX-License-Identifier: Apache-2.0
// Kernels that reduce: rows, columns, everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "reference_plugin/cpu/kernels/kernel_step.h"
#include "reference_plugin/cpu/kernels/kernel_test_util.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Dims;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::Phase;
using compiler::Reduction;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// One value per row, or (`columns_first` false) per column, of a matrix of T.
Kernel ReduceMatrix(int64_t rows, int64_t columns, bool along_rows, DType type, Opcode opcode,
                    Node initial) {
  const int64_t bytes = ByteSize(type);
  Kernel kernel;
  kernel.name = "reduce";
  kernel.shape.extents = along_rows ? Dims{rows, columns} : Dims{columns, rows};
  kernel.shape.num_parallel = 1;
  kernel.shape.inputs = {MakeAccess(
      0, type, along_rows ? Dims{columns * bytes, bytes} : Dims{bytes, columns * bytes})};
  kernel.shape.outputs = {MakeAccess(0, type, {bytes, 0})};
  Phase all, point;
  all.over_reduced = true;
  all.nodes = {Input(0, type), initial};
  all.reductions = {Reduce(opcode, type, 0, 1)};
  point.nodes = {Leaf(NodeKind::kReduced, type, 0)};
  point.stores = {{0, 0}};
  kernel.body.phases = {all, point};
  return kernel;
}

// x - max(x), then exp, then divided by the sum: rows kept between the phases.
Kernel Softmax(int64_t rows, int64_t columns) {
  Kernel kernel;
  kernel.name = "softmax";
  kernel.shape.extents = {rows, columns};
  kernel.shape.num_parallel = 1;
  kernel.shape.inputs = {MakeAccess(0, DType::kF32, {columns * 4, 4})};
  kernel.shape.outputs = {MakeAccess(0, DType::kF32, {columns * 4, 4})};
  Phase largest, sum, divide;
  largest.over_reduced = sum.over_reduced = divide.over_reduced = true;
  largest.nodes = {Input(0), Constant(-kInfinity)};
  largest.reductions = {Reduce(Opcode::kMaximum, DType::kF32, 0, 1)};
  sum.nodes = {Input(0), Leaf(NodeKind::kReduced, DType::kF32, 0),
               Operation(Opcode::kSubtract, {0, 1}), Operation(Opcode::kExponential, {2}),
               Constant(0.0f)};
  sum.reductions = {Reduce(Opcode::kAdd, DType::kF32, 3, 4)};
  divide.nodes = {Leaf(NodeKind::kRow, DType::kF32, 1, 3), Leaf(NodeKind::kReduced, DType::kF32, 1),
                  Operation(Opcode::kDivide, {0, 1})};
  divide.stores = {{2, 0}};
  kernel.body.phases = {largest, sum, divide};
  return kernel;
}

TEST(KernelReductionTest, SoftmaxOfEveryRowLength) {
  for (auto [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {3, 10}, {700, 10}, {5, 64}, {7, 257}, {2, 4096}, {1, 300000}}) {
    std::vector<float> x(static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1000) * 0.01f;
    backend::ThreadPool pool(3);
    const auto y = RunStep<float>(Softmax(rows, columns), {x.data()}, x.size());
    EXPECT_EQ(y, RunStep<float>(Softmax(rows, columns), {x.data()}, x.size(), &pool));
    for (int64_t r = 0; r < rows; ++r) {
      const float* row = x.data() + r * columns;
      const double largest = *std::max_element(row, row + columns);
      double sum = 0;
      for (int64_t c = 0; c < columns; ++c) sum += std::exp(row[c] - largest);
      for (int64_t c = 0; c < columns; ++c) {
        const double expected = std::exp(row[c] - largest) / sum;
        ASSERT_NEAR(y[static_cast<size_t>(r * columns + c)], expected, 1e-5 * expected)
            << rows << " x " << columns << " at " << r << ", " << c;
      }
    }
  }
}

// Large enough that the reduced dimension is shared out among threads.
TEST(KernelReductionTest, SumOfALargeArray) {
  constexpr int64_t kSize = 3000017;
  std::vector<int32_t> x(kSize);
  int32_t expected = 5;
  for (size_t i = 0; i < x.size(); ++i) expected += x[i] = static_cast<int32_t>(i % 101) - 50;
  const Kernel kernel =
      ReduceMatrix(1, kSize, true, DType::kS32, Opcode::kAdd, Constant(int32_t{5}, DType::kS32));
  backend::ThreadPool pool(3);
  EXPECT_EQ(RunStep<int32_t>(kernel, {x.data()}, 1)[0], expected);
  EXPECT_EQ(RunStep<int32_t>(kernel, {x.data()}, 1, &pool)[0], expected);
}

// +0 is greater than -0 wherever they stand.
template <typename T>
void ExpectSignsOfZeros(DType type, T nan) {
  const T infinity = std::numeric_limits<T>::infinity();
  for (int64_t size : {2, 3, 5, 16, 64, 100, 1000, 5000}) {
    for (int64_t at : {int64_t{0}, size / 2, size - 1}) {
      for (Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum}) {
        const bool maximum = opcode == Opcode::kMaximum;
        std::vector<T> x(static_cast<size_t>(size), maximum ? T{-0.0} : T{0.0});
        T& wins = x[static_cast<size_t>(at)];
        wins = maximum ? T{0.0} : T{-0.0};
        const Node initial = Constant(maximum ? -infinity : infinity, type);
        for (bool along_rows : {false, true}) {
          const Kernel kernel = ReduceMatrix(along_rows ? 1 : size, along_rows ? size : 1,
                                             along_rows, type, opcode, initial);
          const T result = RunStep<T>(kernel, {x.data()}, 1)[0];
          EXPECT_EQ(result, 0);
          EXPECT_EQ(std::signbit(result), !maximum) << size << " at " << at;
        }
        wins = nan;
        const Kernel kernel = ReduceMatrix(1, size, true, type, opcode, initial);
        EXPECT_TRUE(std::isnan(RunStep<T>(kernel, {x.data()}, 1)[0])) << size << " at " << at;
      }
    }
  }
}

TEST(KernelReductionTest, ExtremesOfZerosAndNan) {
  ExpectSignsOfZeros<float>(DType::kF32, std::numeric_limits<float>::quiet_NaN());
  ExpectSignsOfZeros<double>(DType::kF64, std::numeric_limits<double>::quiet_NaN());
}

TEST(KernelReductionTest, FloatSumsDoNotDependOnThreads) {
  constexpr int64_t kRows = 40000, kColumns = 37;
  std::vector<float> x(kRows * kColumns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 10007) * 1e-3f;
  for (bool along_rows : {false, true}) {
    const Kernel kernel =
        ReduceMatrix(kRows, kColumns, along_rows, DType::kF32, Opcode::kAdd, Constant(0.0f));
    const size_t size = along_rows ? kRows : kColumns;
    const auto sums = RunStep<float>(kernel, {x.data()}, size);
    for (int threads : {1, 2, 5}) {
      backend::ThreadPool pool(threads);
      EXPECT_EQ(RunStep<float>(kernel, {x.data()}, size, &pool), sums) << threads;
    }
    double expected = 0;
    for (int64_t i = 0; i < (along_rows ? kColumns : kRows); ++i) {
      expected += x[static_cast<size_t>(along_rows ? i : i * kColumns)];
    }
    EXPECT_NEAR(sums[0], expected, 1e-4 * expected);
  }
}

// What the 64 partial sums of a row come to, by halves.
float SumOfPartials(std::span<const float> row) {
  std::vector<float> sums(row.begin(), row.begin() + std::min<std::ptrdiff_t>(64, row.size()));
  for (size_t i = 64; i < row.size(); ++i) sums[i % 64] += row[i];
  while (sums.size() > 1) {
    const size_t half = std::bit_ceil(sums.size()) / 2;
    for (size_t i = half; i < sums.size(); ++i) sums[i - half] += sums[i];
    sums.resize(half);
  }
  return sums[0];
}

// Rows in memory are taken as a whole, and several in one go; that shows in no bit.
TEST(KernelReductionTest, RowsInMemoryAreSummedInTheOrderOfTiles) {
  constexpr int64_t kOuter = 5, kInner = 3, kGap = 7;
  for (const int64_t columns : {200, 500, 512, 700, 1100, 5000}) {
    // Rows of a matrix of which every third is left out: no stride leads from each to the next.
    Kernel kernel = ReduceMatrix(kOuter, columns, true, DType::kF32, Opcode::kAdd, Constant(3.0f));
    kernel.shape.extents = {kOuter, kInner - 1, columns};
    kernel.shape.num_parallel = 2;
    const int64_t row = (columns + kGap) * 4;
    kernel.shape.inputs[0].byte_strides = {kInner * row, row, 4};
    kernel.shape.outputs[0].byte_strides = {(kInner - 1) * 4, 4, 0};
    std::vector<float> x(static_cast<size_t>(kOuter * kInner * (columns + kGap)));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 10007) * 1e-3f;
    const auto sums = RunStep<float>(kernel, {x.data()}, kOuter * (kInner - 1));
    for (size_t i = 0; i < sums.size(); ++i) {
      const size_t at = i / (kInner - 1) * kInner + i % (kInner - 1);
      const float expected = SumOfPartials(std::span(x).subspan(
          at * static_cast<size_t>(columns + kGap), static_cast<size_t>(columns)));
      EXPECT_EQ(sums[i], 3.0f + expected) << "row " << i << " of " << columns;
    }
  }
}

// The combiner (a, b), (c, d) -> (a * c, b * c + d) is associative and does not commute.
// Sums and maxima over the rows of x * g, one element of g per column, and x * g itself.
Kernel ReduceScaledRows(int64_t rows, int64_t columns) {
  Kernel kernel;
  kernel.name = "reduce_scaled_rows";
  kernel.shape.extents = {columns, rows};
  kernel.shape.num_parallel = 1;
  kernel.shape.inputs = {MakeAccess(0, DType::kF32, {4, columns * 4}),
                         MakeAccess(1, DType::kF32, {4, 0})};
  kernel.shape.outputs = {MakeAccess(0, DType::kF32, {4, 0}), MakeAccess(1, DType::kF32, {4, 0}),
                          MakeAccess(2, DType::kF32, {4, columns * 4})};
  Phase all, point;
  all.over_reduced = true;
  all.nodes = {Input(0), Input(1), Operation(Opcode::kMultiply, {0, 1}), Constant(10.0f),
               Constant(-kInfinity)};
  all.reductions = {Reduce(Opcode::kAdd, DType::kF32, 2, 3),
                    Reduce(Opcode::kMaximum, DType::kF32, 2, 4)};
  all.stores = {{2, 2}};
  point.nodes = {Leaf(NodeKind::kReduced, DType::kF32, 0),
                 Leaf(NodeKind::kReduced, DType::kF32, 1)};
  point.stores = {{0, 0}, {1, 1}};
  kernel.body.phases = {all, point};
  return kernel;
}

// A tile has all columns of several rows; what is left of them has fewer.
TEST(KernelReductionTest, ReducesRowsOfFewColumns) {
  backend::ThreadPool pool(3);
  for (const int64_t columns : {2, 3, 8, 9, 64, 100, 256, 300}) {
    for (const int64_t rows : {2, 7, 515, 20000}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << columns);
      const Kernel kernel = ReduceScaledRows(rows, columns);
      // Small integers: sums are exact in any order.
      std::vector<float> x(static_cast<size_t>(rows * columns)), g(static_cast<size_t>(columns));
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7 % 11) - 5;
      for (size_t c = 0; c < g.size(); ++c) g[c] = static_cast<float>(c % 3) - 1;
      std::vector<float> sums(g.size(), 10), maxima(g.size(), -kInfinity), scaled(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        const size_t c = i % g.size();
        scaled[i] = x[i] * g[c];
        sums[c] += scaled[i];
        maxima[c] = std::max(maxima[c], scaled[i]);
      }
      auto step = PrepareKernel(std::make_shared<const Kernel>(kernel));
      ASSERT_TRUE(step.ok()) << step.status().ToString();
      std::vector<std::byte> scratch(static_cast<size_t>((*step)->scratch_bytes()) + 64);
      void* aligned = scratch.data();
      size_t space = scratch.size();
      std::align(64, space - 64, aligned, space);
      for (backend::ThreadPool* threads : {static_cast<backend::ThreadPool*>(nullptr), &pool}) {
        std::vector<float> got_sums(g.size()), got_maxima(g.size()), got_scaled(x.size());
        backend::RunContext context;
        context.pool = threads;
        context.scratch = {static_cast<std::byte*>(aligned), space};
        const std::vector<void*> operands = {x.data(), g.data()};
        const std::vector<void*> results = {got_sums.data(), got_maxima.data(), got_scaled.data()};
        ASSERT_TRUE((*step)->Run(operands, results, context).is_done());
        EXPECT_EQ(got_sums, sums);
        EXPECT_EQ(got_maxima, maxima);
        EXPECT_EQ(got_scaled, scaled);
      }
    }
  }
}

// Maxima of halves are rounded, each; their sums once, at the end.
TEST(KernelReductionTest, ReducesRowsOfHalves) {
  for (const Opcode opcode : {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum}) {
    const uint16_t one = 0x3c00, two = 0x4000;
    const Kernel kernel =
        ReduceMatrix(1030, 3, false, DType::kF16, opcode, Constant(one, DType::kF16));
    std::vector<uint16_t> x(3 * 1030, opcode == Opcode::kAdd ? 0 : one);
    x[4] = two;
    x.back() = two;
    const std::vector<uint16_t> expected = opcode == Opcode::kAdd
                                               ? std::vector<uint16_t>{one, 0x4200, 0x4200}
                                               : std::vector<uint16_t>{one, two, two};
    EXPECT_EQ(RunStep<uint16_t>(kernel, {x.data()}, 3), expected);
  }
}

// Per column, of x * g: the mean, the sum of squares about it and, with one over its root, what
// batch norm gives. Phases once per column stand between those over all rows; the last one reads
// what an earlier one kept.
Kernel NormalizeColumns(int64_t rows, int64_t columns) {
  Kernel kernel = ReduceScaledRows(rows, columns);
  kernel.name = "normalize_columns";
  Phase sum, mean, squares, root, normal;
  sum.over_reduced = squares.over_reduced = normal.over_reduced = true;
  sum.nodes = {Input(0), Input(1), Operation(Opcode::kMultiply, {0, 1}), Constant(0.0f)};
  sum.reductions = {Reduce(Opcode::kAdd, DType::kF32, 2, 3)};
  mean.nodes = {Leaf(NodeKind::kReduced, DType::kF32, 0), Constant(1.0f / static_cast<float>(rows)),
                Operation(Opcode::kMultiply, {0, 1})};
  mean.stores = {{2, 0}};
  squares.nodes = {Leaf(NodeKind::kRow, DType::kF32, 0, 2), Leaf(NodeKind::kRow, DType::kF32, 1, 2),
                   Operation(Opcode::kSubtract, {0, 1}), Operation(Opcode::kMultiply, {2, 2}),
                   Constant(0.0f)};
  squares.reductions = {Reduce(Opcode::kAdd, DType::kF32, 3, 4)};
  root.nodes = {Leaf(NodeKind::kReduced, DType::kF32, 1), Constant(1.0f),
                Operation(Opcode::kAdd, {0, 1}), Operation(Opcode::kRsqrt, {2})};
  root.stores = {{0, 1}};
  normal.nodes = {Leaf(NodeKind::kRow, DType::kF32, 2, 2), Leaf(NodeKind::kRow, DType::kF32, 3, 3),
                  Operation(Opcode::kMultiply, {0, 1})};
  normal.stores = {{2, 2}};
  kernel.body.phases = {sum, mean, squares, root, normal};
  return kernel;
}

TEST(KernelReductionTest, NormalizesFewColumns) {
  backend::ThreadPool pool(3);
  for (const int64_t columns : {2, 3, 64, 100}) {
    for (const int64_t rows : {3, 515, 7000}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << columns);
      const size_t width = static_cast<size_t>(columns);
      std::vector<float> x(static_cast<size_t>(rows) * width), g(width);
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1009) * 1e-2f;
      for (size_t c = 0; c < width; ++c) g[c] = static_cast<float>(c % 5) - 1.5f;
      std::vector<double> means(width), squares(width);
      for (size_t i = 0; i < x.size(); ++i) means[i % width] += x[i] * g[i % width];
      for (double& mean : means) mean /= static_cast<double>(rows);
      const auto centered = [&](size_t i) { return x[i] * g[i % width] - means[i % width]; };
      for (size_t i = 0; i < x.size(); ++i) squares[i % width] += centered(i) * centered(i);

      auto step = PrepareKernel(std::make_shared<const Kernel>(NormalizeColumns(rows, columns)));
      ASSERT_TRUE(step.ok()) << step.status().ToString();
      std::vector<std::byte> scratch(static_cast<size_t>((*step)->scratch_bytes()) + 64);
      void* aligned = scratch.data();
      size_t space = scratch.size();
      std::align(64, space - 64, aligned, space);
      std::vector<float> alone;
      for (backend::ThreadPool* threads : {static_cast<backend::ThreadPool*>(nullptr), &pool}) {
        std::vector<float> got_means(width), got_squares(width), normal(x.size());
        backend::RunContext context;
        context.pool = threads;
        context.scratch = {static_cast<std::byte*>(aligned), space};
        const std::vector<void*> operands = {x.data(), g.data()};
        const std::vector<void*> results = {got_means.data(), got_squares.data(), normal.data()};
        ASSERT_TRUE((*step)->Run(operands, results, context).is_done());
        for (size_t c = 0; c < width; ++c) {
          ASSERT_NEAR(got_means[c], means[c], 1e-4) << c;
          ASSERT_NEAR(got_squares[c], squares[c], 1e-4 * (1 + squares[c])) << c;
        }
        for (size_t i = 0; i < x.size(); ++i) {
          ASSERT_NEAR(normal[i], centered(i) / std::sqrt(squares[i % width] + 1), 1e-4) << i;
        }
        if (threads == nullptr) alone = normal;
        EXPECT_EQ(normal, alone);
      }
    }
  }
}

TEST(KernelReductionTest, TilesOfFewColumnsHaveSeveralRows) {
  const auto lanes_of = [](int64_t rows, int64_t columns) {
    auto program = MakeTileProgram(ReduceScaledRows(rows, columns));
    EXPECT_TRUE(program.ok()) << program.status().ToString();
    return (*program)->lanes;
  };
  EXPECT_EQ(lanes_of(6272, 64), Lanes::kBoth);
  auto normalize = MakeTileProgram(NormalizeColumns(6272, 64));
  ASSERT_TRUE(normalize.ok());
  EXPECT_EQ((*normalize)->lanes, Lanes::kBoth);
  EXPECT_EQ(lanes_of(6272, 3), Lanes::kBoth);
  EXPECT_EQ(lanes_of(6272, 1024), Lanes::kParallel);
}

// sums[a][c] = initial + the sum over b of x[a][b][c]
Kernel SumOverTheMiddle(int64_t outer, int64_t middle, int64_t inner) {
  Kernel kernel = ReduceMatrix(1, 1, true, DType::kS32, Opcode::kAdd, Constant(3, DType::kS32));
  const int64_t row = 4 * inner, all = row * middle;
  kernel.shape.extents = {outer, inner, middle};
  kernel.shape.num_parallel = 2;
  kernel.shape.inputs = {MakeAccess(0, DType::kS32, {all, 4, row})};
  kernel.shape.outputs = {MakeAccess(0, DType::kS32, {row, 4, 0})};
  return kernel;
}

TEST(KernelReductionTest, SumsOverAMiddleDimension) {
  backend::ThreadPool pool(3);
  for (const int64_t outer : {1, 2, 19, 300}) {
    for (const int64_t middle : {1, 2, 5, 256, 1031}) {
      for (const int64_t inner : {1, 2, 3, 8, 200, 255, 300}) {
        SCOPED_TRACE(testing::Message() << outer << " x " << middle << " x " << inner);
        const Kernel kernel = SumOverTheMiddle(outer, middle, inner);
        if (outer * middle * inner > 1'000'000) continue;
        std::vector<int32_t> x(static_cast<size_t>(outer * middle * inner));
        std::vector<int32_t> sums(static_cast<size_t>(outer * inner), 3);
        for (size_t i = 0; i < x.size(); ++i) {
          x[i] = static_cast<int32_t>(i * 7919 % 1009);
          const size_t column = i % static_cast<size_t>(inner);
          sums[i / static_cast<size_t>(middle * inner) * static_cast<size_t>(inner) + column] +=
              x[i];
        }
        ASSERT_EQ(RunStep<int32_t>(kernel, {x.data()}, sums.size()), sums);
        ASSERT_EQ(RunStep<int32_t>(kernel, {x.data()}, sums.size(), &pool), sums);
      }
    }
  }
  auto program = MakeTileProgram(SumOverTheMiddle(256, 256, 2));
  ASSERT_TRUE(program.ok());
  EXPECT_EQ((*program)->lanes, Lanes::kBoth);
  EXPECT_EQ((*program)->parallel.num_tiles, 256);
}

// Where nothing is parallel, a tile along the parallel dimensions is one element: each op would be
// called for each.
TEST(KernelReductionTest, SumsOfEverythingLieAlongTheLanes) {
  constexpr int32_t kOps = 40;
  for (const int64_t points : {2, 16, 50, 1000}) {
    Kernel kernel;
    kernel.name = "power";
    kernel.shape.extents = {points};
    kernel.shape.inputs = {MakeAccess(0, DType::kF32, {4})};
    kernel.shape.outputs = {MakeAccess(0, DType::kF32, {0})};
    Phase all, once;
    all.over_reduced = true;
    all.nodes = {Constant(0.0f), Input(0)};
    for (int32_t op = 0; op < kOps; ++op) {
      all.nodes.push_back(Operation(Opcode::kMultiply, {op + 1, 1}));
    }
    all.reductions = {Reduce(Opcode::kAdd, DType::kF32, kOps + 1, 0)};
    once.nodes = {Leaf(NodeKind::kReduced, DType::kF32, 0)};
    once.stores = {{0, 0}};
    kernel.body.phases = {all, once};
    auto program = MakeTileProgram(kernel);
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    EXPECT_EQ((*program)->lanes, Lanes::kReduced) << points;
  }
}

TEST(KernelReductionTest, LargeReductionsKeepTheOrderOfElements) {
  constexpr int64_t kSize = 600011;
  constexpr DType kType = DType::kU32;
  std::vector<uint32_t> a(kSize), b(kSize);
  uint32_t slope = 1, offset = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<uint32_t>(2 * i * 2654435761u + 1);
    b[i] = static_cast<uint32_t>(i * 40503u);
    offset = offset * a[i] + b[i];
    slope *= a[i];
  }
  Kernel kernel;
  kernel.name = "affine";
  kernel.shape.extents = {kSize};
  kernel.shape.inputs = {MakeAccess(0, kType, {4}), MakeAccess(1, kType, {4})};
  kernel.shape.outputs = {MakeAccess(0, kType, {0}), MakeAccess(0, kType, {0})};
  kernel.shape.outputs[1].byte_offset = 4;
  Phase all, point;
  all.over_reduced = true;
  all.nodes = {Input(0, kType), Input(1, kType), Constant(uint32_t{1}, kType),
               Constant(uint32_t{0}, kType)};
  Reduction reduction;
  reduction.inputs = {0, 1};
  reduction.initial = {2, 3};
  for (int32_t p = 0; p < 4; ++p) {
    reduction.combiner.nodes.push_back(Leaf(NodeKind::kParameter, kType, p));
  }
  reduction.combiner.nodes.push_back(Operation(Opcode::kMultiply, kType, {0, 2}));
  reduction.combiner.nodes.push_back(Operation(Opcode::kMultiply, kType, {1, 2}));
  reduction.combiner.nodes.push_back(Operation(Opcode::kAdd, kType, {5, 3}));
  reduction.combiner.results = {4, 6};
  all.reductions = {reduction};
  point.nodes = {Leaf(NodeKind::kReduced, kType, 0, 0), Leaf(NodeKind::kReduced, kType, 0, 1)};
  point.stores = {{0, 0}, {1, 1}};
  kernel.body.phases = {all, point};
  backend::ThreadPool pool(3);
  const std::vector<uint32_t> expected = {slope, offset};
  EXPECT_EQ(RunStep<uint32_t>(kernel, {a.data(), b.data()}, 2), expected);
  EXPECT_EQ(RunStep<uint32_t>(kernel, {a.data(), b.data()}, 2, &pool), expected);
}

// max(x, c) of an element and a captured value is not max(x, y), whatever it looks like.
TEST(KernelReductionTest, CombinersOfOneElementAndACapturedValue) {
  for (const auto& [rows, columns] :
       std::vector<std::pair<int64_t, int64_t>>{{1, 3}, {300, 9}, {3, 70000}}) {
    for (const bool along_rows : {true, false}) {
      for (const int32_t side : {0, 1}) {
        const int64_t length = along_rows ? columns : rows;
        const int64_t kept = along_rows ? rows : columns;
        std::vector<int32_t> x(static_cast<size_t>(rows * columns));
        for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int32_t>(i * 7919 % 101);
        Kernel kernel = ReduceMatrix(rows, columns, along_rows, DType::kS32, Opcode::kMaximum,
                                     Constant(int32_t{3}, DType::kS32));
        Reduction& reduction = kernel.body.phases[0].reductions[0];
        kernel.body.phases[0].nodes.push_back(Constant(int32_t{50}, DType::kS32));
        reduction.captured = {2};
        reduction.combiner.nodes.push_back(Leaf(NodeKind::kParameter, DType::kS32, 2));
        reduction.combiner.nodes.push_back(Operation(Opcode::kMaximum, DType::kS32, {side, 3}));
        reduction.combiner.results = {4};
        const auto y = RunStep<int32_t>(kernel, {x.data()}, static_cast<size_t>(kept));
        for (int64_t k = 0; k < kept; ++k) {
          const int64_t last = along_rows ? k * columns + length - 1 : (length - 1) * columns + k;
          const int32_t expected = side == 0 ? 3 : x[static_cast<size_t>(last)];
          ASSERT_EQ(y[static_cast<size_t>(k)], std::max(expected, 50))
              << rows << " x " << columns << ", parameter " << side;
        }
      }
    }
  }
}

TEST(KernelReductionTest, EmptyReductionsGiveTheInitialValue) {
  const Kernel kernel = ReduceMatrix(300, 0, true, DType::kF32, Opcode::kAdd, Constant(7.0f));
  for (float value : RunStep<float>(kernel, {nullptr}, 300)) ASSERT_EQ(value, 7);
  const Kernel nothing = ReduceMatrix(0, 300, true, DType::kF32, Opcode::kAdd, Constant(7.0f));
  RunStep<float>(nothing, {nullptr}, 0);
}

TEST(KernelReductionTest, SumsOfHalfPrecisionAreRoundedOnce) {
  // In bf16 256 + 1 is 256 again; 1000 ones are 1000 only if the sum is kept exactly.
  std::vector<uint16_t> x(1000, 0x3f80);
  for (int64_t rows : {1, 1000}) {
    const Kernel kernel = ReduceMatrix(rows, 1000 / rows, rows == 1, DType::kBF16, Opcode::kAdd,
                                       Constant(uint16_t{0}, DType::kBF16));
    EXPECT_EQ(RunStep<uint16_t>(kernel, {x.data()}, 1)[0], 0x447a) << rows;
  }
}

}  // namespace
}  // namespace plinth::cpu::kernels
