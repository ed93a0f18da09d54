// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements: transposes, repeats, rows that change places.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include "reference_plugin/cpu/kernels/kernel_step.h"
#include "reference_plugin/cpu/kernels/kernel_test_util.h"
#include "reference_plugin/cpu/kernels/tile_program.h"

namespace plinth::cpu::kernels {
namespace {

using compiler::Dims;
using compiler::Kernel;
using compiler::Opcode;
using compiler::Phase;

TEST(KernelMovementTest, TransposesOfEveryElementSize) {
  for (DType type : {DType::kS8, DType::kS16, DType::kF32, DType::kF64, DType::kC128}) {
    const int64_t bytes = ByteSize(type), rows = 131, columns = 77;
    std::vector<uint8_t> x(static_cast<size_t>(2 * rows * columns * bytes));
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 131 >> 3);
    Kernel kernel;
    kernel.name = "transpose";
    kernel.shape.extents = {2, columns, rows};
    kernel.shape.num_parallel = 3;
    kernel.shape.inputs = {MakeAccess(0, type, {rows * columns * bytes, bytes, columns * bytes})};
    kernel.shape.outputs = {MakeAccess(0, type, {rows * columns * bytes, rows * bytes, bytes})};
    Phase phase;
    phase.nodes = {Input(0, type)};
    phase.stores = {{0, 0}};
    kernel.body.phases = {phase};
    const auto y = RunStep<uint8_t>(kernel, {x.data()}, x.size());
    for (int64_t i = 0; i < 2 * rows * columns; ++i) {
      const int64_t matrix = i / (rows * columns), r = i / columns % rows, c = i % columns;
      const int64_t to = (matrix * columns + c) * rows + r;
      ASSERT_EQ(std::memcmp(&x[static_cast<size_t>(i * bytes)], &y[static_cast<size_t>(to * bytes)],
                            static_cast<size_t>(bytes)),
                0)
          << Name(type) << " element " << i;
    }
  }
}

// Rows that stay rows: x[i, j, k] goes to y[i, k, j], a few neighbours at once or each alone.
TEST(KernelMovementTest, RowsChangePlaces) {
  constexpr int64_t kRow = 20, kBytes = kRow * 4;
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{3, 8}, {8, 3}, {5, 7}, {4, 4}}) {
    std::vector<int32_t> x(static_cast<size_t>(2 * rows * columns * kRow));
    std::iota(x.begin(), x.end(), 0);
    Kernel kernel;
    kernel.name = "rows";
    kernel.shape.extents = {2, columns, rows, kRow};
    kernel.shape.num_parallel = 4;
    const int64_t matrix = rows * columns * kBytes;
    kernel.shape.inputs = {MakeAccess(0, DType::kS32, {matrix, kBytes, columns * kBytes, 4})};
    kernel.shape.outputs = {MakeAccess(0, DType::kS32, {matrix, rows * kBytes, kBytes, 4})};
    Phase phase;
    phase.nodes = {Input(0, DType::kS32)};
    phase.stores = {{0, 0}};
    kernel.body.phases = {phase};
    const auto y = RunStep<int32_t>(kernel, {x.data()}, x.size());
    for (size_t to = 0; to < y.size(); ++to) {
      const auto at = static_cast<int64_t>(to);
      const int64_t i = at / kRow / rows / columns, k = at / kRow / rows % columns;
      const int64_t j = at / kRow % rows;
      ASSERT_EQ(y[to], ((i * rows + j) * columns + k) * kRow + at % kRow) << rows << " " << to;
    }
  }
}

