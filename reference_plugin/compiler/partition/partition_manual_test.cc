// SPDX-License-Identifier: Apache-2.0
// Regions and calls in which the program itself says what each device does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lanes.h"
#include "reference_plugin/compiler/testing/partitioned.h"
#include "reference_plugin/compiler/testing/partitioned_test_util.h"

namespace plinth::compiler::partition {
namespace {

using testing::Count;
using ::testing::HasSubstr;
using testing::Partition;

// The program itself says what each device does; what goes in and out is moved.
TEST(PartitionManual, ManualComputations) {
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

TEST(PartitionManual, ManualInPart) {
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
TEST(PartitionManual, ManualWithinManual) {
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

// Shardy's form of manual computations for old VHLO, which JAX exported in 2025.
TEST(PartitionManual, ManualInCallsOfShardy) {
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
TEST(PartitionManual, ManualInCalls) {
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
TEST(PartitionManual, PartlyManualInCalls) {
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

TEST(PartitionManual, WrongCallsOfManual) {
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
