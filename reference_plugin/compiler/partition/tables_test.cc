// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace plinth::compiler::partition {
namespace {

using ::testing::ElementsAre;

const Axis kX = {0, 1, 2}, kY = {1, 1, 3};

MeshRef MakeMesh(std::vector<int64_t> device_ids = {}) {
  return std::make_shared<const Mesh>(Mesh{"mesh", {{"x", 2}, {"y", 3}}, std::move(device_ids)});
}

TEST(ShardingTable, HasEachShardingOnce) {
  const MeshRef mesh = MakeMesh();
  Sharding sharding;
  sharding.mesh = mesh;
  sharding.dims = {{{kX}}, {{}}};
  ShardingTable table;
  const ShardingRef first = table.Find(sharding);
  EXPECT_EQ(*first, sharding);
  EXPECT_EQ(table.Find(sharding), first);
  std::vector<Sharding> others(5, sharding);
  others[0].dims[1].axes = {kY};
  others[1].dims[1].is_closed = false;
  others[2].replicated = {kY};
  others[3].unreduced = {kY};
  others[4].mesh = MakeMesh();  // it may have another name
  for (const Sharding& other : others) {
    const ShardingRef found = table.Find(other);
    EXPECT_NE(found, first);
    EXPECT_EQ(*found, other);
    EXPECT_EQ(found->mesh, other.mesh);
    EXPECT_EQ(table.Find(other), found);
  }
  EXPECT_EQ(table.Find(sharding), first);
}

TEST(LayoutTable, HasEachLayoutOnce) {
  const MeshRef mesh = MakeMesh();
  const Layout layout = {mesh, {{kX}, {}}, {kY}};
  LayoutTable table;
  const Layout& first = table.Find(layout);
  EXPECT_EQ(first, layout);
  EXPECT_EQ(&table.Find(Layout(layout)), &first);
  std::vector<Layout> others(4, layout);
  others[0].dims = {{}, {kX}};
  others[1].unreduced.clear();
  others[2].reduction = ReductionOp::kMax;
  others[3].mesh = MakeMesh();
  for (const Layout& other : others) {
    const Layout& found = table.Find(other);
    EXPECT_NE(&found, &first);
    EXPECT_EQ(found, other);
    EXPECT_EQ(found.mesh, other.mesh);
    EXPECT_EQ(&table.Find(other), &found);
  }
  EXPECT_EQ(&table.Find(layout), &first);
}

TEST(GroupTable, CollectivesAlongTheSameAxesShareTheirGroups) {
  GroupTable table;
  const DeviceGroups along_y = table.Find(*MakeMesh(), {kY});
  EXPECT_THAT(along_y.lists(), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5)));
  EXPECT_EQ(table.Find(*MakeMesh(), {kY}).id(), along_y.id());
  EXPECT_THAT(table.Find(*MakeMesh(), {kX}).lists(),
              ElementsAre(ElementsAre(0, 3), ElementsAre(1, 4), ElementsAre(2, 5)));
  EXPECT_THAT(table.Find(*MakeMesh({5, 4, 3, 2, 1, 0}), {kY}).lists(),
              ElementsAre(ElementsAre(5, 4, 3), ElementsAre(2, 1, 0)));
  EXPECT_EQ(table.Find(*MakeMesh(), {kY}).id(), along_y.id());
}

}  // namespace
}  // namespace plinth::compiler::partition
