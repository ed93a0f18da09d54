// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reference_plugin/compiler/testing/optimize_test_util.h"

namespace plinth::compiler::passes {
namespace {

#define F4 "tensor<4xf32>"

TEST(CommonSubexpressions, RegionsAndScopes) {
  const Row rows[] = {
      {"%a: " F4 ", %z: tensor<f32>", "tensor<f32>",
       R"(%0 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.add %x, %y : tensor<f32> stablehlo.return %s : tensor<f32> }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %1 = "stablehlo.reduce"(%a, %z) <{dimensions = array<i64: 0>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %s = stablehlo.add %x, %y : tensor<f32> stablehlo.return %s : tensor<f32> }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
        %2 = stablehlo.multiply %0, %1 : tensor<f32> return %2 : tensor<f32>)",
       "%2 = reduce(%0, %1) {dimensions=[0]} : f32[]\nblock(%3: f32[], %4: f32[]) {\n%5 = add(%3, "
       "%4) : f32[]\nreturn(%5)\n}\n%6 = multiply(%2, %2) : f32[]\nreturn(%6)"},
      // Each branch computes for itself what only branches compute.
      {"%p: tensor<i1>, %a: " F4, F4,
       R"(%0 = "stablehlo.if"(%p) ({ %n = stablehlo.negate %a : tensor<4xf32> stablehlo.return %n : tensor<4xf32> }, { %n = stablehlo.negate %a : tensor<4xf32> %m = stablehlo.add %n, %n : tensor<4xf32> stablehlo.return %m : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32> return %0 : tensor<4xf32>)",
       "%2 = if(%0) : f32[4]\nblock() {\n%3 = negate(%1) : f32[4]\nreturn(%3)\n}\nblock() {\n%4 = "
       "negate(%1) : f32[4]\n%5 = add(%4, %4) : f32[4]\nreturn(%5)\n}\nreturn(%2)"},
      // Random numbers of the same bounds are not the same.
      {"%a: tensor<f32>", F4,
       R"(%s = stablehlo.constant dense<4> : tensor<1xi64> %0 = "stablehlo.rng"(%a, %a, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32> %1 = "stablehlo.rng"(%a, %a, %s) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32> %2 = stablehlo.subtract %0, %1 : tensor<4xf32> return %2 : tensor<4xf32>)",
       "%1 = rng(%0, %0) {distribution=UNIFORM} : f32[4]\n%2 = rng(%0, %0) {distribution=UNIFORM} "
       ": f32[4]\n%3 = subtract(%1, %2) : f32[4]\nreturn(%3)"},
  };
  ExpectRows(rows);
}

}  // namespace
}  // namespace plinth::compiler::passes
