// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/loop_products.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

Target TargetWithProducts(LoopProductLimits limits) {
  Target target = testing::kPlainTarget;
  target.loop_products = limits;
  return target;
}

const Target kMoving = TargetWithProducts({.flops = 1e6, .cached_bytes = 0, .bytes = 1 << 20});
const Target kStaying = TargetWithProducts({.flops = 0, .cached_bytes = 0, .bytes = 0});

std::unique_ptr<Module> OptimizedFor(std::string_view text, const Target& target) {
  auto module = ImportText(text);
  if (module == nullptr) return nullptr;
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, target, options);
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << text;
  return module;
}

int CountProducts(const Block& block) {
  int count = 0;
  for (const Op* op : block.ops) {
    count += op->opcode == Opcode::kDotGeneral;
    for (const Block* inner : op->blocks) count += CountProducts(*inner);
  }
  return count;
}

// In the bodies of the program's loops.
int CountProductsInLoops(const Module& module) {
  int count = 0;
  for (const Op* op : module.entry->body->ops) {
    for (const Block* inner : op->blocks) count += CountProducts(*inner);
  }
  return count;
}

// The loop of `text` has `left` products when they may leave it. What they are then is tested with
// JAX (differential/test_control_flow.py): the oracle knows no products.
void ExpectProductsInLoop(const std::string& text, int left) {
  SCOPED_TRACE(text);
  EXPECT_EQ(CountProductsInLoops(*OptimizedFor(text, kStaying)), 1);
  const std::unique_ptr<Module> moved = OptimizedFor(text, kMoving);
  EXPECT_EQ(CountProductsInLoops(*moved), left) << Body(*moved);
  EXPECT_EQ(CountProducts(*moved->entry->body), 1) << Body(*moved);
  testing::LegalizeAndLower(*moved);
}

// A loop of five turns: the counter %i, which starts as %z and becomes %j, and `carries`, written
// "%a = %b, ..." with their types ", f32, ...". `body` ends in what it returns beside %j.
std::string FiveTurns(std::string_view results, std::string_view carries, std::string_view types,
                      std::string_view body) {
  return StrCat("%0:", results, " = stablehlo.while(%i = %z", carries, ") : tensor<i32>", types,
                R"(
        cond {
          %n = stablehlo.constant dense<5> : tensor<i32>
          %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %1 : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          )",
                body, " : tensor<i32>", types, "\n}\n");
}

// A loop of five turns over rows of `%xs`; `body` computes %o (what a turn adds to the carry %o,
// of 2x3 elements), and the index %at.
std::string Turns(std::string_view index, std::string_view body, std::string_view operand = "%xs",
                  std::string_view initial = "%zero") {
  return StrCat(R"(
    func.func @main(%xs: tensor<5x2x4xf32>, %ys: tensor<5x4x3xf32>, %w: tensor<4x3xf32>,
                    %h: tensor<2x4xf32>, %start: tensor<2x3xf32>, %v: tensor<3x4xf32>)
        -> (tensor<2x3xf32>, tensor<2x4xf32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %zero = stablehlo.constant dense<0.0> : tensor<2x3xf32>
      )",
                FiveTurns("3", StrCat(", %acc = ", initial, ", %c = %h"),
                          ", tensor<2x3xf32>, tensor<2x4xf32>",
                          StrCat("%five = stablehlo.constant dense<5> : tensor<i32>\n", index, R"(
          %s = stablehlo.dynamic_slice )",
                                 operand, R"(, %at, %z, %z, sizes = [1, 2, 4]
              : (tensor<5x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x2x4xf32>
          %x = stablehlo.reshape %s : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
          %t = stablehlo.dynamic_slice %ys, %at, %z, %z, sizes = [1, 4, 3]
              : (tensor<5x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x3xf32>
          %y = stablehlo.reshape %t : (tensor<1x4x3xf32>) -> tensor<4x3xf32>
          %d = stablehlo.add %c, %x : tensor<2x4xf32>
          )",
                                 body, "\nstablehlo.return %j, %o, %d")),
                "return %0#1, %0#2 : tensor<2x3xf32>, tensor<2x4xf32>\n}");
}

constexpr std::string_view kUpwards = "%at = stablehlo.add %i, %z : tensor<i32>";
constexpr std::string_view kDownwards = R"(
    %k = stablehlo.subtract %five, %i : tensor<i32>
    %at = stablehlo.subtract %k, %one : tensor<i32>)";
// Of the turns' elements, the first is taken once and the last twice.
constexpr std::string_view kShifted = "%at = stablehlo.add %i, %one : tensor<i32>";

constexpr std::string_view kProductOfElement = R"(
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %q = stablehlo.tanh %acc : tensor<2x3xf32>
    %o = stablehlo.subtract %p, %q : tensor<2x3xf32>)";
constexpr std::string_view kSumOfElements = R"(
    %p = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
        : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %o = stablehlo.add %acc, %p : tensor<2x3xf32>)";
// Stacks of what turns compute would be larger than the sum.
constexpr std::string_view kSumOfCarries = R"(
    %e = stablehlo.tanh %y : tensor<4x3xf32>
    %p = stablehlo.dot_general %d, %e, contracting_dims = [1] x [0]
        : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %o = stablehlo.add %p, %acc : tensor<2x3xf32>)";

