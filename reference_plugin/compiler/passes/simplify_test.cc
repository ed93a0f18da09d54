// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reference_plugin/compiler/testing/optimize_test_util.h"

namespace plinth::compiler::passes {
namespace {

#define F4 "tensor<4xf32>"
#define I4 "tensor<4xi32>"
#define P4 "tensor<4xi1>"
#define C4 "tensor<4xcomplex<f32>>"

TEST(Simplify, DivisionByConstants) {
  const Row rows[] = {
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<4.0> : " F4 " %0 = stablehlo.divide %a, %z : " F4
       " return %0 : " F4,
       "%1 = constant() {value=0.25} : f32[4]\n%2 = multiply(%0, %1) : f32[4]\nreturn(%2)"},
      // The reciprocal has to be a normal number.
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<2.0e38> : " F4 " %0 = stablehlo.divide %a, %z : " F4
       " return %0 : " F4,
       "%1 = constant() {value=2e+38} : f32[4]\n%2 = divide(%0, %1) : f32[4]\nreturn(%2)"},
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<0.0> : " F4 " %0 = stablehlo.divide %a, %z : " F4
       " return %0 : " F4,
       "%1 = constant() {value=0} : f32[4]\n%2 = divide(%0, %1) : f32[4]\nreturn(%2)"},
      {"%a: tensor<4xui32>", "tensor<4xui32>",
       "%z = stablehlo.constant dense<8> : tensor<4xui32> "
       "%0 = stablehlo.divide %a, %z : tensor<4xui32> return %0 : tensor<4xui32>",
       "%1 = constant() {value=3} : u32[4]\n%2 = shift_right_logical(%0, %1) : "
       "u32[4]\nreturn(%2)"},
      {"%a: tensor<4xui8>", "tensor<4xui8>",
       "%z = stablehlo.constant dense<128> : tensor<4xui8> "
       "%0 = stablehlo.remainder %a, %z : tensor<4xui8> return %0 : tensor<4xui8>",
       "%1 = constant() {value=127} : u8[4]\n%2 = and(%0, %1) : u8[4]\nreturn(%2)"},
      // Of signed integers -1 / 2 is 0.
      {"%a: " I4, I4,
       "%z = stablehlo.constant dense<2> : " I4 " %0 = stablehlo.divide %a, %z : " I4
       " return %0 : " I4,
       "%1 = constant() {value=2} : s32[4]\n%2 = divide(%0, %1) : s32[4]\nreturn(%2)"},
  };
  ExpectRows(rows);
}

