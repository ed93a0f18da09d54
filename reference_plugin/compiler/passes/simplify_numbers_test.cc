// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reference_plugin/compiler/testing/optimize_test_util.h"

namespace plinth::compiler::passes {
namespace {

#define U64 "tensor<4x6xui64>"
#define U32 "tensor<4x6xui32>"
#define U8 "tensor<4x6xui8>"

// The counters of threefry: the upper half of a place's number, and the lower one.
TEST(SimplifyNumbers, SmallCountersHaveOneHalf) {
  const Row rows[] = {
      {"", U32,
       "%i = stablehlo.iota dim = 0 : " U64 " %j = stablehlo.iota dim = 1 : " U64
       " %n = stablehlo.constant dense<6> : " U64 " %0 = stablehlo.multiply %i, %n : " U64
       " %1 = stablehlo.add %0, %j : " U64 " %2 = stablehlo.convert %1 : (" U64 ") -> " U32
       " return %2 : " U32,
       "%0 = iota() {dimension=0} : u32[4,6]\n"
       "%1 = constant() {value=6} : u32[4,6]\n"
       "%2 = multiply(%0, %1) : u32[4,6]\n"
       "%3 = iota() {dimension=1} : u32[4,6]\n"
       "%4 = add(%2, %3) : u32[4,6]\nreturn(%4)"},
      {"", U32,
       "%i = stablehlo.iota dim = 0 : " U64 " %n = stablehlo.constant dense<32> : " U64
       " %0 = stablehlo.shift_right_logical %i, %n : " U64 " %1 = stablehlo.convert %0 : (" U64
       ") -> " U32 " return %1 : " U32,
       "%0 = constant() {value=0} : u32[4,6]\nreturn(%0)"},
      {"", "tensor<8x4xi32>",
       "%i = stablehlo.iota dim = 0 : tensor<4xi64> %0 = stablehlo.broadcast_in_dim %i, dims = [1] "
       ": (tensor<4xi64>) -> tensor<8x4xi64> %1 = stablehlo.convert %0 : (tensor<8x4xi64>) -> "
       "tensor<8x4xi32> return %1 : tensor<8x4xi32>",
       "%0 = iota() {dimension=0} : s32[4]\n"
       "%1 = broadcast_in_dim(%0) {dimensions=[1]} : s32[8,4]\nreturn(%1)"},
  };
  ExpectRows(rows);
}

TEST(SimplifyNumbers, WhatMayBeLargeStays) {
  const Row rows[] = {
      // 3 >> 1 is 1.
      {"", U64,
       "%i = stablehlo.iota dim = 0 : " U64 " %n = stablehlo.constant dense<1> : " U64
       " %0 = stablehlo.shift_right_logical %i, %n : " U64 " return %0 : " U64,
       "%0 = iota() {dimension=0} : u64[4,6]\n%1 = constant() {value=1} : u64[4,6]\n"
       "%2 = shift_right_logical(%0, %1) : u64[4,6]\nreturn(%2)"},
      // 3 * 100 has more than eight bits.
      {"", U8,
       "%i = stablehlo.iota dim = 0 : " U32 " %n = stablehlo.constant dense<100> : " U32
       " %0 = stablehlo.multiply %i, %n : " U32 " %1 = stablehlo.convert %0 : (" U32 ") -> " U8
       " return %1 : " U8,
       "%0 = iota() {dimension=0} : u32[4,6]\n%1 = constant() {value=100} : u32[4,6]\n"
       "%2 = multiply(%0, %1) : u32[4,6]\n%3 = convert(%2) : u8[4,6]\nreturn(%3)"},
      // Nobody knows what is added.
      {"%a: " U64, U32,
       "%i = stablehlo.iota dim = 0 : " U64 " %0 = stablehlo.add %i, %a : " U64
       " %1 = stablehlo.convert %0 : (" U64 ") -> " U32 " return %1 : " U32,
       "%1 = iota() {dimension=0} : u64[4,6]\n%2 = add(%1, %0) : u64[4,6]\n"
       "%3 = convert(%2) : u32[4,6]\nreturn(%3)"},
      // A negative number is no count.
      {"", "tensor<4xi32>",
       "%i = stablehlo.iota dim = 0 : tensor<4xi64> %n = stablehlo.constant dense<-1> : "
       "tensor<4xi64> %0 = stablehlo.add %i, %n : tensor<4xi64> %1 = stablehlo.convert %0 : "
       "(tensor<4xi64>) -> tensor<4xi32> return %1 : tensor<4xi32>",
       "%0 = iota() {dimension=0} : s64[4]\n%1 = constant() {value=-1} : s64[4]\n"
       "%2 = add(%0, %1) : s64[4]\n%3 = convert(%2) : s32[4]\nreturn(%3)"},
  };
  ExpectRows(rows);
}

}  // namespace
}  // namespace plinth::compiler::passes
