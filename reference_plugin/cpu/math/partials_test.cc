// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/partials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "reference_plugin/cpu/math/tile_test_support.h"

namespace plinth::cpu::math {
namespace {

using compiler::Opcode;

// Sums of these are exact, whatever the order; of NaNs there is one pattern.
template <class T>
std::vector<T> Values(size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<T> values;
  for (size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(random() % 2001) - T{1000});
  if constexpr (std::is_floating_point_v<T>) {
    if (count > 9) values[count / 2] = std::numeric_limits<T>::quiet_NaN();
    if (count > 2) values[1] = T{-0.0};
  }
  return values;
}

template <class T>
class PartialsTest : public testing::Test {};
using Types = testing::Types<float, double, int32_t, int64_t>;
TYPED_TEST_SUITE(PartialsTest, Types);

template <class T>
constexpr DType kTypeOf = std::is_same_v<T, float>     ? DType::kF32
                          : std::is_same_v<T, double>  ? DType::kF64
                          : std::is_same_v<T, int32_t> ? DType::kS32
                                                       : DType::kS64;

// What the tile routine gives, partial by partial.
TYPED_TEST(PartialsTest, TakeEveryValueOnceAndNoOthers) {
  using T = TypeParam;
  constexpr size_t kMost = kPartialBytes / sizeof(T);
  for (const SimdTarget target : SupportedTargets()) {
    for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
      const Partials functions = FindPartials(opcode, kTypeOf<T>, target);
      ASSERT_TRUE(functions);
      const TileRoutine routine = FindTileRoutine(opcode, kTypeOf<T>, kTypeOf<T>, {}, target);
      for (size_t count = 1; count < 4 * kMost; ++count) {
        for (const size_t then : {size_t{0}, count / 2, count}) {
          // Exactly as large as they are read, so that a sanitizer sees more.
          const std::vector<T> values = Values<T>(count), more = Values<T>(then);
          std::vector<T> partials(std::min(count, kMost)), expected = partials;
          functions.accumulate(partials.data(), values.data(), count, /*first=*/true);
          if (then > 0) functions.accumulate(partials.data(), more.data(), then, /*first=*/false);
          const auto combine = [&](const std::vector<T>& tile, size_t from) {
            for (size_t i = from; i < tile.size(); ++i) {
              T& partial = expected[i % kMost];
              routine.compute(&partial, &partial, &tile[i], nullptr, 1, {});
            }
          };
          std::copy_n(values.begin(), expected.size(), expected.begin());
          combine(values, expected.size());
          combine(more, 0);
          ASSERT_EQ(std::memcmp(partials.data(), expected.data(), expected.size() * sizeof(T)), 0)
              << "op " << static_cast<int>(opcode) << ", " << count << " and " << then
              << " values, target " << static_cast<int>(target);
        }
      }
    }
  }
}

// Rounding shows the order, which is that of halves on every instruction set.
TYPED_TEST(PartialsTest, AreFoldedByHalves) {
  using T = TypeParam;
  for (const SimdTarget target : SupportedTargets()) {
    for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
      const Partials functions = FindPartials(opcode, kTypeOf<T>, target);
      const TileRoutine routine = FindTileRoutine(opcode, kTypeOf<T>, kTypeOf<T>, {}, target);
      for (size_t count = 1; count <= kPartialBytes / sizeof(T); ++count) {
        std::vector<T> partials = Values<T>(count);
        if constexpr (std::is_floating_point_v<T>) {
          for (T& value : partials) value /= T{7};
        }
        std::vector<T> expected = partials;
        functions.fold(partials.data(), count);
        for (size_t left = count; left > 1;) {
          size_t half = 1;
          while (2 * half < left) half *= 2;
          routine.compute(expected.data(), expected.data(), expected.data() + half, nullptr,
                          left - half, {});
          left = half;
        }
        ASSERT_EQ(std::memcmp(partials.data(), expected.data(), sizeof(T)), 0)
            << "op " << static_cast<int>(opcode) << ", " << count << " values, target "
            << static_cast<int>(target);
      }
    }
  }
}

// Machine code does what AVX2's and AVX-512's do, also of NaNs.
TEST(PartialsNanTest, SumsAnswerTheFirst) {
  constexpr uint32_t kFirst = 0x7FC00001, kSecond = 0x7FC00002;
  for (const SimdTarget target : SupportedTargets()) {
    if (target == SimdTarget::kBaseline) continue;
    const Partials functions = FindPartials(Opcode::kAdd, DType::kF32, target);
    for (const size_t count : {2, 3, 17, 33, 64, 65, 100, 128, 200}) {
      for (size_t second = 1; second < count; ++second) {
        std::vector<float> values(count, 1), partials(kPartialBytes / sizeof(float));
        values[0] = std::bit_cast<float>(kFirst);
        values[second] = std::bit_cast<float>(kSecond);
        functions.accumulate(partials.data(), values.data(), count, /*first=*/true);
        functions.fold(partials.data(), std::min(count, partials.size()));
        ASSERT_EQ(std::bit_cast<uint32_t>(partials[0]), kFirst) << count << ", " << second;
      }
    }
  }
}