TEST(Simplify, Elementwise) {
  const Row rows[] = {
      // x + 0 stays for floats (-0 + 0 is 0), x + -0 and integers do not.
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<0.0> : " F4 " %0 = stablehlo.add %a, %z : " F4
       " return %0 : " F4,
       "%1 = constant() {value=0} : f32[4]\n%2 = add(%0, %1) : f32[4]\nreturn(%2)"},
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<-0.0> : " F4 " %0 = stablehlo.add %z, %a : " F4
       " return %0 : " F4,
       "return(%0)"},
      {"%a: " I4, I4,
       "%z = stablehlo.constant dense<0> : " I4 " %0 = stablehlo.add %z, %a : " I4
       " return %0 : " I4,
       "return(%0)"},
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<0.0> : " F4 " %0 = stablehlo.subtract %a, %z : " F4
       " return %0 : " F4,
       "return(%0)"},
      {"%a: " I4, I4, "%0 = stablehlo.subtract %a, %a : " I4 " return %0 : " I4,
       "%1 = constant() {value=0} : s32[4]\nreturn(%1)"},
      {"%a: " F4, F4, "%0 = stablehlo.subtract %a, %a : " F4 " return %0 : " F4,
       "%1 = subtract(%0, %0) : f32[4]\nreturn(%1)"},
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<1.0> : " F4 " %0 = stablehlo.multiply %z, %a : " F4
       " %1 = stablehlo.divide %0, %z : " F4 " return %1 : " F4,
       "return(%0)"},
      {"%a: " C4, C4,
       "%z = stablehlo.constant dense<(1.0, 0.0)> : " C4 " %0 = stablehlo.multiply %a, %z : " C4
       " return %0 : " C4,
       "%1 = constant() {value=(1, 0)} : c64[4]\n%2 = multiply(%0, %1) : c64[4]\nreturn(%2)"},
      {"%a: " F4, F4,
       "%0 = stablehlo.negate %a : " F4 " %1 = stablehlo.negate %0 : " F4 " return %1 : " F4,
       "return(%0)"},
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<2.0> : " F4 " %0 = stablehlo.power %a, %z : " F4
       " return %0 : " F4,
       "%1 = multiply(%0, %0) : f32[4]\nreturn(%1)"},
      {"%a: " P4, P4,
       "%z = stablehlo.constant dense<true> : " P4 " %0 = stablehlo.and %a, %z : " P4
       " return %0 : " P4,
       "return(%0)"},
      {"%a: " I4, I4, "%0 = stablehlo.xor %a, %a : " I4 " return %0 : " I4,
       "%1 = constant() {value=0} : s32[4]\nreturn(%1)"},
      {"%a: " I4, I4,
       "%z = stablehlo.constant dense<-1> : " I4 " %0 = stablehlo.or %a, %z : " I4
       " return %0 : " I4,
       "%1 = constant() {value=-1} : s32[4]\nreturn(%1)"},
      // By a power of two, no step of it rounds; by others, and by fractions, it stays.
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<8.0> : " F4 " %0 = stablehlo.remainder %a, %z : " F4
       " return %0 : " F4,
       "%1 = constant() {value=8} : f32[4]\n%2 = abs(%0) : f32[4]\n%3 = constant() {value=0.125} : "
       "f32[4]\n%4 = multiply(%2, %3) : f32[4]\n%5 = floor(%4) : f32[4]\n%6 = multiply(%5, %1) : "
       "f32[4]\n%7 = bitcast_convert(%0) : u32[4]\n%8 = constant() {value=2147483648} : u32[4]\n%9 "
       "= and(%7, %8) : u32[4]\n%10 = subtract(%2, %6) : f32[4]\n%11 = bitcast_convert(%10) : "
       "u32[4]\n%12 = or(%11, %9) : u32[4]\n%13 = bitcast_convert(%12) : f32[4]\nreturn(%13)"},
      {"%a: " F4, F4,
       "%z = stablehlo.constant dense<0.5> : " F4 " %0 = stablehlo.remainder %a, %z : " F4
       " return %0 : " F4,
       "%1 = constant() {value=0.5} : f32[4]\n%2 = remainder(%0, %1) : f32[4]\nreturn(%2)"},
      // The opposite of a float comparison is only known for equality.
      {"%a: " F4, P4,
       "%0 = stablehlo.compare LT, %a, %a : (" F4 ", " F4 ") -> " P4 " %1 = stablehlo.not %0 : " P4
       " return %1 : " P4,
       "%1 = compare(%0, %0) {direction=LT, type=FLOAT} : pred[4]\n%2 = not(%1) : "
       "pred[4]\nreturn(%2)"},
      {"%a: " I4 ", %b: " I4, P4,
       "%0 = stablehlo.compare LT, %a, %b : (" I4 ", " I4 ") -> " P4 " %1 = stablehlo.not %0 : " P4
       " return %1 : " P4,
       "%2 = compare(%0, %1) {direction=GE, type=SIGNED} : pred[4]\nreturn(%2)"},
      {"%p: " P4 ", %a: " F4 ", %b: " F4, F4,
       "%0 = stablehlo.not %p : " P4 " %1 = stablehlo.select %0, %a, %b : " P4 ", " F4
       " return %1 : " F4,
       "%3 = select(%0, %2, %1) : f32[4]\nreturn(%3)"},
      {"%a: " F4 ", %b: " F4, F4,
       "%p = stablehlo.constant dense<false> : tensor<i1> %1 = stablehlo.select %p, %a, %b : "
       "tensor<i1>, " F4 " return %1 : " F4,
       "return(%1)"},
      {"%p: " P4, P4,
       "%0 = stablehlo.convert %p : (" P4 ") -> " I4 " %z = stablehlo.constant dense<0> : " I4
       " %1 = stablehlo.compare NE, %0, %z : (" I4 ", " I4 ") -> " P4 " return %1 : " P4,
       "return(%0)"},
      // In total order -0 is less than the 0 that false becomes.
      {"%p: " P4, P4,
       "%0 = stablehlo.convert %p : (" P4 ") -> " F4 " %z = stablehlo.constant dense<-0.0> : " F4
       " %1 = stablehlo.compare EQ, %0, %z, TOTALORDER : (" F4 ", " F4 ") -> " P4
       " return %1 : " P4,
       "%1 = convert(%0) : f32[4]\n%2 = constant() {value=-0} : f32[4]\n%3 = compare(%1, %2) "
       "{direction=EQ, type=TOTALORDER} : pred[4]\nreturn(%3)"},
      // Exponents have no zero for false.
      {"%p: " P4, F4,
       "%0 = stablehlo.convert %p : (" P4 ") -> tensor<4xf8E8M0FNU> %1 = stablehlo.convert %0 : "
       "(tensor<4xf8E8M0FNU>) -> " F4 " return %1 : " F4,
       "%1 = convert(%0) : f8e8m0fnu[4]\n%2 = convert(%1) : f32[4]\nreturn(%2)"},
      {"%a: tensor<4xbf16>", "tensor<4xbf16>",
       "%0 = stablehlo.convert %a : (tensor<4xbf16>) -> " F4 " %1 = stablehlo.convert %0 : (" F4
       ") -> tensor<4xbf16> return %1 : tensor<4xbf16>",
       "return(%0)"},
      {"%a: " F4, F4,
       "%0 = stablehlo.convert %a : (" F4
       ") -> tensor<4xbf16> %1 = stablehlo.convert %0 : (tensor<4xbf16>) -> " F4 " return %1 : " F4,
       "%1 = convert(%0) : bf16[4]\n%2 = convert(%1) : f32[4]\nreturn(%2)"},
      // A negative number converts to unsigned otherwise as a float than as an integer.
      {"%a: tensor<4xi8>", "tensor<4xui8>",
       "%0 = stablehlo.convert %a : (tensor<4xi8>) -> " F4 " %1 = stablehlo.convert %0 : (" F4
       ") -> tensor<4xui8> return %1 : tensor<4xui8>",
       "%1 = convert(%0) : f32[4]\n%2 = convert(%1) : u8[4]\nreturn(%2)"},
      {"%a: " F4, F4, "%0 = stablehlo.reduce_precision %a, format = e8m23 : " F4 " return %0 : " F4,
       "return(%0)"},
      {"%a: " F4 ", %b: " F4, F4,
       "%0 = stablehlo.complex %a, %b : " C4 " %1 = stablehlo.imag %0 : (" C4 ") -> " F4
       " return %1 : " F4,
       "return(%1)"},
      {"%a: " F4, F4,
       "%0 = stablehlo.negate %a : " F4 " %1 = stablehlo.exponential %0 : " F4
       " %o = stablehlo.constant dense<1.0> : " F4 " %2 = stablehlo.add %o, %1 : " F4
       " %3 = stablehlo.divide %o, %2 : " F4 " return %3 : " F4,
       "%1 = logistic(%0) : f32[4]\nreturn(%1)"},
  };
  ExpectRows(rows);
}

