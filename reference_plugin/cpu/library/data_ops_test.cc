// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "reference_plugin/backend/host/core_cache.h"
#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/order.h"
#include "reference_plugin/cpu/library/order_bits.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/radix_sort.h"
#include "reference_plugin/cpu/library/scatter_scalars.h"
#include "reference_plugin/cpu/library/test_support.h"

// Gather, scatter, sort, top_k, cumulative reductions and select_and_scatter against loops that do
// what their definition says.
namespace plinth::cpu::library {
namespace {

using compiler::CanonicalFloat;
using compiler::Combiner;
using compiler::ComparisonDirection;
using compiler::ComparisonType;
using compiler::DimensionAttributes;
using compiler::Dims;
using compiler::FindSortKeys;
using compiler::MakeAttributes;
using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;
using compiler::SortKey;

Node Parameter(int32_t index, DType dtype) {
  Node node;
  node.kind = NodeKind::kParameter;
  node.index = index;
  node.dtype = dtype;
  return node;
}

Node Binary(Opcode opcode, DType dtype, int32_t a, int32_t b) {
  Node node;
  node.opcode = opcode;
  node.dtype = dtype;
  node.num_operands = 2;
  node.operands[0] = a;
  node.operands[1] = b;
  return node;
}

Node Compare(ComparisonDirection direction, ComparisonType type, int32_t a, int32_t b) {
  Node node = Binary(Opcode::kCompare, DType::kPred, a, b);
  node.compare = {direction, type};
  return node;
}

Combiner OfTwo(Opcode opcode, DType dtype) {
  return {{Parameter(0, dtype), Parameter(1, dtype), Binary(opcode, dtype, 0, 1)}, {2}};
}

Combiner ComparatorOfTwo(ComparisonDirection direction, ComparisonType type, DType dtype) {
  return {{Parameter(0, dtype), Parameter(1, dtype), Compare(direction, type, 0, 1)}, {2}};
}

std::shared_ptr<const compiler::Attributes> AlongDimension(int64_t dimension,
                                                           bool reverse = false) {
  DimensionAttributes attributes;
  attributes.dimension = dimension;
  attributes.reverse = reverse;
  attributes.is_stable = true;
  return MakeAttributes(attributes);
}

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
    for (int64_t length : {3, 70, 130}) {
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
TEST(ScatterTest, SingleElementsOfOddFloats) {
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
      attributes.inserted_window_dims = {0};
      attributes.scatter_dims_to_operand_dims = {0};
      attributes.index_vector_dim = 1;
      TestArray input(dtype, {100}), indices(DType::kS32, {100, 1}), updates(dtype, {100});
      TestArray expected = input;
      auto combine =
          PairCombiner::Make(OfTwo(opcode, dtype), std::vector<DType>{dtype, dtype}, {}, 1);
      ASSERT_TRUE(combine.ok());
      for (size_t i = 0; i < 100; ++i) {
        std::memcpy(&input.bytes[i * bytes], &special.bytes[i / 10 * bytes], bytes);
        std::memcpy(&updates.bytes[i * bytes], &special.bytes[i % 10 * bytes], bytes);
        indices.Set(static_cast<int64_t>(i), static_cast<int64_t>(i));
        std::memcpy(&expected.bytes[i * bytes], &input.bytes[i * bytes], bytes);
        void* parameters[] = {&expected.bytes[i * bytes], &updates.bytes[i * bytes]};
        ASSERT_TRUE(combine->Run(parameters, std::span(parameters).first(1)).ok());
      }
      auto step = MakeStep(Opcode::kScatter, {input.type, indices.type, updates.type}, {input.type},
                           MakeAttributes(attributes));
      step.combiners = {OfTwo(opcode, dtype)};
      TestArray result = input;
      ASSERT_TRUE(RunStep(step, {&result, &indices, &updates}, {&result}).ok());
      for (size_t i = 0; i < 100; ++i) {
        // Which of two NaN wins differs between instruction sets.
        if (i / 10 >= 8 && i % 10 >= 8) continue;
        EXPECT_EQ(std::memcmp(&result.bytes[i * bytes], &expected.bytes[i * bytes], bytes), 0)
            << Name(dtype) << " " << compiler::Name(opcode) << " of special " << i / 10 << " and "
            << i % 10;
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

TEST(SortTest, EveryTypeBothDirectionsAnyDimension) {
  std::mt19937_64 random(2);
  for (DType dtype : kTestTypes) {
    DTypeClass kind = InfoOf(dtype).kind;
    if (kind == DTypeClass::kComplex) continue;
    ComparisonType type = kind == DTypeClass::kFloat    ? ComparisonType::kFloat
                          : kind == DTypeClass::kSigned ? ComparisonType::kSigned
                                                        : ComparisonType::kUnsigned;
    for (auto direction : {ComparisonDirection::kLt, ComparisonDirection::kGt}) {
      for (int64_t length : {0, 1, 7, 600}) {
        TestArray operand(dtype, {2, length, 3}), result = operand;
        operand.FillRandom(random);
        auto step = MakeStep(Opcode::kSort, {operand.type}, {result.type}, AlongDimension(1));
        step.combiners = {ComparatorOfTwo(direction, type, dtype)};
        Status status = RunStep(step, {&operand}, {&result});
        ASSERT_TRUE(status.ok()) << status.ToString();
        for (int64_t row = 0; row < 6; ++row) {
          std::vector<double> expected, got;
          for (int64_t e = 0; e < length; ++e) {
            int64_t at = (row / 3 * length + e) * 3 + row % 3;
            expected.push_back(operand.Get<double>(at));
            got.push_back(result.Get<double>(at));
          }
          std::sort(expected.begin(), expected.end());
          if (direction == ComparisonDirection::kGt) std::reverse(expected.begin(), expected.end());
          EXPECT_EQ(got, expected) << Name(dtype) << " length " << length;
        }
      }
    }
  }
}

TEST(SortTest, CarriesOtherOperandsAndIsStable) {
  for (int64_t length : {5, 1000}) {
    TestArray keys(DType::kS32, {length}), values(DType::kF64, {length});
    for (int64_t i = 0; i < length; ++i) {
      keys.Set(i, (i * 7) % 3);
      values.Set(i, static_cast<double>(i));
    }
    TestArray sorted_keys = keys, sorted_values = values;
    auto step = MakeStep(Opcode::kSort, {keys.type, values.type}, {keys.type, values.type},
                         AlongDimension(0));
    Combiner comparator =
        ComparatorOfTwo(ComparisonDirection::kLt, ComparisonType::kSigned, DType::kS32);
    step.combiners = {comparator};
    ASSERT_TRUE(RunStep(step, {&keys, &values}, {&sorted_keys, &sorted_values}).ok());
    for (int64_t i = 1; i < length; ++i) {
      int64_t a = sorted_keys.Get<int64_t>(i - 1), b = sorted_keys.Get<int64_t>(i);
      EXPECT_LE(a, b);
      if (a != b) continue;
      EXPECT_LT(sorted_values.Get<double>(i - 1), sorted_values.Get<double>(i));
    }
  }
}

// A comparator as JAX writes it for floats: zeros are equal, NaN are equal and last.
Combiner CanonicalComparator(DType dtype, uint64_t nan_bits, bool descending) {
  Combiner comparator;
  std::vector<Node>& nodes = comparator.nodes;
  auto add = [&](Node node) {
    nodes.push_back(node);
    return static_cast<int32_t>(nodes.size()) - 1;
  };
  auto constant = [&](uint64_t bits) {
    Node node;
    node.kind = NodeKind::kConstant;
    node.dtype = dtype;
    node.constant.low = bits;
    return add(node);
  };
  auto select = [&](int32_t test, int32_t a, int32_t b) {
    Node node = Binary(Opcode::kSelect, dtype, test, a);
    node.num_operands = 3;
    node.operands[2] = b;
    return add(node);
  };
  int32_t sides[2];
  for (int32_t side = 0; side < 2; ++side) {
    const int32_t x = add(Parameter(side, dtype)), zero = constant(0);
    const int32_t is_zero = add(Compare(ComparisonDirection::kEq, ComparisonType::kFloat, x, zero));
    const int32_t rest = select(is_zero, constant(0), x);
    const int32_t is_nan = add(Compare(ComparisonDirection::kNe, ComparisonType::kFloat, x, x));
    sides[side] = select(is_nan, constant(nan_bits), rest);
  }
  const auto direction = descending ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  comparator.results = {add(Compare(direction, ComparisonType::kTotalOrder, sides[0], sides[1]))};
  return comparator;
}

// Every bit of every element: zeros and NaN of all kinds stay in their order.
TEST(SortTest, FloatsAsJaxSortsThem) {
  struct Type {
    DType dtype;
    uint64_t nan, sign;
  };
  std::mt19937_64 random(5);
  backend::ThreadPool pool(3);
  for (const Type& t : {Type{DType::kF16, 0x7e00, 0x8000}, Type{DType::kBF16, 0x7fc0, 0x8000},
                        Type{DType::kF32, 0x7fc00000, 0x80000000},
                        Type{DType::kF64, 0x7ff8000000000000, 0x8000000000000000}}) {
    const auto bytes = static_cast<size_t>(ByteSize(t.dtype));
    for (int64_t length : {3, 47, 500, 5000, 70000}) {
      for (bool descending : {false, true}) {
        for (int64_t inner : {1, 3}) {
          if (length == 70000 && inner > 1) continue;
          TestArray operand(t.dtype, {length, inner}), positions(DType::kS32, {length, inner});
          for (int64_t i = 0; i < length * inner; ++i) {
            uint64_t bits = 0;
            operand.Set(i, std::normal_distribution<double>()(random));
            switch (random() % 8) {
              case 0:
                bits = random() % 2 == 0 ? 0 : t.sign;
                break;
              case 1:
                bits = (random() % 2 == 0 ? 0 : t.sign) | t.nan | random() % 4;
                break;
              default:
                std::memcpy(&bits, operand.bytes.data() + static_cast<size_t>(i) * bytes, bytes);
            }
            std::memcpy(operand.bytes.data() + static_cast<size_t>(i) * bytes, &bits, bytes);
            positions.Set(i, i / inner);
          }
          TestArray alone = operand, beside = operand, order = positions;
          auto step = MakeStep(Opcode::kSort, {operand.type}, {operand.type}, AlongDimension(0));
          step.combiners = {CanonicalComparator(t.dtype, t.nan, descending)};
          ASSERT_TRUE(FindSortKeys(step.combiners[0], 1).has_value());
          ASSERT_TRUE(CanonicalFloat((*FindSortKeys(step.combiners[0], 1))[0].key).has_value());
          ASSERT_TRUE(RunStep(step, {&operand}, {&alone}, &pool).ok());
          // With positions, which are of the third and fourth parameter.
          step = MakeStep(Opcode::kSort, {operand.type, positions.type},
                          {operand.type, positions.type}, AlongDimension(0));
          step.combiners = {CanonicalComparator(t.dtype, t.nan, descending)};
          ASSERT_TRUE(RunStep(step, {&operand, &positions}, {&beside, &order}, &pool).ok());
          for (int64_t k = 0; k < inner; ++k) {
            std::vector<int64_t> expected(static_cast<size_t>(length));
            std::iota(expected.begin(), expected.end(), 0);
            auto value = [&](int64_t i) { return operand.Get<double>(i * inner + k); };
            std::stable_sort(expected.begin(), expected.end(), [&](int64_t i, int64_t j) {
              if (descending) std::swap(i, j);
              const double a = value(i), b = value(j);
              if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
              return a < b;
            });
            for (int64_t i = 0; i < length; ++i) {
              const int64_t at = i * inner + k;
              const auto* const wanted =
                  operand.bytes.data() + static_cast<size_t>(expected[i] * inner + k) * bytes;
              for (const TestArray* got : {&alone, &beside}) {
                ASSERT_EQ(
                    std::memcmp(got->bytes.data() + static_cast<size_t>(at) * bytes, wanted, bytes),
                    0)
                    << Name(t.dtype) << " length " << length << " element " << i;
              }
              ASSERT_EQ(order.Get<int64_t>(at), expected[static_cast<size_t>(i)]);
            }
          }
        }
      }
    }
  }
}

TEST(RadixSortTest, SortsByTheBitsItIsGiven) {
  std::mt19937_64 random(7);
  backend::ThreadPool pool(3);
  for (size_t size : {0, 1, 2, 40, 300, 9000, 200000}) {
    for (auto [first, end] : {std::pair{0, 64}, {32, 64}, {8, 21}, {32, 40}}) {
      for (uint64_t mask : {~uint64_t{0}, uint64_t{0xff}, uint64_t{0x00ffff0000000000}}) {
        std::vector<uint64_t> keys(size), spare(size);
        for (uint64_t& key : keys) key = random() & mask;
        std::vector<uint64_t> expected = keys, alone = keys;
        auto digits = [first = first, end = end](uint64_t key) {
          return key << (64 - end) >> (64 - end) >> first;
        };
        std::stable_sort(expected.begin(), expected.end(),
                         [&](uint64_t a, uint64_t b) { return digits(a) < digits(b); });
        RadixSort<uint64_t>(keys, spare, first, end, &pool);
        RadixSort<uint64_t>(alone, spare, first, end, nullptr);
        EXPECT_EQ(keys, expected) << size << " keys, bits " << first << " to " << end;
        EXPECT_EQ(alone, expected) << size << " keys, bits " << first << " to " << end;
      }
    }
  }
}

TEST(SortTest, ComparatorThatIsNoKey) {
  // a * a < b * b + 0 with an operation that differs between the sides: no common key.
  DType dtype = DType::kS32;
  Combiner comparator{
      {Parameter(0, dtype), Parameter(1, dtype), Binary(Opcode::kMultiply, dtype, 0, 0),
       Binary(Opcode::kMultiply, dtype, 1, 1), Binary(Opcode::kSubtract, dtype, 2, 3),
       Binary(Opcode::kSubtract, dtype, 4, 4),
       Compare(ComparisonDirection::kLt, ComparisonType::kSigned, 4, 5)},
      {6}};
  EXPECT_FALSE(FindSortKeys(comparator, 1).has_value());
  for (int64_t length : {1, 2, 3, 8, 100, 1025}) {
    TestArray operand(dtype, {length}), result = operand;
    for (int64_t i = 0; i < length; ++i) operand.Set(i, (i * 31) % 41 - 20);
    auto step = MakeStep(Opcode::kSort, {operand.type}, {operand.type}, AlongDimension(0));
    step.combiners = {comparator};
    ASSERT_TRUE(RunStep(step, {&operand}, {&result}).ok());
    std::vector<int64_t> expected;
    for (int64_t i = 0; i < length; ++i) expected.push_back(operand.Get<int64_t>(i));
    std::stable_sort(expected.begin(), expected.end(),
                     [](int64_t a, int64_t b) { return a * a < b * b; });
    for (int64_t i = 0; i < length; ++i) EXPECT_EQ(result.Get<int64_t>(i), expected[i]) << length;
  }
}

TEST(SortKeyTest, TotalOrderAndSignedZeros) {
  float values[] = {-std::numeric_limits<float>::quiet_NaN(),
                    -1,
                    -0.0f,
                    0.0f,
                    1,
                    std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()};
  uint64_t bits[7];
  FindOrderBits(DType::kF32, false, FloatOrder::kTotal)(values, bits, 7);
  EXPECT_TRUE(std::is_sorted(bits, bits + 7));
  EXPECT_LT(bits[2], bits[3]);
  FindOrderBits(DType::kF32, false, FloatOrder::kZerosEqual)(values, bits, 7);
  EXPECT_EQ(bits[2], bits[3]);
  FindOrderBits(DType::kF32, true, FloatOrder::kTotal)(values, bits, 7);
  EXPECT_TRUE(std::is_sorted(std::rbegin(bits), std::rend(bits)));
  EXPECT_EQ(FindOrderBits(DType::kC64, false, FloatOrder::kTotal), nullptr);
}

TEST(SortKeyTest, SeveralKeys) {
  // lt(a0, b0) or (eq(a0, b0) and lt(a1, b1))
  DType dtype = DType::kS32;
  auto signed_compare = ComparisonType::kSigned;
  Combiner comparator{
      {Parameter(0, dtype), Parameter(1, dtype), Parameter(2, dtype), Parameter(3, dtype),
       Compare(ComparisonDirection::kLt, signed_compare, 0, 1),
       Compare(ComparisonDirection::kEq, signed_compare, 0, 1),
       Compare(ComparisonDirection::kGt, signed_compare, 2, 3),
       Binary(Opcode::kAnd, DType::kPred, 5, 6), Binary(Opcode::kOr, DType::kPred, 4, 7)},
      {8}};
  auto keys = FindSortKeys(comparator, 2);
  ASSERT_TRUE(keys.has_value());
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_FALSE((*keys)[0].descending);
  EXPECT_TRUE((*keys)[1].descending);
}

TEST(SortKeyTest, EqualityOfAnotherTypeEndsNoKey) {
  // A NaN comes before none, and is not equal to itself: the second key must not order such rows.
  DType dtype = DType::kF32;
  const auto comparator = [&](ComparisonType less, ComparisonType equal) {
    return Combiner{
        {Parameter(0, dtype), Parameter(1, dtype), Parameter(2, DType::kS32),
         Parameter(3, DType::kS32), Compare(ComparisonDirection::kLt, less, 0, 1),
         Compare(ComparisonDirection::kEq, equal, 0, 1),
         Compare(ComparisonDirection::kLt, ComparisonType::kSigned, 2, 3),
         Binary(Opcode::kAnd, DType::kPred, 5, 6), Binary(Opcode::kOr, DType::kPred, 4, 7)},
        {8}};
  };
  constexpr auto kFloat = ComparisonType::kFloat, kTotal = ComparisonType::kTotalOrder;
  EXPECT_TRUE(FindSortKeys(comparator(kTotal, kTotal), 2).has_value());
  EXPECT_TRUE(FindSortKeys(comparator(kFloat, kFloat), 2).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(kFloat, kTotal), 2).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(kTotal, kFloat), 2).has_value());

  TestArray values(dtype, {3}), order(DType::kS32, {3});
  for (int64_t i = 0; i < 3; ++i) {
    values.Set(i, std::numeric_limits<double>::quiet_NaN());
    order.Set(i, 2 - i);
  }
  TestArray sorted = values, sorted_order = order;
  auto step = MakeStep(Opcode::kSort, {values.type, order.type}, {values.type, order.type},
                       AlongDimension(0));
  step.combiners = {comparator(kTotal, kFloat)};
  ASSERT_TRUE(RunStep(step, {&values, &order}, {&sorted, &sorted_order}).ok());
  for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(sorted_order.Get<int64_t>(i), 2 - i);
}

TEST(SortKeyTest, LargeExpressionsAreNoKey) {
  // x + x, `depth` times over, of each side: 2^depth terms.
  const auto comparator = [](int32_t depth, Opcode opcode) {
    Combiner made{{Parameter(0, DType::kF32), Parameter(1, DType::kF32)}, {}};
    int32_t sides[] = {0, 1};
    for (int32_t& side : sides) {
      for (int32_t d = 0; d < depth; ++d) {
        made.nodes.push_back(Binary(opcode, DType::kF32, side, side));
        if (opcode == Opcode::kNegate) made.nodes.back().num_operands = 1;
        side = static_cast<int32_t>(made.nodes.size()) - 1;
      }
    }
    made.nodes.push_back(
        Compare(ComparisonDirection::kLt, ComparisonType::kFloat, sides[0], sides[1]));
    made.results = {static_cast<int32_t>(made.nodes.size()) - 1};
    return made;
  };
  EXPECT_TRUE(FindSortKeys(comparator(3, Opcode::kAdd), 1).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(60, Opcode::kAdd), 1).has_value());
  EXPECT_FALSE(FindSortKeys(comparator(1'000'000, Opcode::kNegate), 1).has_value());
  TestArray operand(DType::kF32, {5}), result = operand;
  for (int64_t i = 0; i < 5; ++i) operand.Set(i, static_cast<double>(i * 3 % 5));
  auto step = MakeStep(Opcode::kSort, {operand.type}, {operand.type}, AlongDimension(0));
  step.combiners = {comparator(40, Opcode::kAdd)};
  ASSERT_TRUE(RunStep(step, {&operand}, {&result}).ok());
  for (int64_t i = 0; i < 5; ++i) EXPECT_EQ(result.Get<double>(i), static_cast<double>(i));
}

TEST(SortKeyTest, VeryManyKeysAreLeftToTheComparator) {
  // lt(a, b) or (eq(a, b) and (lt(a, b) or ...)), from the innermost.
  constexpr DType kType = DType::kS32;
  Combiner comparator{{Parameter(0, kType), Parameter(1, kType),
                       Compare(ComparisonDirection::kLt, ComparisonType::kSigned, 0, 1),
                       Compare(ComparisonDirection::kEq, ComparisonType::kSigned, 0, 1)},
                      {2}};
  for (int key = 1; key < 1'000'000; ++key) {
    if (key == 8) {
      EXPECT_EQ(FindSortKeys(comparator, 1).value_or(std::vector<SortKey>()).size(), 8u);
    }
    const auto size = static_cast<int32_t>(comparator.nodes.size());
    comparator.nodes.push_back(Binary(Opcode::kAnd, DType::kPred, 3, comparator.results[0]));
    comparator.nodes.push_back(Binary(Opcode::kOr, DType::kPred, 2, size));
    comparator.results = {size + 1};
  }
  EXPECT_FALSE(FindSortKeys(comparator, 1).has_value());
}

TEST(TopKTest, ManyCandidatesArePlanned) {
  constexpr int64_t kLength = 1 << 20, kCount = kLength / 4;
  TestArray operand(DType::kF32, {2, kLength}), values(DType::kF32, {2, kCount}),
      positions(DType::kS32, {2, kCount});
  for (int64_t i = 0; i < 2 * kLength; ++i) operand.Set(i, static_cast<double>(i * 7919 % kLength));
  auto step =
      MakeStep(Opcode::kTopK, {operand.type}, {values.type, positions.type}, AlongDimension(1));
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_TRUE(prepared.ok());
  // Of both rows: 16 bytes for each of twice as many.
  EXPECT_GE((*prepared)->scratch_bytes(), 2 * 2 * kCount * 16);
  backend::ThreadPool pool(2);
  ASSERT_TRUE(RunStep(step, {&operand}, {&values, &positions}, &pool).ok());
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t i = 0; i < kCount; ++i) {
      const int64_t position = positions.Get<int64_t>(row * kCount + i);
      ASSERT_EQ(values.Get<double>(row * kCount + i), static_cast<double>(kLength - 1 - i));
      ASSERT_EQ((row * kLength + position) * 7919 % kLength, kLength - 1 - i);
    }
  }
}

