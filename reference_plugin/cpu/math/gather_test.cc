// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/math/gather.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "reference_plugin/cpu/math/tile_test_support.h"

namespace plinth::cpu::math {
namespace {

template <class Index>
constexpr DType kTypeOf = std::is_same_v<Index, int32_t>    ? DType::kS32
                          : std::is_same_v<Index, uint32_t> ? DType::kU32
                                                            : DType::kS64;

// More than one block, and no multiple of any vector.
constexpr size_t kCount = 777;

template <class Index>
class GatherTest : public testing::Test {
 protected:
  // Indices within [0, maximum], and some outside.
  static std::vector<Index> Indices(int64_t maximum, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Index> indices;
    for (size_t i = 0; i < kCount; ++i) {
      indices.push_back(static_cast<Index>(random() % static_cast<uint64_t>(maximum + 1)));
    }
    indices[1] = std::numeric_limits<Index>::min();
    indices[2] = std::numeric_limits<Index>::max();
    indices[3] = static_cast<Index>(-1);
    indices[4] = static_cast<Index>(maximum + 1);
    return indices;
  }

  // Compares with one element after the other. The place's base is within the table.
  static void Check(size_t bytes, const GatherPlace& place, const std::vector<Index>& first,
                    const std::vector<Index>& second) {
    std::vector<std::byte> expected(kCount * bytes);
    for (size_t i = 0; i < kCount; ++i) {
      const std::byte* from = place.base + static_cast<int64_t>(i) * place.lane_stride;
      const std::vector<Index>* const indices[] = {&first, &second};
      for (int p = 0; p < place.num_indices; ++p) {
        const auto& [maximum, stride] = place.indices[p];
        from += std::clamp<int64_t>((*indices[p])[i], 0, maximum) * stride;
      }
      std::memcpy(&expected[i * bytes], from, bytes);
    }
    for (SimdTarget target : SupportedTargets()) {
      const GatherFunction gather = FindGather(bytes, kTypeOf<Index>, target);
      ASSERT_NE(gather, nullptr);
      std::vector<std::byte> result(kCount * bytes + 64, std::byte{0x5a});
      gather(result.data(), first.data(), second.data(), place, kCount);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), result.begin()));
      EXPECT_EQ(std::count(result.end() - 64, result.end(), std::byte{0x5a}), 64);
      if (bytes != sizeof(Index)) continue;
      std::vector<Index> over = first;
      gather(over.data(), over.data(), second.data(), place, kCount);
      EXPECT_EQ(std::memcmp(over.data(), expected.data(), expected.size()), 0);
    }
  }
};

using IndexTypes = testing::Types<int32_t, uint32_t, int64_t>;
TYPED_TEST_SUITE(GatherTest, IndexTypes);

std::vector<std::byte> Table(size_t bytes) {
  std::vector<std::byte> table(bytes);
  std::mt19937 random(5);
  for (std::byte& byte : table) byte = static_cast<std::byte>(random());
  return table;
}

TYPED_TEST(GatherTest, TakesElementsOfAnySizeAtClampedIndices) {
  for (size_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    for (int64_t maximum : {0, 1, 100}) {
      const std::vector<std::byte> table = Table(static_cast<size_t>(maximum + 1) * bytes);
      GatherPlace place;
      place.base = table.data();
      place.indices[0] = {maximum, static_cast<int64_t>(bytes)};
      this->Check(bytes, place, this->Indices(maximum, 1), {});
    }
  }
}

TYPED_TEST(GatherTest, AddsASecondIndexAndWhatEachLaneMoves) {
  constexpr int64_t kRows = 30, kColumns = 40, kStep = 12;
  for (int64_t lane_stride : {int64_t{0}, kStep, -kStep}) {
    const std::vector<std::byte> table =
        Table(static_cast<size_t>(kRows * kColumns * 4 + kStep * static_cast<int64_t>(kCount)));
    GatherPlace place;
    place.num_indices = 2;
    place.base = table.data() + (lane_stride < 0 ? kStep * static_cast<int64_t>(kCount - 1) : 0);
    place.lane_stride = lane_stride;
    place.indices[0] = {kRows - 1, kColumns * 4};
    place.indices[1] = {kColumns - 1, 4};
    this->Check(4, place, this->Indices(kRows - 1, 2), this->Indices(kColumns - 1, 3));
  }
}

// Of an array whose far end 32 bits do not reach; only its start is there.
TYPED_TEST(GatherTest, ReachesPast32Bits) {
  const std::vector<std::byte> table = Table(101 * 4);
  std::vector<TypeParam> indices = this->Indices(100, 4);
  for (size_t i = 1; i < 5; ++i) indices[i] = 100;
  for (int64_t maximum : {int64_t{1} << 29, int64_t{1} << 33}) {
    GatherPlace place;
    place.base = table.data();
    place.indices[0] = {maximum, 4};
    this->Check(4, place, indices, {});
  }
}

TEST(Gather, HasNoRoutineForOtherTypes) {
  EXPECT_EQ(FindGather(4, DType::kS8), nullptr);
  EXPECT_EQ(FindGather(4, DType::kF32), nullptr);
  EXPECT_EQ(FindGather(3, DType::kS32), nullptr);
  EXPECT_EQ(FindGather(32, DType::kS32), nullptr);
  EXPECT_EQ(FindGather(0, DType::kS32), nullptr);
}

}  // namespace
}  // namespace plinth::cpu::math