TEST(Simplify, Movement) {
  const Row rows[] = {
      {"%a: tensor<2x3xf32>", "tensor<2x3xf32>",
       "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32> %1 = "
       "stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32> return %1 : "
       "tensor<2x3xf32>",
       "return(%0)"},
      {"%a: tensor<1x3xf32>", "tensor<3x1xf32>",
       "%0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32> return "
       "%0 : tensor<3x1xf32>",
       "%1 = reshape(%0) : f32[3,1]\nreturn(%1)"},
      {"%a: tensor<6xf32>", "tensor<3x2xf32>",
       "%0 = stablehlo.reshape %a : (tensor<6xf32>) -> tensor<2x3xf32> %1 = stablehlo.reshape %0 : "
       "(tensor<2x3xf32>) -> tensor<3x2xf32> return %1 : tensor<3x2xf32>",
       "%1 = reshape(%0) : f32[3,2]\nreturn(%1)"},
      {"%a: tensor<3xf32>", "tensor<2x1x3xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32> %1 = "
       "stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<1x3xf32>) -> tensor<2x1x3xf32> "
       "return %1 : tensor<2x1x3xf32>",
       "%1 = reshape(%0) : f32[1,3]\n%2 = broadcast_in_dim(%1) {dimensions=[1,2]} : "
       "f32[2,1,3]\nreturn(%2)"},
      {"%a: tensor<3xf32>", "tensor<2x5x3xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32> %1 = "
       "stablehlo.broadcast_in_dim %0, dims = [1, 2] : (tensor<5x3xf32>) -> tensor<2x5x3xf32> "
       "return %1 : tensor<2x5x3xf32>",
       "%1 = broadcast_in_dim(%0) {dimensions=[2]} : f32[2,5,3]\nreturn(%1)"},
      {"%a: tensor<3xf32>", "tensor<3x5xf32>",
       "%0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<5x3xf32> %1 = "
       "stablehlo.transpose %0, dims = [1, 0] : (tensor<5x3xf32>) -> tensor<3x5xf32> return %1 : "
       "tensor<3x5xf32>",
       "%1 = broadcast_in_dim(%0) {dimensions=[0]} : f32[3,5]\nreturn(%1)"},
      {"", "tensor<2x3xf32>",
       "%0 = stablehlo.constant dense<1.5> : tensor<f32> %1 = stablehlo.broadcast_in_dim %0, dims "
       "= [] : (tensor<f32>) -> tensor<3x2xf32> %2 = stablehlo.transpose %1, dims = [1, 0] : "
       "(tensor<3x2xf32>) -> tensor<2x3xf32> return %2 : tensor<2x3xf32>",
       "%0 = constant() {value=1.5} : f32[2,3]\nreturn(%0)"},
      {"%a: tensor<10xf32>", "tensor<2xf32>",
       "%0 = stablehlo.slice %a [1:9:2] : (tensor<10xf32>) -> tensor<4xf32> %1 = stablehlo.slice "
       "%0 [1:4:2] : (tensor<4xf32>) -> tensor<2xf32> return %1 : tensor<2xf32>",
       "%1 = slice(%0) {start=[3], limit=[8], stride=[4]} : f32[2]\nreturn(%1)"},
      {"%a: " F4, F4,
       "%0 = stablehlo.reverse %a, dims = [0] : " F4 " %1 = stablehlo.reverse %0, dims = [0] : " F4
       " return %1 : " F4,
       "return(%0)"},
      {"%a: tensor<10xf32>", "tensor<3xf32>",
       "%i = stablehlo.constant dense<9> : tensor<i32> %0 = stablehlo.dynamic_slice %a, %i, sizes "
       "= [3] : (tensor<10xf32>, tensor<i32>) -> tensor<3xf32> return %0 : tensor<3xf32>",
       "%1 = slice(%0) {start=[7], limit=[10]} : f32[3]\nreturn(%1)"},
      // What lies in one operand of a concatenation is a part of that.
      {"%a: " F4 ", %b: " F4, "tensor<2xf32>",
       "%0 = stablehlo.concatenate %a, %b, dim = 0 : (" F4 ", " F4
       ") -> tensor<8xf32> %1 = stablehlo.slice %0 [4:7:2] : (tensor<8xf32>) -> tensor<2xf32> "
       "return %1 : tensor<2xf32>",
       "%2 = slice(%1) {start=[0], limit=[3], stride=[2]} : f32[2]\nreturn(%2)"},
      {"%a: " F4 ", %b: " F4, "tensor<2xf32>",
       "%0 = stablehlo.concatenate %a, %b, dim = 0 : (" F4 ", " F4
       ") -> tensor<8xf32> %1 = stablehlo.slice %0 [3:5] : (tensor<8xf32>) -> tensor<2xf32> "
       "return %1 : tensor<2xf32>",
       "%2 = concatenate(%0, %1) {dimension=0} : f32[8]\n"
       "%3 = slice(%2) {start=[3], limit=[5]} : f32[2]\nreturn(%3)"},
      {"%a: tensor<10xf32>, %u: tensor<10xf32>, %i: tensor<i32>", "tensor<10xf32>",
       "%0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<10xf32>, tensor<10xf32>, "
       "tensor<i32>) -> tensor<10xf32> return %0 : tensor<10xf32>",
       "return(%1)"},
      // Parts of parts are parts, along one dimension.
      {"%a: " F4 ", %b: " F4, "tensor<12xf32>",
       "%0 = stablehlo.concatenate %a, %b, dim = 0 : (" F4 ", " F4
       ") -> tensor<8xf32> %1 = stablehlo.concatenate %b, %0, dim = 0 : (" F4
       ", tensor<8xf32>) -> tensor<12xf32> return %1 : tensor<12xf32>",
       "%2 = concatenate(%1, %0, %1) {dimension=0} : f32[12]\nreturn(%2)"},
      {"%a: " F4 ", %e: tensor<0xf32>", F4,
       "%0 = stablehlo.concatenate %e, %a, dim = 0 : (tensor<0xf32>, " F4 ") -> " F4
       " return %0 : " F4,
       "return(%0)"},
      {"%a: tensor<3x7xf32>", "tensor<i32>",
       "%0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<3x7xf32>) -> tensor<i32> return %0 "
       ": tensor<i32>",
       "%1 = constant() {value=7} : s32[]\nreturn(%1)"},
  };
  ExpectRows(rows);
  EXPECT_NE(Optimized("func.func @main(%a: " F4 ") -> " F4 " { return %a : " F4 " }"), "");
}

