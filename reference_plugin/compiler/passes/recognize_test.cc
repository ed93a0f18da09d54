// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/testing/optimize_test_util.h"

namespace plinth::compiler::passes {
namespace {

#define F4 "tensor<4xf32>"

TEST(Recognize, CumulativeSum) {
  const Row rows[] = {
      {"%a: tensor<3x8xf32>, %z: tensor<f32>", "tensor<3x8xf32>",
       R"(%0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 1, 8>, padding = dense<[[0, 0], [7, 0]]> : tensor<2x2xi64>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.add %x, %y : tensor<f32> stablehlo.return %s : tensor<f32> }) : (tensor<3x8xf32>, tensor<f32>) -> tensor<3x8xf32> return %0 : tensor<3x8xf32>)",
       "%2 = cumulative_reduce(%0, %1) {dimension=1} : f32[3,8]\nblock(%3: f32[], %4: f32[]) {\n%5 "
       "= add(%3, %4) : f32[]\nreturn(%5)\n}\nreturn(%2)"},
      {"%a: tensor<8xf32>, %z: tensor<f32>", "tensor<8xf32>",
       R"(%0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 8>, padding = dense<[[0, 7]]> : tensor<1x2xi64>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.maximum %x, %y : tensor<f32> stablehlo.return %s : tensor<f32> }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32> return %0 : tensor<8xf32>)",
       "%2 = cumulative_reduce(%0, %1) {dimension=0, reverse=true} : f32[8]\nblock(%3: f32[], %4: "
       "f32[]) {\n%5 = maximum(%3, %4) : f32[]\nreturn(%5)\n}\nreturn(%2)"},
      // One short of everything is an ordinary window.
      {"%a: tensor<8xf32>, %z: tensor<f32>", "tensor<8xf32>",
       R"(%0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 7>, padding = dense<[[6, 0]]> : tensor<1x2xi64>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.maximum %x, %y : tensor<f32> stablehlo.return %s : tensor<f32> }) : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32> return %0 : tensor<8xf32>)",
       "%2 = constant() {value=-inf} : f32[]\n%3 = reduce_window(%0, %2) {window=[7], low=[6]} : "
       "f32[8]\nblock(%4: f32[], %5: f32[]) {\n%6 = maximum(%4, %5) : f32[]\nreturn(%6)\n}\n"
       "%7 = broadcast_in_dim(%1) {dimensions=[]} : f32[8]\n%8 = maximum(%7, %3) : f32[8]\n"
       "return(%8)"},
      // Its neutral value and nothing to combine it with, or neither padding nor gaps: as it is.
      {"%a: tensor<8xi8>, %z: tensor<i8>", "(tensor<8xi8>, tensor<2xi8>)",
       R"(%m = stablehlo.constant dense<127> : tensor<i8> %0 = "stablehlo.reduce_window"(%a, %m) <{window_dimensions = array<i64: 7>, padding = dense<[[6, 0]]> : tensor<1x2xi64>}> ({ ^bb0(%x: tensor<i8>, %y: tensor<i8>): %s = stablehlo.minimum %x, %y : tensor<i8> stablehlo.return %s : tensor<i8> }) : (tensor<8xi8>, tensor<i8>) -> tensor<8xi8> %1 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 7>}> ({ ^bb0(%x: tensor<i8>, %y: tensor<i8>): %s = stablehlo.add %x, %y : tensor<i8> stablehlo.return %s : tensor<i8> }) : (tensor<8xi8>, tensor<i8>) -> tensor<2xi8> return %0, %1 : tensor<8xi8>, tensor<2xi8>)",
       "%2 = constant() {value=127} : s8[]\n%3 = reduce_window(%0, %2) {window=[7], low=[6]} : "
       "s8[8]\nblock(%4: s8[], %5: s8[]) {\n%6 = minimum(%4, %5) : s8[]\nreturn(%6)\n}\n"
       "%7 = reduce_window(%0, %1) {window=[7]} : s8[2]\nblock(%8: s8[], %9: s8[]) {\n%10 = "
       "add(%8, %9) : s8[]\nreturn(%10)\n}\nreturn(%3, %7)"},
  };
  ExpectRows(rows);
}

TEST(Recognize, ReductionsOfStackedArrays) {
  const auto program = [](std::string_view opcode, std::string_view type, std::string_view pieces,
                          std::string_view stacked) {
    return Optimized(StrCat("func.func @main(%a: tensor<", pieces, type, ">, %b: tensor<1x4x", type,
                            ">, %z: tensor<", type, ">) -> tensor<4x", type,
                            "> { %s = stablehlo.concatenate %a, %b, %a, dim = 0 : (tensor<", pieces,
                            type, ">, tensor<1x4x", type, ">, tensor<", pieces, type,
                            ">) -> tensor<", stacked, type,
                            "> %0 = stablehlo.reduce(%s init: %z) applies stablehlo.", opcode,
                            " across dimensions = [0] : (tensor<", stacked, type, ">, tensor<",
                            type, ">) -> tensor<4x", type, "> return %0 : tensor<4x", type, "> }"));
  };
  for (const std::string_view opcode : {"maximum", "add"}) {
    const std::string text = program(opcode, "f32", "1x4x", "3x4x");
    EXPECT_EQ(text.find("concatenate"), std::string::npos) << text;
    EXPECT_EQ(text.find("reduce"), std::string::npos) << text;
  }
  // Of several rows, and of narrow floats, whose sums are rounded once.
  EXPECT_NE(program("maximum", "f32", "2x4x", "5x4x").find("concatenate"), std::string::npos);
  EXPECT_EQ(program("maximum", "bf16", "1x4x", "3x4x").find("concatenate"), std::string::npos);
  EXPECT_NE(program("add", "bf16", "1x4x", "3x4x").find("concatenate"), std::string::npos);
}

TEST(Recognize, MapAndConstantsInRegions) {
  const Row rows[] = {
      {"%a: " F4, F4,
       R"(%0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({ ^bb0(%x: tensor<f32>): %h = stablehlo.constant dense<0.5> : tensor<f32> %m = stablehlo.multiply %x, %h : tensor<f32> stablehlo.return %m : tensor<f32> }) : (tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32>)",
       "%1 = constant() {value=0.5} : f32[4]\n%2 = multiply(%0, %1) : f32[4]\nreturn(%2)"},
      {"%a: " F4 ", %z: tensor<f32>", "tensor<f32>",
       R"(%h = stablehlo.constant dense<0.5> : tensor<f32> %0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.add %x, %y : tensor<f32> %m = stablehlo.maximum %s, %h : tensor<f32> stablehlo.return %m : tensor<f32> }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32> return %0 : tensor<f32>)",
       "%2 = reduce(%0, %1) {dimensions=[0]} : f32[]\nblock(%3: f32[], %4: f32[]) {\n%5 = "
       "constant() {value=0.5} : f32[]\n%6 = add(%3, %4) : f32[]\n%7 = maximum(%6, %5) : "
       "f32[]\nreturn(%7)\n}\nreturn(%2)"},
  };
  ExpectRows(rows);
}

TEST(Recognize, BatchNormIsSpelledOut) {
  const std::string text = Optimized(R"(
    func.func @main(%x: tensor<2x3xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>)
        -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) {
      %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.001 : f32, feature_index = 1 : i64}>
        : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
      return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>
    })");
  EXPECT_EQ(text.find("batch_norm"), std::string::npos);
  EXPECT_NE(text.find("sqrt"), std::string::npos);
}

}  // namespace
}  // namespace plinth::compiler::passes
