// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"

// Shardings in the forms of text; the sdy form is tested in mapping/one_device_test.cc.
namespace plinth::compiler::importer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFour =
    "module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n";

std::string Imported(std::string_view text) {
  const auto module = ImportText(text);
  return module == nullptr ? "" : ToString(*module);
}

TEST(ShardingReader, Gspmd) {
  const std::string text = Imported(StrCat(kFour, R"(
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"},
                  %b: tensor<8x8xf32> {mhlo.sharding = "{manual}"})
      -> (tensor<8x8xf32> {mhlo.sharding = "{devices=[1,4]0,1,2,3}"}) {
    %0 = stablehlo.add %a, %b : tensor<8x8xf32>
    %1 = stablehlo.custom_call @Sharding(%0)
        {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[4,1]<=[4]}"}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = stablehlo.custom_call @Sharding(%1) {mhlo.sharding = "{manual}"}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
})"));
  for (const char* words : {
           R"([{"devices":(1)2}, {"devices":(2)2}]>, none])",
           R"(sharding_constraint(%2) {shardings=[)",
           R"([{"devices"}, {?}]>]})",
           R"(results of @main [#sdy.sharding<mesh<["devices"=4]>, [{}, {"devices"}]>])",
       }) {
    EXPECT_THAT(text, HasSubstr(words));
  }
  EXPECT_THAT(text, Not(HasSubstr("custom_call")));
}

std::string AllReduce(std::string_view groups) {
  return StrCat(kFour, R"(
  sdy.mesh @m = <["x"=2, "y"=2]>
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = )",
                groups, R"(, use_global_device_ids}> ({
      ^bb0(%x: tensor<f32>, %y: tensor<f32>):
        %1 = stablehlo.add %x, %y : tensor<f32>
        stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})");
}

// As JAX from 0.12 on writes them.
TEST(ShardingReader, GroupsByAxesOfAMesh) {
  const auto groups = [](std::string_view mesh, std::string_view axes) {
    return Imported(AllReduce(
        StrCat("#stablehlo.replica_group_mesh_axes<mesh = ", mesh, ", axes = [", axes, "]>")));
  };
  constexpr std::string_view kX = "#stablehlo.axis_ref<name = \"x\">";
  constexpr std::string_view kY = "#stablehlo.axis_ref<name = \"y\">";
  EXPECT_EQ(groups("@m", kX), Imported(AllReduce("dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>")));
  EXPECT_EQ(groups("@m", kY), Imported(AllReduce("dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>")));
  EXPECT_EQ(groups("@m", StrCat(kY, ", ", kX)),
            Imported(AllReduce("dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>")));
  EXPECT_EQ(groups("@m", ""), Imported(AllReduce("dense<[[0], [1], [2], [3]]> : tensor<4x1xi64>")));
  for (const auto& [mesh, axes, words] : {
           std::tuple{std::string_view("@n"), kX, "there is no such mesh"},
           {"@m", "#stablehlo.axis_ref<name = \"z\">", "the mesh has no axis \"z\""},
       }) {
    auto program = program::ReadText(AllReduce(
        StrCat("#stablehlo.replica_group_mesh_axes<mesh = ", mesh, ", axes = [", axes, "]>")));
    ASSERT_TRUE(program.ok()) << program.status().ToString();
    const auto module = importer::Import(*std::move(program));
    ASSERT_FALSE(module.ok());
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(words));
  }
}

std::string ImportedFor(std::string_view text, const NumDevices& asked) {
  auto program = program::ReadText(text);
  if (!program.ok()) return program.status().ToString();
  const auto module = Import(*std::move(program), asked);
  return module.ok() ? ToString(**module) : module.status().ToString();
}

// PyTorch/XLA names the number of partitions in the compile options alone.
TEST(ShardingReader, GspmdWhereTheOptionsAloneSayHowManyDevices) {
  constexpr std::string_view kSharded = R"({
  func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = "{devices=[4,1]0,1,2,3}"})
      -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[1,4]0,1,2,3}"}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
})";
  const std::string by_options = ImportedFor(StrCat("module ", kSharded), {1, 4});
  EXPECT_THAT(by_options, HasSubstr(R"(arguments of @main [#sdy.sharding<)"));
  EXPECT_THAT(by_options, HasSubstr("sharding_constraint"));
  EXPECT_EQ(by_options,
            Imported(StrCat("module attributes {mhlo.num_partitions = 4 : i32} ", kSharded)));
  // On one device they say nothing.
  EXPECT_THAT(ImportedFor(StrCat("module ", kSharded), {}), Not(HasSubstr("sharding")));
}

TEST(ShardingReader, ManualInCalls) {
  constexpr std::string_view kManual = R"(module {
  func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @SPMDFullToShardShape(%a) {mhlo.sharding = "{manual}"}
        : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
})";
  EXPECT_THAT(ImportedFor(kManual, {1, 4}), HasSubstr("SPMDFullToShardShape"));
  EXPECT_THAT(ImportedFor(kManual, {1, 1}), HasSubstr("return(%0)"));
}