TEST(TopKTest, LargestFirstEarlierFirst) {
  for (int64_t length : {1, 5, 3000}) {
    int64_t k = std::min<int64_t>(length, 4);
    TestArray operand(DType::kF32, {2, length}), values(DType::kF32, {2, k}),
        positions(DType::kS32, {2, k});
    for (int64_t i = 0; i < 2 * length; ++i) operand.Set(i, static_cast<double>((i * 37) % 11));
    auto step =
        MakeStep(Opcode::kTopK, {operand.type}, {values.type, positions.type}, AlongDimension(1));
    ASSERT_TRUE(RunStep(step, {&operand}, {&values, &positions}).ok());
    for (int64_t row = 0; row < 2; ++row) {
      std::vector<int64_t> order(length);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        return operand.Get<double>(row * length + a) > operand.Get<double>(row * length + b);
      });
      for (int64_t i = 0; i < k; ++i) {
        EXPECT_EQ(positions.Get<int64_t>(row * k + i), order[i]) << length;
        EXPECT_EQ(values.Get<double>(row * k + i), operand.Get<double>(row * length + order[i]));
      }
    }
  }
}

TEST(CumulativeReduceTest, SumsAndMaximaFromBothEnds) {
  std::mt19937_64 random(3);
  for (DType dtype : {DType::kS32, DType::kF32, DType::kBF16, DType::kC64, DType::kU8}) {
    for (Opcode opcode : {Opcode::kAdd, Opcode::kMaximum}) {
      if (opcode == Opcode::kMaximum && dtype == DType::kC64) continue;
      for (bool reverse : {false, true}) {
        for (int64_t inner : {1, 3, 20}) {
          TestArray operand(dtype, {2, 6, inner}), initial(dtype, {}), result = operand;
          for (int64_t i = 0; i < operand.NumElements(); ++i) operand.Set(i, (i * 13) % 5);
          initial.Set(0, int64_t{1});
          auto step = MakeStep(Opcode::kCumulativeReduce, {operand.type, initial.type},
                               {result.type}, AlongDimension(1, reverse));
          step.combiners = {OfTwo(opcode, dtype)};
          ASSERT_TRUE(RunStep(step, {&operand, &initial}, {&result}).ok());
          for (int64_t o = 0; o < 2; ++o) {
            for (int64_t i = 0; i < inner; ++i) {
              double accumulated = 1;
              for (int64_t s = 0; s < 6; ++s) {
                int64_t at = (o * 6 + (reverse ? 5 - s : s)) * inner + i;
                double x = operand.Get<std::complex<double>>(at).real();
                accumulated = opcode == Opcode::kAdd ? accumulated + x : std::max(accumulated, x);
                EXPECT_EQ(result.Get<std::complex<double>>(at).real(), accumulated) << Name(dtype);
              }
            }
          }
        }
      }
    }
  }
}

