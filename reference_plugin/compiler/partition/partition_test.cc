// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/partition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lanes.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/program/sharding_text.h"

namespace plinth::compiler::partition {
namespace {

using testing::CheckPartitioned;
using testing::Count;
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

// Sums over the one axis are the program's, sums over the other the partitioner's. `inner` stands
// in the region; %b is of s32[4,8].
struct ManualRun {
  std::unique_ptr<Module> module;
  std::vector<testing::Numbers> results;  // by device
};
ManualRun ManualInPart(std::string_view inner) {
  const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> tensor<8x8xi32> {
    %k = stablehlo.constant dense<3> : tensor<4x8xi32>
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x", ?}, {?}]>]
        out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%b: tensor<4x8xi32>) {
      )",
                                  inner, R"(
      sdy.return %c : tensor<4x8xi32>
    } : (tensor<8x8xi32>) -> tensor<8x8xi32>
    return %0 : tensor<8x8xi32>
  }
})");
  auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  ManualRun made;
  if (!module.ok()) return made;
  const auto report = Partition(**module);
  EXPECT_TRUE(report.ok()) << report.status().ToString();
  if (!report.ok()) return made;
  made.module = *std::move(module);
  const Status verified = Verify(*made.module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  // Each device has its numbers, row by row of the mesh: x, y.
  std::vector<std::vector<testing::Numbers>> parts(4);
  for (size_t device = 0; device < 4; ++device) {
    testing::Numbers& part = parts[device].emplace_back();
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 4; ++j) {
        part.push_back(static_cast<double>((device / 2 * 4 + i) * 8 + device % 2 * 4 + j));
      }
    }
  }
  auto results = testing::RunLanes(*made.module, parts);
  EXPECT_TRUE(results.ok()) << results.status().ToString();
  if (results.ok()) {
    for (const auto& each : *results) made.results.push_back(each[0]);
  }
  return made;
}

TEST(Partition, ManualInPart) {
  // Elementwise and a sum over x: what y spreads stays spread.
  const ManualRun sum = ManualInPart(R"(
      %k2 = stablehlo.add %b, %k : tensor<4x8xi32>
      %c = "stablehlo.all_reduce"(%k2) <{replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
        ^bb0(%p: tensor<i32>, %q: tensor<i32>):
          %r = stablehlo.add %p, %q : tensor<i32>
          %t = sdy.sharding_constraint %r <@mesh, []> : tensor<i32>
          stablehlo.return %t : tensor<i32>
      }) : (tensor<4x8xi32>) -> tensor<4x8xi32>)");
  ASSERT_NE(sum.module, nullptr);
  EXPECT_EQ(Count(*sum.module, Opcode::kAllGather), 0);
  EXPECT_EQ(Count(*sum.module, Opcode::kAllReduce), 1);
  ASSERT_EQ(sum.results.size(), 4u);
  // Element (0, 0) of device x, y=1: (0*8+4 + 3) + (4*8+4 + 3).
  EXPECT_EQ(sum.results[1][0], 46);
  EXPECT_EQ(sum.results[3][0], 46);

  // Elements move along what y spreads, among devices of one x.
  const ManualRun reversed =
      ManualInPart("%c = stablehlo.reverse %b, dims = [1] : tensor<4x8xi32>");
  ASSERT_NE(reversed.module, nullptr);
  EXPECT_EQ(Count(*reversed.module, Opcode::kAllGather), 0);
  EXPECT_EQ(Count(*reversed.module, Opcode::kRedistribute), 1);
  ASSERT_EQ(reversed.results.size(), 4u);
  for (size_t device = 0; device < 4; ++device) {
    // Whole rows of 8 or their half, as the output is spread.
    EXPECT_EQ(reversed.results[device][0], device / 2 * 32 + (device % 2 == 0 ? 7 : 3));
  }
}

