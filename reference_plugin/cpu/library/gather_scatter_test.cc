// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "reference_plugin/backend/host/core_cache.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/scatter_scalars.h"
#include "reference_plugin/cpu/library/test_combiners.h"
#include "reference_plugin/cpu/library/test_support.h"

// Gather and scatter against loops that do what their definition says.
namespace plinth::cpu::library {
namespace {

using compiler::Combiner;
using compiler::Dims;
using compiler::MakeAttributes;
using compiler::Opcode;

TEST(GatherTest, RowsClampAndTransposedOffsets) {
  // operand[5,3], two indices; result[3,2]: the offset dimension comes first.
  compiler::GatherAttributes attributes;
  attributes.offset_dims = {0};
  attributes.collapsed_slice_dims = {0};
  attributes.start_index_map = {0};
  attributes.slice_sizes = {1, 3};
  attributes.index_vector_dim = 1;
  for (DType index_type : {DType::kS8, DType::kS32, DType::kS64, DType::kU64}) {
    TestArray operand(DType::kF32, {5, 3}), indices(index_type, {2, 1}),
        result(DType::kF32, {3, 2});
    for (int64_t i = 0; i < 15; ++i) operand.Set(i, static_cast<double>(i));
    bool is_signed = index_type != DType::kU64;
    indices.Set(0, int64_t{is_signed ? -7 : 1});
    indices.Set(1, int64_t{99});
    auto step = MakeStep(Opcode::kGather, {operand.type, indices.type}, {result.type},
                         MakeAttributes(attributes));
    ASSERT_TRUE(RunStep(step, {&operand, &indices}, {&result}).ok());
    int64_t first = is_signed ? 0 : 1;
    for (int64_t c = 0; c < 3; ++c) {
      EXPECT_EQ(result.Get<double>(c * 2), static_cast<double>(first * 3 + c));
      EXPECT_EQ(result.Get<double>(c * 2 + 1), static_cast<double>(4 * 3 + c));
    }
  }
}

TEST(GatherTest, BatchingDimensions) {
  // result[b, i] = operand[b, indices[b, i]]
  compiler::GatherAttributes attributes;
  attributes.operand_batching_dims = {0};
  attributes.start_indices_batching_dims = {0};
  attributes.collapsed_slice_dims = {1};
  attributes.start_index_map = {1};
  attributes.slice_sizes = {1, 1};
  attributes.index_vector_dim = 2;
  TestArray operand(DType::kS16, {3, 4}), indices(DType::kS32, {3, 2, 1}),
      result(DType::kS16, {3, 2});
  for (int64_t i = 0; i < 12; ++i) operand.Set(i, i * 10);
  for (int64_t i = 0; i < 6; ++i) indices.Set(i, (i * 5) % 4);
  auto step = MakeStep(Opcode::kGather, {operand.type, indices.type}, {result.type},
                       MakeAttributes(attributes));
  ASSERT_TRUE(RunStep(step, {&operand, &indices}, {&result}).ok());
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(result.Get<int64_t>(i), ((i / 2) * 4 + (i * 5) % 4) * 10);
  }
}

// Elements, and the rows that elements of several batch dimensions are: against a loop.
TEST(GatherTest, SingleElements) {
  std::mt19937_64 random(13);
  backend::ThreadPool pool(3);
  for (DType dtype : {DType::kU8, DType::kBF16, DType::kF32, DType::kF64, DType::kC128}) {
    for (DType index_type : {DType::kS32, DType::kU32, DType::kS64, DType::kS8}) {
      // result[b, i, j] = operand[b, clamp(indices[b, i, j, 0]), clamp(indices[b, i, j, 1])]
      compiler::GatherAttributes attributes;
      attributes.operand_batching_dims = {0};
      attributes.start_indices_batching_dims = {0};
      attributes.collapsed_slice_dims = {1, 2};
      attributes.start_index_map = {2, 1};
      attributes.slice_sizes = {1, 1, 1};
      attributes.index_vector_dim = 3;
      const int64_t b = 3, m = 50, n = 41, rows = 6, columns = 9;
      TestArray operand(dtype, {b, rows, columns}), indices(index_type, {b, m, n, 2}),
          result(dtype, {b, m, n});
      operand.FillRandom(random);
      for (int64_t i = 0; i < indices.NumElements(); ++i) {
        const bool is_signed = index_type != DType::kU32;
        indices.Set(i, static_cast<int64_t>(random() % 12) - (is_signed ? 2 : 0));
      }
      auto step = MakeStep(Opcode::kGather, {operand.type, indices.type}, {result.type},
                           MakeAttributes(attributes));
      ASSERT_TRUE(RunStep(step, {&operand, &indices}, {&result}, &pool).ok());
      const auto bytes = static_cast<size_t>(ByteSize(dtype));
      for (int64_t i = 0; i < b * m * n; ++i) {
        const int64_t column = std::clamp<int64_t>(indices.Get<int64_t>(2 * i), 0, columns - 1);
        const int64_t row = std::clamp<int64_t>(indices.Get<int64_t>(2 * i + 1), 0, rows - 1);
        const int64_t from = (i / (m * n) * rows + row) * columns + column;
        ASSERT_EQ(std::memcmp(&result.bytes[static_cast<size_t>(i) * bytes],
                              &operand.bytes[static_cast<size_t>(from) * bytes], bytes),
                  0)
            << Name(dtype) << " " << Name(index_type) << " " << i;
      }
    }
  }
}

// result[i] = operand[clamp(indices[i])], rows of any number of bytes: of a small array, and of one
// that a core's cache does not hold.
void GatherRows(DType index_type, int64_t rows, int64_t length, std::mt19937_64& random) {
  backend::ThreadPool pool(3);
  compiler::GatherAttributes attributes;
  attributes.offset_dims = {1};
  attributes.collapsed_slice_dims = {0};
  attributes.start_index_map = {0};
  attributes.index_vector_dim = 1;
  attributes.slice_sizes = {1, length};
  const int64_t count = 300;
  TestArray operand(DType::kU8, {rows, length}), indices(index_type, {count, 1}),
      result(DType::kU8, {count, length});
  operand.FillRandom(random);
  for (int64_t i = 0; i < count; ++i) {
    indices.Set(i, static_cast<int64_t>(random() % static_cast<uint64_t>(rows + 4)) -
                       (index_type == DType::kU32 ? 0 : 2));
  }
  auto step = MakeStep(Opcode::kGather, {operand.type, indices.type}, {result.type},
                       MakeAttributes(attributes));
  ASSERT_TRUE(RunStep(step, {&operand, &indices}, {&result}, &pool).ok());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t row = std::clamp<int64_t>(indices.Get<int64_t>(i), 0, rows - 1);
    ASSERT_EQ(
        std::memcmp(&result.bytes[static_cast<size_t>(i * length)],
                    &operand.bytes[static_cast<size_t>(row * length)], static_cast<size_t>(length)),
        0)
        << Name(index_type) << " " << length << " of " << rows << " " << i;
  }
}

