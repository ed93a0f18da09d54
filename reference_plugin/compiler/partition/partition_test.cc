// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/partitioned.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;
using ::testing::HasSubstr;
using testing::Partitioned;

// A step of training: two layers, the mean of squares, gradients, an update. Eight rows a batch.
std::string Training(std::string_view mesh, std::string_view batch, std::string_view first,
                     std::string_view second) {
  const auto sharding = [](std::string_view dims) {
    return StrCat(" {sdy.sharding = #sdy.sharding<@mesh, ", dims, ">}");
  };
  return StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <)",
                mesh, R"(>
  func.func @main(%x: tensor<8x4xf32>)",
                sharding(batch), R"(, %y: tensor<8x4xf32>)", sharding(batch), R"(,
                  %w: tensor<4x8xf32>)",
                sharding(first), R"(, %v: tensor<8x4xf32>)", sharding(second), R"()
      -> (tensor<4x8xf32>)",
                sharding(first), R"(, tensor<8x4xf32>)", sharding(second), R"(,
          tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %rate = stablehlo.constant dense<0.5> : tensor<f32>
    %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %a = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %h = stablehlo.maximum %a, %zeros : tensor<8x8xf32>
    %o = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %d = stablehlo.subtract %o, %y : tensor<8x4xf32>
    %s = stablehlo.multiply %d, %d : tensor<8x4xf32>
    %loss = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %gv = stablehlo.dot_general %h, %d, contracting_dims = [0] x [0] : (tensor<8x8xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    %gh = stablehlo.dot_general %d, %v, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    %p = stablehlo.compare GT, %a, %zeros : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xi1>
    %ga = stablehlo.select %p, %gh, %zeros : tensor<8x8xi1>, tensor<8x8xf32>
    %gw = stablehlo.dot_general %x, %ga, contracting_dims = [0] x [0] : (tensor<8x4xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %rw = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %rv = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %uw = stablehlo.multiply %gw, %rw : tensor<4x8xf32>
    %uv = stablehlo.multiply %gv, %rv : tensor<8x4xf32>
    %nw = stablehlo.subtract %w, %uw : tensor<4x8xf32>
    %nv = stablehlo.subtract %v, %uv : tensor<8x4xf32>
    return %nw, %nv, %loss : tensor<4x8xf32>, tensor<8x4xf32>, tensor<f32>
  }
})");
}

Partitioned Check(std::string_view text) {
  auto made = CheckPartitioned(text);
  EXPECT_TRUE(made.ok()) << made.status().ToString();
  return made.ok() ? *std::move(made) : Partitioned();
}