// The number of the device is known where both axes are manual; outside, it differs along the axis
// that is manual there.
TEST(Partition, ManualWithinManual) {
  const ManualRun made = ManualInPart(R"(
      %i = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>]
          manual_axes={"y"} () {
        %id = stablehlo.partition_id : tensor<ui32>
        %two = stablehlo.constant dense<2> : tensor<ui32>
        %x = stablehlo.divide %id, %two : tensor<ui32>
        %s = stablehlo.convert %x : (tensor<ui32>) -> tensor<i32>
        sdy.return %s : tensor<i32>
      } : () -> tensor<i32>
      %j = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<4x8xi32>
      %d = sdy.manual_computation(%b) in_shardings=[<@mesh, [{}, {"y"}]>]
          out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%e: tensor<4x4xi32>) {
        %f = stablehlo.add %e, %e : tensor<4x4xi32>
        sdy.return %f : tensor<4x4xi32>
      } : (tensor<4x8xi32>) -> tensor<4x8xi32>
      %c = stablehlo.add %d, %j : tensor<4x8xi32>)");
  ASSERT_NE(made.module, nullptr);
  EXPECT_EQ(Count(*made.module, Opcode::kAllGather), 0);
  ASSERT_EQ(made.results.size(), 4u);
  EXPECT_EQ(made.results[1][0], 2 * 4 + 0);
  EXPECT_EQ(made.results[2][0], 2 * 32 + 1);
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
  const Partitioned made = Check(kCutElsewhere);
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