// Each takes every second place, with padding between: their elements meet the other's padding and
// lie between each other.
TEST(SimplifyTest, PadsThatTakeTurns) {
  const Row rows[] = {
      {"%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %p: tensor<f32>, %q: tensor<f32>",
       "tensor<2x6xf32>",
       "%0 = stablehlo.pad %a, %p, low = [0, 1], high = [0, 0], interior = [0, 1] : "
       "(tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32> %1 = stablehlo.pad %b, %q, low = [0, 0], "
       "high = [0, 1], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32> %2 = "
       "stablehlo.subtract %0, %1 : tensor<2x6xf32> return %2 : tensor<2x6xf32>",
       "%4 = broadcast_in_dim(%3) {dimensions=[]} : f32[2,3]\n"
       "%5 = subtract(%0, %4) : f32[2,3]\n"
       "%6 = broadcast_in_dim(%2) {dimensions=[]} : f32[2,3]\n"
       "%7 = subtract(%6, %1) : f32[2,3]\n"
       "%8 = reshape(%7) : f32[2,3,1]\n"
       "%9 = reshape(%5) : f32[2,3,1]\n"
       "%10 = concatenate(%8, %9) {dimension=2} : f32[2,3,2]\n"
       "%11 = reshape(%10) : f32[2,6]\nreturn(%11)"},
      // Both in the same places, or with more than one place between: as they are.
      {"%a: tensor<3xf32>, %b: tensor<3xf32>, %p: tensor<f32>", "tensor<6xf32>",
       "%0 = stablehlo.pad %a, %p, low = [0], high = [1], interior = [1] : (tensor<3xf32>, "
       "tensor<f32>) -> tensor<6xf32> %1 = stablehlo.pad %b, %p, low = [0], high = [1], interior = "
       "[1] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32> %2 = stablehlo.add %0, %1 : "
       "tensor<6xf32> return %2 : tensor<6xf32>",
       "%3 = pad(%0, %2) {low=[0], high=[1], interior=[1]} : f32[6]\n"
       "%4 = pad(%1, %2) {low=[0], high=[1], interior=[1]} : f32[6]\n"
       "%5 = add(%3, %4) : f32[6]\nreturn(%5)"},
      {"%a: tensor<2xf32>, %b: tensor<2xf32>, %p: tensor<f32>", "tensor<5xf32>",
       "%0 = stablehlo.pad %a, %p, low = [0], high = [1], interior = [2] : (tensor<2xf32>, "
       "tensor<f32>) -> tensor<5xf32> %1 = stablehlo.pad %b, %p, low = [1], high = [0], interior = "
       "[2] : (tensor<2xf32>, tensor<f32>) -> tensor<5xf32> %2 = stablehlo.add %0, %1 : "
       "tensor<5xf32> return %2 : tensor<5xf32>",
       "%3 = pad(%0, %2) {low=[0], high=[1], interior=[2]} : f32[5]\n"
       "%4 = pad(%1, %2) {low=[1], high=[0], interior=[2]} : f32[5]\n"
       "%5 = add(%3, %4) : f32[5]\nreturn(%5)"},
  };
  ExpectRows(rows);
}

