// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/predicate_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

Target TargetOf() {
  Target target = testing::kPlainTarget;
  target.predicate_rows = 2;
  return target;
}

// The sum over the last dimension of what `terms` calls %terms, made of %a and %ones.
std::string Program(std::string_view terms, std::string_view type, int columns = 8,
                    std::string_view initial = "0") {
  const std::string rows = StrCat("5x", columns, "x");
  return StrCat(
      "func.func @main(%a: tensor<", 5 * columns, "xi1>) -> tensor<5x", type, "> {\n",
      "%rows = stablehlo.reshape %a : (tensor<", 5 * columns, "xi1>) -> tensor<", rows, "i1>\n",
      "%ones = stablehlo.convert %rows : (tensor<", rows, "i1>) -> tensor<", rows, type, ">\n",
      terms, "\n%z = stablehlo.constant dense<", initial, "> : tensor<", type, ">\n",
      "%0 = stablehlo.reduce(%terms init: %z) applies stablehlo.add across dimensions = [1]",
      " : (tensor<", rows, type, ">, tensor<", type, ">) -> tensor<5x", type, ">\n",
      "return %0 : tensor<5x", type, ">\n}");
}

// The ones by `op` and by a row of numbers.
std::string By(std::string_view op, std::string_view numbers, std::string_view type,
               int columns = 8) {
  const std::string array = StrCat("tensor<5x", columns, "x", type, ">"),
                    row = StrCat("tensor<", columns, "x", type, ">");
  return StrCat("%row = ", numbers, " : ", row,
                "\n%back = stablehlo.reverse %row, dims = [0] : ", row,
                "\n%all = stablehlo.broadcast_in_dim %back, dims = [1] : (", row, ") -> ", array,
                "\n%terms = stablehlo.", op, " %ones, %all : ", array);
}

void ExpectOptimized(const std::string& text, bool is_word) {
  SCOPED_TRACE(text);
  const Target target = TargetOf();
  auto module = ImportText(text);
  OptimizeOptions options;
  options.verify = true;
  const Status status = Optimize(*module, target, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  if (!is_word) {
    EXPECT_THAT(Body(*module), HasSubstr("reduce"));
    return;
  }
  EXPECT_THAT(Body(*module), Not(HasSubstr("reduce")));
  const plan::Schedule expected = testing::LegalizeAndLower(*ImportText(text), false, target);
  const plan::Schedule schedule = testing::LegalizeAndLower(*module, true, target);
  for (uint32_t seed = 1; seed < 6; ++seed) {
    const auto arguments = testing::MakeArguments(expected, seed);
    EXPECT_EQ(testing::RunAndPlan(schedule, target, arguments),
              testing::RunAndPlan(expected, target, arguments));
  }
}

constexpr std::string_view kIota = "stablehlo.iota dim = 0";
constexpr std::string_view kNumbers = "stablehlo.constant dense<[1, 2, 0, 7, 90, 20, 3, 4]>";

TEST(PredicateSums, AreProductsOfWords) {
  ExpectOptimized(Program(By("shift_left", kIota, "ui8"), "ui8"), true);
  ExpectOptimized(Program(By("shift_left", kIota, "i32"), "i32"), true);
  ExpectOptimized(Program(By("shift_left", kIota, "ui32", 4), "ui32", 4), true);
  ExpectOptimized(Program(By("multiply", kNumbers, "i8"), "i8"), true);
  ExpectOptimized(Program(By("multiply", kNumbers, "ui64"), "ui64"), true);
  for (const std::string_view type : {"i16", "f32"}) {
    const std::string same = StrCat("%terms = stablehlo.reshape %ones : (tensor<5x8x", type,
                                    ">) -> tensor<5x8x", type, ">");
    ExpectOptimized(Program(same, type, 8, type == "f32" ? "0.0" : "0"), true);
  }
}

// What jnp.packbits asks for: bytes that are shifted, summed up as u32.
TEST(PredicateSums, AreSumsOfWiderNumbers) {
  const auto packed = [](std::string_view narrow) {
    return StrCat("%bytes = stablehlo.convert %rows : (tensor<5x8xi1>) -> tensor<5x8x", narrow,
                  ">\n", "%row = stablehlo.iota dim = 1 : tensor<5x8x", narrow, ">\n",
                  "%shifted = stablehlo.shift_left %bytes, %row : tensor<5x8x", narrow, ">\n",
                  "%terms = stablehlo.convert %shifted : (tensor<5x8x", narrow,
                  ">) -> tensor<5x8xui32>");
  };
  ExpectOptimized(Program(packed("ui8"), "ui32"), true);
  // Whose last bit is a sign.
  ExpectOptimized(Program(packed("i8"), "ui32"), false);
}

TEST(PredicateSums, OfOtherRowsStay) {
  const std::string same =
      "%terms = stablehlo.reshape %ones : (tensor<5x8xi32>) -> tensor<5x8xi32>";
  ExpectOptimized(Program(same, "i32", 8, "1"), false);  // another initial value
  ExpectOptimized(Program(By("shift_left", kIota, "i32", 6), "i32", 6), false);
  // Too large for a byte, one of them or together; below zero.
  ExpectOptimized(
      Program(By("multiply", "stablehlo.constant dense<[1, 2, 0, 7, 256, 20, 3, 4]>", "i32"),
              "i32"),
      false);
  ExpectOptimized(
      Program(By("multiply", "stablehlo.constant dense<[1, 200, 0, 7, 90, 20, 3, 4]>", "i32"),
              "i32"),
      false);
  ExpectOptimized(
      Program(By("multiply", "stablehlo.constant dense<[1, -2, 0, 7, 90, 20, 3, 4]>", "i32"),
              "i32"),
      false);
}

}  // namespace
}  // namespace plinth::compiler::passes
