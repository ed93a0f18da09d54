// SPDX-License-Identifier: Apache-2.0
// What jaxlib's own passes say of random programs is in propagation_oracle_test.py.
#include "reference_plugin/compiler/partition/propagate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference_plugin/compiler/partition/known.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

// The gradient of a shard_map over "d": in its second region, %f hears of "m" from the first one,
// and %e from the outside. Both want "m" in the product, where the larger one gets it; so what goes
// into a region must be there before the turn of what is in it.
TEST(Propagate, RegionsHearOfWhatGoesInFirst) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["d"=4, "m"=2]>
  func.func @main(%a: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"d"}, {"m"}]>},
                  %b: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"m"}]>})
      -> tensor<32x16xf32> {
    %0 = sdy.manual_computation(%a, %b)
        in_shardings=[<@mesh, [{"d", ?}, {?}]>, <@mesh, [{?}, {?}]>]
        out_shardings=[<@mesh, [{"d", ?}, {?}]>] manual_axes={"d"}
        (%c: tensor<4x16xf32>, %d: tensor<16x32xf32>) {
      %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0]
          : (tensor<4x16xf32>, tensor<16x32xf32>) -> tensor<4x32xf32>
      sdy.return %2 : tensor<4x32xf32>
    } : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %1 = sdy.manual_computation(%a, %0)
        in_shardings=[<@mesh, [{"d", ?}, {?}]>, <@mesh, [{"d", ?}, {?}]>]
        out_shardings=[<@mesh, [{?}, {?}]>] manual_axes={"d"}
        (%e: tensor<4x16xf32>, %f: tensor<4x32xf32>) {
      %2 = stablehlo.dot_general %f, %e, contracting_dims = [0] x [0]
          : (tensor<4x32xf32>, tensor<4x16xf32>) -> tensor<32x16xf32>
      %3 = "stablehlo.all_reduce"(%2) <{replica_groups = dense<[[0, 2, 4, 6], [1, 3, 5, 7]]>
          : tensor<2x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          use_global_device_ids}> ({
      ^bb0(%g: tensor<f32>, %h: tensor<f32>):
        %4 = stablehlo.add %g, %h : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<32x16xf32>) -> tensor<32x16xf32>
      sdy.return %3 : tensor<32x16xf32>
    } : (tensor<16x16xf32>, tensor<16x32xf32>) -> tensor<32x16xf32>
    return %1 : tensor<32x16xf32>
  }
})";
  const auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  OpRules rules;
  const auto made = Propagate(**module, rules);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(ToString(made->results), R"([#sdy.sharding<@mesh, [{"m"}, {}]>])");
}

}  // namespace
}  // namespace plinth::compiler::partition