TEST(LoopProducts, OfElementsAreComputedBefore) {
  for (std::string_view index : {kUpwards, kDownwards, kShifted}) {
    ExpectProductsInLoop(Turns(index, kProductOfElement), 0);
  }
  // What a turn makes is not known before.
  ExpectProductsInLoop(Turns(kUpwards, R"(
      %p = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0]
          : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
      %q = stablehlo.tanh %acc : tensor<2x3xf32>
      %o = stablehlo.subtract %p, %q : tensor<2x3xf32>)"),
                       1);
}

TEST(LoopProducts, OfVectorsExchangeOperands) {
  ExpectProductsInLoop(R"(
    func.func @main(%xs: tensor<4x5xf32>, %w: tensor<3x4xf32>) -> tensor<3xf32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %zero = stablehlo.constant dense<0.0> : tensor<3xf32>
      )" + FiveTurns("2", ", %acc = %zero", ", tensor<3xf32>", R"(
          %s = stablehlo.dynamic_slice %xs, %z, %i, sizes = [4, 1]
              : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<4x1xf32>
          %x = stablehlo.reshape %s : (tensor<4x1xf32>) -> tensor<4xf32>
          %p = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0]
              : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
          %q = stablehlo.tanh %acc : tensor<3xf32>
          %o = stablehlo.add %p, %q : tensor<3xf32>
          stablehlo.return %j, %o)") +
                           R"(
      return %0#1 : tensor<3xf32>
    })",
                       0);
}

TEST(LoopProducts, ThatAreSummedAreComputedBehind) {
  ExpectProductsInLoop(Turns(kUpwards, kSumOfElements), 0);
  ExpectProductsInLoop(Turns(kDownwards, kSumOfElements), 0);
  ExpectProductsInLoop(Turns(kUpwards, kSumOfElements, "%xs", "%start"), 0);
  // The element that is taken twice counts twice.
  ExpectProductsInLoop(Turns(kShifted, kSumOfElements), 1);
  ExpectProductsInLoop(Turns(kUpwards, kSumOfCarries), 1);
}

// The sum of outer products of what a turn computes: smaller than the sum itself.
std::string OuterProducts(std::string_view type) {
  std::string text = R"(
    func.func @main(%a: tensor<4xT>, %ys: tensor<5x6xT>) -> (tensor<4x6xT>, tensor<4xT>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %zero = stablehlo.constant dense<0.0> : tensor<4x6xT>
      )" + FiveTurns("3", ", %acc = %zero, %c = %a", ", tensor<4x6xT>, tensor<4xT>", R"(
          %four = stablehlo.constant dense<4> : tensor<i32>
          %at = stablehlo.subtract %four, %i : tensor<i32>
          %s = stablehlo.dynamic_slice %ys, %at, %z, sizes = [1, 6]
              : (tensor<5x6xT>, tensor<i32>, tensor<i32>) -> tensor<1x6xT>
          %y = stablehlo.reshape %s : (tensor<1x6xT>) -> tensor<6xT>
          %d = stablehlo.cosine %c : tensor<4xT>
          %p = stablehlo.dot_general %d, %y, contracting_dims = [] x []
              : (tensor<4xT>, tensor<6xT>) -> tensor<4x6xT>
          %o = stablehlo.add %acc, %p : tensor<4x6xT>
          stablehlo.return %j, %o, %d)") +
                     R"(
      return %0#1, %0#2 : tensor<4x6xT>, tensor<4xT>
    })";
  for (size_t at = 0; (at = text.find("xT>", at)) != std::string::npos;) {
    text.replace(at + 1, 1, type);
  }
  return text;
}

TEST(LoopProducts, StackWhatTurnsCompute) { ExpectProductsInLoop(OuterProducts("f32"), 0); }

TEST(LoopProducts, OfNarrowFloatsStay) {
  // A sum of bf16 is rounded in every turn.
  EXPECT_EQ(CountProductsInLoops(*OptimizedFor(OuterProducts("bf16"), kMoving)), 1);
}

TEST(LoopProducts, LargeOnesStay) {
  const std::string before = Turns(kUpwards, kProductOfElement);
  const std::string behind = OuterProducts("f32");
  // 2 * 2 * 3 * 4 operations, 5 * 2 * 3 floats; 2 * 4 * 6 operations, 5 * 4 floats.
  using Limits = LoopProductLimits;
  for (const auto& [limits, left] :
       {std::pair(Limits{48, 47, 120}, 0), std::pair(Limits{47, 47, 120}, 1),
        std::pair(Limits{48, 48, 120}, 1), std::pair(Limits{48, 47, 119}, 1)}) {
    EXPECT_EQ(CountProductsInLoops(*OptimizedFor(before, TargetWithProducts(limits))), left)
        << limits.flops << " " << limits.cached_bytes << " " << limits.bytes;
  }
  for (const auto& [limits, left] :
       {std::pair(Limits{48, 0, 80}, 0), std::pair(Limits{47, 0, 80}, 1),
        std::pair(Limits{48, 0, 79}, 1)}) {
    EXPECT_EQ(CountProductsInLoops(*OptimizedFor(behind, TargetWithProducts(limits))), left)
        << limits.flops << " " << limits.bytes;
  }
}

}  // namespace
}  // namespace plinth::compiler::passes