// x[i] goes to all y[i, k], and x[i, k] to all y[i, j, k].
TEST(KernelMovementTest, RepeatsElementsAndShortRows) {
  constexpr int64_t kRows = 151, kTimes = 5;
  for (const DType type : {DType::kS8, DType::kS16, DType::kF32, DType::kF64, DType::kC128}) {
    for (const int64_t run : {8, 9, 15, 16, 17, 31, 40}) {
      const int64_t bytes = ByteSize(type);
      std::vector<uint8_t> x(static_cast<size_t>(kRows * run * bytes));
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 131 >> 3);
      for (const bool repeats_elements : {true, false}) {
        SCOPED_TRACE(testing::Message() << Name(type) << " " << run << " " << repeats_elements);
        const int64_t row = run * bytes;
        Kernel kernel;
        kernel.name = "repeat";
        kernel.shape.extents = {kRows, kTimes, run};
        kernel.shape.num_parallel = 3;
        kernel.shape.inputs = {
            MakeAccess(0, type, repeats_elements ? Dims{row, bytes, 0} : Dims{row, 0, bytes})};
        kernel.shape.outputs = {MakeAccess(0, type, {kTimes * row, row, bytes})};
        Phase phase;
        phase.nodes = {Input(0, type)};
        phase.stores = {{0, 0}};
        kernel.body.phases = {phase};
        const auto y = RunStep<uint8_t>(kernel, {x.data()}, x.size() * kTimes);
        for (int64_t at = 0; at < kRows * kTimes * run; ++at) {
          const int64_t i = at / run / kTimes, j = at / run % kTimes, k = at % run;
          const int64_t from = i * run + (repeats_elements ? j : k);
          ASSERT_EQ(std::memcmp(&x[static_cast<size_t>(from * bytes)],
                                &y[static_cast<size_t>(at * bytes)], static_cast<size_t>(bytes)),
                    0)
              << at;
        }
      }
    }
  }
}

// As the bits of bytes are taken apart: each is a row.
TEST(KernelMovementTest, RepeatsOneElementAfterTheOther) {
  constexpr int64_t kRows = 1003;
  for (const DType type : {DType::kU8, DType::kU32}) {
    for (const int64_t run : {7, 8, 16}) {
      const int64_t bytes = ByteSize(type);
      Kernel kernel =
          Elementwise(kRows, {type}, {Input(0, type), Operation(Opcode::kNot, type, {0})});
      kernel.shape.extents = {kRows, run};
      kernel.shape.num_parallel = 2;
      kernel.shape.inputs[0].byte_strides = {bytes, 0};
      kernel.shape.outputs[0].byte_strides = {run * bytes, bytes};
      std::vector<uint8_t> x(static_cast<size_t>(kRows * bytes));
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint8_t>(i * 131 >> 3);
      const auto y = RunStep<uint8_t>(kernel, {x.data()}, x.size() * static_cast<size_t>(run));
      for (int64_t at = 0; at < kRows * run * bytes; ++at) {
        const int64_t from = at / bytes / run * bytes + at % bytes;
        ASSERT_EQ(y[static_cast<size_t>(at)], static_cast<uint8_t>(~x[static_cast<size_t>(from)]))
            << Name(type) << " " << run << " times, byte " << at;
      }
    }
  }
}

// y[o, i, k] = x[o, i, k] + b[o, K - 1 - k] + k: rows that next tiles have, too, until o changes.
template <typename T>
void AddRepeatedRows(DType type, int64_t run) {
  constexpr int64_t kOuter = 3, kRows = 1789;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  std::vector<T> x(static_cast<size_t>(kOuter * kRows * run)), b(static_cast<size_t>(kOuter * run));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i * 7);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(i * 11 + 5);
  Kernel kernel;
  kernel.name = "rows";
  kernel.shape.extents = {kOuter, kRows, run};
  kernel.shape.num_parallel = 3;
  kernel.shape.inputs = {MakeAccess(0, type, {kRows * run * kBytes, run * kBytes, kBytes}),
                         MakeAccess(1, type, {run * kBytes, 0, -kBytes})};
  kernel.shape.inputs[1].byte_offset = (run - 1) * kBytes;
  kernel.shape.outputs = {MakeAccess(0, type, {kRows * run * kBytes, run * kBytes, kBytes})};
  compiler::Node number = Leaf(compiler::NodeKind::kIota, type, 2);
  number.constant.high = 1;
  Phase phase;
  phase.nodes = {Input(0, type), Input(1, type), number,
                 Operation(compiler::Opcode::kAdd, type, {0, 1}),
                 Operation(compiler::Opcode::kAdd, type, {3, 2})};
  phase.stores = {{4, 0}};
  kernel.body.phases = {phase};
  const auto y = RunStep<T>(kernel, {x.data(), b.data()}, x.size());
  for (int64_t at = 0; at < kOuter * kRows * run; ++at) {
    const int64_t o = at / run / kRows, k = at % run;
    const auto expected = static_cast<T>(x[static_cast<size_t>(at)] +
                                         b[static_cast<size_t>(o * run + run - 1 - k)] + k);
    ASSERT_EQ(y[static_cast<size_t>(at)], expected) << at << " of rows of " << run;
  }
}