// A value of which the devices have terms is one to the next op, too, and reduced at the last.
TEST(Partition, TermsOfSums) {
  const Partitioned made = Check(R"(
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
TEST(Partition, TermsOfWiderFloats) {
  for (const auto& [wide, reduces] : {std::pair("f32", 0), std::pair("f16", 1)}) {
    const Partitioned made =
        Check(StrCat(R"(
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
TEST(Partition, TermsInLoops) {
  const Partitioned made = Check(R"(
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
TEST(Partition, ArraysBecomeTerms) {
  for (const std::string_view dims : {"[{}, {}]", "[{\"x\"}, {}]", "[{\"y\", \"x\"}, {}]"}) {
    const Partitioned made = Check(StrCat(R"(
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

// The one has the sharding that the other is given; a barrier keeps it from what comes after.
TEST(Partition, GroupsAndBarriers) {
  const Partitioned made = Check(R"(
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

// Each device scatters its updates; what was there counts once.
TEST(Partition, ScattersOfSpreadUpdates) {
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

// What is given away and fits no output is not: each device's part counts.
TEST(Partition, DonationsThatFitNoOutput) {
  const Partitioned made = Check(R"(
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

// Foreign code that computes each matrix on its own runs on the matrices that a device has; a rule
// says how shardings go through, whatever order the dimensions have in memory.
TEST(Partition, CustomCalls) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x3x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
      -> tensor<8x3x5xf32> {
    %0 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {NUMBER
        sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=8, j=3, k=5} need_replication={j, k}, custom>,
        operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}
        : (tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
    return %0 : tensor<8x3x5xf32>
  }
})";
  for (const bool has_batches : {false, true}) {
    std::string text(kText);
    const std::string_view number =
        has_batches ? "mhlo.frontend_attributes = {num_batch_dims = \"1\"}, " : "";
    text.replace(text.find("NUMBER"), 6, number);
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto report = Partition(**module);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_EQ(report->num_fallbacks, has_batches ? 0 : 1);
    EXPECT_EQ(Count(**module, Opcode::kAllGather), has_batches ? 0 : 1);
    // The output is spread as the operand in either case.
    EXPECT_EQ((*module)->entry->body->terminator()->operands[0]->type.ToString(), "f32[2,3,5]");
  }
}

// Calls of @twice are partitioned by somebody else, with the module and the shardings given here.
class Others final : public CallPartitioners {
 public:
  bool Has(std::string_view target) const override { return target == "twice"; }
  Expected<Part> Partition(const Op&, std::span<const Array> operands,
                           std::span<const Array> results, int64_t) override {
    told.push_back(program::WriteShardingText(operands[0].sharding));
    Part part;
    PLINTH_ASSIGN_OR_RETURN(part.module, testing::ReadInlined(std::as_bytes(std::span(program))));
    part.operands = {whole ? program::OpSharding() : operands[0].sharding};
    part.results = {whole ? program::OpSharding() : results[0].sharding};
    return part;
  }
  Status Tell(std::string_view config, const program::OpSharding& sharding) override {
    told.push_back(StrCat(config, " ", program::WriteShardingText(sharding)));
    return Status();
  }

  std::string program;
  bool whole = false;  // every device has all of the operand and the result
  std::vector<std::string> told;
};

TEST(Partition, CallsThatOthersPartition) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
      -> (tensor<8x4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    stablehlo.custom_call @InspectSharding(%a) {has_side_effect = true, backend_config = "me"}
        : (tensor<8x4xi32>) -> tensor<8x4xi32>
    %0 = stablehlo.custom_call @twice(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>}
        : (tensor<8x4xi32>) -> tensor<8x4xi32>
    return %0 : tensor<8x4xi32>
  }
})";
  const auto twice = [](std::string_view type) {
    return StrCat("func.func @main(%a: ", type, ") -> ", type,
                  " {\n%0 = stablehlo.add %a, %a : ", type, "\nreturn %0 : ", type, "\n}");
  };
  for (const bool whole : {false, true}) {
    Others others;
    others.whole = whole;
    others.program = twice(whole ? "tensor<8x4xi32>" : "tensor<4x2xi32>");
    auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    PartitionOptions options;
    options.others = &others;
    options.tells_shardings = !whole;
    const auto report = Partition(**module, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    EXPECT_TRUE(Verify(**module).ok());
    const std::string text = ToString(**module);
    EXPECT_THAT(text, ::testing::ContainsRegex(whole ? "add\\(.*\\) : s32\\[8,4\\]"
                                                     : "add\\(.*\\) : s32\\[4,2\\]"));
    EXPECT_EQ(Count(**module, Opcode::kAllGather), whole ? 2 : 0) << text;
    std::vector<std::string> told = {"me {devices=[2,2]<=[4]T(0)}", "{devices=[2,2]<=[4]T(0)}"};
    if (whole) told.erase(told.begin());
    EXPECT_EQ(others.told, told);
  }
  // A program of other parts.
  Others others;
  others.program = twice("tensor<8x2xi32>");
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok());
  PartitionOptions options;
  options.others = &others;
  const auto report = Partition(**module, options);
  EXPECT_EQ(report.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(report.status().message()),
              HasSubstr("what its partitioner says of operand 0"));
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

TEST(Partition, EffectsOnTheDeviceThatHasThem) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @third = <[], device_ids=[2]>
  func.func @main(%a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xi32> {
    %0 = stablehlo.custom_call @print(%a) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@third, []>]>}
        : (tensor<8xi32>) -> tensor<8xi32>
    return %0 : tensor<8xi32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  const Status verified = Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  const std::string text = ToString(**module);
  EXPECT_THAT(text, HasSubstr("all_gather"));
  EXPECT_THAT(text, HasSubstr("constant() {value=2} : s32[]"));
  EXPECT_THAT(text, HasSubstr("collective_broadcast"));
  EXPECT_THAT(text, HasSubstr("[[2,0,1,3]]"));
}

// As JAX sends an ordered callback, whose turn a token hands on.
TEST(Partition, EffectsInTheOrderOfTheirTokens) {
  for (const std::string_view sharding : {"sdy.sharding = #sdy.sharding_per_value<[<@first, []>]>",
                                          "mhlo.sharding = \"{maximal device=0}\""}) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @first = <[], device_ids=[0]>
  func.func @main(%t: !stablehlo.token, %a: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> !stablehlo.token {
    %0 = stablehlo.custom_call @print(%t, %a) {has_side_effect = true, )",
                                    sharding, R"(}
        : (!stablehlo.token, tensor<8xi32>) -> !stablehlo.token
    return %0 : !stablehlo.token
  }
})");
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto report = Partition(**module);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    const Status verified = Verify(**module);
    EXPECT_TRUE(verified.ok()) << verified.ToString();
    const std::string partitioned = ToString(**module);
    EXPECT_THAT(partitioned, HasSubstr("after_all"));
    // All know that it has happened; there is nothing to send.
    EXPECT_THAT(partitioned, Not(HasSubstr("collective_broadcast")));
  }
}

TEST(Partition, WrongRulesOfCustomCalls) {
  struct Row {
    std::string_view rule, words;
  };
  for (const Row& row : {
           Row{"([i, j])->([i]) {i=8, j=3}", "it has 2 dimensions for f32[8]"},
           Row{"([i])->([i]) {i=4}", "make 4"},
           Row{"([i], [i])->([i]) {i=8}", "it is for 2 arrays"},
       }) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @foo(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<)",
                                    row.rule, R"(, custom>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
})");
    const auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_FALSE(module.ok()) << row.rule;
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(module.status().message(), HasSubstr(row.words));
  }
}

// Shardy's form of manual computations for old VHLO, which JAX exported in 2025.
TEST(Partition, ManualInCallsOfShardy) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32, mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=2]>}"}} {
  func.func public @main(%a: tensor<4x8xf32>, %b: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
    %0:2 = stablehlo.custom_call @local_xla.sdy.GlobalToLocalShape(%a, %b) {has_side_effect = true, mhlo.frontend_attributes = {
        xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>, <@mesh, [{}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}}
        : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<8xf32>)
    %1:2 = call @xla.sdy.manual_computation_body(%0#0, %0#1) : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<2x8xf32>, tensor<8xf32>)
    %2:2 = stablehlo.custom_call @local_xla.sdy.LocalToGlobalShape(%1#0, %1#1) {mhlo.frontend_attributes = {
        xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>, <@mesh, [{}]>]>"}}
        : (tensor<2x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    return %2#0, %2#1 : tensor<4x8xf32>, tensor<8xf32>
  }
  func.func @xla.sdy.manual_computation_body(%a: tensor<2x8xf32>, %b: tensor<8xf32>) -> (tensor<2x8xf32>, tensor<8xf32>) {
    %0 = stablehlo.add %a, %a : tensor<2x8xf32>
    return %0, %b : tensor<2x8xf32>, tensor<8xf32>
  }
})";
  const auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_THAT(ToString(**module), HasSubstr("manual_axes={\"x\"}"));
  const Status made = Partition(**module).status();
  EXPECT_TRUE(made.ok()) << made.ToString();
  const Status verified = Verify(**module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();

  // Each call is there with the other alone; and what it says has to fit.
  const auto refusal_of = [&](std::string_view from, std::string_view to) {
    std::string text(kText);
    const size_t at = text.find(from);
    text.replace(at, from.size(), to);
    const auto read = testing::ReadInlined(std::as_bytes(std::span(text)));
    return read.ok() ? Partition(**read).status() : read.status();
  };
  EXPECT_THAT(refusal_of("return %2#0, %2#1", "return %2#0, %0#1").message(),
              HasSubstr("it is not beside a call"));
  EXPECT_THAT(
      refusal_of("<@mesh, [{}]>]>\", xla", "<@mesh, [{}]>, <@mesh, [{}]>]>\", xla").message(),
      HasSubstr("3 shardings"));
  EXPECT_EQ(refusal_of("[{\\22x\\22}, {}]", "[{\\22y\\22}, {}]").code(),
            StatusCode::kInvalidArgument);
  EXPECT_THAT(refusal_of("#sdy<manual_axes{", "#sdy<manual_ax{").message(), HasSubstr("manual_ax"));
}

// GSPMD says by calls what each device does.
TEST(Partition, ManualInCalls) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xi32>) -> tensor<8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8xi32>) -> tensor<2xi32>
    %id = stablehlo.partition_id : tensor<ui32>
    %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
    %j = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.add %1, %j : tensor<2xi32>
    %3 = "stablehlo.collective_permute"(%2) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
    %4 = stablehlo.custom_call @Sharding(%3) {mhlo.sharding = "{manual}"} : (tensor<2xi32>) -> tensor<2xi32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<2xi32>) -> tensor<8xi32>
    %6 = stablehlo.negate %5 : tensor<8xi32>
    return %6 : tensor<8xi32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(Count(**module, Opcode::kAllGather), 0);
  EXPECT_EQ((*module)->entry->body->terminator()->operands[0]->type.ToString(), "s32[2]");
}

