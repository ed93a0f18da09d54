// SPDX-License-Identifier: Apache-2.0
// Reductions of any region, cumulative sums and pools over spread dimensions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/compiler/testing/partitioned_test_util.h"

namespace plinth::compiler::partition {
namespace {

using testing::Count;
using testing::ExpectPartitioned;
using testing::Partitioned;

// %a is 16 rows of four, spread over axes "x" of 4 devices and "y" of 2.
Partitioned Check(std::string_view spread, std::string_view results, std::string_view body) {
  const std::string text =
      StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=4, "y"=2]>
  func.func @main(%a: tensor<16x4xi32> {sdy.sharding = #sdy.sharding<@mesh, )",
             spread, ">}, %b: tensor<8x4xi32>) -> ", results, " {\n", body, "\n  }\n}");
  return ExpectPartitioned(text);
}

std::string Pairs(int init, std::string_view region) {
  return StrCat("%z = stablehlo.constant dense<", init, R"(> : tensor<i32>
    %i = stablehlo.iota dim = 0 : tensor<16x4xi32>
    %0:2 = stablehlo.reduce(%a init: %z), (%i init: %z) across dimensions = [0] :
        (tensor<16x4xi32>, tensor<16x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
     reducer(%p: tensor<i32>, %q: tensor<i32>) (%r: tensor<i32>, %s: tensor<i32>) {)",
                region, R"(
    }
    return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>)");
}

TEST(PartitionPartials, ReductionsOfPairs) {
  constexpr std::string_view kLargest = R"(
      %1 = stablehlo.compare GT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.compare EQ, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare LT, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.and %2, %3 : tensor<i1>
      %5 = stablehlo.or %1, %4 : tensor<i1>
      %6 = stablehlo.select %1, %p, %q : tensor<i1>, tensor<i32>
      %7 = stablehlo.select %5, %r, %s : tensor<i1>, tensor<i32>
      stablehlo.return %6, %7 : tensor<i32>, tensor<i32>)";
  constexpr std::string_view kSums = R"(
      %1 = stablehlo.add %p, %q : tensor<i32>
      %2 = stablehlo.add %r, %s : tensor<i32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<i32>)";
  constexpr std::string_view kResults = "(tensor<4xi32>, tensor<4xi32>)";
  for (const std::string_view spread :
       {"[{\"x\"}, {}]", "[{\"x\"}, {\"y\"}]", "[{\"y\", \"x\"}, {}]"}) {
    Partitioned made = Check(spread, kResults, Pairs(-99, kLargest));
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(made.report.num_fallbacks, 0);
    EXPECT_EQ(Count(*made.module, Opcode::kReduce), 2) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 1) << ToString(*made.module);
    // Zeros change no sum.
    made = Check(spread, kResults, Pairs(0, kSums));
    EXPECT_EQ(Count(*made.module, Opcode::kReduce), 2);
    // What is not neutral counts once.
    made = Check(spread, kResults, Pairs(3, kSums));
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(Count(*made.module, Opcode::kReduce), 1) << ToString(*made.module);
  }
}

TEST(PartitionPartials, CumulativeSums) {
  const auto sum = [](std::string_view op, int init, std::string_view padding) {
    return StrCat("%z = stablehlo.constant dense<", init, R"(> : tensor<i32>
    %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 16, 1>,
        padding = dense<[[)",
                  padding, R"(], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.)",
                  op, R"( %p, %q : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<16x4xi32>, tensor<i32>) -> tensor<16x4xi32>
    return %0 : tensor<16x4xi32>)");
  };
  for (const std::string_view spread :
       {"[{\"x\"}, {}]", "[{\"x\"}, {\"y\"}]", "[{\"y\", \"x\"}, {}]", "[{\"x\":(2)2}, {}]"}) {
    for (const std::string_view padding : {"15, 0", "0, 15"}) {
      for (const auto& [op, init] : {std::pair("add", 0), std::pair("maximum", -9)}) {
        const Partitioned made =
            Check(spread,
                  StrCat("(tensor<16x4xi32> {sdy.sharding = #sdy.sharding<@mesh, ", spread, ">})"),
                  sum(op, init, padding));
        ASSERT_NE(made.module, nullptr);
        EXPECT_EQ(Count(*made.module, Opcode::kRedistribute), 0) << ToString(*made.module);
        EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 1) << ToString(*made.module);
      }
    }
  }
}

// Windows side by side: each device has all that its sources go to.
TEST(PartitionPartials, Pools) {
  const auto pool = [](int size, int stride, int count) {
    return StrCat(R"(%z = stablehlo.constant dense<0> : tensor<i32>
    %u = stablehlo.slice %b [0:)",
                  count, ", 0:4] : (tensor<8x4xi32>) -> tensor<", count, R"(x4xi32>
    %0 = "stablehlo.select_and_scatter"(%a, %u, %z) <{window_dimensions = array<i64: )",
                  size, ", 1>, window_strides = array<i64: ", stride, R"(, 1>}> ({
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.compare GE, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%p: tensor<i32>, %q: tensor<i32>):
      %1 = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<16x4xi32>, tensor<)",
                  count, R"(x4xi32>, tensor<i32>) -> tensor<16x4xi32>
    return %0 : tensor<16x4xi32>)");
  };
  constexpr std::string_view kResult =
      "(tensor<16x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>})";
  Partitioned made = Check("[{\"x\"}, {}]", kResult, pool(2, 2, 8));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << ToString(*made.module);
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 0) << ToString(*made.module);
  // Windows that share elements: the axis goes to the other dimension.
  made = Check("[{\"x\"}, {}]", kResult, pool(4, 2, 7));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0) << ToString(*made.module);
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 2) << ToString(*made.module);
}

}  // namespace
}  // namespace plinth::compiler::partition