TEST(KernelMovementTest, KeepsRowsThatTilesShare) {
  for (const int64_t run : {2, 3, 8, 20, 100}) {
    AddRepeatedRows<uint8_t>(DType::kU8, run);
    AddRepeatedRows<int16_t>(DType::kS16, run);
    AddRepeatedRows<uint32_t>(DType::kU32, run);
  }
}

// Every NaN keeps its bits on the way, be it signaling.
TEST(KernelMovementTest, MovesHalvesBitForBit) {
  for (DType type : {DType::kF16, DType::kBF16}) {
    for (size_t size : {5, 20, 1000}) {
      std::vector<uint16_t> x(size);
      for (size_t i = 0; i < size; ++i) x[i] = static_cast<uint16_t>(0x7c01 + 0x8000 * (i % 2) + i);
      Kernel kernel = Elementwise(static_cast<int64_t>(size), {type}, {Input(0, type)});
      kernel.shape.inputs[0].byte_strides[0] = -2;
      kernel.shape.inputs[0].byte_offset = 2 * static_cast<int64_t>(size) - 2;
      const auto y = RunStep<uint16_t>(kernel, {x.data()}, size);
      EXPECT_EQ(y, std::vector<uint16_t>(x.rbegin(), x.rend())) << Name(type) << " " << size;
      std::vector<uint8_t> which(size, 1);
      const Kernel select =
          Elementwise(static_cast<int64_t>(size), {DType::kPred, type},
                      {Input(0, DType::kPred), Input(1, type), Constant(uint16_t{1}, type),
                       Operation(Opcode::kSelect, type, {0, 1, 2})});
      EXPECT_EQ(RunStep<uint16_t>(select, {which.data(), x.data()}, size), x) << Name(type);
    }
  }
}

// A transposed operand of an op, whose rows are taken in blocks: whole ones, the rest of them, and
// from the middle on where a thread begins.
template <class T>
void ExpectTransposedOperand(DType type, int64_t rows, int64_t columns) {
  const int64_t bytes = ByteSize(type);
  std::vector<T> x(static_cast<size_t>(rows * columns)), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<T>(i % 61);
    y[i] = static_cast<T>(i * 7919 % 59);
  }
  Kernel kernel;
  kernel.name = "add";
  kernel.shape.extents = {rows, columns};
  kernel.shape.num_parallel = 2;
  kernel.shape.inputs = {MakeAccess(0, type, {columns * bytes, bytes}),
                         MakeAccess(1, type, {bytes, rows * bytes})};
  kernel.shape.outputs = {MakeAccess(0, type, {columns * bytes, bytes})};
  Phase phase;
  phase.nodes = {Input(0, type), Input(1, type), Operation(Opcode::kAdd, type, {0, 1})};
  phase.stores = {{2, 0}};
  kernel.body.phases = {phase};
  backend::ThreadPool pool(2);
  const auto z = RunStep<T>(kernel, {x.data(), y.data()}, x.size(), &pool);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const auto at = static_cast<size_t>(i * columns + j);
      ASSERT_EQ(z[at], static_cast<T>(x[at] + y[static_cast<size_t>(j * rows + i)]))
          << Name(type) << " " << i << ", " << j << " of " << rows << " x " << columns;
    }
  }
}

TEST(KernelMovementTest, AddsATransposedMatrix) {
  for (const auto& [rows, columns] :
       {std::pair{320, 320}, {101, 1300}, {96, 600}, {7, 5000}, {17, 700}}) {
    ExpectTransposedOperand<int8_t>(DType::kS8, rows, columns);
    ExpectTransposedOperand<int16_t>(DType::kS16, rows, columns);
    ExpectTransposedOperand<float>(DType::kF32, rows, columns);
    ExpectTransposedOperand<double>(DType::kF64, rows, columns);
    ExpectTransposedOperand<std::complex<double>>(DType::kC128, rows, columns);
  }
}