TEST(GatherTest, RowsOfAnyLength) {
  std::mt19937_64 random(29);
  for (DType index_type : {DType::kS32, DType::kU32, DType::kS64}) {
    for (int64_t length = 1; length <= 70; ++length) GatherRows(index_type, 20, length, random);
    // Some lines and a rest, up to more than is asked for at once.
    for (int64_t length : {127, 128, 129, 1000, 1024, 4096, 4100, 4160, 9001}) {
      GatherRows(index_type, 20, length, random);
    }
    for (int64_t length : {1, 2, 4, 8, 11, 16, 32, 33, 64}) {
      GatherRows(index_type, backend::CoreCacheBytes() / length + 1, length, random);
    }
  }
}

// result[r, i, j, t] = operand[r, clamp(indices[i, j]), t]: more slices than a block has.
TEST(GatherTest, ColumnsOfAMatrix) {
  std::mt19937_64 random(17);
  backend::ThreadPool pool(3);
  const int64_t rows = 7, columns = 9, m = 3, n = 201;
  for (DType dtype : {DType::kU8, DType::kBF16, DType::kF32, DType::kF64}) {
    for (int64_t tail : {1, 5}) {
      compiler::GatherAttributes attributes;
      attributes.offset_dims = {0, 3};
      attributes.collapsed_slice_dims = {1};
      attributes.start_index_map = {1};
      attributes.slice_sizes = {rows, 1, tail};
      attributes.index_vector_dim = 2;
      TestArray operand(dtype, {rows, columns, tail}), indices(DType::kS32, {m, n}),
          result(dtype, {rows, m, n, tail});
      operand.FillRandom(random);
      for (int64_t i = 0; i < m * n; ++i) indices.Set(i, static_cast<int64_t>(random() % 13) - 2);
      auto step = MakeStep(Opcode::kGather, {operand.type, indices.type}, {result.type},
                           MakeAttributes(attributes));
      ASSERT_TRUE(RunStep(step, {&operand, &indices}, {&result}, &pool).ok());
      const auto bytes = static_cast<size_t>(ByteSize(dtype));
      for (int64_t to = 0; to < result.NumElements(); ++to) {
        const int64_t t = to % tail, slice = to / tail % (m * n), row = to / tail / (m * n);
        const int64_t column = std::clamp<int64_t>(indices.Get<int64_t>(slice), 0, columns - 1);
        const int64_t from = (row * columns + column) * tail + t;
        ASSERT_EQ(std::memcmp(&result.bytes[static_cast<size_t>(to) * bytes],
                              &operand.bytes[static_cast<size_t>(from) * bytes], bytes),
                  0)
            << Name(dtype) << " " << tail << " " << to;
      }
    }
  }
}

