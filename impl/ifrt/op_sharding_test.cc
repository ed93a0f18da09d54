// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/op_sharding.h"

#include <gtest/gtest.h>

#include "plinth/support/xla_messages.h"

namespace plinth::ifrt {
namespace {

using messages::OpSharding;
using Kind = OpSharding::Kind;

Expected<Partitioning> Read(const OpSharding& sharding, size_t shards) {
  return PartitioningFromOpSharding(messages::WriteOpSharding(sharding), shards);
}

OpSharding Tiled(std::vector<int64_t> dims, std::vector<int64_t> devices) {
  OpSharding sharding;
  sharding.kind = Kind::kTiled;
  sharding.tile_dimensions = std::move(dims);
  sharding.devices = std::move(devices);
  return sharding;
}

TEST(OpSharding, ListsAndIotasMeanTheSame) {
  const auto list = Read(Tiled({2, 2}, {0, 2, 1, 3}), 4);
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  OpSharding iota = Tiled({2, 2}, {});
  iota.iota_reshape_dims = {2, 2};
  iota.iota_transpose_perm = {1, 0};
  const auto transposed = Read(iota, 4);
  ASSERT_TRUE(transposed.ok()) << transposed.status().ToString();
  EXPECT_EQ(*list, *transposed);
  EXPECT_EQ(transposed->Domain(Dims{4, 4}, 1)->ToString(), "[2:4,0:2]");
  EXPECT_EQ(*ToHloText(*list, 2), "{devices=[2,2]0,2,1,3}");
}

TEST(OpSharding, LastTileDimsReplicate) {
  OpSharding by_flag = Tiled({2, 2}, {0, 1, 2, 3});
  by_flag.replicate_on_last_tile_dim = true;
  OpSharding by_list = Tiled({2, 1, 2}, {0, 1, 2, 3});
  by_list.last_tile_dims = {Kind::kReplicated, Kind::kReplicated};
  const auto a = Read(by_flag, 4);
  const auto b = Read(by_list, 4);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(*a, *b);
  EXPECT_EQ(a->Domain(Dims{4}, 1)->ToString(), "[0:2]");
  EXPECT_EQ(*ToHloText(*a, 1), "{devices=[2,2]0,1,2,3 last_tile_dim_replicate}");
  const auto again = PartitioningFromOpSharding(*ToOpSharding(*a, 1), 4);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *a);
}

TEST(OpSharding, WhatHasNoMeaningForAnArrayIsRefusedWithTheReason) {
  for (const Kind kind : {Kind::kManual, Kind::kUnknown, Kind::kUnreduced, Kind::kTuple}) {
    OpSharding sharding;
    sharding.kind = kind;
    EXPECT_EQ(Read(sharding, 4).status().code(), StatusCode::kUnimplemented);
  }
  OpSharding manual = Tiled({2, 2}, {0, 1, 2, 3});
  manual.last_tile_dims = {Kind::kManual};
  EXPECT_NE(Read(manual, 4).status().message().find("manual"), std::string::npos);
  OpSharding maximal;
  maximal.kind = Kind::kMaximal;
  EXPECT_EQ(Read(maximal, 4).status().code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(Read(maximal, 1).ok());
}

// What a plugin tells of a program is kept, and said again.
TEST(OpSharding, OfProgramsAreOpaqueWhereTheyMeanNothingForAnArray) {
  OpSharding unreduced = Tiled({2, 2}, {0, 1, 2, 3});
  unreduced.last_tile_dims = {Kind::kUnreduced};
  const std::string bytes = messages::WriteOpSharding(unreduced);
  const auto made = PartitioningOfProgram(bytes, 4);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->kind(), Partitioning::Kind::kOpaque);
  EXPECT_EQ(Dims(made->tiles()), Dims{2});
  EXPECT_EQ(*ToOpSharding(*made, 1), bytes);
  EXPECT_EQ(*made, *PartitioningOfProgram(bytes, 4));
  unreduced.devices = {3, 2, 1, 0};
  EXPECT_FALSE(*made == *PartitioningOfProgram(messages::WriteOpSharding(unreduced), 4));
  EXPECT_EQ(made->Domain(Dims{4}, 0).status().code(), StatusCode::kFailedPrecondition);
  // Others are what they are for arrays, and nonsense is nonsense.
  EXPECT_EQ(PartitioningOfProgram(messages::WriteOpSharding(Tiled({4}, {0, 1, 2, 3})), 4)->kind(),
            Partitioning::Kind::kTiled);
  EXPECT_FALSE(PartitioningOfProgram("\xff", 4).ok());
  OpSharding huge = Tiled({INT64_MAX, INT64_MAX}, {0});
  huge.last_tile_dims = {Kind::kManual};
  const auto of_huge = PartitioningOfProgram(messages::WriteOpSharding(huge), 4);
  ASSERT_TRUE(of_huge.ok());
  EXPECT_TRUE(of_huge->tiles().empty()) << "no shape is multiplied by these";
}

TEST(OpSharding, Contradictions) {
  const auto code = [](const OpSharding& sharding, size_t shards) {
    return Read(sharding, shards).status().code();
  };
  EXPECT_EQ(code(Tiled({2, 2}, {0, 1, 2}), 4), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tiled({2, 2}, {0, 1, 2, 2}), 4), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tiled({2, 2}, {0, 1, 2, 4}), 4), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tiled({2, 2}, {0, 1, 2, 3}), 8), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tiled({INT64_MAX, 2}, {0}), 4), StatusCode::kInvalidArgument);
  EXPECT_EQ(code(Tiled({2, 2}, {}), 4), StatusCode::kInvalidArgument);
  OpSharding iota = Tiled({2, 2}, {});
  iota.iota_reshape_dims = {4};
  iota.iota_transpose_perm = {1};
  EXPECT_EQ(code(iota, 4), StatusCode::kInvalidArgument);
  iota.iota_transpose_perm = {};
  EXPECT_EQ(code(iota, 4), StatusCode::kInvalidArgument);
  iota.iota_reshape_dims = {3};
  EXPECT_EQ(code(iota, 4), StatusCode::kInvalidArgument);
  OpSharding trailing = Tiled({4}, {0, 1, 2, 3});
  trailing.last_tile_dims = {Kind::kReplicated, Kind::kReplicated};
  EXPECT_EQ(code(trailing, 4), StatusCode::kInvalidArgument);
  EXPECT_EQ(PartitioningFromOpSharding("\xff", 4).status().code(), StatusCode::kInvalidArgument);
  const auto tiled = Read(Tiled({2, 2}, {0, 1, 2, 3}), 4);
  EXPECT_EQ(ToOpSharding(*tiled, 3).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ToOpSharding(*Partitioning::Opaque(2), 1).status().code(), StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace plinth::ifrt
