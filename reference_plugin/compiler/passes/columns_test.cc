// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::unique_ptr<Module> Optimized(std::string_view text, const Target& target) {
  auto module = ImportText(text);
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, target, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return module;
}

// Both targets take rows of three elements apart; the results are those of the program as it is.
void ExpectSameResults(std::string_view text) {
  for (const Target* target : {&testing::kPlainTarget, &testing::kOddTarget}) {
    const auto optimized = Optimized(text, *target);
    const plan::Schedule expected = testing::LegalizeAndLower(*ImportText(text), false, *target);
    const plan::Schedule schedule = testing::LegalizeAndLower(*optimized, true, *target);
    for (uint32_t seed = 1; seed < 4; ++seed) {
      const auto arguments = testing::MakeArguments(expected, seed);
      EXPECT_EQ(testing::RunAndPlan(schedule, *target, arguments),
                testing::RunAndPlan(expected, *target, arguments))
          << target->name << "\n"
          << ToString(schedule);
    }
  }
}

// A step of a differential equation of two numbers, as jax.vmap writes it.
constexpr std::string_view kStep = R"(
    func.func @main(%x: tensor<600x2xf32>, %p: tensor<i1>) -> (tensor<600x2xf32>, tensor<600x1xf32>) {
      %a = stablehlo.slice %x [0:600:1, 0:1:1] : (tensor<600x2xf32>) -> tensor<600x1xf32>
      %b = stablehlo.slice %x [0:600:1, 1:2:1] : (tensor<600x2xf32>) -> tensor<600x1xf32>
      %n = stablehlo.negate %a : tensor<600x1xf32>
      %d = stablehlo.concatenate %b, %n, dim = 1
        : (tensor<600x1xf32>, tensor<600x1xf32>) -> tensor<600x2xf32>
      %h = stablehlo.constant dense<0.5> : tensor<600x2xf32>
      %0 = stablehlo.multiply %d, %h : tensor<600x2xf32>
      %1 = stablehlo.add %x, %0 : tensor<600x2xf32>
      %2 = stablehlo.select %p, %1, %d : tensor<i1>, tensor<600x2xf32>
      %3 = stablehlo.slice %2 [0:600:1, 1:2:1] : (tensor<600x2xf32>) -> tensor<600x1xf32>
      return %2, %3 : tensor<600x2xf32>, tensor<600x1xf32>
    })";

TEST(Columns, ArithmeticIsOnColumns) {
  const auto module = Optimized(kStep, testing::kOddTarget);
  EXPECT_THAT(Body(*module), ContainsRegex("multiply[^\n]* f32\\[600,1\\]\n"));
  EXPECT_THAT(Body(*module), Not(ContainsRegex("multiply[^\n]* f32\\[600,2\\]\n")));
  EXPECT_THAT(Body(*module), Not(ContainsRegex("add[^\n]* f32\\[600,2\\]\n")));
  EXPECT_THAT(Body(*module), Not(ContainsRegex("select[^\n]* f32\\[600,2\\]\n")));
  ExpectSameResults(kStep);
}

// As jnp.stack under jax.vmap writes it.
TEST(Columns, RowsThatAreTransposedAreColumns) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<600xf32>, %b: tensor<600xf32>)
        -> (tensor<600x2xf32>, tensor<2x600xf32>) {
      %0 = stablehlo.reshape %a : (tensor<600xf32>) -> tensor<1x600xf32>
      %1 = stablehlo.reshape %b : (tensor<600xf32>) -> tensor<1x600xf32>
      %2 = stablehlo.concatenate %0, %1, dim = 0
        : (tensor<1x600xf32>, tensor<1x600xf32>) -> tensor<2x600xf32>
      %3 = stablehlo.transpose %2, dims = [1, 0] : (tensor<2x600xf32>) -> tensor<600x2xf32>
      %4 = stablehlo.negate %3 : tensor<600x2xf32>
      return %4, %2 : tensor<600x2xf32>, tensor<2x600xf32>
    })";
  const auto module = Optimized(kText, testing::kOddTarget);
  EXPECT_THAT(Body(*module), Not(HasSubstr("transpose")));
  EXPECT_THAT(Body(*module), Not(ContainsRegex("negate[^\n]* f32\\[600,2\\]\n")));
  ExpectSameResults(kText);
}