// input[rows, 4] updated by windows of one row.
TestArray ScatterRows(const Combiner& combiner, DType dtype, int64_t rows, TestArray input,
                      const std::vector<int64_t>& targets, const TestArray& updates,
                      backend::ThreadPool* pool) {
  compiler::ScatterAttributes attributes;
  attributes.update_window_dims = {1};
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0};
  attributes.index_vector_dim = 1;
  TestArray indices(DType::kS32, {static_cast<int64_t>(targets.size()), 1});
  for (size_t i = 0; i < targets.size(); ++i) indices.Set(static_cast<int64_t>(i), targets[i]);
  auto step = MakeStep(Opcode::kScatter, {input.type, indices.type, updates.type}, {input.type},
                       MakeAttributes(attributes));
  step.combiners = {combiner};
  // The result holds the input before the step.
  TestArray result = input;
  Status status = RunStep(step, {&result, &indices, &updates}, {&result}, pool);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return result;
}

TEST(ScatterTest, AddsInOrderAndDropsWhatIsOutside) {
  std::mt19937_64 random(1);
  backend::ThreadPool pool(3);
  for (DType dtype : kTestTypes) {
    if (dtype == DType::kPred) continue;
    TestArray input(dtype, {6, 4}), updates(dtype, {5, 4});
    for (int64_t i = 0; i < 24; ++i) input.Set(i, i % 7);
    for (int64_t i = 0; i < 20; ++i) updates.Set(i, i % 3);
    std::vector<int64_t> targets = {2, -1, 2, 6, 5};
    TestArray result =
        ScatterRows(OfTwo(Opcode::kAdd, dtype), dtype, 6, input, targets, updates, &pool);
    for (int64_t r = 0; r < 6; ++r) {
      for (int64_t c = 0; c < 4; ++c) {
        int64_t expected = (r * 4 + c) % 7;
        for (size_t u = 0; u < targets.size(); ++u) {
          if (targets[u] == r) expected += (static_cast<int64_t>(u) * 4 + c) % 3;
        }
        EXPECT_EQ(result.Get<std::complex<double>>(r * 4 + c), static_cast<double>(expected))
            << Name(dtype);
      }
    }
  }
}