// Nothing that is known of one row gets into another; a NaN may stand in any block of a row.
TYPED_TEST(PartialsTest, ReduceRowsLikeOneAfterTheOther) {
  using T = TypeParam;
  constexpr size_t kMost = kPartialBytes / sizeof(T), kRows = 7, kGap = 3;
  for (const SimdTarget target : SupportedTargets()) {
    for (const Opcode opcode : {Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum}) {
      const Partials functions = FindPartials(opcode, kTypeOf<T>, target);
      const TileRoutine routine = FindTileRoutine(opcode, kTypeOf<T>, kTypeOf<T>, {}, target);
      for (const size_t count :
           {size_t{1}, size_t{5}, kMost - 1, kMost, kMost + 1, 4 * kMost, 40 * kMost + 9}) {
        std::vector<T> values;
        for (size_t r = 0; r < kRows; ++r) {
          std::vector<T> row = Values<T>(count + kGap + r);
          row.resize(count + (r + 1 < kRows ? kGap : 0));
          // NaNs in odd rows only, each in another place.
          for (T& value : row) {
            if (value != value) value = T{3};
            if constexpr (std::is_floating_point_v<T>) value /= T{7};
          }
          if constexpr (std::is_floating_point_v<T>) {
            if (r % 2 != 0) row[r * count / kRows] = std::numeric_limits<T>::quiet_NaN();
          }
          values.insert(values.end(), row.begin(), row.end());
        }
        std::vector<T> results(kRows), expected;
        functions.reduce_rows(results.data(), values.data(),
                              static_cast<int64_t>((count + kGap) * sizeof(T)), kRows, count);
        for (size_t r = 0; r < kRows; ++r) {
          std::vector<T> partials(std::min(count, kMost));
          const T* const row = &values[r * (count + kGap)];
          std::copy_n(row, partials.size(), partials.begin());
          for (size_t i = kMost; i < count; ++i) {
            T* const partial = &partials[i % kMost];
            routine.compute(partial, partial, row + i, nullptr, 1, {});
          }
          functions.fold(partials.data(), partials.size());
          expected.push_back(partials[0]);
        }
        EXPECT_EQ(std::memcmp(results.data(), expected.data(), kRows * sizeof(T)), 0)
            << "op " << static_cast<int>(opcode) << ", rows of " << count << ", target "
            << static_cast<int>(target);
      }
    }
  }
}

// Of zeros the sign decides, wherever they stand, and two infinities are no NaN; of a row alone and
// beside others, whose results are theirs.
TEST(PartialsZeroTest, ExtremesOfZerosAndInfinities) {
  constexpr size_t kMost = kPartialBytes / sizeof(float), kCount = 40 * kMost + 9, kRows = 4;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const SimdTarget target : SupportedTargets()) {
    for (const bool is_maximum : {true, false}) {
      const Opcode opcode = is_maximum ? Opcode::kMaximum : Opcode::kMinimum;
      const Partials functions = FindPartials(opcode, DType::kF32, target);
      const auto expect = [&](const std::vector<float>& row, size_t at, float expected) {
        float alone = 7;
        functions.reduce_rows(&alone, row.data(), 0, 1, kCount);
        EXPECT_EQ(std::bit_cast<uint32_t>(alone), std::bit_cast<uint32_t>(expected)) << at;
        std::vector<float> values;
        for (size_t r = 0; r < kRows; ++r) {
          if (r == at % kRows) values.insert(values.end(), row.begin(), row.end());
          if (r != at % kRows) values.resize(values.size() + kCount, static_cast<float>(r + 1));
        }
        float results[kRows];
        functions.reduce_rows(results, values.data(), kCount * sizeof(float), kRows, kCount);
        for (size_t r = 0; r < kRows; ++r) {
          const float result = r == at % kRows ? expected : static_cast<float>(r + 1);
          EXPECT_EQ(std::bit_cast<uint32_t>(results[r]), std::bit_cast<uint32_t>(result)) << at;
        }
      };
      const float winner = is_maximum ? 0.0f : -0.0f, beyond = is_maximum ? -3.0f : 3.0f;
      for (size_t at = 0; at < kCount; at += at + 20 < kCount ? 7 : 1) {
        for (const float loser : {-winner, beyond}) {
          std::vector<float> row(kCount, loser);
          row[at] = winner;
          expect(row, at, winner);
        }
        std::vector<float> row(kCount, beyond);
        row[at] = -beyond;
        expect(row, at, -beyond);
        row[(at + 1) % kCount] = kInfinity;
        row[at] = -kInfinity;
        expect(row, at, is_maximum ? kInfinity : -kInfinity);
        row[at] = std::numeric_limits<float>::quiet_NaN();
        expect(row, at, row[at]);
      }
    }
  }
}

TEST(FindPartialsTest, OthersHaveNone) {
  EXPECT_FALSE(FindPartials(Opcode::kMultiply, DType::kF32));
  EXPECT_FALSE(FindPartials(Opcode::kAdd, DType::kS8));
}

}  // namespace
}  // namespace plinth::cpu::math
