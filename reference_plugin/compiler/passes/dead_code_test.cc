// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "reference_plugin/compiler/testing/optimize_test_util.h"

namespace plinth::compiler::passes {
namespace {

#define F4 "tensor<4xf32>"

TEST(DeadCode, EffectsStay) {
  const Row rows[] = {
      {"%a: " F4, F4,
       R"(%0 = stablehlo.custom_call @shout(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> %1 = stablehlo.custom_call @whisper(%a) : (tensor<4xf32>) -> tensor<4xf32> %2 = stablehlo.negate %a : tensor<4xf32> return %a : tensor<4xf32>)",
       "%1 = custom_call(%0) {target=@shout, api_version=1, side_effect=true} : "
       "f32[4]\nreturn(%0)"},
      // In a branch: the if stays, without results.
      {"%p: tensor<i1>, %a: " F4, F4,
       R"(%0 = "stablehlo.if"(%p) ({ %n = stablehlo.custom_call @shout(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> stablehlo.return %n : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32> return %a : tensor<4xf32>)",
       "if(%0)\nblock() {\n%2 = custom_call(%1) {target=@shout, api_version=1, side_effect=true} : "
       "f32[4]\nreturn()\n}\nblock() {\nreturn()\n}\nreturn(%1)"},
  };
  ExpectRows(rows);
}

}  // namespace
}  // namespace plinth::compiler::passes