// The same of a type that is widened on the way.
TEST(KernelMovementTest, WidensATransposedMatrix) {
  constexpr int64_t kRows = 96, kColumns = 600;
  std::vector<uint16_t> x(kRows * kColumns);  // bf16: the upper half of the f32
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint16_t>(0x3F80 + i % 127);
  Kernel kernel = Elementwise(
      1, {DType::kBF16}, {Input(0, DType::kBF16), Operation(Opcode::kConvert, DType::kF32, {0})});
  kernel.shape.extents = {kRows, kColumns};
  kernel.shape.num_parallel = 2;
  kernel.shape.inputs[0].byte_strides = {2, 2 * kRows};
  kernel.shape.outputs[0].byte_strides = {4 * kColumns, 4};
  const auto y = RunStep<float>(kernel, {x.data()}, x.size());
  for (size_t i = 0; i < kRows; ++i) {
    for (size_t j = 0; j < kColumns; ++j) {
      const uint32_t bits = uint32_t{x[j * kRows + i]} << 16;
      ASSERT_EQ(y[i * kColumns + j], std::bit_cast<float>(bits)) << i << ", " << j;
    }
  }
}

// Columns that are repeated run along the rows of the result as smoothly as along themselves.
TEST(KernelMovementTest, RepeatedOperandsDoNotTurnTheTiles) {
  constexpr int64_t kRows = 48, kColumns = 32;
  Kernel kernel;
  kernel.name = "scale";
  kernel.shape.extents = {kRows, kColumns};
  kernel.shape.num_parallel = 2;
  kernel.shape.inputs = {MakeAccess(0, DType::kF32, {4, 0}), MakeAccess(1, DType::kF32, {4, 0})};
  kernel.shape.outputs = {MakeAccess(0, DType::kF32, {4 * kColumns, 4})};
  Phase phase;
  phase.nodes = {Input(0), Input(1), Operation(Opcode::kMultiply, {0, 1})};
  phase.stores = {{2, 0}};
  kernel.body.phases = {phase};
  const Domain domain = SimplifyDomain(kernel, true);
  EXPECT_EQ(domain.extents, (Dims{kRows, kColumns}));
  std::vector<float> x(kRows), y(kRows);
  std::iota(x.begin(), x.end(), 0.5f);
  std::iota(y.begin(), y.end(), 2.0f);
  const auto z = RunStep<float>(kernel, {x.data(), y.data()}, kRows * kColumns, nullptr);
  for (size_t i = 0; i < z.size(); ++i) {
    ASSERT_EQ(z[i], x[i / kColumns] * y[i / kColumns]);
  }
}

// Rows of points: results are columns of one array, in another order, and what lies beside them
// stays. Some columns of the operand are nobody's, and one is read twice.
TEST(KernelMovementTest, ColumnsOfShortRows) {
  constexpr int64_t kRows = 1003, kLongest = 11;
  for (int64_t columns = 2; columns <= kLongest; ++columns) {
    for (const int64_t beside : {0, 2}) {
      const int64_t width = columns + beside;
      std::vector<float> x(static_cast<size_t>(kRows * width));
      std::iota(x.begin(), x.end(), 1.0f);
      Kernel kernel;
      kernel.name = "columns";
      kernel.shape.extents = {kRows};
      kernel.shape.num_parallel = 1;
      Phase phase;
      const auto access = [&](int64_t column) {
        compiler::Access made = MakeAccess(0, DType::kF32, {4 * width});
        made.byte_offset = 4 * column;
        return made;
      };
      const auto from = [&](int64_t column) { return column == 1 ? 0 : columns - 1 - column; };
      for (int64_t c = 0; c < columns; ++c) {
        kernel.shape.inputs.push_back(access(from(c)));
        kernel.shape.outputs.push_back(access(c));
        phase.nodes.push_back(Input(static_cast<int32_t>(c)));
      }
      for (int32_t c = 0; c < static_cast<int32_t>(columns); ++c) {
        phase.nodes.push_back(Operation(Opcode::kNegate, {c}));
        phase.stores.push_back({static_cast<int32_t>(columns) + c, c});
      }
      kernel.body.phases = {phase};
      const auto y = RunStep<float>(kernel, {x.data()}, x.size());
      for (int64_t i = 0; i < kRows * width; ++i) {
        const int64_t row = i / width, column = i % width;
        const float expected =
            column < columns ? -x[static_cast<size_t>(row * width + from(column))] : 0;
        ASSERT_EQ(y[static_cast<size_t>(i)], expected)
            << columns << " of " << width << ", row " << row << ", column " << column;
      }
    }
  }
}

}  // namespace
}  // namespace plinth::cpu::kernels