// Neither for the array itself nor for what reads it.
TEST(Columns, NoKernelChoosesFromShortRows) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<600x1xf32>, %b: tensor<600x1xf32>)
        -> (tensor<600x2xf32>, tensor<600xf32>) {
      %0 = stablehlo.concatenate %a, %b, dim = 1
        : (tensor<600x1xf32>, tensor<600x1xf32>) -> tensor<600x2xf32>
      %1 = stablehlo.concatenate %b, %a, dim = 1
        : (tensor<600x1xf32>, tensor<600x1xf32>) -> tensor<600x2xf32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<600x2xf32>, tensor<f32>) -> tensor<600xf32>
      return %0, %2 : tensor<600x2xf32>, tensor<600xf32>
    })";
  for (std::string_view text : {std::string_view(kStep), kText}) {
    const auto module = Optimized(text, testing::kPlainTarget);
    const std::string schedule =
        ToString(testing::LegalizeAndLower(*module, true, testing::kPlainTarget));
    EXPECT_THAT(schedule, Not(HasSubstr(" if 0 <=")));
    ExpectSameResults(text);
  }
}

// Rows that are longer than the target's, or of pieces of more than one column, stay.
TEST(Columns, OtherRowsStay) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<600x1xf32>, %b: tensor<600x2xf32>, %c: tensor<600x4xf32>)
        -> (tensor<600x3xf32>, tensor<600x5xf32>) {
      %0 = stablehlo.concatenate %a, %b, dim = 1
        : (tensor<600x1xf32>, tensor<600x2xf32>) -> tensor<600x3xf32>
      %1 = stablehlo.negate %0 : tensor<600x3xf32>
      %2 = stablehlo.concatenate %a, %c, dim = 1
        : (tensor<600x1xf32>, tensor<600x4xf32>) -> tensor<600x5xf32>
      %3 = stablehlo.negate %2 : tensor<600x5xf32>
      return %1, %3 : tensor<600x3xf32>, tensor<600x5xf32>
    })";
  const auto module = Optimized(kText, testing::kOddTarget);
  EXPECT_THAT(Body(*module), ContainsRegex("negate[^\n]* f32\\[600,3\\]\n"));
  EXPECT_THAT(Body(*module), ContainsRegex("negate[^\n]* f32\\[600,5\\]\n"));
  ExpectSameResults(kText);
}

// As many pieces as columns, of which the middle one is not the middle column.
TEST(Columns, EmptyPiecesAreNoColumns) {
  // The pass alone: others drop what is empty.
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<600x2xf32>, %b: tensor<600x1xf32>, %c: tensor<600x0xf32>,
                    %d: tensor<600x1xf32>) -> (tensor<600x3xf32>, tensor<600x3xf32>) {
      %0 = stablehlo.concatenate %a, %b, %c, dim = 1
        : (tensor<600x2xf32>, tensor<600x1xf32>, tensor<600x0xf32>) -> tensor<600x3xf32>
      %1 = stablehlo.concatenate %b, %d, %d, dim = 1
        : (tensor<600x1xf32>, tensor<600x1xf32>, tensor<600x1xf32>) -> tensor<600x3xf32>
      %2 = stablehlo.negate %0 : tensor<600x3xf32>
      %3 = stablehlo.add %0, %1 : tensor<600x3xf32>
      return %2, %3 : tensor<600x3xf32>, tensor<600x3xf32>
    })";
  const auto module = ImportText(kText);
  SplitIntoColumns(*module, testing::kOddTarget);
  const plan::Schedule expected =
      testing::LegalizeAndLower(*ImportText(kText), false, testing::kOddTarget);
  const plan::Schedule schedule = testing::LegalizeAndLower(*module, true, testing::kOddTarget);
  const auto arguments = testing::MakeArguments(expected, 1);
  EXPECT_EQ(testing::RunAndPlan(schedule, testing::kOddTarget, arguments),
            testing::RunAndPlan(expected, testing::kOddTarget, arguments));
}

}  // namespace
}  // namespace plinth::compiler::passes