TEST(ScatterTest, LastAssignmentWinsWithAnyNumberOfThreads) {
  DType dtype = DType::kF32;
  Combiner assign{{Parameter(0, dtype), Parameter(1, dtype)}, {1}};
  // Enough bytes for several threads.
  int64_t rows = 50, count = 40000;
  TestArray input(dtype, {rows, 4}), updates(dtype, {count, 4});
  std::vector<int64_t> targets(count);
  for (int64_t u = 0; u < count; ++u) {
    targets[u] = (u * 7919) % (rows + 3);
    for (int64_t c = 0; c < 4; ++c) updates.Set(u * 4 + c, static_cast<double>(u));
  }
  backend::ThreadPool pool(4);
  TestArray one = ScatterRows(assign, dtype, rows, input, targets, updates, nullptr);
  TestArray many = ScatterRows(assign, dtype, rows, input, targets, updates, &pool);
  EXPECT_EQ(one.bytes, many.bytes);
  for (int64_t u = count - rows; u < count; ++u) {
    if (targets[u] >= rows) continue;
    EXPECT_EQ(one.Get<double>(targets[u] * 4), static_cast<double>(u));
  }
}

// Each part of the updates has a copy of the array, however many threads there are.
TEST(ScatterTest, ManyUpdatesOfASmallArray) {
  constexpr int64_t kRows = 50, kCount = 200'000;
  std::vector<int64_t> targets(kCount);
  for (int64_t u = 0; u < kCount; ++u) targets[u] = (u * 7919) % (kRows + 3);
  backend::ThreadPool pool(4);
  for (DType dtype : {DType::kF32, DType::kF64, DType::kS32}) {
    for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
      TestArray input(dtype, {kRows, 4}), updates(dtype, {kCount, 4});
      std::vector<double> expected(kRows * 4);
      for (int64_t i = 0; i < kRows * 4; ++i) {
        // Of zeros: those of column 0 have a sign.
        expected[i] = i % 4 == 0 ? -0.0 : static_cast<double>(i);
        input.Set(i, expected[i]);
      }
      for (int64_t u = 0; u < kCount; ++u) {
        for (int64_t c = 0; c < 4; ++c) {
          const double update = c == 0 ? -0.0 : static_cast<double>((u * 31 + c) % 1009 - 500);
          updates.Set(u * 4 + c, update);
          if (targets[u] >= kRows) continue;
          double& to = expected[targets[u] * 4 + c];
          to = opcode == Opcode::kAdd       ? to + update
               : opcode == Opcode::kMaximum ? std::max(to, update)
                                            : std::min(to, update);
        }
      }
      const Combiner combiner = OfTwo(opcode, dtype);
      const TestArray one = ScatterRows(combiner, dtype, kRows, input, targets, updates, nullptr);
      const TestArray many = ScatterRows(combiner, dtype, kRows, input, targets, updates, &pool);
      EXPECT_EQ(one.bytes, many.bytes) << Name(dtype) << " " << compiler::Name(opcode);
      for (int64_t i = 0; i < kRows * 4; ++i) {
        const auto element = one.Get<double>(i);
        ASSERT_EQ(element, expected[i]) << Name(dtype) << " " << compiler::Name(opcode) << i;
        if (dtype == DType::kS32) continue;
        ASSERT_EQ(std::signbit(element), std::signbit(expected[i])) << Name(dtype) << i;
      }
    }
  }
}