// Maxima, minima and products of rows, bit for bit those of the combiner.
TEST(CumulativeReduceTest, RowsGiveTheBitsOfTheCombiner) {
  std::mt19937_64 random(17);
  for (DType dtype : {DType::kS8, DType::kS32, DType::kU64, DType::kF16, DType::kBF16, DType::kF32,
                      DType::kF64}) {
    const auto bytes = static_cast<size_t>(ByteSize(dtype));
    const bool is_float = InfoOf(dtype).kind == DTypeClass::kFloat;
    for (Opcode opcode : {Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply}) {
      for (int64_t inner : {1, 3}) {
        for (bool with_nan : {false, true}) {
          const int64_t length = 40;
          TestArray operand(dtype, {length, inner}), initial(dtype, {}), result = operand;
          operand.FillRandom(random);
          initial.Set(0, opcode == Opcode::kMultiply ? 1.5 : -0.25);
          if (is_float) {
            operand.Set(4, -0.0);
            operand.Set(9, 0.0);
            const uint64_t nan = dtype == DType::kF16    ? 0xfc01
                                 : dtype == DType::kBF16 ? 0xff81
                                 : dtype == DType::kF32  ? 0xff800001
                                                         : 0xfff0000000000001;
            if (with_nan)
              std::memcpy(&operand.bytes[60 * bytes % operand.bytes.size()], &nan, bytes);
          }
          auto combine =
              PairCombiner::Make(OfTwo(opcode, dtype), std::vector<DType>{dtype, dtype}, {}, 1);
          ASSERT_TRUE(combine.ok());
          TestArray expected = operand;
          for (int64_t i = 0; i < operand.NumElements(); ++i) {
            auto* const at = &expected.bytes[static_cast<size_t>(i) * bytes];
            auto* const before =
                i < inner ? initial.bytes.data() : at - static_cast<size_t>(inner) * bytes;
            void* parameters[] = {before, at};
            void* results[] = {at};
            ASSERT_TRUE(combine->Run(parameters, results).ok());
          }
          auto step = MakeStep(Opcode::kCumulativeReduce, {operand.type, initial.type},
                               {result.type}, AlongDimension(0));
          step.combiners = {OfTwo(opcode, dtype)};
          ASSERT_TRUE(RunStep(step, {&operand, &initial}, {&result}).ok());
          EXPECT_EQ(result.bytes, expected.bytes) << Name(dtype) << " " << compiler::Name(opcode);
        }
      }
    }
  }
}

