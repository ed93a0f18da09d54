// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/short_reduce.h"

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

// The largest element and its place along a dimension, of i32. %limit comes from around.
std::string Argmax(std::string_view shape, std::string_view result, std::string_view dim) {
  const std::string array = StrCat("tensor<", shape, "xi32>"), row = StrCat("tensor<", result, ">");
  return StrCat(
      "func.func @main(%a: ", array, ", %limit: tensor<i32>) -> (", row, ", ", row, ") {\n",
      "%places = stablehlo.iota dim = ", dim, " : ", array, "\n",
      "%low = stablehlo.constant dense<-5> : tensor<i32>\n",
      "%none = stablehlo.constant dense<0> : tensor<i32>\n",
      "%0:2 = stablehlo.reduce(%a init: %low), (%places init: %none) across dimensions = [", dim,
      "] : (", array, ", ", array, ", tensor<i32>, tensor<i32>) -> (", row, ", ", row, ")\n", R"(
      reducer(%x: tensor<i32>, %y: tensor<i32>) (%i: tensor<i32>, %j: tensor<i32>) {
        %m = stablehlo.minimum %y, %limit : tensor<i32>
        %g = stablehlo.compare GE, %x, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %v = stablehlo.select %g, %x, %m : tensor<i1>, tensor<i32>
        %p = stablehlo.select %g, %i, %j : tensor<i1>, tensor<i32>
        stablehlo.return %v, %p : tensor<i32>, tensor<i32>
      }
      return %0#0, %0#1 : )",
      row, ", ", row, "\n}");
}

TEST(ShortReduce, IsItsCombinerOnArrays) {
  for (const std::string& text : {Argmax("60x5", "60xi32", "1"), Argmax("4x70", "70xi32", "0"),
                                  Argmax("6x2x9", "6x9xi32", "1")}) {
    SCOPED_TRACE(text);
    for (const Target* target : {&testing::kPlainTarget, &testing::kOddTarget}) {
      auto module = ImportText(text);
      OptimizeOptions options;
      options.verify = true;
      const Status status = Optimize(*module, *target, options);
      ASSERT_TRUE(status.ok()) << status.ToString();
      EXPECT_THAT(Body(*module), Not(HasSubstr("reduce")));
      const plan::Schedule expected = testing::LegalizeAndLower(*ImportText(text), false, *target);
      const plan::Schedule schedule = testing::LegalizeAndLower(*module, true, *target);
      for (uint32_t seed = 1; seed < 4; ++seed) {
        const auto arguments = testing::MakeArguments(expected, seed);
        EXPECT_EQ(testing::RunAndPlan(schedule, *target, arguments),
                  testing::RunAndPlan(expected, *target, arguments));
      }
    }
  }
}

TEST(ShortReduce, LongRowsStay) {
  for (const std::string& text :
       {Argmax("60x9", "60xi32", "1"), Argmax("60x1", "60xi32", "1"), Argmax("5", "i32", "0")}) {
    auto module = ImportText(text);
    ASSERT_TRUE(Optimize(*module, testing::kPlainTarget, {}).ok());
    EXPECT_THAT(Body(*module), HasSubstr("reduce")) << text;
  }
}

}  // namespace
}  // namespace plinth::compiler::passes