// Parts of rows, on one thread (short ones) and shared by several, against a loop.
TEST(ScatterTest, RunsAtIndicesOfTwoNumbers) {
  std::mt19937_64 random(19);
  backend::ThreadPool pool(3);
  const int64_t rows = 30, count = 1500;
  compiler::ScatterAttributes attributes;
  attributes.update_window_dims = {1};
  attributes.inserted_window_dims = {0};
  attributes.scatter_dims_to_operand_dims = {0, 1};
  attributes.index_vector_dim = 1;
  for (DType dtype : {DType::kS32, DType::kBF16, DType::kF32, DType::kF64}) {
    for (int64_t length : {2, 3, 4, 8, 10, 70, 130}) {
      for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
        const int64_t columns = length + 4;
        TestArray result(dtype, {rows, columns}), updates(dtype, {count, length}),
            indices(DType::kS64, {count, 2});
        std::vector<double> expected(static_cast<size_t>(rows * columns));
        for (int64_t i = 0; i < updates.NumElements(); ++i) {
          updates.Set(i, static_cast<double>(static_cast<int64_t>(random() % 3) - 1));
        }
        for (int64_t i = 0; i < count; ++i) {
          const auto row = static_cast<int64_t>(random() % (rows + 3)) - 1;
          const auto column = static_cast<int64_t>(random() % 8) - 1;
          indices.Set(2 * i, row);
          indices.Set(2 * i + 1, column);
          if (row < 0 || row >= rows || column < 0 || column > columns - length) continue;
          for (int64_t j = 0; j < length; ++j) {
            double& element = expected[static_cast<size_t>(row * columns + column + j)];
            const auto update = updates.Get<double>(i * length + j);
            element = opcode == Opcode::kAdd       ? element + update
                      : opcode == Opcode::kMaximum ? std::max(element, update)
                                                   : std::min(element, update);
          }
        }
        auto step = MakeStep(Opcode::kScatter, {result.type, indices.type, updates.type},
                             {result.type}, MakeAttributes(attributes));
        step.combiners = {OfTwo(opcode, dtype)};
        ASSERT_TRUE(RunStep(step, {&result, &indices, &updates}, {&result}, &pool).ok());
        for (int64_t i = 0; i < rows * columns; ++i) {
          ASSERT_EQ(result.Get<double>(i), expected[static_cast<size_t>(i)])
              << Name(dtype) << " " << length << " " << i;
        }
      }
    }
  }
}

// Scalars at indices of one or two numbers, in batches, against a loop.
TEST(ScatterTest, SingleElements) {
  std::mt19937_64 random(11);
  backend::ThreadPool pool(3);
  const Opcode opcodes[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kMaximum, Opcode::kMinimum};
  for (DType dtype : {DType::kS32, DType::kU32, DType::kS64, DType::kBF16, DType::kF32, DType::kF64,
                      DType::kS8, DType::kF16}) {
    for (DType index_type : {DType::kS32, DType::kU32, DType::kS64, DType::kS16}) {
      for (int which = 0; which < 5; ++which) {
        for (int64_t parts : {1, 2}) {
          // Once so many that threads share the work: an array that no core keeps near.
          const bool is_large = dtype == DType::kF32 && index_type == DType::kS32;
          const int64_t columns = parts == 1 ? 1 : 5;
          const int64_t rows = is_large ? backend::CoreCacheBytes() / 4 / columns + 1 : 7;
          const int64_t count = is_large ? 90000 : 900;
          compiler::ScatterAttributes attributes;
          attributes.inserted_window_dims = parts == 1 ? Dims{0} : Dims{0, 1};
          attributes.scatter_dims_to_operand_dims = attributes.inserted_window_dims;
          attributes.index_vector_dim = 1;
          TestArray input(dtype, parts == 1 ? Dims{rows} : Dims{rows, columns});
          TestArray indices(index_type, {count, parts}), updates(dtype, {count});
          input.FillRandom(random);
          updates.FillRandom(random);
          // An odd one out, so that products of floats stay what they are.
          const bool is_float = InfoOf(dtype).kind == DTypeClass::kFloat;
          for (int64_t i = 0; i < count && is_float && which == 1; ++i) updates.Set(i, 1.0);
          const bool is_signed = index_type != DType::kU32;
          for (int64_t i = 0; i < count * parts; ++i) {
            const int64_t end = i % parts == 0 ? rows + 2 : columns + 2;
            const auto index = static_cast<int64_t>(random() % static_cast<uint64_t>(end));
            indices.Set(i, index - (is_signed ? 1 : 0));
          }
          const Combiner combiner = which < 4
                                        ? OfTwo(opcodes[which], dtype)
                                        : Combiner{{Parameter(0, dtype), Parameter(1, dtype)}, {1}};
          auto step = MakeStep(Opcode::kScatter, {input.type, indices.type, updates.type},
                               {input.type}, MakeAttributes(attributes));
          step.combiners = {combiner};
          TestArray result = input, alone = input, expected = input;
          ASSERT_TRUE(RunStep(step, {&result, &indices, &updates}, {&result}, &pool).ok());
          ASSERT_TRUE(RunStep(step, {&alone, &indices, &updates}, {&alone}).ok());
          // The same as windows of one run, which take the general way.
          const auto bytes = static_cast<size_t>(ByteSize(dtype));
          auto combine = PairCombiner::Make(combiner, std::vector<DType>{dtype, dtype}, {}, 1);
          ASSERT_TRUE(combine.ok());
          for (int64_t i = 0; i < count; ++i) {
            const int64_t row = indices.Get<int64_t>(i * parts);
            const int64_t column = parts == 1 ? 0 : indices.Get<int64_t>(i * parts + 1);
            if (row < 0 || row >= rows || column < 0 || column >= columns) continue;
            void* parameters[] = {
                expected.bytes.data() + static_cast<size_t>(row * columns + column) * bytes,
                updates.bytes.data() + static_cast<size_t>(i) * bytes};
            ASSERT_TRUE(combine->Run(parameters, std::span(parameters).first(1)).ok());
          }
          EXPECT_EQ(result.bytes, expected.bytes) << Name(dtype) << " combiner " << which;
          EXPECT_EQ(alone.bytes, expected.bytes) << Name(dtype) << " combiner " << which;
        }
      }
    }
  }
}