TEST(CumulativeReduceTest, LongRowsArePlanned) {
  constexpr int64_t kInner = 5 << 20;
  TestArray operand(DType::kU8, {1, 2, kInner}), initial(DType::kU8, {}), result = operand;
  for (int64_t i = 0; i < 2 * kInner; ++i) {
    operand.bytes[static_cast<size_t>(i)] = static_cast<std::byte>(i * 7 % 100);
  }
  initial.Set(0, int64_t{3});
  auto step = MakeStep(Opcode::kCumulativeReduce, {operand.type, initial.type}, {result.type},
                       AlongDimension(1, false));
  step.combiners = {OfTwo(Opcode::kAdd, DType::kU8)};
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_TRUE(prepared.ok());
  EXPECT_GE((*prepared)->scratch_bytes(), kInner);
  ASSERT_TRUE(RunStep(step, {&operand, &initial}, {&result}).ok());
  for (int64_t i = 0; i < kInner; i += 9973) {
    const int64_t first = i * 7 % 100 + 3, second = first + (kInner + i) * 7 % 100;
    EXPECT_EQ(static_cast<int64_t>(result.bytes[static_cast<size_t>(i)]), first);
    EXPECT_EQ(static_cast<int64_t>(result.bytes[static_cast<size_t>(kInner + i)]), second);
  }
}

