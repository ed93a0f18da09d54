// SPDX-License-Identifier: Apache-2.0
// Programs with several meshes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/partition/merge_meshes.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;
using testing::Partition;
using testing::ReadInlined;

// %a is spread over the first mesh, %b over the second one; their sum says nothing.
std::string Sum(std::string_view first, std::string_view a, std::string_view second,
                std::string_view b) {
  return StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @first = <)",
                first, ">\n  sdy.mesh @second = <", second, R"(>
  func.func @main(%a: tensor<16x24xi32> {sdy.sharding = #sdy.sharding<@first, )",
                a, R"(>}, %b: tensor<16x24xi32> {sdy.sharding = #sdy.sharding<@second, )", b,
                R"(>}) -> tensor<16x24xi32> {
    %0 = stablehlo.add %a, %b : tensor<16x24xi32>
    return %0 : tensor<16x24xi32>
  }
})");
}

TEST(MergeMeshes, SaysItOnOne) {
  struct Row {
    std::string_view first, second, said, merged;
  };
  for (const Row& row : {
           Row{R"(["x"=4, "y"=2])", R"(["a"=4, "b"=2])", R"([{"b"}, {"a"}])", R"([{"y"}, {"x"}])"},
           Row{R"(["x"=4, "y"=2])", R"(["a"=8])", R"([{}, {"a"}])", R"([{}, {"x", "y"}])"},
           Row{R"(["x"=4, "y"=2])", R"(["a"=8])", R"([{"a":(1)2}, {"a":(2)4, ?}p1])",
               R"([{"x":(1)2}, {"x":(2)2, "y", ?}p1])"},
           Row{R"(["x"=2, "y"=4])", R"(["a"=4, "b"=2])", R"([{"b"}, {}], replicated={"a"})",
               R"([{"y":(2)2}, {}], replicated={"x", "y":(1)2})"},
           Row{R"(["x"=2, "y"=4])", R"(["one"=1, "a"=8])", R"([{"one", "a"}, {}])",
               R"([{"x", "y"}, {}])"},
           Row{R"(["x"=4, "y"=2])", R"(["a"=8], device_ids=[0, 1, 2, 3, 4, 5, 6, 7])",
               R"([{"a"}, {}])", R"([{"x", "y"}, {}])"},
           Row{R"(["x"=4, "y"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])",
               R"(["a"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])", R"([{"a"}, {}])",
               R"([{"x", "y"}, {}])"},
       }) {
    const std::string text = Sum(row.first, "[{}, {}]", row.second, row.said);
    const auto module = ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    MergeMeshes(**module);
    EXPECT_EQ(ToString(*(*module)->entry->argument_shardings[1]),
              StrCat("#sdy.sharding<@first, ", row.merged, ">"));
  }
}

TEST(MergeMeshes, TheOneWithTheMostAxes) {
  const std::string text = Sum(R"(["x"=8])", R"([{"x":(2)2}, {"x":(1)2}])",
                               R"(["a"=2, "b"=2, "c"=2])", R"([{"a", "b"}, {"c"}])");
  const auto module = ReadInlined(std::as_bytes(std::span(text)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  MergeMeshes(**module);
  EXPECT_EQ(ToString((*module)->entry->argument_shardings),
            R"([#sdy.sharding<@second, [{"b"}, {"a"}]>, )"
            R"(#sdy.sharding<@second, [{"a", "b"}, {"c"}]>])");
}

TEST(MergeMeshes, OtherDevicesStay) {
  struct Row {
    std::string_view devices, first, second, said;
  };
  for (const Row& row : {
           // Another order of devices.
           Row{"8", R"(["x"=8])", R"(["a"=8], device_ids=[7, 6, 5, 4, 3, 2, 1, 0])",
               R"([{"a"}, {}])"},
           // One device.
           Row{"8", R"(["x"=8])", R"([], device_ids=[3])", ""},
           // No part of "x" is "b", though one is "a".
           Row{"6", R"(["x"=2, "y"=3])", R"(["a"=3, "b"=2])", R"([{}, {"b"}])"},
       }) {
    std::string text = Sum(row.first, "[{}, {}]", row.second, row.said.empty() ? "[]" : row.said);
    text.replace(text.find("= 8"), 3, StrCat("= ", row.devices));
    const auto module = ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const ShardingRef before = (*module)->entry->argument_shardings[1];
    MergeMeshes(**module);
    EXPECT_EQ((*module)->entry->argument_shardings[1], before) << row.second;
  }
}

TEST(MergeMeshes, ShardingsOfTwoMeshesMeet) {
  const auto made = CheckPartitioned(
      Sum(R"(["x"=4, "y"=2])", R"([{"x"}, {"y"}])", R"(["a"=8])", R"([{"a"}, {}])"));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  // The sum is spread like %b; %a goes there at once.
  EXPECT_EQ(Count(*made->module, Opcode::kAllGather), 0) << ToString(*made->module);
  EXPECT_EQ(Count(*made->module, Opcode::kAllToAll), 1) << ToString(*made->module);
}

// What is manual on the second mesh is so on the first, whole or in part.
TEST(MergeMeshes, ManualComputations) {
  struct Row {
    std::string_view second, part, manual;
  };
  for (const Row& row : {
           Row{R"("a"=4, "b"=2)", "4x24", R"(manual_parts={"x"})"},
           Row{R"("a"=2, "b"=4)", "8x24", R"(manual_parts={"x":(1)2})"},
           Row{R"("b"=2, "a"=4)", "4x24", R"(manual_parts={"x":(2)2, "y"})"},
           Row{R"("b"=1, "a"=8)", "2x24", R"(manual_parts={"x", "y"})"},
       }) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @first = <["x"=4, "y"=2]>
  sdy.mesh @second = <[)",
                                    row.second, R"(]>
  func.func @main(%a: tensor<16x24xi32> {sdy.sharding = #sdy.sharding<@first, [{"x"}, {"y"}]>})
      -> tensor<16x24xi32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@second, [{"a", ?}, {?}]>]
        out_shardings=[<@second, [{"a", ?}, {?}]>] manual_axes={"a"} (%b: tensor<)",
                                    row.part, "xi32>) {\n      %1 = stablehlo.negate %b : tensor<",
                                    row.part, "xi32>\n      sdy.return %1 : tensor<", row.part,
                                    R"(xi32>
    } : (tensor<16x24xi32>) -> tensor<16x24xi32>
    return %0 : tensor<16x24xi32>
  }
})");
    const auto module = ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    MergeMeshes(**module);
    EXPECT_THAT(ToString(**module), ::testing::HasSubstr(row.manual));
    const auto report = Partition(**module);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(Count(**module, Opcode::kNegate), 1);
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