TEST(Simplify, Folding) {
  const Row rows[] = {
      {"", "tensor<3xi32>",
       "%a = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32> %b = stablehlo.constant "
       "dense<[10, 20, -2147483648]> : tensor<3xi32> %0 = stablehlo.subtract %b, %a : "
       "tensor<3xi32> return %0 : tensor<3xi32>",
       "%0 = constant() {value=[9,18,2147483645]} : s32[3]\nreturn(%0)"},
      {"", "tensor<2x2xi32>",
       "%a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32> %0 = stablehlo.transpose "
       "%a, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32> return %0 : tensor<2x2xi32>",
       "%0 = constant() {value=[1,3,2,4]} : s32[2,2]\nreturn(%0)"},
      {"", "tensor<3xi32>",
       "%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32> %b = stablehlo.constant dense<7> : "
       "tensor<1xi32> %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2xi32>, tensor<1xi32>) "
       "-> tensor<3xi32> return %0 : tensor<3xi32>",
       "%0 = constant() {value=[1,2,7]} : s32[3]\nreturn(%0)"},
      {"", "tensor<2xi32>",
       "%a = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32> %0 = stablehlo.slice %a "
       "[1:4:2] : (tensor<4xi32>) -> tensor<2xi32> return %0 : tensor<2xi32>",
       "%0 = constant() {value=[2,4]} : s32[2]\nreturn(%0)"},
      {"", "tensor<bf16>",
       "%a = stablehlo.constant dense<1.0> : tensor<bf16> %b = stablehlo.constant dense<3.0> : "
       "tensor<bf16> %0 = stablehlo.divide %a, %b : tensor<bf16> return %0 : tensor<bf16>",
       "%0 = constant() {value=0.33398438} : bf16[]\nreturn(%0)"},
      {"", "tensor<f32>",
       "%a = stablehlo.constant dense<1.0> : tensor<f32> %0 = stablehlo.exponential %a : "
       "tensor<f32> return %0 : tensor<f32>",
       "%0 = constant() {value=1} : f32[]\n%1 = exponential(%0) : f32[]\nreturn(%1)"},
      // 1 + 2^-11 + 2^-40: rounded once, as by the back end.
      {"", "tensor<f16>",
       "%a = stablehlo.constant dense<0x3FF0020000001000> : tensor<f64> %0 = stablehlo.convert %a "
       ": (tensor<f64>) -> tensor<f16> return %0 : tensor<f16>",
       "%0 = constant() {value=1.0009766} : f16[]\nreturn(%0)"},
      // Not a number, out of range, by zero: the back end says.
      {"", "tensor<f32>",
       "%a = stablehlo.constant dense<0.0> : tensor<f32> %0 = stablehlo.divide %a, %a : "
       "tensor<f32> return %0 : tensor<f32>",
       "%0 = constant() {value=0} : f32[]\n%1 = divide(%0, %0) : f32[]\nreturn(%1)"},
      {"", "tensor<i32>",
       "%a = stablehlo.constant dense<1.0e10> : tensor<f32> %0 = stablehlo.convert %a : "
       "(tensor<f32>) -> tensor<i32> return %0 : tensor<i32>",
       "%0 = constant() {value=1e+10} : f32[]\n%1 = convert(%0) : s32[]\nreturn(%1)"},
      // The largest u64 is no small negative number.
      {"", "tensor<f32>",
       "%a = stablehlo.constant dense<18446744073709551615> : tensor<ui64> %0 = stablehlo.convert "
       "%a : (tensor<ui64>) -> tensor<f32> return %0 : tensor<f32>",
       "%0 = constant() {value=18446744073709551615} : u64[]\n%1 = convert(%0) : f32[]\n"
       "return(%1)"},
      {"", "tensor<i32>",
       "%a = stablehlo.constant dense<5> : tensor<i32> %z = stablehlo.constant dense<0> : "
       "tensor<i32> %0 = stablehlo.divide %a, %z : tensor<i32> return %0 : tensor<i32>",
       "%0 = constant() {value=5} : s32[]\n%1 = constant() {value=0} : s32[]\n%2 = divide(%0, %1) "
       ": s32[]\nreturn(%2)"},
      {"", "tensor<ui8>",
       "%a = stablehlo.constant dense<200> : tensor<ui8> %b = stablehlo.constant dense<100> : "
       "tensor<ui8> %0 = stablehlo.add %a, %b : tensor<ui8> return %0 : tensor<ui8>",
       "%0 = constant() {value=44} : u8[]\nreturn(%0)"},
      {"", "tensor<ui64>",
       "%a = stablehlo.constant dense<18446744073709551615> : tensor<ui64> %b = stablehlo.constant "
       "dense<2> : tensor<ui64> %0 = stablehlo.maximum %a, %b : tensor<ui64> return %0 : "
       "tensor<ui64>",
       "%0 = constant() {value=18446744073709551615} : u64[]\nreturn(%0)"},
      {"", "tensor<i1>",
       "%a = stablehlo.constant dense<0x7FC00000> : tensor<f32> %0 = stablehlo.compare NE, %a, %a "
       ": (tensor<f32>, tensor<f32>) -> tensor<i1> return %0 : tensor<i1>",
       "%0 = constant() {value=true} : pred[]\nreturn(%0)"},
  };
  ExpectRows(rows);
}

