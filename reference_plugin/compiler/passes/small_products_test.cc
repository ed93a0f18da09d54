// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/small_products.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A function of %a and %b that returns %0.
std::string Program(std::string_view lhs, std::string_view rhs, std::string_view result,
                    std::string_view body) {
  return StrCat("func.func @main(%a: tensor<", lhs, ">, %b: tensor<", rhs, ">) -> tensor<", result,
                "> {\n", body, "\nreturn %0 : tensor<", result, ">\n}");
}

std::string Product(std::string_view lhs, std::string_view rhs, std::string_view result,
                    std::string_view dims) {
  return Program(lhs, rhs, result,
                 StrCat("%0 = stablehlo.dot_general %a, %b, ", dims, " : (tensor<", lhs,
                        ">, tensor<", rhs, ">) -> tensor<", result, ">"));
}

// `dims` of the product of %x and %y, both of `shape`, summed. All is of i32.
std::string SumOfProducts(std::string_view lhs, std::string_view rhs, std::string_view result,
                          std::string_view shape, std::string_view factors, std::string_view dims) {
  return Program(
      StrCat(lhs, "xi32"), StrCat(rhs, "xi32"), StrCat(result, "xi32"),
      StrCat(factors, "%z = stablehlo.constant dense<0> : tensor<i32>\n",
             "%m = stablehlo.multiply %x, %y : tensor<", shape, "xi32>\n",
             "%0 = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = ", dims,
             " : (tensor<", shape, "xi32>, tensor<i32>) -> tensor<", result, "xi32>"));
}

std::string Factor(std::string_view name, std::string_view of, std::string_view from,
                   std::string_view dims, std::string_view to) {
  return StrCat("%", name, " = stablehlo.broadcast_in_dim %", of, ", dims = ", dims, " : (tensor<",
                from, "xi32>) -> tensor<", to, "xi32>\n");
}

std::unique_ptr<Module> Optimized(std::string_view text, const Target& target) {
  auto module = ImportText(text);
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, target, options);
  EXPECT_TRUE(status.ok()) << status.ToString();
  return module;
}

// Spelled out, the product is what the other program computes.
void ExpectIs(const std::string& product, const std::string& other) {
  SCOPED_TRACE(product);
  for (const Target* base : {&testing::kPlainTarget, &testing::kOddTarget}) {
    Target target = *base;
    target.small_products = {.multiplications = 24, .terms = 8, .row = 12, .rows = 8};
    const auto optimized = Optimized(product, target);
    EXPECT_THAT(Body(*optimized), Not(HasSubstr("dot_general")));
    const plan::Schedule expected = testing::LegalizeAndLower(*ImportText(other), false, target);
    const plan::Schedule schedule = testing::LegalizeAndLower(*optimized, true, target);
    for (uint32_t seed = 1; seed < 4; ++seed) {
      const auto arguments = testing::MakeArguments(expected, seed);
      EXPECT_EQ(testing::RunAndPlan(schedule, target, arguments),
                testing::RunAndPlan(expected, target, arguments))
          << target.name << "\n"
          << ToString(schedule);
    }
  }
}

TEST(SmallProducts, OfPoints) {
  ExpectIs(Product("40x5x3xi32", "40x5x3xi32", "40x5xi32",
                   "batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2]"),
           SumOfProducts("40x5x3", "40x5x3", "40x5", "40x5x3",
                         Factor("x", "a", "40x5x3", "[0, 1, 2]", "40x5x3") +
                             Factor("y", "b", "40x5x3", "[0, 1, 2]", "40x5x3"),
                         "[2]"));
}

TEST(SmallProducts, DimensionsMayStandAnywhere) {
  ExpectIs(Product("3x40x2xi32", "4x2x40xi32", "40x3x4xi32",
                   "batching_dims = [1] x [2], contracting_dims = [2] x [1]"),
           SumOfProducts("3x40x2", "4x2x40", "40x3x4", "40x3x4x2",
                         Factor("x", "a", "3x40x2", "[1, 0, 3]", "40x3x4x2") +
                             Factor("y", "b", "4x2x40", "[2, 3, 0]", "40x3x4x2"),
                         "[3]"));
  ExpectIs(Product("2x40x9x3xi32", "9x3x40x2xi32", "9x40xi32",
                   "batching_dims = [2, 1] x [0, 2], contracting_dims = [3, 0] x [1, 3]"),
           SumOfProducts("2x40x9x3", "9x3x40x2", "9x40", "9x40x3x2",
                         Factor("x", "a", "2x40x9x3", "[3, 1, 0, 2]", "9x40x3x2") +
                             Factor("y", "b", "9x3x40x2", "[0, 2, 1, 3]", "9x40x3x2"),
                         "[2, 3]"));
}

