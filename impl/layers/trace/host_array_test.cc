// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/host_array.h"

#include <cstring>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace plinth::layers {
namespace {

constexpr int64_t kLarge = std::numeric_limits<int64_t>::max();

std::optional<uint64_t> Dense(std::vector<int64_t> dims, uint64_t limit = 1000) {
  return DenseSize(DType::kF32, dims, limit);
}
std::optional<StridedExtent> Extent(std::vector<int64_t> dims, std::vector<int64_t> strides,
                                    uint64_t limit = 1000) {
  return ExtentOf(DType::kF32, dims, strides, limit);
}

TEST(HostArrayTest, DenseSizes) {
  EXPECT_EQ(Dense({}), 4u);
  EXPECT_EQ(Dense({2, 3}), 24u);
  EXPECT_EQ(Dense({kLarge, 0, kLarge}), 0u);
  EXPECT_FALSE(Dense({-1}));
  EXPECT_FALSE(Dense({0, -1}));
  EXPECT_FALSE(Dense({251}));
  EXPECT_FALSE(Dense({kLarge, kLarge}, std::numeric_limits<uint64_t>::max()));
  EXPECT_FALSE(DenseSize(DType::kToken, {}, 1000));
}

TEST(HostArrayTest, Extents) {
  auto extent = Extent({2, 3}, {12, 4});
  ASSERT_TRUE(extent);
  EXPECT_EQ(extent->size, 24u);
  EXPECT_EQ(extent->origin, 0u);
  extent = Extent({2, 3}, {-4, 8});
  ASSERT_TRUE(extent);
  EXPECT_EQ(extent->size, 4u + 16u + 4u);
  EXPECT_EQ(extent->origin, 4u);
  EXPECT_EQ(Extent({100}, {0})->size, 4u);
  EXPECT_EQ(Extent({0, 5}, {kLarge, kLarge})->size, 0u);
  EXPECT_FALSE(Extent({2}, {}));
  EXPECT_FALSE(Extent({3}, {kLarge}));
  EXPECT_FALSE(Extent({3}, {-kLarge}));
  EXPECT_FALSE(Extent({2, 2}, {kLarge, kLarge}));
  EXPECT_FALSE(Extent({2}, {998}));
}

TEST(HostArrayTest, ScatterUndoesGather) {
  std::vector<float> memory = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> dims = {2, 3}, strides = {-4, 8};
  std::string dense = Gather(DType::kF32, dims, strides, &memory[1]);
  std::vector<float> expected = {1, 3, 5, 0, 2, 4};
  ASSERT_EQ(dense.size(), 24u);
  EXPECT_EQ(std::memcmp(dense.data(), expected.data(), 24), 0);
  std::vector<float> back(6);
  Scatter(DType::kF32, dims, strides, dense, reinterpret_cast<char*>(&back[1]));
  EXPECT_EQ(back, memory);
  std::vector<int64_t> empty = {0, 3};
  EXPECT_EQ(Gather(DType::kF32, empty, strides, nullptr), "");
}

}  // namespace
}  // namespace plinth::layers
