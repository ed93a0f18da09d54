// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plinth::compiler {
namespace {

using ::testing::HasSubstr;

const Mesh kMesh = {"mesh", {{"x", 4}, {"y", 8}}, {}};

TEST(Axes, Parts) {
  const Axis x = {0, 1, 4}, y = {1, 1, 8}, y_major = {1, 1, 2}, y_minor = {1, 4, 2};
  EXPECT_TRUE(Overlap(y, y_minor));
  EXPECT_FALSE(Overlap(y_major, y_minor));
  EXPECT_FALSE(Overlap(x, y));
  EXPECT_TRUE(Contains(y, y_minor));
  EXPECT_TRUE(IsPrefixOf(y_major, y));
  EXPECT_FALSE(IsPrefixOf(y_minor, y));
  EXPECT_EQ(PrefixWithoutOverlap(y, y_minor), (Axis{1, 1, 4}));
  EXPECT_EQ(PrefixWithoutOverlap(y, y_major), std::nullopt);
  EXPECT_EQ(PrefixWithoutOverlap(x, y), x);
  // Halves and thirds of an axis are parts of no one split.
  EXPECT_FALSE(CanCoexist({0, 1, 2}, {0, 1, 3}));
  EXPECT_EQ(PrefixWithoutOverlap(Axis{0, 1, 3}, Axis{0, 2, 3}), std::nullopt);
}

TEST(Axes, Lists) {
  AxisList axes;
  AddOrMerge(axes, {1, 1, 2});
  AddOrMerge(axes, {1, 2, 2});
  AddOrMerge(axes, {0, 1, 4});
  EXPECT_EQ(axes, (AxisList{{1, 1, 4}, {0, 1, 4}}));
  EXPECT_EQ(SizeOf(axes), 16);
  EXPECT_EQ(UnusedAxes(kMesh, axes), (AxisList{{1, 4, 2}}));
  EXPECT_EQ(UnusedAxes(kMesh, AxisList{{1, 2, 2}}), (AxisList{{0, 1, 4}, {1, 1, 2}, {1, 4, 2}}));
  EXPECT_TRUE(IsListPrefixOf(AxisList{{1, 1, 2}}, axes));
  EXPECT_TRUE(IsListPrefixOf(AxisList{}, axes));
  EXPECT_FALSE(IsStrictListPrefixOf(axes, axes));
  EXPECT_FALSE(IsListPrefixOf(AxisList{{0, 1, 4}}, axes));
  EXPECT_EQ(ToString(kMesh, axes), "{\"y\":(1)4, \"x\"}");
}

TEST(Meshes, Wrong) {
  struct Row {
    Mesh mesh;
    std::string_view words;
  };
  for (const Row& row : {
           Row{{"m", {{"x", 2}, {"x", 2}}, {}}, "has two axes \"x\""},
           Row{{"m", {{"x", 0}}, {}}, "of 0 devices"},
           Row{{"m", {{"x", 1 << 12}, {"y", 1 << 12}}, {}}, "1048576 at most"},
           Row{{"m", {{"x", INT64_MAX}, {"y", INT64_MAX}}, {}}, "1048576 at most"},
           Row{{"m", {{"x", 2}}, {0, 1, 2}}, "has 2 devices and 3 device_ids"},
           Row{{"m", {{"x", 2}}, {0, 0}}, "name 0; expected each number from 0 to 1 once"},
           Row{{"m", {{"x", 2}}, {0, 2}}, "name 2; expected"},
           Row{{"m", {}, {-1}}, "is device -1"},
       }) {
    const Status status = CheckMesh(row.mesh);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << row.words;
    EXPECT_THAT(status.message(), HasSubstr(row.words));
  }
  EXPECT_TRUE(CheckMesh(kMesh).ok());
  EXPECT_TRUE(CheckMesh({"m", {{"x", 2}}, {1, 0}}).ok());
  EXPECT_TRUE(CheckMesh({"m", {}, {7}}).ok());
}

}  // namespace
}  // namespace plinth::compiler