// The last dimension of the result is one of the left operand, or of the right.
TEST(SmallProducts, ColumnsAreOfEitherSide) {
  ExpectIs(Product("600x3x2xi32", "600x2xi32", "600x3xi32",
                   "batching_dims = [0] x [0], contracting_dims = [2] x [1]"),
           SumOfProducts("600x3x2", "600x2", "600x3", "600x3x2",
                         Factor("x", "a", "600x3x2", "[0, 1, 2]", "600x3x2") +
                             Factor("y", "b", "600x2", "[0, 2]", "600x3x2"),
                         "[2]"));
  ExpectIs(Product("600x2xi32", "600x3x2xi32", "600x3xi32",
                   "batching_dims = [0] x [0], contracting_dims = [1] x [2]"),
           SumOfProducts("600x2", "600x3x2", "600x3", "600x3x2",
                         Factor("x", "a", "600x2", "[0, 2]", "600x3x2") +
                             Factor("y", "b", "600x3x2", "[0, 1, 2]", "600x3x2"),
                         "[2]"));
}

TEST(SmallProducts, NothingNeedBeSummed) {
  ExpectIs(Product("600x2xi32", "600x3xi32", "600x2x3xi32", "batching_dims = [0] x [0]"),
           Program("600x2xi32", "600x3xi32", "600x2x3xi32",
                   Factor("x", "a", "600x2", "[0, 1]", "600x2x3") +
                       Factor("y", "b", "600x3", "[0, 2]", "600x2x3") +
                       "%0 = stablehlo.multiply %x, %y : tensor<600x2x3xi32>"));
}

TEST(SmallProducts, LongerVectorsAreSumsOverRows) {
  ExpectIs(Product("4x40x3xi32", "3x40x4xi32", "40xi32",
                   "batching_dims = [1] x [1], contracting_dims = [2, 0] x [0, 2]"),
           SumOfProducts("4x40x3", "3x40x4", "40", "40x3x4",
                         Factor("x", "a", "4x40x3", "[2, 0, 1]", "40x3x4") +
                             Factor("y", "b", "3x40x4", "[1, 0, 2]", "40x3x4"),
                         "[1, 2]"));
}

// Of matrices whose rows are summed as they lie, on either side.
TEST(SmallProducts, MatricesTimesVectorsAreSumsOverRows) {
  ExpectIs(Product("40x5x12xi32", "40x12xi32", "40x5xi32",
                   "batching_dims = [0] x [0], contracting_dims = [2] x [1]"),
           SumOfProducts("40x5x12", "40x12", "40x5", "40x5x12",
                         Factor("x", "a", "40x5x12", "[0, 1, 2]", "40x5x12") +
                             Factor("y", "b", "40x12", "[0, 2]", "40x5x12"),
                         "[2]"));
  ExpectIs(Product("9x40xi32", "40x2x3x9xi32", "40x2x3xi32",
                   "batching_dims = [1] x [0], contracting_dims = [0] x [3]"),
           SumOfProducts("9x40", "40x2x3x9", "40x2x3", "40x2x3x9",
                         Factor("x", "a", "9x40", "[3, 0]", "40x2x3x9") +
                             Factor("y", "b", "40x2x3x9", "[0, 1, 2, 3]", "40x2x3x9"),
                         "[3]"));
}

TEST(SmallProducts, NarrowFloatsAreRoundedOnce) {
  ExpectIs(Product("40x2xbf16", "40x2xbf16", "40xbf16",
                   "batching_dims = [0] x [0], contracting_dims = [1] x [1]"),
           Program("40x2xbf16", "40x2xbf16", "40xbf16", R"(
             %z = stablehlo.constant dense<0.0> : tensor<f32>
             %x = stablehlo.convert %a : (tensor<40x2xbf16>) -> tensor<40x2xf32>
             %y = stablehlo.convert %b : (tensor<40x2xbf16>) -> tensor<40x2xf32>
             %m = stablehlo.multiply %x, %y : tensor<40x2xf32>
             %s = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [1]
               : (tensor<40x2xf32>, tensor<f32>) -> tensor<40xf32>
             %0 = stablehlo.convert %s : (tensor<40xf32>) -> tensor<40xbf16>)"));
}

TEST(SmallProducts, LargeOnesStay) {
  Target target = testing::kPlainTarget;
  target.small_products = {.multiplications = 24, .terms = 8, .row = 12, .rows = 4};
  for (const std::string& text :
       {Product("40x5x5xi32", "40x5xi32", "40x5xi32",
                "batching_dims = [0] x [0], contracting_dims = [2] x [1]"),
        // Rows across memory, two matrices, one matrix alone.
        Product("40x9x4xi32", "40x9xi32", "40x4xi32",
                "batching_dims = [0] x [0], contracting_dims = [1] x [1]"),
        Product("40x2x9xi32", "40x2x9xi32", "40x2x2xi32",
                "batching_dims = [0] x [0], contracting_dims = [2] x [2]"),
        Product("4x9xi32", "9xi32", "4xi32", "contracting_dims = [1] x [0]"),
        Product("13xi32", "13xi32", "i32", "contracting_dims = [0] x [0]"),
        // What a predicate times a predicate is, the library knows.
        Product("3xi1", "3xi1", "i1", "contracting_dims = [0] x [0]"),
        // Nothing is summed, so there is nothing to write.
        Product("3x0xi32", "3x0xi32", "3xi32",
                "batching_dims = [0] x [0], contracting_dims = [1] x [1]")}) {
    EXPECT_THAT(Body(*Optimized(text, target)), HasSubstr("dot_general")) << text;
  }
}

}  // namespace
}  // namespace plinth::compiler::passes
