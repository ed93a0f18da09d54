// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/mapping/one_device.h"

#include <gmock/gmock.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"

namespace plinth::compiler::mapping {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The module after it was mapped.
std::string Mapped(std::string_view text, bool changes = true) {
  const auto module = ImportText(text);
  if (module == nullptr) return "";
  EXPECT_EQ(MapToOneDevice(*module), changes);
  const Status verified = Verify(*module);
  EXPECT_TRUE(verified.ok()) << verified.ToString();
  EXPECT_FALSE(MapToOneDevice(*module));
  return Body(*module);
}

constexpr std::string_view kSharded = R"(
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(1)2}]>},
                  %b: tensor<8x8xf32>)
      -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
    %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {?}]> : tensor<8x8xf32>
    %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>}
      : tensor<8x8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}, {}]>]
        out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%c: tensor<4x8xf32>) {
      sdy.return %c : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
})";

TEST(Shardings, StayInTheModule) {
  const auto module = ImportText(kSharded);
  ASSERT_NE(module, nullptr);
  const std::string text = ToString(*module);
  for (const char* line : {
           R"(mesh @mesh = )",
           R"(["x"=2, "y"=4])",
           R"(sharding_constraint(%0) {shardings=[#sdy.sharding<@mesh, [{"x"}, {?}]>]})",
           R"({shardings=[#sdy.sharding<@mesh, [{"y"}, {}]>]} : f32[8,8])",
           R"(operand_shardings=[#sdy.sharding<@mesh, [{"x"}, {}]>], manual_axes=)",
           R"(arguments of @main [#sdy.sharding<@mesh, [{"x"}, {"y":(1)2}]>, none])",
           R"(results of @main [#sdy.sharding<@mesh, [{}, {"y"}]>])",
       }) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

// What every op that refers to a mesh costs to check is bounded by its axes.
TEST(Shardings, OfMeshesWithFewAxes) {
  std::string axes;
  for (int i = 0; i < 65; ++i) axes += StrCat(i > 0 ? ", " : "", "\"a", i, "\"=1");
  auto program =
      program::ReadText(StrCat("module {\n sdy.mesh @mesh = <[", axes,
                               "]>\n func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {\n"
                               " return %a : tensor<8xf32>\n}\n}"));
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  const auto module = importer::Import(*std::move(program));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().code(), StatusCode::kResourceExhausted);
  EXPECT_THAT(module.status().message(), HasSubstr("65 axes; at most 64"));
}

TEST(Shardings, OneDeviceHasNone) {
  const std::string text = Mapped(kSharded);
  EXPECT_THAT(text, Not(HasSubstr("mesh")));
  EXPECT_THAT(text, Not(HasSubstr("sharding")));
  EXPECT_THAT(text, HasSubstr("add(%0, %1) : f32[8,8]"));
}

TEST(Shardings, OfNothingThatIsThere) {
  struct Row {
    std::string_view sharding, words;
  };
  for (const Row& row : {
           Row{R"(@other, [{"x"}, {}])", "there is no such mesh"},
           Row{R"(@mesh, [{"z"}, {}])", "the mesh has no axis \"z\""},
           Row{R"(@mesh, [{"x"}])", "it is for 1 dimensions"},
           Row{R"(@mesh, [{"x"}, {"x"}])", "axis \"x\" is used twice"},
           Row{R"(@mesh, [{"y":(1)2}, {"y":(1)2}])", "axis \"y\" is used twice"},
           Row{R"(@mesh, [{"y":(1)3}, {}])", "it has no part (1)3"},
           Row{R"(@mesh, [{"x"}, {}], replicated={"x"})", "axis \"x\" is used twice"},
           Row{R"(mesh<["x"=1]>, [{"x"}, {"x"}])", "axis \"x\" is used twice"},
           Row{R"(mesh<["x"=2, "x"=2]>, [{"x"}, {}])", "has two axes \"x\""},
       }) {
    const std::string text = StrCat(
        "module {\n sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>\n"
        "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<",
        row.sharding, ">}) -> tensor<8x8xf32> {\n return %a : tensor<8x8xf32>\n}\n}");
    auto program = program::ReadText(text);
    ASSERT_TRUE(program.ok()) << program.status().ToString() << text;
    const auto module = importer::Import(*std::move(program));
    ASSERT_FALSE(module.ok()) << text;
    EXPECT_EQ(module.status().code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(module.status().message(), HasSubstr(row.words));
  }
  // Two parts of one axis are two axes.
  EXPECT_NE(ImportText(R"(
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%a: tensor<8x8xf32>
      {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2}, {"y":(2)2}]>}) -> tensor<8x8xf32> {
    return %a : tensor<8x8xf32>
  }
})"),
            nullptr);
}

TEST(OneDevice, CombinesWithItselfAlone) {
  struct Row {
    std::string_view body, expected;
  };
  for (const Row& row : {
           Row{R"(%0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
                    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
                      %s = stablehlo.add %x, %y : tensor<f32>
                      stablehlo.return %s : tensor<f32>
                  }) : (tensor<4xf32>) -> tensor<4xf32>
                  return %0 : tensor<4xf32>)",
               "{\n  return(%0)\n}"},
           Row{R"(%0 = stablehlo.partition_id : tensor<ui32>
                  %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<f32>
                  %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<4xf32>
                  return %2 : tensor<4xf32>)",
               "%1 = constant() {value=0} : u32[]"},
           Row{R"(%0 = "stablehlo.collective_permute"(%a)
                      <{source_target_pairs = dense<0> : tensor<1x2xi64>}>
                      : (tensor<4xf32>) -> tensor<4xf32>
                  return %0 : tensor<4xf32>)",
               "{\n  return(%0)\n}"},
           // Nobody sends.
           Row{R"(%0 = "stablehlo.collective_permute"(%a)
                      <{source_target_pairs = dense<> : tensor<0x2xi64>}>
                      : (tensor<4xf32>) -> tensor<4xf32>
                  return %0 : tensor<4xf32>)",
               "%1 = constant() {value=0} : f32[4]"},
       }) {
    EXPECT_THAT(
        Mapped(StrCat("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n", row.body, "\n}")),
        HasSubstr(row.expected));
  }
  Mapped("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }",
         /*changes=*/false);
}

}  // namespace
}  // namespace plinth::compiler::mapping
