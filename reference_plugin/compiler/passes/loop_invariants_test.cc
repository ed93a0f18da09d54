// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/loop_invariants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

Target TargetThatHoists(int64_t bytes) {
  Target target = testing::kPlainTarget;
  target.hoisted_bytes = bytes;
  target.loops.unrolled_turns = 0;
  return target;
}

int Count(const Block& block, Opcode opcode) {
  int count = 0;
  for (const Op* op : block.ops) {
    count += op->opcode == opcode;
    for (const Block* inner : op->blocks) count += Count(*inner, opcode);
  }
  return count;
}

// A loop of 100 turns with carries %i and %v: f32[8]; `body` makes %r of them and the arguments
// %m: f32[8,8] and %w: f32[8].
std::string Loop(std::string_view body) {
  return StrCat(R"(
    func.func @main(%m: tensor<8x8xf32>, %w: tensor<8xf32>) -> tensor<8xf32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %0:2 = stablehlo.while(%i = %z, %v = %w) : tensor<i32>, tensor<8xf32>
        cond {
          %n = stablehlo.constant dense<100> : tensor<i32>
          %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          )",
                body, R"(
          stablehlo.return %j, %r : tensor<i32>, tensor<8xf32>
        }
      return %0#1 : tensor<8xf32>
    })");
}

// How many ops of that kind the program has within loops, and outside of them.
struct Places {
  int inside = 0, outside = 0;
};

Places Optimized(const std::string& text, Opcode opcode, int64_t bytes = 1 << 20) {
  auto module = ImportText(text);
  if (module == nullptr) return {};
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, TargetThatHoists(bytes), options);
  EXPECT_TRUE(status.ok()) << status.ToString() << text;
  Places places;
  for (const Op* op : module->entry->body->ops) {
    places.outside += op->opcode == opcode;
    for (const Block* inner : op->blocks) places.inside += Count(*inner, opcode);
  }
  return places;
}

void ExpectOutside(const std::string& text, Opcode opcode) {
  SCOPED_TRACE(text);
  const Places hoisted = Optimized(text, opcode);
  EXPECT_EQ(hoisted.inside, 0);
  EXPECT_EQ(hoisted.outside, 1);
  EXPECT_EQ(Optimized(text, opcode, 0).inside, 1);  // not by another pass
  EXPECT_EQ(Optimized(text, opcode, 3).inside, 1);  // too large
}

void ExpectInside(const std::string& text, Opcode opcode) {
  SCOPED_TRACE(text);
  EXPECT_EQ(Optimized(text, opcode).inside, 1);
}

constexpr std::string_view kDot =
    "contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>\n";

TEST(LoopInvariantsTest, WhatAProductReads) {
  ExpectOutside(Loop(StrCat("%a = stablehlo.multiply %m, %m : tensor<8x8xf32>\n"
                            "%r = stablehlo.dot_general %a, %v, ",
                            kDot)),
                Opcode::kMultiply);
  // What depends on the turn stays.
  ExpectInside(Loop(StrCat("%b = stablehlo.broadcast_in_dim %v, dims = [0] : (tensor<8xf32>) -> "
                           "tensor<8x8xf32>\n"
                           "%a = stablehlo.multiply %m, %b : tensor<8x8xf32>\n"
                           "%r = stablehlo.dot_general %a, %v, ",
                           kDot)),
               Opcode::kMultiply);
}

// What a kernel of the loop computes where it needs it is not written to memory.
TEST(LoopInvariantsTest, CheapOpsStay) {
  ExpectInside(Loop("%a = stablehlo.multiply %w, %w : tensor<8xf32>\n"
                    "%r = stablehlo.add %a, %v : tensor<8xf32>"),
               Opcode::kMultiply);
}

TEST(LoopInvariantsTest, FunctionsReductionsAndProducts) {
  ExpectOutside(Loop("%s = stablehlo.subtract %w, %w : tensor<8xf32>\n"
                     "%a = stablehlo.exponential %w : tensor<8xf32>\n"
                     "%r = stablehlo.add %a, %v : tensor<8xf32>"),
                Opcode::kExponential);
  ExpectOutside(Loop("%c = stablehlo.constant dense<0.0> : tensor<f32>\n"
                     "%a = stablehlo.reduce(%m init: %c) applies stablehlo.add across dimensions = "
                     "[0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>\n"
                     "%r = stablehlo.add %a, %v : tensor<8xf32>"),
                Opcode::kReduce);
  ExpectOutside(Loop(StrCat("%a = stablehlo.dot_general %m, %w, ", kDot,
                            "%r = stablehlo.add %a, %v : tensor<8xf32>")),
                Opcode::kDotGeneral);
}

// Out of both loops at once, with all that it is made of.
TEST(LoopInvariantsTest, LoopsInLoops) {
  ExpectOutside(Loop(R"(
      %k:2 = stablehlo.while(%p = %one, %q = %v) : tensor<i32>, tensor<8xf32>
        cond {
          %n = stablehlo.constant dense<50> : tensor<i32>
          %1 = stablehlo.compare LT, %p, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %o = stablehlo.add %p, %one : tensor<i32>
          %s = stablehlo.multiply %w, %w : tensor<8xf32>
          %a = stablehlo.sine %s : tensor<8xf32>
          %t = stablehlo.add %a, %q : tensor<8xf32>
          stablehlo.return %o, %t : tensor<i32>, tensor<8xf32>
        }
      %r = stablehlo.add %k#1, %v : tensor<8xf32>)"),
                Opcode::kSine);
}

}  // namespace
}  // namespace plinth::compiler::passes
