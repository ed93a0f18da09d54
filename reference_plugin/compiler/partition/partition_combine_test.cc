// SPDX-License-Identifier: Apache-2.0
// Collectives that become one, and those that nobody needs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/compiler/testing/partitioned_test_util.h"

namespace plinth::compiler::partition {
namespace {

using testing::Count;
using testing::ExpectPartitioned;
using testing::Partitioned;

// A function on so many devices, which agrees with one device.
Partitioned Check(std::string_view mesh, std::string_view function, int devices = 4) {
  const std::string text = StrCat("module attributes {mhlo.num_partitions = ", devices,
                                  " : i32} {\n  sdy.mesh @mesh = <", mesh, ">\n", function, "}\n");
  return ExpectPartitioned(text);
}

TEST(PartitionCombine, RedistributionsAmongTheSameDevices) {
  const Partitioned made = Check(R"(["x"=4])", R"(
  func.func @main(%a: tensor<8x24xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
      -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<8x12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
          tensor<8x28xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.slice %a [0:8, 0:8] : (tensor<8x24xi32>) -> tensor<8x8xi32>
    %1 = stablehlo.slice %a [0:8, 8:20] : (tensor<8x24xi32>) -> tensor<8x12xi32>
    %2 = stablehlo.pad %a, %one, low = [0, 4], high = [0, 0], interior = [0, 0] : (tensor<8x24xi32>, tensor<i32>) -> tensor<8x28xi32>
    return %0, %1, %2 : tensor<8x8xi32>, tensor<8x12xi32>, tensor<8x28xi32>
  })");
  ASSERT_NE(made.module, nullptr);
  // What is put where no array is differs in one.
  EXPECT_EQ(Count(*made.module, Opcode::kRedistribute), 2) << ToString(*made.module);
}

// The first sum waits for the last one, although a collective between them waits for nobody.
TEST(PartitionCombine, SumsWaitThroughOtherCollectives) {
  const Partitioned made = Check(R"(["x"=4])", R"(
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8xi32>, tensor<8xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %least = stablehlo.constant dense<-99> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.negate %0 : tensor<8xi32>
    %2 = stablehlo.reduce(%a init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
    %4 = stablehlo.subtract %a, %3 : tensor<8x8xi32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    return %1, %5 : tensor<8xi32>, tensor<8xi32>
  })");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 2) << ToString(*made.module);
}

// The sum needs what the first exchange gives, and nobody needs the sum before the second one.
TEST(PartitionCombine, SmallSumsEndNoWait) {
  const Partitioned made = Check(R"(["x"=4])", R"(
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<i32>, tensor<i32>, tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<8x8xi32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xi32>, tensor<i32>) -> tensor<i32>
    %2 = stablehlo.multiply %a, %a : tensor<8x8xi32>
    %3 = sdy.reshard %2 <@mesh, [{}, {"x"}]> : tensor<8x8xi32>
    %4 = stablehlo.subtract %3, %0 : tensor<8x8xi32>
    %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x8xi32>, tensor<i32>) -> tensor<i32>
    return %1, %5, %4 : tensor<i32>, tensor<i32>, tensor<8x8xi32>
  })");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 1) << ToString(*made.module);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1) << ToString(*made.module);
}

// A sum that another needs ends its wait and that of what it was made of.
TEST(PartitionCombine, SumsOfSums) {
  const Partitioned made = Check(R"(["x"=4])", R"(
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8xi32>, tensor<8xi32>, tensor<8x8xi32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
    %2 = stablehlo.subtract %a, %1 : tensor<8x8xi32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<8xi32>) -> tensor<8x8xi32>
    %5 = stablehlo.multiply %2, %4 : tensor<8x8xi32>
    return %0, %3, %5 : tensor<8xi32>, tensor<8xi32>, tensor<8x8xi32>
  })");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 2) << ToString(*made.module);
}

// Both sums need the first exchange, and the second exchange needs both.
TEST(PartitionCombine, SumsThatAreNeededTogetherMeetOnce) {
  const Partitioned made = Check(R"(["x"=4])", R"(
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<8x8xi32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
    %3 = stablehlo.multiply %0, %0 : tensor<8x8xi32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xi32>) -> tensor<8x8xi32>
    %6 = stablehlo.subtract %0, %2 : tensor<8x8xi32>
    %7 = stablehlo.multiply %6, %5 : tensor<8x8xi32>
    %8 = sdy.reshard %7 <@mesh, [{"x"}, {}]> : tensor<8x8xi32>
    return %8 : tensor<8x8xi32>
  })");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 2) << ToString(*made.module);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1) << ToString(*made.module);
}

TEST(PartitionCombine, WhatNobodyNeedsMovesNothing) {
  const Partitioned made = Check(R"(["x"=4])", R"(
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x8xi32>, tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.negate %0 : tensor<8xi32>
    %2 = stablehlo.negate %a : tensor<8x8xi32>
    return %2 : tensor<8x8xi32>
  })");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 0) << ToString(*made.module);
}

// The joined arrays lie along "y" too, which the product needs for something else.
// Among many devices they do not: a redistribution lists what goes from each to each.
TEST(PartitionCombine, GathersGoWithRedistributions) {
  constexpr std::string_view kFunction = R"(
  func.func @main(%a: tensor<32x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                  %b: tensor<32x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>},
                  %w: tensor<12x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<32x32xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = stablehlo.concatenate %a, %b, dim = 1 : (tensor<32x8xi32>, tensor<32x4xi32>) -> tensor<32x12xi32>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<32x12xi32>, tensor<12x32xi32>) -> tensor<32x32xi32>
    return %1 : tensor<32x32xi32>
  })";
  for (const auto& [mesh, devices, gathers] :
       {std::tuple(R"(["x"=2, "y"=2])", 4, 0), std::tuple(R"(["x"=2, "y"=32])", 64, 1)}) {
    const Partitioned made = Check(mesh, kFunction, devices);
    ASSERT_NE(made.module, nullptr);
    EXPECT_EQ(Count(*made.module, Opcode::kRedistribute), 1) << ToString(*made.module);
    EXPECT_EQ(Count(*made.module, Opcode::kAllGather), gathers) << ToString(*made.module);
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