TEST(Simplify, Control) {
  const Row rows[] = {
      {"%a: " F4, F4, R"(%p = stablehlo.constant dense<false> : tensor<i1>
        %0 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<4xf32> }, { %n = stablehlo.negate %a : tensor<4xf32> stablehlo.return %n : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32>
        return %0 : tensor<4xf32>)",
       "%1 = negate(%0) : f32[4]\nreturn(%1)"},
      // An index out of range takes the last branch.
      {"%a: " F4, F4, R"(%p = stablehlo.constant dense<-7> : tensor<i32>
        %0 = "stablehlo.case"(%p) ({ stablehlo.return %a : tensor<4xf32> }, { %n = stablehlo.negate %a : tensor<4xf32> stablehlo.return %n : tensor<4xf32> }) : (tensor<i32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>)",
       "%1 = negate(%0) : f32[4]\nreturn(%1)"},
      {"%a: " F4, F4, R"(%p = stablehlo.constant dense<false> : tensor<i1>
        %0 = "stablehlo.while"(%a) ({ ^bb0(%x: tensor<4xf32>): stablehlo.return %p : tensor<i1> }, { ^bb0(%x: tensor<4xf32>): %n = stablehlo.negate %x : tensor<4xf32> stablehlo.return %n : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>)",
       "return(%0)"},
      // %w is the same in every turn; %d serves only itself.
      {"%a: " F4 ", %w: " F4, F4,
       R"(%i = stablehlo.constant dense<0> : tensor<i32> %n = stablehlo.constant dense<3> : tensor<i32> %one = stablehlo.constant dense<1> : tensor<i32>
        %0:4 = "stablehlo.while"(%i, %a, %w, %a) ({ ^bb0(%j: tensor<i32>, %x: tensor<4xf32>, %v: tensor<4xf32>, %d: tensor<4xf32>): %c = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %c : tensor<i1> },
          { ^bb0(%j: tensor<i32>, %x: tensor<4xf32>, %v: tensor<4xf32>, %d: tensor<4xf32>): %k = stablehlo.add %j, %one : tensor<i32> %m = stablehlo.multiply %x, %v : tensor<4xf32> %e = stablehlo.add %d, %d : tensor<4xf32> stablehlo.return %k, %m, %v, %e : tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32> }) : (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
        return %0#1 : tensor<4xf32>)",
       "%2 = constant() {value=0} : s32[]\n%3 = constant() {value=3} : s32[]\n%4 = constant() "
       "{value=1} : s32[]\n"
       "%5, %6 = while(%2, %0) : s32[], f32[4]\n"
       "block(%7: s32[], %8: f32[4]) {\n%9 = compare(%7, %3) {direction=LT, type=SIGNED} : "
       "pred[]\nreturn(%9)\n}\n"
       "block(%10: s32[], %11: f32[4]) {\n%12 = add(%10, %4) : s32[]\n%13 = multiply(%11, %1) : "
       "f32[4]\nreturn(%12, %13)\n}\nreturn(%6)"},
      {"%a: " F4, F4,
       R"(%t = stablehlo.tuple %a, %a : tuple<tensor<4xf32>, tensor<4xf32>> %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> return %0 : tensor<4xf32>)",
       "return(%0)"},
  };
  ExpectRows(rows);
}

TEST(Simplify, TransposesOfMatrixProducts) {
  const Row rows[] = {
      // Of an operand: other dimension numbers.
      {"%a: tensor<3x2xf32>, %b: tensor<3x4xf32>", "tensor<2x4xf32>",
       "%t = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32> "
       "%0 = stablehlo.dot_general %t, %b, contracting_dims = [1] x [0] "
       ": (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> return %0 : tensor<2x4xf32>",
       "%2 = dot_general(%0, %1) {lhs_contracting=[0], rhs_contracting=[0]} : f32[2,4]\n"
       "return(%2)"},
      // Of the result: exchanged operands.
      {"%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", "tensor<4x2xf32>",
       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
       ": (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> "
       "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32> "
       "return %1 : tensor<4x2xf32>",
       "%2 = dot_general(%1, %0) {lhs_contracting=[0], rhs_contracting=[1]} : f32[4,2]\n"
       "return(%2)"},
      // Heads of attention.
      {"%a: tensor<5x2x3x4xf32>, %b: tensor<5x6x3x4xf32>", "tensor<5x3x2x6xf32>",
       "%s = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<5x2x3x4xf32>) -> "
       "tensor<5x3x2x4xf32> "
       "%t = stablehlo.transpose %b, dims = [0, 2, 3, 1] : (tensor<5x6x3x4xf32>) -> "
       "tensor<5x3x4x6xf32> "
       "%0 = stablehlo.dot_general %s, %t, batching_dims = [0, 1] x [0, 1], "
       "contracting_dims = [3] x [2] "
       ": (tensor<5x3x2x4xf32>, tensor<5x3x4x6xf32>) -> tensor<5x3x2x6xf32> "
       "return %0 : tensor<5x3x2x6xf32>",
       "%2 = dot_general(%0, %1) {lhs_batch=[0,2], rhs_batch=[0,2], lhs_contracting=[3], "
       "rhs_contracting=[3]} : f32[5,3,2,6]\nreturn(%2)"},
      // The order of free dimensions, or of what is summed, would change: left.
      {"%a: tensor<3x2x5xf32>, %b: tensor<5xf32>", "tensor<2x3xf32>",
       "%t = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<3x2x5xf32>) -> tensor<2x3x5xf32> "
       "%0 = stablehlo.dot_general %t, %b, contracting_dims = [2] x [0] "
       ": (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3xf32> return %0 : tensor<2x3xf32>",
       "%2 = transpose(%0) {dimensions=[1,0,2]} : f32[2,3,5]\n"
       "%3 = dot_general(%2, %1) {lhs_contracting=[2], rhs_contracting=[0]} : f32[2,3]\n"
       "return(%3)"},
      {"%a: tensor<3x2xf32>, %b: tensor<2x3xf32>", "tensor<f32>",
       "%t = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32> "
       "%0 = stablehlo.dot_general %t, %b, contracting_dims = [0, 1] x [0, 1] "
       ": (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<f32> return %0 : tensor<f32>",
       "%2 = transpose(%0) {dimensions=[1,0]} : f32[2,3]\n"
       "%3 = dot_general(%2, %1) {lhs_contracting=[0,1], rhs_contracting=[0,1]} : f32[]\n"
       "return(%3)"},
      // The product itself is wanted, too: left.
      {"%a: tensor<2x3xf32>, %b: tensor<3x4xf32>", "(tensor<4x2xf32>, tensor<2x4xf32>)",
       "%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] "
       ": (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> "
       "%1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32> "
       "return %1, %0 : tensor<4x2xf32>, tensor<2x4xf32>",
       "%2 = dot_general(%0, %1) {lhs_contracting=[1], rhs_contracting=[0]} : f32[2,4]\n"
       "%3 = transpose(%2) {dimensions=[1,0]} : f32[4,2]\nreturn(%3, %2)"},
      // It is computed once, not in every turn of a loop: left.
      {"%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %n: tensor<i1>", "tensor<2x2xf32>",
       R"(%0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> %1:2 = "stablehlo.while"(%n, %b) ({ ^bb0(%c: tensor<i1>, %x: tensor<2x2xf32>): stablehlo.return %c : tensor<i1> }, { ^bb0(%c: tensor<i1>, %x: tensor<2x2xf32>): %t = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32> %f = stablehlo.custom_call @f(%t) : (tensor<2x2xf32>) -> tensor<i1> stablehlo.return %f, %t : tensor<i1>, tensor<2x2xf32> }) : (tensor<i1>, tensor<2x2xf32>) -> (tensor<i1>, tensor<2x2xf32>) return %1#1 : tensor<2x2xf32>)",
       "%3 = dot_general(%0, %1) {lhs_contracting=[1], rhs_contracting=[0]} : f32[2,2]\n%4, %5 = "
       "while(%2, %1) : pred[], f32[2,2]\nblock(%6: pred[], %7: f32[2,2]) {\nreturn(%6)\n}\n"
       "block(%8: pred[], %9: f32[2,2]) {\n%10 = transpose(%3) {dimensions=[1,0]} : f32[2,2]\n"
       "%11 = custom_call(%10) {target=@f, api_version=1} : pred[]\nreturn(%11, %10)\n}\n"
       "return(%5)"},
  };
  ExpectRows(rows);
}

}  // namespace
}  // namespace plinth::compiler::passes