// As JAX says it of some axes: "x" of 2 is manual, "y" of 4 the partitioner's but in @inner.
TEST(Partition, PartlyManualInCalls) {
  constexpr std::string_view kText = R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  func.func public @main(%a: tensor<4x8xi32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) -> tensor<4x8xi32> {
    %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<4x8xi32>) -> tensor<4x8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<4x8xi32>) -> tensor<2x8xi32>
    %2 = call @outer(%1) : (tensor<2x8xi32>) -> tensor<2x8xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<2x8xi32>) -> tensor<2x8xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"} : (tensor<2x8xi32>) -> tensor<4x8xi32>
    return %4 : tensor<4x8xi32>
  }
  func.func private @outer(%a: tensor<2x8xi32>) -> tensor<2x8xi32> {
    %0 = call @inner() : () -> tensor<i32>
    %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{manual}"} : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2,4]<=[8] last_tile_dims={manual, replicated}}"} : (tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2x8xi32>
    %4 = stablehlo.add %a, %3 : tensor<2x8xi32>
    %5 = stablehlo.custom_call @Sharding(%4) {mhlo.sharding = "{devices=[1,4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"} : (tensor<2x8xi32>) -> tensor<2x8xi32>
    return %5 : tensor<2x8xi32>
  }
  func.func private @inner() -> tensor<i32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
})";
  auto module = testing::ReadInlined(std::as_bytes(std::span(kText)));
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  EXPECT_EQ(Count(**module, Opcode::kManualComputation), 2);
  const auto report = Partition(**module);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(Count(**module, Opcode::kAllGather), 0);
  EXPECT_EQ((*module)->entry->body->terminator()->operands[0]->type.ToString(), "s32[2,2]");
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

