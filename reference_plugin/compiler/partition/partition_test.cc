// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/compiler/testing/partitioned_test_util.h"

namespace plinth::compiler::partition {
namespace {

using testing::Count;
using testing::ExpectPartitioned;
using ::testing::HasSubstr;
using testing::Partition;
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

TEST(Partition, DataParallelTraining) {
  const Partitioned made =
      ExpectPartitioned(Training("[\"x\"=4]", "[{\"x\"}, {}]", "[{}, {}]", "[{}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.report.num_fallbacks, 0);
  // Two gradients and the loss, at once; nothing else moves.
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
  EXPECT_EQ(Count(*made.module, Opcode::kAllToAll), 0);
}

TEST(Partition, TensorParallelTraining) {
  const Partitioned made =
      ExpectPartitioned(Training("[\"x\"=4]", "[{}, {}]", "[{}, {\"x\"}]", "[{\"x\"}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.report.num_fallbacks, 0);
  // The output of the second layer; gradients stay where the matrices are.
  EXPECT_EQ(Count(*made.module, Opcode::kAllReduce), 1);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
}

TEST(Partition, TrainingOverTwoAxes) {
  const Partitioned made = ExpectPartitioned(
      Training("[\"x\"=2, \"y\"=2]", "[{\"x\"}, {}]", "[{}, {\"y\"}]", "[{\"y\"}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(made.report.num_fallbacks, 0);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
}

// Matrices that the batch's devices share out are gathered before use; gradients come in parts.
TEST(Partition, MatricesSpreadAsTheBatch) {
  const Partitioned made =
      ExpectPartitioned(Training("[\"x\"=4]", "[{\"x\"}, {}]", "[{\"x\"}, {}]", "[{\"x\"}, {}]"));
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kReduceScatter), 2);
}

TEST(Partition, DevicesInAnOrderOfTheirOwn) {
  EXPECT_NE(ExpectPartitioned(Training("[\"x\"=2, \"y\"=2], device_ids=[3, 1, 0, 2]",
                                       "[{\"x\"}, {}]", "[{\"y\"}, {}]", "[{\"x\", \"y\"}, {}]"))
                .module,
            nullptr);
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
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\", \"z\"} "
               "(%b: tensor<4xf32>) {\n"
               "sdy.return %b : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kInvalidArgument, "manual axis \"z\" is not in the mesh"},
           Row{"[\"x\"=2, \"y\"=2]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"y\", \"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "sdy.return %b : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kInvalidArgument, "free axes before manual ones"},
           Row{"[\"x\"=2, \"y\"=2]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "%c = sdy.sharding_constraint %b <@mesh, [{\"x\"}]> : tensor<4xf32>\n"
               "sdy.return %c : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kInvalidArgument, "which is manual around it"},
           Row{"[\"x\"=2, \"y\"=2]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "%c = \"stablehlo.collective_permute\"(%b) <{source_target_pairs = "
               "dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>\n"
               "sdy.return %c : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kInvalidArgument, "between the devices 0 and 1"},
           Row{"[\"x\"=2, \"y\"=2]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "%i = stablehlo.partition_id : tensor<ui32>\n"
               "%f = stablehlo.convert %i : (tensor<ui32>) -> tensor<f32>\n"
               "%c = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<4xf32>\n"
               "sdy.return %c : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kUnimplemented, "where all axes are manual"},
           Row{"[\"x\"=2, \"y\"=2]",
               "%0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{\"x\"}]>] "
               "out_shardings=[<@mesh, [{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
               "%c = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}]>] "
               "out_shardings=[<@mesh, [{}]>] manual_axes={\"x\"} (%d: tensor<4xf32>) {\n"
               "sdy.return %d : tensor<4xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>\n"
               "sdy.return %c : tensor<4xf32>\n} : (tensor<8xf32>) -> tensor<8xf32>",
               StatusCode::kInvalidArgument, "is manual already"},
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

// The flat axis is used in parts; outputs keep them.
TEST(Partition, GspmdTexts) {
  const Partitioned made = ExpectPartitioned(R"(
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

// What one device has of twelve elements is no part of three rows.
constexpr std::string_view kCutElsewhere = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<12xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> tensor<3x4xi32> {
    %0 = stablehlo.reshape %a : (tensor<12xi32>) -> tensor<3x4xi32>
    return %0 : tensor<3x4xi32>
  }
})";

TEST(Partition, FallsBackToWholeArrays) {
  const Partitioned made = ExpectPartitioned(kCutElsewhere);
  EXPECT_EQ(made.report.num_fallbacks, 1);
  EXPECT_EQ(made.report.fallback_bytes, 48);
  EXPECT_TRUE(made.report.warnings.empty());
}

TEST(Partition, WhereItFallsBackIsSaidOrRefused) {
  for (const Fallback fallback : {Fallback::kWarn, Fallback::kError}) {
    auto module = testing::ReadInlined(std::as_bytes(std::span(kCutElsewhere)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    PartitionOptions options;
    options.fallback = fallback;
    const auto made = Partition(**module, options);
    if (fallback == Fallback::kError) {
      EXPECT_EQ(made.status().code(), StatusCode::kUnimplemented);
      EXPECT_THAT(made.status().message(), HasSubstr("reshape at"));
      continue;
    }
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    ASSERT_EQ(made->warnings.size(), 1u);
    EXPECT_THAT(made->warnings[0], HasSubstr("48 bytes"));
  }
}

// The one has the sharding that the other is given; a barrier keeps it from what comes after.
TEST(Partition, GroupsAndBarriers) {
  const Partitioned made = ExpectPartitioned(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>},
                  %b: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
    %0 = stablehlo.negate %b : tensor<8xi32>
    sdy.sharding_group %a group_id = 0 : tensor<8xi32>
    sdy.sharding_group %0 group_id = 0 : tensor<8xi32>
    %1 = sdy.propagation_barrier %0 allowed_direction = BACKWARD : tensor<8xi32>
    return %0, %1 : tensor<8xi32>, tensor<8xi32>
  }
})");
  ASSERT_NE(made.module, nullptr);
  const auto& returned = made.module->entry->body->terminator()->operands;
  EXPECT_EQ(returned[0]->type.ToString(), "s32[2]");
  EXPECT_EQ(returned[1]->type.ToString(), "s32[8]");
}

// What is given away and fits no output is not: each device's part counts.
TEST(Partition, DonationsThatFitNoOutput) {
  const Partitioned made = ExpectPartitioned(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x2xi32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                  %b: tensor<8x2xi32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
      -> (tensor<8x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.add %a, %b : tensor<8x2xi32>
    return %0 : tensor<8x2xi32>
  }
})");
  ASSERT_NE(made.module, nullptr);
  ASSERT_EQ(made.module->donations.size(), 1u);
  EXPECT_EQ(made.module->donations[0].argument, 0);
}

TEST(Partition, WhatIsNotFreeEveryDeviceHas) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
    %0 = stablehlo.add %a, %b : tensor<8xi32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xi32>
    %2 = stablehlo.negate %1 : tensor<8xi32>
    return %1, %2 : tensor<8xi32>, tensor<8xi32>
  }
})";
  using Free = std::vector<bool>;
  for (const auto& [parameters, outputs, types] :
       {std::tuple(Free{}, Free{}, std::vector<int64_t>{2, 2, 2, 2}),
        {Free{true}, Free{true}, {2, 2, 2, 2}},
        {Free{false}, Free{false}, {8, 8, 8, 8}},
        {Free{false, true}, Free{true, false}, {8, 2, 2, 8}}}) {
    auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    PartitionOptions options;
    options.free_parameters = parameters;
    options.free_outputs = outputs;
    const auto report = Partition(**module, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    const Block& body = *(*module)->entry->body;
    std::vector<int64_t> found;
    for (const Value* value : body.arguments) found.push_back(value->type.dims[0]);
    for (const Value* value : body.terminator()->operands) found.push_back(value->type.dims[0]);
    EXPECT_EQ(found, types);
  }
}

// As JAX calls what was exported for one device.
TEST(Partition, AMeshOfOneDeviceSpreadsNothing) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @one = <["i"=1]>
  sdy.mesh @mesh = <["i"=8]>
  func.func public @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"i"}]>}) -> tensor<8xi32> {
    %0 = sdy.sharding_constraint %a <@one, [{"i"}]> : tensor<8xi32>
    %1 = stablehlo.negate %0 : tensor<8xi32>
    return %1 : tensor<8xi32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ((*module)->entry->argument_shardings.size(), 0u);
}

}  // namespace
}  // namespace plinth::compiler::partition
