// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/entry_layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::importer {
namespace {

constexpr std::string_view kCube = "tensor<2x3x4xf32>";

// A program that returns its argument, with layout modes for both.
Expected<CompiledProgram> CompileWith(std::string_view argument, std::string_view result,
                                      std::string_view type = kCube, PipelineOptions options = {}) {
  const std::string text =
      StrCat("func.func @main(%x: ", type, " {mhlo.layout_mode = \"", argument,
             "\", tf.aliasing_output = 0 : i32}) -> (", type, " {mhlo.layout_mode = \"", result,
             "\"}) { return %x : ", type, " }");
  PLINTH_ASSIGN_OR_RETURN(program::Module module, program::ReadText(text));
  return CompileProgram(std::move(module), testing::kPlainTarget, options);
}

TEST(EntryLayouts, TypesAreThoseInMemory) {
  Expected<CompiledProgram> compiled = CompileWith("{0,2,1}", "{2,1,0}");
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  EXPECT_EQ(compiled->plan.argument_types[0].dims, (Dims{3, 4, 2}));
  EXPECT_EQ(compiled->plan.output_types[0].dims, (Dims{2, 3, 4}));
  EXPECT_EQ(compiled->layouts.parameters[0], (Dims{0, 2, 1}));
  EXPECT_TRUE(compiled->layouts.outputs[0].empty());
  EXPECT_EQ(DimsOfLayout({3, 4, 2}, {0, 2, 1}), (Dims{2, 3, 4}));
  // The argument's memory cannot be the result's as it is.
  EXPECT_EQ(compiled->donations[0].output, -1);
}

TEST(EntryLayouts, ValuesThatLieAlikeShareMemory) {
  Expected<CompiledProgram> compiled = CompileWith("{0,2,1}", "{0,2,1}");
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  EXPECT_EQ(compiled->donations[0].output, 0);
  const auto allocation = static_cast<size_t>(compiled->plan.outputs[0].allocation);
  EXPECT_EQ(compiled->plan.allocations[allocation].kind, plan::AllocationKind::kArgument);
}

TEST(EntryLayouts, RowMajorIsNoLayout) {
  for (std::string_view mode : {"auto", "default", "", "{2,1,0}", "{2,1,0:E(4)}"}) {
    Expected<CompiledProgram> compiled = CompileWith(mode, mode);
    ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
    EXPECT_EQ(compiled->plan.argument_types[0].dims, (Dims{2, 3, 4}));
    for (const Dims& layout : compiled->layouts.parameters) EXPECT_TRUE(layout.empty());
  }
}

TEST(EntryLayouts, AnOpenResultLiesAsWhatItIsATransposeOf) {
  const auto compile = [](std::string_view mode) {
    const std::string text = StrCat(
        "func.func @main(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32> {mhlo.layout_mode = \"", mode,
        "\"}) { %0 = stablehlo.negate %x : tensor<2x3x4xf32> %1 = stablehlo.transpose %0, "
        "dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32> return %1 : "
        "tensor<4x2x3xf32> }");
    return CompileProgram(*program::ReadText(text), testing::kPlainTarget, {});
  };
  const auto open = compile("auto"), row_major = compile("default");
  ASSERT_TRUE(open.ok()) << open.status().ToString();
  ASSERT_TRUE(row_major.ok()) << row_major.status().ToString();
  EXPECT_EQ(open->plan.output_types[0].dims, (Dims{2, 3, 4}));
  EXPECT_EQ(open->layouts.outputs[0], (Dims{0, 2, 1}));
  EXPECT_EQ(row_major->plan.output_types[0].dims, (Dims{4, 2, 3}));
}

// As JAX writes with_layout_constraint of what it returns.
TEST(EntryLayouts, AnOpenResultLiesAsItsConstraintSays) {
  const auto layout = [](std::string_view dims) {
    const std::string text = StrCat(
        "func.func @main(%x: tensor<4x8xf32>) -> (tensor<8x4xf32> {mhlo.layout_mode = \"auto\"}) { "
        "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32> "
        "%1 = stablehlo.custom_call @LayoutConstraint(%0) {operand_layouts = [dense<[0, 1]> : "
        "tensor<2xindex>], result_layouts = [dense<",
        dims, "> : tensor<2xindex>]} : (tensor<8x4xf32>) -> tensor<8x4xf32> ",
        "%2 = stablehlo.custom_call @Sharding(%1) : (tensor<8x4xf32>) -> tensor<8x4xf32> ",
        "return %2 : tensor<8x4xf32> }");
    const auto compiled =
        CompileProgram(*program::ReadText(text), testing::kPlainTarget, PipelineOptions());
    return compiled.ok() ? StrCat("{", StrJoin(compiled->layouts.outputs[0], ","), "}")
                         : compiled.status().ToString();
  };
  EXPECT_EQ(layout("[1, 0]"), "{}");
  EXPECT_EQ(layout("[0, 1]"), "{0,1}");
  EXPECT_THAT(layout("[0, 0]"), ::testing::HasSubstr("INVALID_ARGUMENT"));
}

TEST(EntryLayouts, CompileOptionsComeFirst) {
  PipelineOptions options;
  options.layouts.parameters = {{{2, 3, 4}, {0, 2, 1}}};
  Expected<CompiledProgram> compiled = CompileWith("{2,0,1}", "{2,0,1}", kCube, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  EXPECT_EQ(compiled->layouts.parameters[0], (Dims{0, 2, 1}));
  EXPECT_EQ(compiled->plan.argument_types[0].dims, (Dims{3, 4, 2}));
  EXPECT_EQ(compiled->layouts.outputs[0], (Dims{2, 0, 1}));
  options.layouts.outputs = {{{2, 3, 4}, {}}};
  compiled = CompileWith("{2,0,1}", "{2,0,1}", kCube, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status().ToString();
  EXPECT_TRUE(compiled->layouts.outputs[0].empty());
  EXPECT_EQ(compiled->plan.output_types[0].dims, (Dims{2, 3, 4}));
}

TEST(EntryLayouts, CompileOptionsForOtherValuesAreRefused) {
  PipelineOptions options;
  options.layouts.parameters = {{{2, 3, 4}, {}}, {{2, 3, 4}, {}}};
  EXPECT_THAT(CompileWith("auto", "auto", kCube, options).status().ToString(),
              ::testing::HasSubstr(
                  "argument_layouts of the compile options is for 2 arrays; the program has 1"));
  options.layouts = {};
  options.layouts.outputs = {{{4, 3, 2}, {}}};
  EXPECT_THAT(CompileWith("auto", "auto", kCube, options).status().ToString(),
              ::testing::HasSubstr("result_layout of the compile options has [4,3,2] at place 0, "
                                   "where the program has tensor<2x3x4xf32>"));
}

TEST(EntryLayouts, BadModesAreNamed) {
  struct Row {
    std::string_view mode, message;
  };
  for (const Row& row :
       {Row{"{0}", "no order of the dimensions of f32[2,3,4]"}, Row{"{0,0,0}", "no order"},
        Row{"{3,1,0}", "no order"}, Row{"{-1,1,0}", "no order"}, Row{"{3,2,1,0}", "no order"},
        Row{"{2,1,0", "expected"}, Row{"2,1,0}", "expected"}, Row{"{2,1,0,}", "expected"},
        Row{"{,2,1,0}", "expected"}, Row{"{2 1 0}", "expected"}, Row{"{", "expected"},
        Row{"}", "expected"}, Row{"{:E(4)", "no tiles"}, Row{":E(4)}", "expected"},
        Row{"fast", "expected"}, Row{"{99999999999999999999,1,0}", "expected"},
        Row{"{2,1,0:T(8,128)}", "no tiles"}}) {
    Status argument = CompileWith(row.mode, "auto").status();
    EXPECT_THAT(argument.ToString(), ::testing::HasSubstr(row.message)) << row.mode;
    EXPECT_THAT(argument.ToString(), ::testing::HasSubstr("mhlo.layout_mode of argument 0 is"));
    Status result = CompileWith("auto", row.mode).status();
    EXPECT_THAT(result.ToString(), ::testing::HasSubstr(row.message)) << row.mode;
    EXPECT_THAT(result.ToString(), ::testing::HasSubstr("mhlo.layout_mode of result 0 is"));
  }
  EXPECT_THAT(CompileWith("{0,1}", "auto", "!stablehlo.token").status().ToString(),
              ::testing::HasSubstr("no order"));
}

}  // namespace
}  // namespace plinth::compiler::importer
