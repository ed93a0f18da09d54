// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/op_sharding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/program/sharding_text.h"

namespace plinth::compiler {
namespace {

using program::OpSharding;
using ::testing::HasSubstr;

Type Floats(int64_t rank) {
  Type type = Type::Tensor(DType::kF32, {});
  for (int64_t i = 0; i < rank; ++i) type.dims.push_back(64);
  return type;
}

std::string Converted(std::string_view text, int64_t rank, int64_t num_devices) {
  auto read = program::ReadShardingText(text);
  EXPECT_TRUE(read.ok()) << read.status().ToString();
  auto sharding = FromOpSharding(*read, Floats(rank), FlatMesh(num_devices));
  if (!sharding.ok()) return sharding.status().ToString();
  return *sharding == nullptr ? "none" : ToString(**sharding);
}

TEST(OpSharding, UsesPartsOfTheFlatAxis) {
  struct Row {
    std::string_view text;
    int64_t rank, devices;
    std::string_view sharding;
  };
  for (const Row& row : {
           Row{"{replicated}", 1, 4, R"([{}]>)"},
           Row{"{manual}", 1, 4, "none"},
           Row{"{unknown}", 1, 4, "none"},
           Row{"{unreduced}", 1, 4, R"([{}], unreduced={"devices"}>)"},
           Row{"{maximal device=3}", 1, 4, R"(mesh<[], device_ids=[3]>, []>)"},
           Row{"{devices=[4,1]<=[4]}", 2, 4, R"([{"devices"}, {}]>)"},
           Row{"{devices=[2,2]<=[4]}", 2, 4, R"([{"devices":(1)2}, {"devices":(2)2}]>)"},
           Row{"{devices=[2,2]<=[2,2]T(1,0)}", 2, 4, R"([{"devices":(2)2}, {"devices":(1)2}]>)"},
           Row{"{devices=[2,2]0,2,1,3}", 2, 4, R"([{"devices":(2)2}, {"devices":(1)2}]>)"},
           Row{"{devices=[4,1]0,1,2,3}", 2, 4, R"([{"devices"}, {}]>)"},
           Row{"{devices=[2,1,4]<=[2,2,2]T(1,0,2) last_tile_dim_replicate}", 2, 8,
               R"([{"devices":(2)2}, {}]>)"},
           Row{"{devices=[2,2,2]<=[8] last_tile_dims={unreduced, replicated}}", 1, 8,
               R"([{"devices":(1)2}], unreduced={"devices":(2)2}>)"},
           Row{"{devices=[3,2]<=[2,3]T(1,0)}", 2, 6, R"([{"devices":(2)3}, {"devices":(1)2}]>)"},
           // No parts of one axis.
           Row{"{devices=[4]0,1,3,2}", 1, 4,
               R"(mesh<["tile_0"=4], device_ids=[0, 1, 3, 2]>, [{"tile_0"}]>)"},
           Row{"{devices=[2,3]<=[3,2]T(1,0)}", 2, 6, R"([{"devices":(3)2}, {"devices":(1)3}]>)"},
           Row{"{devices=[3,4]<=[4,3]}", 2, 12, R"([{"devices":(1)3}, {"devices":(3)4}]>)"},
           Row{"{devices=[4,3]<=[2,2,3]T(0,2,1)}", 2, 12,
               R"(device_ids=[0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]>)"},
       }) {
    EXPECT_THAT(Converted(row.text, row.rank, row.devices), HasSubstr(row.sharding)) << row.text;
  }
}

TEST(OpSharding, Wrong) {
  struct Row {
    std::string_view text, words;
  };
  for (const Row& row : {
           Row{"{devices=[4]<=[4]}", "has 1 tile dimensions; expected 2 for f32[64,64]"},
           Row{"{devices=[2,1]<=[2]}", "has 2 tiles; expected one for each of 4 devices"},
           Row{"{devices=[2,2]<=[2]}", "has 4 tiles for 2 devices"},
           Row{"{devices=[0,4]<=[4]}", "tile dimensions are [0,4]; expected positive numbers"},
           Row{"{devices=[1048576,1048576]<=[4]}", "with a product of at most 1048576"},
           Row{"{devices=[2,2]<=[2,2]T(0,0)}", "iota_transpose_perm has 2 numbers"},
           Row{"{devices=[2,2]<=[2,2]T(0)}", "iota_transpose_perm has 1 numbers"},
           Row{"{devices=[2,2]0,1,2}", "the list of devices of a sharding has 3 numbers"},
           Row{"{devices=[2,2]0,1,2,2}", "expected each from 0 to 3 once"},
           Row{"{devices=[2,2]0,1,2,4}", "expected each from 0 to 3 once"},
           Row{"{maximal device=4}", "is on device 4; expected one of 0 to 3"},
           Row{"{{replicated}}", "is a tuple"},
           Row{"{devices=[2,2]<=[4] last_tile_dim_replicate}", "expected 3 for f32[64,64]"},
       }) {
    EXPECT_THAT(Converted(row.text, 2, 4), HasSubstr(row.words)) << row.text;
  }
}

// What is written says the same: it is read again as the sharding that it was made of.
TEST(OpSharding, RoundTrip) {
  for (std::string_view text : {
           "{replicated}",
           "{unreduced}",
           "{devices=[4,2]<=[8]}",
           "{devices=[8,1]<=[8]}",
           "{devices=[2,2,2]<=[8] last_tile_dim_replicate}",
           "{devices=[2,2,2]<=[2,2,2]T(2,1,0) last_tile_dim_replicate}",
           "{devices=[2,4]<=[4,2]T(1,0)}",
           "{devices=[1,2,4]<=[2,4]T(1,0) last_tile_dim_replicate}",
           "{devices=[2,1,2,2]<=[8] last_tile_dims={unreduced, replicated}}",
       }) {
    auto read = program::ReadShardingText(text);
    ASSERT_TRUE(read.ok());
    const MeshRef flat = FlatMesh(8);
    auto sharding = FromOpSharding(*read, Floats(2), flat);
    ASSERT_TRUE(sharding.ok()) << text << sharding.status().ToString();
    const OpSharding written = ToOpSharding(**sharding);
    EXPECT_TRUE(written.devices.empty()) << text;
    auto again = FromOpSharding(written, Floats(2), flat);
    ASSERT_TRUE(again.ok()) << text << again.status().ToString();
    EXPECT_EQ(ToString(**again), ToString(**sharding)) << text;
  }
}

TEST(OpSharding, OfMeshes) {
  auto mesh = std::make_shared<Mesh>(Mesh{"mesh", {{"x", 2}, {"y", 256}}, {}});
  Sharding sharding;
  sharding.mesh = mesh;
  sharding.dims.resize(2);
  sharding.dims[0].axes = {{1, 1, 256}};
  OpSharding written = ToOpSharding(sharding);
  EXPECT_EQ(written.tile_dimensions, (std::vector<int64_t>{256, 1, 2}));
  EXPECT_TRUE(written.replicate_on_last_tile_dim);
  EXPECT_EQ(written.iota_reshape_dims, (std::vector<int64_t>{2, 256}));
  EXPECT_EQ(written.iota_transpose_perm, (std::vector<int64_t>{1, 0}));
  EXPECT_TRUE(written.devices.empty());
  sharding.dims[1].axes = {{0, 1, 2}};
  EXPECT_EQ(ToOpSharding(sharding).tile_dimensions, (std::vector<int64_t>{256, 2}));
  sharding.dims = {DimSharding{{{0, 1, 2}}}, DimSharding{{{1, 1, 256}}}};
  written = ToOpSharding(sharding);
  EXPECT_EQ(written.iota_reshape_dims, std::vector<int64_t>{512});
  // Devices in an order of their own are listed.
  auto reversed = std::make_shared<Mesh>(Mesh{"mesh", {{"x", 2}, {"y", 2}}, {3, 2, 1, 0}});
  sharding.mesh = reversed;
  sharding.dims = {DimSharding{{{1, 1, 2}}}, DimSharding{}};
  written = ToOpSharding(sharding);
  EXPECT_EQ(written.devices, (std::vector<int64_t>{3, 1, 2, 0}));
  EXPECT_EQ(written.tile_dimensions, (std::vector<int64_t>{2, 1, 2}));
  auto maximal = std::make_shared<Mesh>(Mesh{"", {}, {5}});
  sharding = Sharding{maximal, {}, {}, {}, ReductionOp::kSum};
  EXPECT_EQ(ToOpSharding(sharding).kind, OpSharding::Kind::kMaximal);
}

}  // namespace
}  // namespace plinth::compiler