TEST(SelectAndScatterTest, GradientOfMaxPooling) {
  // [2, 5, 4]: windows of 3 with stride 2 and one of padding along the middle dimension.
  DType dtype = DType::kF32;
  compiler::WindowAttributes attributes;
  attributes.window.sizes = {1, 3, 1};
  attributes.window.strides = {1, 2, 1};
  attributes.window.padding_low = {0, 1, 0};
  attributes.window.padding_high = {0, 1, 0};
  TestArray operand(dtype, {2, 5, 4}), source(dtype, {2, 3, 4}), initial(dtype, {}),
      result(dtype, {2, 5, 4});
  for (int64_t i = 0; i < 40; ++i) operand.Set(i, static_cast<double>((i * 7) % 10));
  for (int64_t i = 0; i < 24; ++i) source.Set(i, static_cast<double>(i + 1));
  auto step = MakeStep(Opcode::kSelectAndScatter, {operand.type, source.type, initial.type},
                       {result.type}, MakeAttributes(attributes));
  step.combiners = {ComparatorOfTwo(ComparisonDirection::kGe, ComparisonType::kFloat, dtype),
                    OfTwo(Opcode::kAdd, dtype)};
  backend::ThreadPool pool(2);
  ASSERT_TRUE(RunStep(step, {&operand, &source, &initial}, {&result}, &pool).ok());
  std::vector<double> expected(40, 0);
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t s = 0; s < 3; ++s) {
      for (int64_t c = 0; c < 4; ++c) {
        int64_t best = -1;
        for (int64_t w = 0; w < 3; ++w) {
          int64_t at = s * 2 + w - 1;
          if (at < 0 || at >= 5) continue;
          int64_t offset = (b * 5 + at) * 4 + c;
          if (best < 0 || operand.Get<double>(offset) > operand.Get<double>(best)) best = offset;
        }
        expected[best] += source.Get<double>((b * 3 + s) * 4 + c);
      }
    }
  }
  for (int64_t i = 0; i < 40; ++i) EXPECT_EQ(result.Get<double>(i), expected[i]) << i;
}

