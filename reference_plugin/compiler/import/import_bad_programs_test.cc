// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/bad_programs_test_util.h"

namespace plinth::compiler::importer {
namespace {

const BadProgram kElementwise[] = {
    {{kF2, kF3},
     R"(%0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>)",
     "operand 1 is f32[3]; expected f32[2] (the type of operand 0)"},
    {{kF2, kI2},
     R"(%0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>)",
     "operand 1 is s32[2]; expected f32[2]"},
    {{kF2},
     R"(%0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>)",
     "result 0 is f32[3]; expected f32[2]"},
    {{kF2},
     R"(%0 = "stablehlo.and"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "operand 0 is f32[2]; expected elements that are pred or signed or unsigned"},
    {{kP2},
     R"(%0 = "stablehlo.negate"(%a) : (tensor<2xi1>) -> tensor<2xi1>)",
     "operand 0 is pred[2]"},
    {{kI2},
     R"(%0 = "stablehlo.exponential"(%a) : (tensor<2xi32>) -> tensor<2xi32>)",
     "expected elements that are float or complex"},
    {{kC2},
     R"(%0 = "stablehlo.floor"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>)",
     "expected elements that are float"},
    {{kC2},
     R"(%0 = "stablehlo.abs"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>)",
     "result 0 is c64[2]; expected f32[2]"},
    {{kC2},
     R"(%0 = "stablehlo.remainder"(%a, %a) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>)",
     "operand 0 is c64[2]; elements of c64 are not implemented",
     StatusCode::kUnimplemented},
    {{kF2},
     R"(%0 = "stablehlo.is_finite"(%a) : (tensor<2xf32>) -> tensor<2xf32>)",
     "result 0 is f32[2]; expected pred[2]"},
    {{"tensor<2xf16>"},
     R"(%0 = "stablehlo.complex"(%a, %a) : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xcomplex<f32>>)",
     "expected f32 or f64"},
    {{kC2},
     R"(%0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>)",
     "expected EQ or NE"},
    {{kI2},
     R"(%0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>)",
     "the comparison type does not fit elements of s32"},
    {{kF2},
     R"(%0 = "stablehlo.compare"(%a, %a) {comparison_direction = #stablehlo<comparison_direction EQ>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "expected pred[2]"},
    {{kF2},
     R"(%0 = "stablehlo.select"(%a, %a, %a) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "operand 0 is f32[2]; expected pred[2]"},
    {{"tensor<3xi1>", kF2},
     R"(%0 = "stablehlo.select"(%a, %b, %b) : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "operand 0 is pred[3]; expected pred[2]"},
    {{kF3, kF2},
     R"(%0 = "stablehlo.clamp"(%a, %b, %b) : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "operand 1 is f32[2]; expected f32[3]"},
    {{kF2},
     R"(%0 = "stablehlo.convert"(%a) : (tensor<2xf32>) -> tensor<3xi32>)",
     "result 0 is s32[3]; expected s32[2]"},
    {{kF3},
     R"(%0 = "stablehlo.bitcast_convert"(%a) : (tensor<3xf32>) -> tensor<3xf64>)",
     "expected a last dimension of 2 elements"},
    {{kF2},
     R"(%0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xf32>) -> tensor<2x2xi8>)",
     "expected s8[2,4]"},
    {{kC2},
     R"(%0 = "stablehlo.bitcast_convert"(%a) : (tensor<2xcomplex<f32>>) -> tensor<2xf64>)",
     "expected both real or both complex"},
    {{kF2},
     R"(%0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 0 : i32, mantissa_bits = 3 : i32} : (tensor<2xf32>) -> tensor<2xf32>)",
     "exponent_bits is 0; expected a value in [1, 63]"},
    {{kF2},
     R"(%0 = "stablehlo.reduce_precision"(%a) {exponent_bits = 5 : i32, mantissa_bits = -3 : i32} : (tensor<2xf32>) -> tensor<2xf32>)",
     "mantissa_bits is -1"},
};

const BadProgram kMovement[] = {
    {{},
     R"(%0 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2xi32>)",
     "iota_dimension is 1; expected a value in [0, 0]"},
    {{},
     R"(%0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<2xi1>)",
     "expected elements that count"},
    {{},
     R"(%0 = "stablehlo.iota"() {iota_dimension = 0 : i64} : () -> tensor<i32>)",
     "iota_dimension is 0"},
    {{},
     R"(%0 = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>)",
     "expected the shape of f32[3]"},
    {{},
     R"(%0 = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf64>)",
     "value has elements of f32; expected f64"},
    {{kF2},
     R"(%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "broadcast_dimensions has 0 entries; expected 1"},
    {{kF2},
     R"(%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 2>} : (tensor<2xf32>) -> tensor<2x3xf32>)",
     "has the entry 2; expected a dimension in [0, 2)"},
    {{kF23},
     R"(%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
     "names dimension 1 twice"},
    {{kF2},
     R"(%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<3xf32>)",
     "expected 1 or 3"},
    {{kF2},
     R"(%0 = "stablehlo.broadcast"(%a) {broadcast_sizes = array<i64: 4>} : (tensor<2xf32>) -> tensor<3x2xf32>)",
     "does not begin with broadcast_sizes"},
    {{kF2, kF3},
     R"(%0 = "stablehlo.concatenate"(%a, %b) {dimension = 1 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>)",
     "dimension is 1; expected a value in [0, 0]"},
    {{kF2, kF3},
     R"(%0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<6xf32>)",
     "expected f32[5]"},
    {{kF2, kF23},
     R"(%0 = "stablehlo.concatenate"(%a, %b) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<5xf32>)",
     "operand 1 is f32[2,3]; expected f32[2] but for dimension 0"},
    {{},
     R"(%0 = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> tensor<5xf32>)",
     "there are 0 operands; expected at least 1"},
    {{kF23, kI},
     R"(%0 = "stablehlo.dynamic_slice"(%a, %b) {slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x1xf32>)",
     "start indices has 1 entry; expected 2"},
    {{kF2, kI},
     R"(%0 = "stablehlo.dynamic_slice"(%a, %b) {slice_sizes = array<i64: 3>} : (tensor<2xf32>, tensor<i32>) -> tensor<3xf32>)",
     "slice_sizes entry 0 is 3; expected a value in [0, 2]"},
    {{kF2, kF},
     R"(%0 = "stablehlo.dynamic_slice"(%a, %b) {slice_sizes = array<i64: 1>} : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>)",
     "operand 1 is f32[]; expected elements that are signed or unsigned"},
    {{kF2, kF3, kI},
     R"(%0 = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<2xf32>, tensor<3xf32>, tensor<i32>) -> tensor<2xf32>)",
     "expected a part of f32[2]"},
    {{kF2, kF2, kI},
     R"(%0 = "stablehlo.dynamic_update_slice"(%a, %b, %c) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<3xf32>)",
     "result 0 is f32[3]; expected f32[2]"},
    {{kF2, kF},
     R"(%0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: -1>} : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>)",
     "interior_padding entry 0 is -1; expected at least 0"},
    {{kF2, kF},
     R"(%0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: -3>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>)",
     "negative or too large"},
    {{kF2, kF},
     R"(%0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 9223372036854775807>, edge_padding_high = array<i64: 9>, interior_padding = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>)",
     "negative or too large"},
    {{kF2, kI},
     R"(%0 = "stablehlo.pad"(%a, %b) {edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: 0>, interior_padding = array<i64: 0>} : (tensor<2xf32>, tensor<i32>) -> tensor<3xf32>)",
     "operand 1 is s32[]; expected f32[]"},
    {{kF23},
     R"(%0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<5xf32>)",
     "expected 6 elements of f32"},
    {{kF23},
     R"(%0 = "stablehlo.reshape"(%a) : (tensor<2x3xf32>) -> tensor<6xi32>)",
     "expected 6 elements of f32"},
    {{kF23},
     R"(%0 = "stablehlo.reverse"(%a) {dimensions = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
     "names dimension 0 twice"},
    {{kF2},
     R"(%0 = "stablehlo.slice"(%a) {start_indices = array<i64: 1>, limit_indices = array<i64: 3>, strides = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "limit_indices entry 0 is 3; expected a value in [0, 2]"},
    {{kF2},
     R"(%0 = "stablehlo.slice"(%a) {start_indices = array<i64: 2>, limit_indices = array<i64: 1>, strides = array<i64: 1>} : (tensor<2xf32>) -> tensor<0xf32>)",
     "start_indices entry 0 is 2; expected a value in [0, 1]"},
    {{kF2},
     R"(%0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "strides entry 0 is 0; expected at least 1"},
    {{kF2},
     R"(%0 = "stablehlo.slice"(%a) {start_indices = array<i64: 0, 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "start_indices has 2 entries; expected 1"},
    {{kF23},
     R"(%0 = "stablehlo.transpose"(%a) {permutation = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
     "permutation has 1 entry; expected 2"},
    {{kF23},
     R"(%0 = "stablehlo.transpose"(%a) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
     "expected f32[3,2]"},
    {{kF2},
     R"(%0 = "stablehlo.get_dimension_size"(%a) {dimension = 1 : i64} : (tensor<2xf32>) -> tensor<i32>)",
     "dimension is 1"},
    {{kF2, kI},
     R"(%0 = "stablehlo.set_dimension_size"(%a, %b) {dimension = 1 : i64} : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>)",
     "dimension is 1 of f32[2]"},
    {{kF2, kF2},
     R"(%0 = "stablehlo.set_dimension_size"(%a, %b) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>)",
     "operand 1 is f32[2]; expected an integer"},
};

const BadProgram kAlgorithms[] = {
    {{kF23},
     R"(%0 = "stablehlo.cholesky"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>)",
     "expected square matrices"},
    {{"tensor<2x2xi32>"},
     R"(%0 = "stablehlo.cholesky"(%a) : (tensor<2x2xi32>) -> tensor<2x2xi32>)",
     "expected floats or complex numbers"},
    {{"tensor<2x2xf32>", kF3},
     R"(%0 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<3xf32>) -> tensor<3xf32>)",
     "expected right-hand sides for f32[2,2] on the left"},
    {{kF2},
     R"(%0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 2>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "expected elements that are complex"},
    {{kF2},
     R"(%0 = "stablehlo.fft"(%a) {fft_type = #stablehlo<fft_type RFFT>, fft_length = array<i64: 3>} : (tensor<2xf32>) -> tensor<2xcomplex<f32>>)",
     "dimension 0 of operand 0 has 2 entries; expected 3"},
    {{"tensor<2xui32>"},
     R"(%0, %1 = "stablehlo.rng_bit_generator"(%a) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui32>) -> (tensor<2xui32>, tensor<4xui32>))",
     "operand 0 is u32[2]; expected u64[2]"},
    {{"tensor<3xui64>"},
     R"(%0, %1 = "stablehlo.rng_bit_generator"(%a) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>))",
     "operand 0 is u64[3]; expected u64[2]"},
    {{kF, kF, kF},
     R"(%0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<2xf32>)",
     "operand 2 is f32[]; expected the dimensions of f32[2]"},
    {{kF, kF},
     R"(%s = "stablehlo.constant"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
        %0 = "stablehlo.rng"(%a, %b, %s) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<2xf32>)",
     "operand 2 is [3], the result f32[2]; expected its dimensions"},
    {{kI, kI, "tensor<1xi64>"},
     R"(%0 = "stablehlo.rng"(%a, %b, %c) {rng_distribution = #stablehlo<rng_distribution NORMAL>} : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<2xi32>)",
     "expected elements that are float"},
    {{kF23, kF2, kF2},
     R"(%0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 2 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>))",
     "feature_index is 2"},
    {{kF23, kF3, kF2},
     R"(%0:3 = "stablehlo.batch_norm_training"(%a, %b, %c) {epsilon = 0.1 : f32, feature_index = 0 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>))",
     "operand 1 is f32[3]; expected f32[2]"},
};

const BadProgram kControl[] = {
    {{kI},
     R"(%0 = "stablehlo.if"(%a) ({ "stablehlo.return"(%a) : (tensor<i32>) -> () }, { "stablehlo.return"(%a) : (tensor<i32>) -> () }) : (tensor<i32>) -> tensor<i32>)",
     "operand 0 is s32[]; expected pred[]"},
    {{"tensor<i1>"},
     R"(%0 = "stablehlo.if"(%a) ({ "stablehlo.return"(%a) : (tensor<i1>) -> () }, { "stablehlo.return"() : () -> () }) : (tensor<i1>) -> tensor<i1>)",
     "region 1 returns 0 values; expected 1"},
    {{kF},
     R"(%0 = "stablehlo.case"(%a) ({ "stablehlo.return"(%a) : (tensor<f32>) -> () }) : (tensor<f32>) -> tensor<f32>)",
     "operand 0 is f32[]; expected s32[]"},
    {{kI},
     R"(%0 = "stablehlo.while"(%a) ({ ^bb0(%x: tensor<i32>): "stablehlo.return"(%x) : (tensor<i32>) -> () }, { ^bb0(%x: tensor<i32>): "stablehlo.return"(%x) : (tensor<i32>) -> () }) : (tensor<i32>) -> tensor<i32>)",
     "value 0 returned by region 0 is s32[]; expected pred[]"},
    {{kI, "tensor<i1>"},
     R"(%0 = "stablehlo.while"(%a) ({ ^bb0(%x: tensor<f32>): "stablehlo.return"(%b) : (tensor<i1>) -> () }, { ^bb0(%x: tensor<i32>): "stablehlo.return"(%x) : (tensor<i32>) -> () }) : (tensor<i32>) -> tensor<i32>)",
     "argument 0 of region 0 is f32[]; expected s32[]"},
    {{kF},
     R"(%0 = "func.call"(%a) {callee = @nowhere} : (tensor<f32>) -> tensor<f32>)",
     "there is no function @nowhere"},
    {{kF},
     R"(%0 = "func.call"(%a) {callee = @main} : (tensor<f32>) -> tensor<f32>)",
     "what @main returns"},
    {{kF},
     R"(%0 = "stablehlo.composite"(%a) {name = "x", decomposition = @nowhere} : (tensor<f32>) -> tensor<f32>)",
     "there is no function @nowhere"},
    {{kF},
     R"(%0 = "stablehlo.get_tuple_element"(%a) {index = 0 : i32} : (tensor<f32>) -> tensor<f32>)",
     "expected a tuple"},
    {{kF},
     R"(%0 = "stablehlo.after_all"(%a) : (tensor<f32>) -> !stablehlo.token)",
     "expected a token"},
    {{kF2},
     R"(%0 = "stablehlo.custom_call"(%a) {call_target_name = "Sharding"} : (tensor<2xf32>) -> tensor<3xf32>)",
     "@Sharding has results of other types"},
    {{kF2},
     R"(%0 = "stablehlo.custom_call"(%a) {call_target_name = "mhlo.erf"} : (tensor<2xf32>) -> tensor<3xf32>)",
     "result 0 is f32[3]; expected f32[2]"},
    {{kF2},
     R"(%0, %1 = "stablehlo.custom_call"(%a) {call_target_name = "mhlo.topk", mhlo.attributes = {k = 3 : i64}} : (tensor<2xf32>) -> (tensor<3xf32>, tensor<3xi32>))",
     "k is 3; expected a value in [0, 2]"},
    {{kF2},
     R"(%0, %1 = "stablehlo.custom_call"(%a) {call_target_name = "mhlo.topk"} : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xi32>))",
     "the attribute k is missing"},
    {{kF2},
     R"(%0 = "stablehlo.custom_call"(%a) {call_target_name = "stablehlo.dynamic_top_k"} : (tensor<2xf32>) -> tensor<2xf32>)",
     "which are not supported",
     StatusCode::kUnimplemented},
    {{"tensor<?xf32>"},
     R"(%0 = "stablehlo.abs"(%a) : (tensor<?xf32>) -> tensor<?xf32>)",
     "dynamic dimensions are not supported: f32[?]",
     StatusCode::kUnimplemented},
    {{kF2},
     R"(%0 = "stablehlo.unary_einsum"(%a) {einsum_config = "a->a"} : (tensor<2xf32>) -> tensor<2xf32>)",
     "this op is not supported",
     StatusCode::kUnimplemented},
    {{kF2},
     R"(%0 = "stablehlo.reshape"(%a) : (tensor<2xf32>) -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>)",
     "at most 64 are supported",
     StatusCode::kUnimplemented},
    {{"tensor<complex<f64>>"},
     R"(%0 = "stablehlo.broadcast_in_dim"(%a) {broadcast_dimensions = array<i64>} : (tensor<complex<f64>>) -> tensor<536870912x536870912xcomplex<f64>>)",
     "larger than 2^62 bytes"},
};

const BadProgram kCollectives[] = {
    {{kF2},
     R"(%0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<4xf32>)",
     "all_gather_dim is 1"},
    {{kF23},
     R"(%0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x3xf32>) -> tensor<4x4xf32>)",
     "expected f32[2,3]"},
    {{kF2},
     R"(%0 = "stablehlo.all_to_all"(%a) {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "split_count is 3"},
    {{kF2},
     R"(%0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "source_target_pairs has 3 entries; expected 2"},
    {{kF2},
     R"(%0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, -5]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "names -5"},
    {{kF2},
     R"(%0 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<0> : tensor<1000000x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>)",
     "expected at most 128"},
};

TEST(BadPrograms, Elementwise) { ExpectAllBad(kElementwise); }
TEST(BadPrograms, Movement) { ExpectAllBad(kMovement); }
TEST(BadPrograms, Algorithms) { ExpectAllBad(kAlgorithms); }
TEST(BadPrograms, Control) { ExpectAllBad(kControl); }
TEST(BadPrograms, Collectives) { ExpectAllBad(kCollectives); }

Status ImportStatus(std::string_view text) {
  auto program = program::ReadText(text);
  if (!program.ok()) return program.status();
  return Import(*std::move(program)).status();
}

TEST(BadPrograms, NamesOpAndPlace) {
  const Status status = ImportStatus(R"(
    func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
      %0 = stablehlo.add %a, %a : tensor<2xf32>
      %1 = "stablehlo.add"(%0, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32> loc("model.py":12:3)
      return %1 : tensor<2xf32>
    })");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("in @main: stablehlo.add at "));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("model.py"));
}

TEST(BadPrograms, TheInnermostOpIsNamed) {
  const Status status = ImportStatus(R"(
    func.func @main(%p: tensor<i1>, %b: tensor<3xf32>) -> tensor<3xf32> {
      %1 = "stablehlo.if"(%p) ({
        %2 = "stablehlo.floor"(%p) : (tensor<i1>) -> tensor<i1>
        "stablehlo.return"(%b) : (tensor<3xf32>) -> ()
      }, {
        "stablehlo.return"(%b) : (tensor<3xf32>) -> ()
      }) : (tensor<i1>) -> tensor<3xf32>
      return %1 : tensor<3xf32>
    })");
  EXPECT_THAT(std::string(status.message()),
              ::testing::StartsWith("in @main: stablehlo.floor at "));
}

TEST(BadPrograms, SignatureAndReturnDiffer) {
  const Status status = ImportStatus(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      "func.return"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> ()
    })");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status.ToString();
}

TEST(BadPrograms, DonationOutOfRange) {
  const Status status = ImportStatus(R"(
    func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 1 : i32}) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    })");
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("is donated to output 1; there are 1 outputs"));
}

TEST(BadPrograms, TwoDonationsToOneOutput) {
  const Status status = ImportStatus(R"(
    func.func @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32},
                    %b: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    })");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("as is another argument"));
}

TEST(BadPrograms, NoEntry) {
  const Status status = ImportStatus(R"(
    func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
      return %a : tensor<2xf32>
    })");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("the program has no entry"));
}

// Many ops may share one list, and each gets a copy.
TEST(BadPrograms, TooLongReplicaGroups) {
  std::string groups = "0";
  for (int i = 1; i < 5000; ++i) groups += StrCat(", ", i);
  const Status status = ImportStatus(StrCat(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<10000xf32> {
      %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[)",
                                            groups, R"(]]> : tensor<1x5000xi64>}
        : (tensor<2xf32>) -> tensor<10000xf32>
      return %0 : tensor<10000xf32>
    })"));
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("expected at most 4096"));
}

TEST(BadPrograms, TooManyDevices) {
  const Status status = ImportStatus(R"(
    module attributes {mhlo.num_partitions = 0 : i32} {
      func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        return %a : tensor<2xf32>
      }
    })");
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("mhlo.num_partitions = 0"));
}

}  // namespace
}  // namespace plinth::compiler::importer
