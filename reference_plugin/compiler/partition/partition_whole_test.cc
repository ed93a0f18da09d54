// SPDX-License-Identifier: Apache-2.0
// Ops that need a dimension whole: its axes go to a dimension along which each device computes its
// part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;
using testing::Partition;
using testing::Partitioned;

// %a is spread as `sharding`, and so is what comes of it, over axes "x" of 4 devices and "y" of 2.
Partitioned CheckSort(std::string_view type, std::string_view sharding, int dimension) {
  const std::string text =
      StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<)",
             type, "> {sdy.sharding = #sdy.sharding<@mesh, ", sharding, ">}) -> (tensor<", type,
             "> {sdy.sharding = #sdy.sharding<@mesh, ", sharding, R"(>}) {
    %0 = "stablehlo.sort"(%a) <{dimension = )",
             dimension, R"( : i64}> ({
    ^bb0(%b: tensor<i32>, %c: tensor<i32>):
      %1 = stablehlo.compare GT, %b, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<)",
             type, ">) -> tensor<", type, ">\n    return %0 : tensor<", type, ">\n  }\n}");
  auto made = CheckPartitioned(text);
  EXPECT_TRUE(made.ok()) << made.status().ToString() << text;
  return made.ok() ? *std::move(made) : Partitioned();
}

TEST(PartitionWhole, AxesGoToOtherDimensions) {
  struct Row {
    std::string_view type, sharding;
    int exchanges, gathers;
  };
  for (const Row& row : {
           Row{"8x16xi32", "[{}, {\"x\"}]", 2, 0},
           Row{"8x16xi32", "[{\"y\"}, {\"x\"}]", 2, 0},
           Row{"8x16xi32", "[{}, {\"x\", \"y\"}]", 4, 0},
           Row{"8x16xi32", "[{\"x\"}, {}]", 0, 0},
           // Two dimensions take a part of the axis each.
           Row{"2x16x2xi32", "[{}, {\"x\"}, {}]", 4, 0},
           // Of an axis of four, two fit.
           Row{"6x16xi32", "[{}, {\"x\"}]", 2, 1},
           Row{"3x16xi32", "[{}, {\"x\"}]", 0, 1},
       }) {
    const Partitioned made = CheckSort(row.type, row.sharding, 1);
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), row.exchanges) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), row.gathers) << ToString(*made.module);
    EXPECT_EQ(made.report.num_fallbacks, row.exchanges == 0 && row.gathers == 1) << row.type;
  }
}

// All that there are of a line are its largest ones, whichever device they are on.
TEST(PartitionWhole, AsManyOfTheLargestAsThereAre) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<8x8xi32>, tensor<8x8xi32>) {
    %0:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 8 : i64, largest = true},
        mhlo.version = 1 : i64} : (tensor<8x8xi32>) -> (tensor<8x8xi32>, tensor<8x8xi32>)
    return %0#0, %0#1 : tensor<8x8xi32>, tensor<8x8xi32>
  }
})";
  const auto made = CheckPartitioned(kText);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_GT(Count(*made->module, Opcode::kAllToAll), 0);
  EXPECT_EQ(Count(*made->module, Opcode::kAllGather), 0);
}

// Each device makes its part of the bits, of any dimensions, and the state that follows the whole.
TEST(PartitionWhole, RandomBits) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<2xui64>)
      -> (tensor<2xui64>, tensor<8x3x16xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {"x"}]>}) {
    %0, %1 = stablehlo.rng_bit_generator %a, algorithm = DEFAULT
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x3x16xui32>)
    return %0, %1 : tensor<2xui64>, tensor<8x3x16xui32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  PartitionOptions options;
  options.fallback = Fallback::kError;
  const auto report = Partition(**module, options);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const std::string text = ToString(**module);
  EXPECT_THAT(text, ::testing::HasSubstr("whole=[8,3,16]} : u64[2], u32[4,3,4]")) << text;
  const Status verified = Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
}

// Each right-hand side is solved on its own.
TEST(PartitionWhole, RightHandSides) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> tensor<8x16xf32> {
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = false,
        transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
        : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_THAT(ToString(**module), ::testing::HasSubstr("transpose_a=NO_TRANSPOSE} : f32[8,4]"));
  EXPECT_EQ(Count(**module, Opcode::kAllGather), 1);
}

}  // namespace
}  // namespace plinth::compiler::partition