TEST(ShardingReader, GroupsAndBarriers) {
  constexpr std::string_view kAlike = R"(module {
  func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
    sdy.sharding_group %a group_id = 7 : tensor<8xf32>
    %0 = stablehlo.custom_call @Sharding(%b) {mhlo.sharding = "{unknown shard_as 3}"}
        : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction = FORWARD : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
})";
  const std::string several = ImportedFor(kAlike, {1, 4});
  EXPECT_THAT(several, AllOf(HasSubstr("group=7"), HasSubstr("group=3"),
                             HasSubstr("passes=forward"), HasSubstr("return(%4)")));
  EXPECT_THAT(ImportedFor(kAlike, {1, 1}),
              AllOf(HasSubstr("return(%1)"), Not(HasSubstr("sharding_constraint"))));
}

TEST(NumDevices, OptionsAndModuleAgree) {
  constexpr std::string_view kModule = R"(module @m attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    return %a : tensor<4xf32>
  }
})";
  EXPECT_THAT(ImportedFor(kModule, {1, 1}), HasSubstr("partitions=4"));
  EXPECT_THAT(ImportedFor(kModule, {1, 4}), HasSubstr("partitions=4"));
  EXPECT_THAT(ImportedFor(kModule, {2, 1}), HasSubstr("replicas=2 partitions=4"));
  EXPECT_THAT(ImportedFor(kModule, {1, 2}),
              HasSubstr("INVALID_ARGUMENT: module @m is for 4 partitions, the compile options ask "
                        "for 2"));
  EXPECT_THAT(ImportedFor(kModule, {1 << 19, 4}), HasSubstr("INVALID_ARGUMENT: module @m is for "));
  EXPECT_THAT(ImportedFor(kModule, {0, 4}),
              HasSubstr("INVALID_ARGUMENT: the compile options ask for 0 replicas"));
}

TEST(ShardingReader, SdyAsText) {
  const std::string text = Imported(R"(
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=4]>}"},
                   mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x8xf32>
        {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}, {}]>"},
         mhlo.sharding = "{devices=[4,1]<=[4]}"}) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.frontend_attributes =
        {xla.sdy.sharding = "#sdy.sharding_per_value<[#sdy.sharding<@mesh, [{}, {\22x\22, ?}]>]>"}}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true,
        mhlo.frontend_attributes =
        {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>"}}
        : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
})");
  for (const char* words : {
           R"(mesh @mesh = #sdy.mesh<["x"=4]>)",
           R"(arguments of @main [#sdy.sharding<@mesh, [{"x"}, {}]>])",
           R"(sharding_constraint(%0) {shardings=[#sdy.sharding<@mesh, [{}, {"x", ?}]>]})",
           R"(results of @main [#sdy.sharding<@mesh, [{"x"}, {}]>])",
           "return(%1)",
       }) {
    EXPECT_THAT(text, HasSubstr(words));
  }
}

TEST(ShardingReader, WrongTexts) {
  struct Row {
    std::string_view argument, call, words;
  };
  for (const Row& row : {
           Row{R"(mhlo.sharding = "{devices=[2,2]<=[4")", "{}", "expected ']'"},
           Row{R"(mhlo.sharding = "{devices=[4]<=[4]}")", "{}", "has 1 tile dimensions"},
           Row{R"(mhlo.sharding = "{{replicated}, {replicated}}")", "{}", "is for 2 arrays"},
           Row{R"(mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@no, [{}, {}]>"})",
               "{}", "there is no such mesh"},
           Row{R"(mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}"})",
               "{}", "frontend attribute #sdy.sharding<@mesh, [{}"},
           Row{R"(mhlo.frontend_attributes = {xla.sdy.sharding = "7"})", "{}",
               "expected #sdy.sharding<...>"},
           Row{"", R"({mhlo.sharding = "{devices=[8,1]<=[8]}"})", "expected one for each of 4"},
           Row{"", R"({backend_config = "unspecified_dims=[2]", mhlo.sharding = "{replicated}"})",
               "names dimension 2; the array has 2"},
       }) {
    const std::string text = StrCat(kFour, R"(  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8x8xf32> {)",
                                    row.argument, R"(}) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @Sharding(%a) )",
                                    row.call, R"( : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
})");
    auto program = program::ReadText(text);
    ASSERT_TRUE(program.ok()) << program.status().ToString() << text;
    const auto module = Import(*std::move(program));
    ASSERT_FALSE(module.ok()) << text;
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument) << row.words;
    EXPECT_THAT(module.status().message(), HasSubstr(row.words));
    if (row.argument.empty()) {
      EXPECT_THAT(module.status().message(), HasSubstr("custom_call at"));
    }
  }
}

}  // namespace
}  // namespace plinth::compiler::importer