TEST(Partition, WrongCallsOfManual) {
  struct Row {
    std::string_view sharding, type;
    StatusCode code;
    std::string_view words;
  };
  for (const Row& row : {
           Row{"{manual}", "tensor<4xi32>", StatusCode::kInvalidArgument,
               "its sharding says s32[2]"},
           Row{"{devices=[1,4]<=[4] last_tile_dims={manual}}", "tensor<4xi32>",
               StatusCode::kInvalidArgument, "its sharding says s32[2]"},
           // No function is called between the borders.
           Row{"{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}", "tensor<4xi32>",
               StatusCode::kUnimplemented, "over some of the axes"},
       }) {
    const std::string text = StrCat(R"(
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8xi32>) -> )",
                                    row.type, R"( {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[4]<=[4]}"} : (tensor<8xi32>) -> tensor<8xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = ")",
                                    row.sharding, R"("} : (tensor<8xi32>) -> )", row.type, R"(
    return %1 : )",
                                    row.type, "\n}\n}");
    auto module = testing::ReadInlined(std::as_bytes(std::span(text)));
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto made = Partition(**module);
    EXPECT_EQ(made.status().code(), row.code) << made.status().ToString();
    EXPECT_THAT(made.status().message(), HasSubstr(row.words));
  }
}

}  // namespace
}  // namespace plinth::compiler::partition