TEST(SelectAndScatterTest, WideRowsArePlanned) {
  constexpr DType kType = DType::kS16;
  constexpr int64_t kLanes = 600'000;
  compiler::WindowAttributes attributes;
  attributes.window.sizes = attributes.window.strides = {2, 1};
  attributes.window.padding_low = attributes.window.padding_high = {0, 0};
  TestArray operand(kType, {2, kLanes}), source(kType, {1, kLanes}), initial(kType, {}),
      result(kType, {2, kLanes});
  for (int64_t i = 0; i < 2 * kLanes; ++i) operand.Set(i, i * 13 % 7);
  for (int64_t i = 0; i < kLanes; ++i) source.Set(i, i % 100 + 1);
  auto step = MakeStep(Opcode::kSelectAndScatter, {operand.type, source.type, initial.type},
                       {result.type}, MakeAttributes(attributes));
  step.combiners = {ComparatorOfTwo(ComparisonDirection::kGe, ComparisonType::kSigned, kType),
                    OfTwo(Opcode::kMultiply, kType)};
  initial.Set(0, int64_t{1});
  const auto prepared = PrepareLibraryStep(step);
  ASSERT_TRUE(prepared.ok());
  EXPECT_GE((*prepared)->scratch_bytes(), kLanes * 11);
  ASSERT_TRUE(RunStep(step, {&operand, &source, &initial}, {&result}).ok());
  for (int64_t i = 0; i < kLanes; ++i) {
    const bool first = operand.Get<int64_t>(i) >= operand.Get<int64_t>(kLanes + i);
    ASSERT_EQ(result.Get<int64_t>(i), first ? i % 100 + 1 : 1) << i;
    ASSERT_EQ(result.Get<int64_t>(kLanes + i), first ? 1 : i % 100 + 1) << i;
  }
}

}  // namespace
}  // namespace plinth::cpu::library
