// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"
#include "reference_plugin/compiler/mapping/device_mapping.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::mapping {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSum = R"(({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }))";

// A module of that many replicas and partitions around ops that make %0 of %a.
std::string Program(int replicas, int partitions, std::string_view ops,
                    std::string_view result = "tensor<4xf32>") {
  return StrCat("module attributes {mhlo.num_replicas = ", replicas,
                " : i32, mhlo.num_partitions = ", partitions,
                " : i32} {\nfunc.func @main(%a: tensor<4xf32>) -> ", result, " {\n", ops,
                "\nreturn %0 : ", result, "\n}\n}");
}

Expected<std::string> Mapped(std::string_view text) {
  const auto module = ImportText(text);
  if (module == nullptr) return Internal("no module");
  PLINTH_RETURN_IF_ERROR(MapToDevices(*module, testing::kPlainTarget.collectives));
  const Status verified = Verify(*module);
  EXPECT_TRUE(verified.ok()) << verified.ToString() << "\n" << ToString(*module);
  return Body(*module);
}

std::string AllReduce(std::string_view attributes) {
  return StrCat("%0 = \"stablehlo.all_reduce\"(%a) <{", attributes, "}> ", kSum,
                " : (tensor<4xf32>) -> tensor<4xf32>");
}
std::string Permute(std::string_view attributes) {
  return StrCat("%0 = \"stablehlo.collective_permute\"(%a) <{", attributes,
                "}> : (tensor<4xf32>) -> tensor<4xf32>");
}

constexpr std::string_view kChannel =
    "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";

// Two replicas of three partitions: lane = 3 * replica + partition.
TEST(LaneGroups, InTheFourWaysOfNumberingDevices) {
  struct Row {
    std::string op;
    std::string_view groups;
  };
  for (const Row& row : {
           // Replicas, in each partition.
           Row{AllReduce("replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>"),
               "groups=[[3,0],[4,1],[5,2]]"},
           Row{AllReduce("replica_groups = dense<> : tensor<0x0xi64>"),
               "groups=[[0,3],[1,4],[2,5]]"},
           // Replicas and all partitions.
           Row{AllReduce(StrCat("replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, ", kChannel)),
               "groups=[[3,0,4,1,5,2]]"},
           // Lanes.
           Row{AllReduce(StrCat(
                   "replica_groups = dense<[[5, 0, 1, 2], [3, 4, -1, -1]]> : tensor<2x4xi64>, ",
                   kChannel, ", use_global_device_ids")),
               "groups=[[5,0,1,2],[3,4]]"},
           // Partitions, in each replica.
           Row{StrCat("%0 = \"stablehlo.collective_broadcast\"(%a) <{replica_groups = "
                      "dense<[[2, 0, 1]]> : tensor<1x3xi64>, ",
                      kChannel, "}> : (tensor<4xf32>) -> tensor<4xf32>"),
               "groups=[[2,0,1],[5,3,4]]"},
           Row{Permute(
                   StrCat("source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>, ", kChannel)),
               "groups=[[0,2],[3,5]]"},
           Row{Permute("source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>"),
               "groups=[[0,3],[1,4],[2,5]]"},
       }) {
    const Expected<std::string> text = Mapped(Program(2, 3, row.op));
    ASSERT_TRUE(text.ok()) << text.status().ToString() << row.op;
    EXPECT_THAT(*text, HasSubstr(row.groups)) << row.op;
    EXPECT_THAT(*text, HasSubstr("global_ids=true"));
  }
}

// Two collectives that need one another, of 4 of 8 devices each.
TEST(LaneGroups, AreSharedByCollectivesAlongTheSameAxes) {
  const auto module = ImportText(StrCat(R"(
module attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>})
      -> tensor<4xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.multiply %a, %1 : tensor<8x4xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
})"));
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(MapToDevices(*module, testing::kPlainTarget.collectives).ok());
  std::vector<DeviceGroups> groups;
  for (const Op* op : module->entry->body->ops) {
    if (op->opcode != Opcode::kAllReduce) continue;
    groups.push_back(op->Get<CollectiveAttributes>().groups);
  }
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(groups[0].lists(), ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
  EXPECT_EQ(groups[0].id(), groups[1].id());
}

TEST(LaneGroups, OfOneLaneExchangeNothing) {
  Expected<std::string> text =
      Mapped(Program(2, 1, AllReduce("replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>")));
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_THAT(*text, Not(HasSubstr("all_reduce")));
  text = Mapped(Program(2, 1, Permute("source_target_pairs = dense<> : tensor<0x2xi64>")));
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_THAT(*text, HasSubstr("%1 = constant() {value=0} : f32[4]"));
}