// Updates of some rows are those of all rows without the others', at the ends of lists, too.
TEST(ScatterTest, SingleElementsOfSomeRows) {
  std::mt19937_64 random(12);
  const ScatterScalars scatter =
      FindScatterScalars(OfTwo(Opcode::kAdd, DType::kF32), DType::kF32, DType::kS32);
  ASSERT_NE(scatter, nullptr);
  const IndexPart parts[] = {{10, 12}, {3, 4}};  // [10, 3] of f32
  for (int64_t count : {0, 1, 255, 256, 257, 1000}) {
    std::vector<int32_t> indices(static_cast<size_t>(count) * 2);
    std::vector<float> updates(static_cast<size_t>(count));
    for (size_t i = 0; i < updates.size(); ++i) {
      indices[2 * i] = static_cast<int32_t>(random() % 14) - 2;
      indices[2 * i + 1] = static_cast<int32_t>(random() % 5) - 1;
      updates[i] = static_cast<float>(random() % 1000) * 0.37f;  // the order of a sum shows
    }
    for (const auto& [first, end] : {std::pair<int64_t, int64_t>{0, 10},
                                     {0, INT64_MAX},
                                     {INT64_MIN, 4},
                                     {4, INT64_MAX},
                                     {3, 7},
                                     {5, 5}}) {
      std::vector<float> array(30, 0.5f), expected = array;
      scatter({.array = reinterpret_cast<std::byte*>(array.data()),
               .array_stride = 0,
               .updates = reinterpret_cast<const std::byte*>(updates.data()),
               .update_stride = 4,
               .indices = reinterpret_cast<const std::byte*>(indices.data()),
               .index_stride = 8,
               .part_stride = 4,
               .parts = parts,
               .count = count,
               .first = first,
               .end = end});
      for (size_t i = 0; i < updates.size(); ++i) {
        const int32_t row = indices[2 * i], column = indices[2 * i + 1];
        if (row < std::max<int64_t>(first, 0) || row >= std::min<int64_t>(end, 10)) continue;
        if (column < 0 || column >= 3) continue;
        expected[static_cast<size_t>(row * 3 + column)] += updates[i];
      }
      EXPECT_EQ(array, expected) << count << " updates of rows " << first << " to " << end;
    }
  }
}

