// SPDX-License-Identifier: Apache-2.0
// Ops that combine elements: gather, scatter, reductions, windows, products, convolutions, sort.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/bad_programs_test_util.h"

namespace plinth::compiler::importer {
namespace {

constexpr std::string_view kGather =
    R"(%0 = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: )";
const std::string kGatherSlice =
    StrCat(kGather, "2, 3>} : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>");
const std::string kGatherResult =
    StrCat(kGather, "1, 3>} : (tensor<5x3xf32>, tensor<4x1xi32>) -> tensor<4x2xf32>");
const std::string kGatherVector =
    StrCat(kGather, "1, 3>} : (tensor<5x3xf32>, tensor<4x2xi32>) -> tensor<4x3xf32>");
const std::string kGatherFloat =
    StrCat(kGather, "1, 3>} : (tensor<5x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>");

constexpr std::string_view kAddRegion =
    R"(({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = "stablehlo.add"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32> "stablehlo.return"(%s) : (tensor<f32>) -> () }))";
std::string Scatter(std::string_view updates, std::string_view result) {
  return StrCat(
      R"(%0 = "stablehlo.scatter"(%a, %b, %c) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> )",
      kAddRegion, " : (tensor<5x3xf32>, tensor<4x1xi32>, ", updates, ") -> ", result);
}
const std::string kScatterBatch = Scatter("tensor<3x3xf32>", "tensor<5x3xf32>");
const std::string kScatterWindow = Scatter("tensor<4x4xf32>", "tensor<5x3xf32>");
const std::string kScatterResult = Scatter("tensor<4x3xf32>", "tensor<5x4xf32>");
const std::string kScatterElements = Scatter("tensor<4x3xi32>", "tensor<5x3xf32>");

std::string Reduce(std::string_view dimensions, std::string_view init, std::string_view result) {
  return StrCat(R"(%0 = "stablehlo.reduce"(%a, %b) <{dimensions = array<i64: )", dimensions, ">}> ",
                kAddRegion, " : (tensor<2x3xf32>, ", init, ") -> ", result);
}
const std::string kReduceDims = Reduce("2", "tensor<f32>", "tensor<2xf32>");
const std::string kReduceTwice = Reduce("0, 0", "tensor<f32>", "tensor<2xf32>");
const std::string kReduceInit = Reduce("0", "tensor<i32>", "tensor<3xf32>");
const std::string kReduceInitShape = Reduce("0", "tensor<2xf32>", "tensor<3xf32>");
const std::string kReduceResult = Reduce("0", "tensor<f32>", "tensor<2xf32>");

std::string ReduceWindow(std::string_view attributes, std::string_view result) {
  return StrCat(R"(%0 = "stablehlo.reduce_window"(%a, %b) <{)", attributes, "}> ", kAddRegion,
                " : (tensor<4xf32>, tensor<f32>) -> ", result);
}
const std::string kWindowCount =
    ReduceWindow("window_dimensions = array<i64: 2, 2>", "tensor<3xf32>");
const std::string kWindowZero = ReduceWindow("window_dimensions = array<i64: 0>", "tensor<4xf32>");
const std::string kWindowStride = ReduceWindow(
    "window_dimensions = array<i64: 2>, window_strides = array<i64: 0>", "tensor<3xf32>");
const std::string kWindowDilation = ReduceWindow(
    "window_dimensions = array<i64: 2>, base_dilations = array<i64: -1>", "tensor<3xf32>");
const std::string kWindowPadding = ReduceWindow(
    "window_dimensions = array<i64: 2>, padding = dense<1> : tensor<2x2xi64>", "tensor<5xf32>");
const std::string kWindowHuge = ReduceWindow(
    "window_dimensions = array<i64: 2>, padding = dense<9223372036854775807> : tensor<1x2xi64>",
    "tensor<5xf32>");
const std::string kWindowResult =
    ReduceWindow("window_dimensions = array<i64: 2>", "tensor<4xf32>");

std::string Dot(std::string_view numbers, std::string_view types) {
  return StrCat(R"(%0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<)",
                numbers, ">} : ", types);
}
const std::string kDotExtent =
    Dot("lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]",
        "(tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>");
const std::string kDotDim =
    Dot("lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]",
        "(tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x2xf32>");
const std::string kDotCount =
    Dot("lhs_contracting_dimensions = [0], rhs_contracting_dimensions = []",
        "(tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>");
const std::string kDotTwice =
    Dot("lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions "
        "= [0], rhs_contracting_dimensions = [0]",
        "(tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3x4xf32>");
const std::string kDotResult =
    Dot("lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]",
        "(tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<3x3xf32>");
const std::string kDotElements =
    Dot("lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]",
        "(tensor<2x3xf32>, tensor<2x4xi32>) -> tensor<3x4xf32>");

std::string Convolution(std::string_view attributes, std::string_view types) {
  return StrCat(
      R"(%0 = "stablehlo.convolution"(%a, %b) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, )",
      attributes, "} : ", types);
}
const std::string kConvFeatures = Convolution(
    "feature_group_count = 1 : i64", "(tensor<1x5x2xf32>, tensor<3x3x4xf32>) -> tensor<1x3x4xf32>");
const std::string kConvGroups = Convolution(
    "feature_group_count = 0 : i64", "(tensor<1x5x2xf32>, tensor<3x2x4xf32>) -> tensor<1x3x4xf32>");
const std::string kConvResult = Convolution(
    "feature_group_count = 1 : i64", "(tensor<1x5x2xf32>, tensor<3x2x4xf32>) -> tensor<1x5x4xf32>");
const std::string kConvStride =
    Convolution("feature_group_count = 1 : i64, window_strides = array<i64: 0>",
                "(tensor<1x5x2xf32>, tensor<3x2x4xf32>) -> tensor<1x3x4xf32>");
const std::string kConvStrides =
    Convolution("feature_group_count = 1 : i64, window_strides = array<i64: 2, 2>",
                "(tensor<1x5x2xf32>, tensor<3x2x4xf32>) -> tensor<1x3x4xf32>");
const std::string kConvRank = Convolution(
    "feature_group_count = 1 : i64", "(tensor<1x5x2xf32>, tensor<3x2xf32>) -> tensor<1x3x4xf32>");

const BadProgram kCombining[] = {
    {{"tensor<5x3xf32>", "tensor<4x1xi32>"},
     kGatherSlice,
     "slice_sizes entry 0 is 2; expected a value in [0, 1]"},
    {{"tensor<5x3xf32>", "tensor<4x1xi32>"},
     kGatherResult,
     "result 0 is f32[4,2]; expected f32[4,3]"},
    {{"tensor<5x3xf32>", "tensor<4x2xi32>"},
     kGatherVector,
     "start_index_map has 1 entry; expected 2"},
    {{"tensor<5x3xf32>", "tensor<4x1xf32>"},
     kGatherFloat,
     "operand 1 is f32[4,1]; expected elements that are signed"},
    {{"tensor<5x3xf32>", "tensor<4x1xi32>", "tensor<3x3xf32>"},
     kScatterBatch,
     "dimension 0 of the updates has 3 entries"},
    {{"tensor<5x3xf32>", "tensor<4x1xi32>", "tensor<4x4xf32>"},
     kScatterWindow,
     "expected at most 3"},
    {{"tensor<5x3xf32>", "tensor<4x1xi32>", "tensor<4x3xf32>"},
     kScatterResult,
     "result 0 is f32[5,4]; expected f32[5,3]"},
    {{"tensor<5x3xf32>", "tensor<4x1xi32>", "tensor<4x3xi32>"},
     kScatterElements,
     "operand 2 is s32[4,3]; expected f32[4,3]"},
    {{kF23, kF}, kReduceDims, "dimensions has the entry 2"},
    {{kF23, kF}, kReduceTwice, "dimensions names dimension 0 twice"},
    {{kF23, kI}, kReduceInit, "operand 1 is s32[]; expected f32[]"},
    {{kF23, kF2}, kReduceInitShape, "operand 1 is f32[2]; expected f32[]"},
    {{kF23, kF}, kReduceResult, "result 0 is f32[2]; expected f32[3]"},
    {{"tensor<4xf32>", kF}, kWindowCount, "window_dimensions has 2 entries; expected 1"},
    {{"tensor<4xf32>", kF}, kWindowZero, "window_dimensions entry 0 is 0; expected at least 1"},
    {{"tensor<4xf32>", kF}, kWindowStride, "window_strides entry 0 is 0"},
    {{"tensor<4xf32>", kF}, kWindowDilation, "base_dilations entry 0 is -1"},
    {{"tensor<4xf32>", kF}, kWindowPadding, "padding has 2 entries; expected 1"},
    {{"tensor<4xf32>", kF}, kWindowHuge, "window dimension 0 is too large"},
    {{"tensor<4xf32>", kF}, kWindowResult, "result 0 is f32[4]; expected f32[3]"},
    {{kF23, "tensor<2x4xf32>"},
     kDotExtent,
     "contracting dimension 1 of the lhs has 3 entries, dimension 1 of the rhs 4"},
    {{kF23, "tensor<2x4xf32>"}, kDotDim, "has the entry 2"},
    {{kF23, "tensor<2x4xf32>"}, kDotCount, "rhs_contracting_dimensions has 0 entries; expected 1"},
    {{kF23, "tensor<2x4xf32>"}, kDotTwice, "names dimension 0 twice"},
    {{kF23, "tensor<2x4xf32>"}, kDotResult, "result 0 is f32[3,3]; expected f32[3,4]"},
    {{kF23, "tensor<2x4xi32>"}, kDotElements, "operand 1 has elements of s32; expected those of"},
    {{"tensor<1x5x2xf32>", "tensor<3x3x4xf32>"},
     kConvFeatures,
     "the input has 2 features, the kernel takes 3"},
    {{"tensor<1x5x2xf32>", "tensor<3x2x4xf32>"}, kConvGroups, "feature_group_count is 0"},
    {{"tensor<1x5x2xf32>", "tensor<3x2x4xf32>"}, kConvResult, "expected f32[1,3,4]"},
    {{"tensor<1x5x2xf32>", "tensor<3x2x4xf32>"}, kConvStride, "window_strides entry 0 is 0"},
    {{"tensor<1x5x2xf32>", "tensor<3x2x4xf32>"},
     kConvStrides,
     "window_strides has 2 entries; expected 1"},
    {{"tensor<1x5x2xf32>", "tensor<3x2xf32>"}, kConvRank, "expected the same number, at least 2"},
    {{kF2},
     R"(%0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = "stablehlo.compare"(%x, %y) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<f32>, tensor<f32>) -> tensor<i1> "stablehlo.return"(%s) : (tensor<i1>) -> () }) : (tensor<2xf32>) -> tensor<2xf32>)",
     "dimension is 1; expected a value in [0, 0]"},
    {{kF2},
     R"(%0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): "stablehlo.return"(%x) : (tensor<f32>) -> () }) : (tensor<2xf32>) -> tensor<2xf32>)",
     "value 0 returned by region 0 is f32[]; expected pred[]"},
    {{kF2},
     R"(%0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({ ^bb0(%x: tensor<f32>): "stablehlo.return"(%x) : (tensor<f32>) -> () }) : (tensor<2xf32>) -> tensor<2xf32>)",
     "region 0 takes 1 arguments; expected 2"},
};

TEST(BadPrograms, Combining) { ExpectAllBad(kCombining); }

}  // namespace
}  // namespace plinth::compiler::importer
