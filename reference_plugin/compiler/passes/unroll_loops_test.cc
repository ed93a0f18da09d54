// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/unroll_loops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Target TargetWith(LoopLimits loops) {
  Target target = testing::kPlainTarget;
  target.loops = loops;
  return target;
}

std::unique_ptr<Module> Optimized(std::string_view text, const Target& target) {
  auto module = ImportText(text);
  if (module == nullptr) return nullptr;
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, target, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return module;
}

// `turns` turns, in each of which an inner loop of two, carries that trade places and a branch.
std::string Loop(int turns) {
  return StrCat(R"(
    func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<i1>)
        -> (tensor<i32>, tensor<4xf32>, tensor<4xf32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %two = stablehlo.constant dense<2> : tensor<i32>
      %n = stablehlo.constant dense<)",
                turns, R"(> : tensor<i32>
      %0:3 = stablehlo.while(%i = %z, %a = %x, %b = %y)
          : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          %1:2 = stablehlo.while(%k = %z, %d = %a) : tensor<i32>, tensor<4xf32>
            cond {
              %c = stablehlo.compare LT, %k, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
              stablehlo.return %c : tensor<i1>
            } do {
              %l = stablehlo.add %k, %one : tensor<i32>
              %e = stablehlo.multiply %d, %b : tensor<4xf32>
              stablehlo.return %l, %e : tensor<i32>, tensor<4xf32>
            }
          %2 = "stablehlo.if"(%p) ({
            %e = stablehlo.subtract %1#1, %b : tensor<4xf32>
            stablehlo.return %e : tensor<4xf32>
          }, {
            stablehlo.return %1#1 : tensor<4xf32>
          }) : (tensor<i1>) -> tensor<4xf32>
          stablehlo.return %j, %b, %2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
        }
      return %0#0, %0#1, %0#2 : tensor<i32>, tensor<4xf32>, tensor<4xf32>
    })");
}

TEST(UnrollLoops, LoopsOfFewTurnsAndFewOps) {
  const Target target = TargetWith({.unrolled_turns = 4, .unrolled_ops = 10, .paired_steps = 64});
  for (int turns : {0, 1, 4}) {
    EXPECT_THAT(Body(*Optimized(Loop(turns), target)), Not(HasSubstr("while"))) << turns;
  }
  const std::string kept = Body(*Optimized(Loop(5), target));
  EXPECT_THAT(kept, HasSubstr("while"));
  EXPECT_EQ(kept.find("while"), kept.rfind("while")) << "the inner loop is unrolled\n" << kept;
  // Five ops: the sum, two products, the branch and what is in it.
  EXPECT_THAT(Body(*Optimized(Loop(4), TargetWith({4, 4, 64}))), HasSubstr("while"));
  EXPECT_THAT(Body(*Optimized(Loop(4), TargetWith({4, 5, 64}))), Not(HasSubstr("while")));
}

TEST(UnrollLoops, ComputesTheSame) {
  for (int turns : {0, 1, 2, 3, 5}) {
    const plan::Schedule expected =
        testing::LegalizeAndLower(*Optimized(Loop(turns), TargetWith({0, 0, 0})), false);
    const std::vector<testing::Bytes> arguments = testing::MakeArguments(expected);
    const std::vector<testing::Bytes> results =
        testing::RunAndPlan(expected, testing::kPlainTarget, arguments);
    for (const Target& target : {TargetWith({8, 64, 64}), Target(testing::kOddTarget)}) {
      for (bool fusion : {true, false}) {
        const plan::Schedule schedule =
            testing::LegalizeAndLower(*Optimized(Loop(turns), target), fusion, target);
        EXPECT_EQ(testing::RunAndPlan(schedule, target, arguments), results)
            << target.name << ", " << turns << " turns\n"
            << ToString(schedule);
      }
    }
  }
}

TEST(UnrollLoops, EffectsAndUnknownTurnsStayLoops) {
  constexpr std::string_view kEffect = R"(
    func.func @main(%x: tensor<4xf32>) -> tensor<i32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.constant dense<2> : tensor<i32>
      %0 = stablehlo.while(%i = %z) : tensor<i32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          stablehlo.custom_call @print(%x) {has_side_effect = true} : (tensor<4xf32>) -> ()
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j : tensor<i32>
        }
      return %0 : tensor<i32>
    })";
  constexpr std::string_view kUnknown = R"(
    func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %0 = stablehlo.while(%i = %z) : tensor<i32>
        cond {
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %j = stablehlo.add %i, %one : tensor<i32>
          stablehlo.return %j : tensor<i32>
        }
      return %0 : tensor<i32>
    })";
  for (std::string_view text : {kEffect, kUnknown}) {
    EXPECT_THAT(Body(*Optimized(text, TargetWith({8, 64, 64}))), HasSubstr("while"));
  }
}

}  // namespace
}  // namespace plinth::compiler::passes
