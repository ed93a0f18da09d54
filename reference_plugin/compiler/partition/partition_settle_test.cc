// SPDX-License-Identifier: Apache-2.0
// Where values lie that nobody sees.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;

// What comes back through a layer whose weights are spread along both axes: the product is spread
// as the weights are, since they are known first, and what it meets as %a. `middle` makes %r of the
// product %v.
std::string Backward(std::string_view middle) {
  constexpr std::string_view kLate =
      R"({sdy.sharding = #sdy.sharding<@mesh, [{}, {"d"}p1, {"m"}p1]>})";
  return StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["d"=4, "m"=2]>
  func.func @main(%a: tensor<2x16x32xi32> )",
                kLate, R"(, %w: tensor<8x32xi32> {sdy.sharding =
      #sdy.sharding<@mesh, [{"d"}, {"m"}]>}, %b: tensor<2x16x8xi32> )",
                kLate, R"() -> (tensor<2x16x8xi32> )", kLate, R"() {
    %v = stablehlo.dot_general %a, %w, contracting_dims = [2] x [1]
        : (tensor<2x16x32xi32>, tensor<8x32xi32>) -> tensor<2x16x8xi32>
    )",
                middle, R"(
    return %r : tensor<2x16x8xi32>
  }
})");
}

constexpr std::string_view kPlain = R"(
    %0 = stablehlo.multiply %v, %b : tensor<2x16x8xi32>
    %1 = stablehlo.negate %v : tensor<2x16x8xi32>
    %r = stablehlo.add %0, %1 : tensor<2x16x8xi32>)";

TEST(Settle, WhatMeetsOtherThingsIsSpreadAsThese) {
  PartitionOptions options;
  options.settles = false;
  const auto before = CheckPartitioned(Backward(kPlain), 0, options);
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  // %a is gathered for the product, and its sum goes back to where %b lies.
  EXPECT_EQ(Count(*before->module, Opcode::kAllToAll), 1) << ToString(*before->module);

  const auto made = CheckPartitioned(Backward(kPlain));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(Count(*made->module, Opcode::kAllGather), 1) << ToString(*made->module);  // of %w
  EXPECT_EQ(Count(*made->module, Opcode::kReduceScatter), 1);
  EXPECT_EQ(Count(*made->module, Opcode::kAllToAll), 0);
  EXPECT_EQ(Count(*made->module, Opcode::kAllReduce), 0);
}

// Who inspects a value sees what the propagation said.
TEST(Settle, WhatIsSeenStays) {
  const auto made = CheckPartitioned(Backward(R"(
    %s = sdy.sharding_constraint %v <@mesh, [{}, {}, {"d"}]> : tensor<2x16x8xi32>
    %0 = stablehlo.multiply %s, %b : tensor<2x16x8xi32>
    %r = stablehlo.add %0, %b : tensor<2x16x8xi32>)"));
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_GT(Count(*made->module, Opcode::kAllToAll), 0) << ToString(*made->module);
}

}  // namespace
}  // namespace plinth::compiler::partition