// NaN and zeros give the bits that tiles give.
// Runs of one, of some that vectors and a rest take, and of all together.
TEST(ScatterTest, RunsOfOddFloats) {
  for (DType dtype : {DType::kBF16, DType::kF32, DType::kF64}) {
    const auto bytes = static_cast<size_t>(ByteSize(dtype));
    TestArray special(dtype, {10});
    const double numbers[] = {0., -0., 1., -1., INFINITY, -INFINITY, 2., 1e-40, 0., 0.};
    for (int64_t i = 0; i < 10; ++i) special.Set(i, numbers[i]);
    // A signaling and a quiet NaN with a sign.
    const uint64_t infinity = dtype == DType::kBF16  ? 0x7f80
                              : dtype == DType::kF32 ? 0x7f800000
                                                     : 0x7ff0000000000000;
    const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
    const uint64_t nans[] = {infinity | 1, sign | infinity | infinity >> 1 | 1};
    for (size_t n = 0; n < 2; ++n) std::memcpy(&special.bytes[(8 + n) * bytes], &nans[n], bytes);
    for (Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum, Opcode::kAdd, Opcode::kMultiply}) {
      compiler::ScatterAttributes attributes;
      attributes.update_window_dims = {1};
      attributes.inserted_window_dims = {0};
      attributes.scatter_dims_to_operand_dims = {0};
      attributes.index_vector_dim = 1;
      for (int64_t length : {1, 2, 4, 5, 8, 10, 16}) {
        // All pairs, some twice.
        const int64_t runs = (100 + length - 1) / length;
        const auto elements = static_cast<size_t>(runs * length);
        TestArray input(dtype, {runs, length}), indices(DType::kS32, {runs, 1}),
            updates(dtype, {runs, length});
        for (int64_t i = 0; i < runs; ++i) indices.Set(i, i);
        TestArray expected = input;
        auto combine =
            PairCombiner::Make(OfTwo(opcode, dtype), std::vector<DType>{dtype, dtype}, {}, 1);
        ASSERT_TRUE(combine.ok());
        for (size_t i = 0; i < elements; ++i) {
          const size_t first = i / 10 % 10, second = i % 10;
          std::memcpy(&input.bytes[i * bytes], &special.bytes[first * bytes], bytes);
          std::memcpy(&updates.bytes[i * bytes], &special.bytes[second * bytes], bytes);
          std::memcpy(&expected.bytes[i * bytes], &input.bytes[i * bytes], bytes);
          void* parameters[] = {&expected.bytes[i * bytes], &updates.bytes[i * bytes]};
          ASSERT_TRUE(combine->Run(parameters, std::span(parameters).first(1)).ok());
        }
        auto step = MakeStep(Opcode::kScatter, {input.type, indices.type, updates.type},
                             {input.type}, MakeAttributes(attributes));
        step.combiners = {OfTwo(opcode, dtype)};
        TestArray result = input;
        ASSERT_TRUE(RunStep(step, {&result, &indices, &updates}, {&result}).ok());
        for (size_t i = 0; i < elements; ++i) {
          const size_t first = i / 10 % 10, second = i % 10;
          // Which of two NaN wins differs between instruction sets.
          if (first >= 8 && second >= 8) continue;
          EXPECT_EQ(std::memcmp(&result.bytes[i * bytes], &expected.bytes[i * bytes], bytes), 0)
              << Name(dtype) << " " << length << " " << compiler::Name(opcode) << " of special "
              << first << " and " << second;
        }
      }
    }
  }
}

TEST(ScatterTest, AnyCombiner) {
  // acc * 2 + update: order matters.
  DType dtype = DType::kS32;
  Combiner combiner{{Parameter(0, dtype), Parameter(1, dtype), Binary(Opcode::kAdd, dtype, 0, 0),
                     Binary(Opcode::kAdd, dtype, 2, 1)},
                    {3}};
  TestArray input(dtype, {2, 4}), updates(dtype, {3, 4});
  for (int64_t i = 0; i < 12; ++i) updates.Set(i, i / 4 + 1);
  TestArray result = ScatterRows(combiner, dtype, 2, input, {1, 1, 1}, updates, nullptr);
  EXPECT_EQ(result.Get<int64_t>(4), (1 * 2 + 2) * 2 + 3);
  EXPECT_EQ(result.Get<int64_t>(0), 0);
}

}  // namespace
}  // namespace plinth::cpu::library