TEST(LaneGroups, NameEachDeviceOnce) {
  struct Row {
    std::string op;
    std::string_view words;
  };
  for (const Row& row : {
           Row{AllReduce("replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>"),
               "replica_groups names device 0 twice"},
           Row{AllReduce("replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>"),
               "device 2 is named; expected a number in [0, 2)"},
           Row{AllReduce("replica_groups = dense<[[1]]> : tensor<1x1xi64>"),
               "replica_groups does not name device 0"},
           Row{AllReduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, "
                         "use_global_device_ids"),
               "use_global_device_ids needs a channel"},
           Row{Permute("source_target_pairs = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>"),
               "source_target_pairs has target 1 twice"},
           Row{Permute("source_target_pairs = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>"),
               "source_target_pairs has source 0 twice"},
           Row{Permute("source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>"),
               "device 2 is named"},
       }) {
    const Expected<std::string> text = Mapped(Program(2, 1, row.op));
    ASSERT_FALSE(text.ok()) << row.op;
    EXPECT_EQ(text.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(text.status().message()), HasSubstr(row.words));
  }
}

TEST(LaneGroups, HaveTheSizeThatTypesSay) {
  const auto gather = [](int extent) {
    return Program(2, 1,
                   StrCat("%0 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, "
                          "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
                          "(tensor<4xf32>) -> tensor<",
                          extent, "xf32>"),
                   StrCat("tensor<", extent, "xf32>"));
  };
  EXPECT_TRUE(Mapped(gather(8)).ok());
  const Expected<std::string> text = Mapped(gather(12));
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(text.status().message()),
              HasSubstr("result 0 is f32[12] of f32[4] in groups of 2"));
}

// What a mesh of 2 x 4 devices is asked for, in any way.
std::string OnMesh(std::string_view body, std::string_view argument = "",
                   std::string_view result = "", std::string_view mesh = R"(["x"=2, "y"=4])") {
  return StrCat("module attributes {mhlo.num_partitions = 8 : i32} {\n  sdy.mesh @mesh = <", mesh,
                ">\n  func.func @main(%a: tensor<8x8xf32> ", argument, ") -> (tensor<8x8xf32> ",
                result, ") {\n", body, "\nreturn %0 : tensor<8x8xf32>\n}\n}");
}

constexpr std::string_view kManual = R"(
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>]
        out_shardings=[<@mesh, [{"y", "x"}, {}]>] manual_axes={"x", "y"} (%b: tensor<4x2xf32>) {
      %c = stablehlo.reshape %b : (tensor<4x2xf32>) -> tensor<1x8xf32>
      sdy.return %c : tensor<1x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>)";

TEST(Partitions, ManualBodiesAreTheProgramOfADevice) {
  for (const std::string_view argument :
       {"", R"({sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})"}) {
    const auto module = ImportText(OnMesh(kManual, argument));
    ASSERT_NE(module, nullptr);
    const Status status = MapToDevices(*module, testing::kPlainTarget.collectives);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(Verify(*module).ok());
    const std::string text = Body(*module);
    EXPECT_THAT(text, HasSubstr(": f32[4,2])"));
    EXPECT_THAT(text, HasSubstr(": f32[1,8]"));
    EXPECT_THAT(text, Not(HasSubstr("sharding")));
    ASSERT_EQ(module->parameter_shardings.size(), 1u);
    ASSERT_EQ(module->output_shardings.size(), 1u);
    const auto read = [](const std::string& proto) {
      return *messages::ReadOpSharding(std::as_bytes(std::span(proto.data(), proto.size())));
    };
    EXPECT_THAT(read(module->parameter_shardings[0]).tile_dimensions, ElementsAre(2, 4));
    EXPECT_THAT(read(module->output_shardings[0]).tile_dimensions, ElementsAre(8, 1));
  }
}

TEST(Partitions, WhatIsReplicatedIsComputedEverywhere) {
  const auto module = ImportText(OnMesh("%0 = stablehlo.add %a, %a : tensor<8x8xf32>"));
  ASSERT_NE(module, nullptr);
  ASSERT_TRUE(MapToDevices(*module, testing::kPlainTarget.collectives).ok());
  EXPECT_THAT(Body(*module), HasSubstr("add"));
  EXPECT_THAT(Body(*module), HasSubstr(": f32[8,8]"));
  EXPECT_EQ(module->output_shardings[0], std::string("\x08\x00", 2));
}

TEST(Partitions, WhatDoesNotFitIsRefused) {
  struct Row {
    std::string text;
    std::string_view words;
  };
  for (const Row& row : {
           Row{OnMesh(kManual, "", "", R"(["x"=2, "y"=2])"), "the program is for 8 partitions"},
           Row{OnMesh(kManual, "", "", R"(["x"=4, "y"=2])"),
               "argument 0 of the region is f32[4,2]; expected f32[2,4]"},
       }) {
    const Expected<std::string> text = Mapped(row.text);
    ASSERT_FALSE(text.ok()) << row.text;
    EXPECT_EQ(text.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(text.status().message()), HasSubstr(row.words));
  }
}

}  // namespace
}  // namespace plinth::compiler::mapping
