// SPDX-License-Identifier: Apache-2.0
// Values of which every device has a term: where they are reduced.
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
using testing::Partition;
using testing::Partitioned;

// What needs the one sum waits for the other.
TEST(PartitionTerms, SumsWaitForOneAnother) {
  const Partitioned made = ExpectPartitioned(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xi32>, tensor<8x8xi32>) {
    %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x8xi32>) -> tensor<8x8xi32>
    %b = stablehlo.negate %a : tensor<8x8xi32>
    %2 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    return %1, %2 : tensor<8x8xi32>, tensor<8x8xi32>
  }
})");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
}

// A value of which the devices have terms is one to the next op, too, and reduced at the last.
TEST(PartitionTerms, TermsOfSums) {
  const Partitioned made = ExpectPartitioned(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                  %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xi32>
    %2 = stablehlo.add %1, %1 : tensor<8x8xi32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xi32>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<8x8xi32>) -> tensor<8x8xi32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xi32>
    %6 = sdy.sharding_constraint %5 <@mesh, [{"x"}, {}]> : tensor<8x8xi32>
    return %6 : tensor<8x8xi32>
  }
})");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 0);
  EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), 1);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
}

// Terms stay terms where a conversion loses nothing.
TEST(PartitionTerms, TermsOfWiderFloats) {
  for (const auto& [wide, reduces] : {std::pair("f32", 0), std::pair("f16", 1)}) {
    const Partitioned made =
        ExpectPartitioned(StrCat(R"(
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                  %b: tensor<8x8xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8x)",
                                 wide, R"(> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
    %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xbf16>
    %2 = stablehlo.convert %1 : (tensor<8x8xbf16>) -> tensor<8x8x)",
                                 wide, R"(>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8x)",
                                 wide, R"(>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"x"}, {}]> : tensor<8x8x)",
                                 wide, R"(>
    return %4 : tensor<8x8x)",
                                 wide, R"(>
  }
})"));
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), reduces) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), 1);
  }
}

// In a loop that adds terms to terms, nothing is reduced before its end.
TEST(PartitionTerms, TermsInLoops) {
  const Partitioned made = ExpectPartitioned(R"(
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                  %b: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %zeros = stablehlo.constant dense<0> : tensor<8x8xi32>
    %init = sdy.sharding_constraint %zeros <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xi32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %r:2 = stablehlo.while(%i = %i0, %sum = %init) : tensor<i32>, tensor<8x8xi32>
    cond {
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
      %d = sdy.sharding_constraint %c <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xi32>
      %s = stablehlo.add %sum, %d : tensor<8x8xi32>
      %t = sdy.sharding_constraint %s <@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xi32>
      stablehlo.return %n, %t : tensor<i32>, tensor<8x8xi32>
    }
    %e = sdy.sharding_constraint %r#1 <@mesh, [{}, {}]> : tensor<8x8xi32>
    return %e : tensor<8x8xi32>
  }
})");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
}

// What every device has, or has a part of, becomes terms without anything being moved; what is not
// linear reduces first.
TEST(PartitionTerms, ArraysBecomeTerms) {
  for (const std::string_view dims : {"[{}, {}]", "[{\"x\"}, {}]", "[{\"y\", \"x\"}, {}]"}) {
    const Partitioned made = ExpectPartitioned(StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, )",
                                                      dims, R"(>})
      -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"y"}, {}], unreduced={"x"}> : tensor<8x8xi32>
    %1 = stablehlo.multiply %0, %0 : tensor<8x8xi32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"y"}, {}], unreduced={"x"}> : tensor<8x8xi32>
    return %2 : tensor<8x8xi32>
  }
})"));
    EXPECT_NE(made.module, nullptr) << dims;
  }
}

// Each device scatters its updates; what was there counts once.
TEST(PartitionTerms, ScattersOfSpreadUpdates) {
  for (const std::string_view init : {"%a", "%zeros"}) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<4x3xi32>,
                  %i: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %u: tensor<8x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<4x3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zeros = stablehlo.constant dense<0> : tensor<4x3xi32>
    %0 = "stablehlo.scatter"()",
                                    init, R"(, %i, %u) <{scatter_dimension_numbers =
        #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      ^bb0(%p: tensor<i32>, %q: tensor<i32>):
        %r = stablehlo.add %p, %q : tensor<i32>
        stablehlo.return %r : tensor<i32>
    }) : (tensor<4x3xi32>, tensor<8x1xi32>, tensor<8x3xi32>) -> tensor<4x3xi32>
    return %0 : tensor<4x3xi32>
  }
})");
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto report = Partition(**module);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    const Status verified = Verify(**module);
    EXPECT_TRUE(verified.ok()) << verified.ToString();
    EXPECT_EQ(report->num_fallbacks, 0);
    EXPECT_EQ(Count(**module, Opcode::kAllGather), 0);
    EXPECT_EQ(Count(**module, Opcode::kReduceScatter), 1);
    // The two combiners, and what was there is added to the sum.
    EXPECT_EQ(Count(**module, Opcode::kAdd), init == "%a" ? 3 : 2);
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