TEST(Partition, DataParallelTraining) {
  const Partitioned made = Check(Training("[\"x\"=4]", "[{\"x\"}, {}]", "[{}, {}]", "[{}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.report.num_fallbacks, 0);
  // Two gradients and the loss, at once; nothing else moves.
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 0);
}

TEST(Partition, TensorParallelTraining) {
  const Partitioned made =
      Check(Training("[\"x\"=4]", "[{}, {}]", "[{}, {\"x\"}]", "[{\"x\"}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.report.num_fallbacks, 0);
  // The output of the second layer; gradients stay where the matrices are.
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
}

TEST(Partition, TrainingOverTwoAxes) {
  const Partitioned made =
      Check(Training("[\"x\"=2, \"y\"=2]", "[{\"x\"}, {}]", "[{}, {\"y\"}]", "[{\"y\"}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.report.num_fallbacks, 0);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
}

// Matrices that the batch's devices share out are gathered before use; gradients come in parts.
TEST(Partition, MatricesSpreadAsTheBatch) {
  const Partitioned made =
      Check(Training("[\"x\"=4]", "[{\"x\"}, {}]", "[{\"x\"}, {}]", "[{\"x\"}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), 2);
}

TEST(Partition, DevicesInAnOrderOfTheirOwn) {
  EXPECT_NE(Check(Training("[\"x\"=2, \"y\"=2], device_ids=[3, 1, 0, 2]", "[{\"x\"}, {}]",
                           "[{\"y\"}, {}]", "[{\"x\", \"y\"}, {}]"))
                .module,
            nullptr);
}

// The program itself says what each device does; what goes in and out is moved.
TEST(Partition, ManualComputations) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.negate %a : tensor<8x8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>]
        out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%b: tensor<2x8xf32>) {
      %2 = "stablehlo.all_to_all"(%b) <{split_dimension = 1 : i64, concat_dimension = 0 : i64,
          split_count = 4 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}>
          : (tensor<2x8xf32>) -> tensor<8x2xf32>
      sdy.return %2 : tensor<8x2xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = stablehlo.add %1, %1 : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const Status verified = Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  EXPECT_EQ(Body(**module), R"(entry @main(%0: f32[2,8]) {
  %1 = negate(%0) : f32[2,8]
  %2 = all_to_all(%1) {groups=[[0,1,2,3]], dimension=1, split_count=4} : f32[8,2]
  %3 = add(%2, %2) : f32[8,2]
  return(%3)
}
)");
}

TEST(Partition, WhatIsRefused) {
  struct Row {
    std::string_view mesh, body;
    StatusCode code;
    std::string_view words;
  };
  for (const Row& row : {
           Row{"[\"x\"=2]", "%0 = stablehlo.negate %a : tensor<8xf32>",
               StatusCode::kInvalidArgument, "the program is for 4 partitions"},
           Row{"[\"x\"=4]",
               "%i = stablehlo.partition_id : tensor<ui32>\n"
               "%f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>\n"
               "%0 = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<8xf32>",
               StatusCode::kUnimplemented, "partition_id at"},
           Row{"[\"x\"=4]",
               "%0 = \"stablehlo.custom_call\"(%a) <{call_target_name = \"print\", "
               "has_side_effect = true}> : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kUnimplemented, "it has effects"},
           Row{"[\"x\"=4]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "sdy.return %b : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kInvalidArgument, "argument 0 of the region is f32[4]; expected f32[2]"},
           Row{"[\"x\"=2, \"y\"=2]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "sdy.return %b : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kUnimplemented, "axis \"y\" is not manual"},
       }) {
    const std::string text = StrCat(
        "module attributes {mhlo.num_partitions = 4 : i32} {\n sdy.mesh @mesh = <", row.mesh,
        ">\n func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) "
        "-> tensor<8xf32> {\n",
        row.body, "\n return %0 : tensor<8xf32>\n}\n}");
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString() << text;
    const auto made = Partition(**module);
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.status().code(), row.code) << made.status().ToString();
    EXPECT_THAT(made.status().message(), HasSubstr(row.words));
  }
}

TEST(Partition, OverTooManyDevices) {
  auto module = testing::ReadInlined(std::as_bytes(std::span(std::string_view(
      "module attributes {mhlo.num_partitions = 8192 : i32} {\n"
      "func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> { return %a : tensor<8xf32> }\n}"))));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(Partition(**module).status().code(), StatusCode::kResourceExhausted);
}

// What needs the one sum waits for the other.
TEST(Partition, SumsWaitForOneAnother) {
  const Partitioned made = Check(R"(
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

// The flat axis is used in parts; outputs keep them.
TEST(Partition, GspmdTexts) {
  const Partitioned made = Check(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @main(
      %a: tensor<8x8xi32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
      %b: tensor<8x8xi32> {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}"})
      -> tensor<8x8xi32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
    return %0 : tensor<8x8xi32>
  }
})");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.module->entry->body->terminator()->operands[0]->type.ToString(), "s32[4,2]");
}

// Elements move along the one dimension that is spread.
TEST(Partition, FallsBackToWholeArrays) {
  const Partitioned made = Check(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.reverse %a, dims = [0] : tensor<8xi32>
    return %0 : tensor<8xi32>
  }
})");
  EXPECT_EQ(made.report.num_fallbacks, 1);
  EXPECT_EQ(made.report.fallback_bytes, 32);
}

}  // namespace
}  // namespace plinth::compiler::partition
