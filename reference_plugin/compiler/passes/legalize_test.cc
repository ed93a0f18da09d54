// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/legalize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::passes {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What remains of a program; empty with a failure recorded.
std::string Legalized(std::string_view text) {
  std::unique_ptr<Module> module = ImportText(text);
  if (module == nullptr) return "";
  Status status = Legalize(*module, testing::kPlainTarget);
  if (status.ok()) status = Verify(*module);
  EXPECT_TRUE(status.ok()) << status.ToString() << "\n" << ToString(*module);
  return Body(*module);
}

Status Refusal(std::string_view text, const Target& target) {
  std::unique_ptr<Module> module = ImportText(text);
  return module == nullptr ? Status() : Legalize(*module, target);
}

TEST(Legalize, SizesAreConstants) {
  const std::string body = Legalized(R"(
    func.func @main(%a: tensor<3x7xf32>) -> tensor<i32> {
      %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<3x7xf32>) -> tensor<i32>
      return %0 : tensor<i32>
    })");
  EXPECT_THAT(body, HasSubstr("constant"));
  EXPECT_THAT(body, HasSubstr("value=7"));
  EXPECT_THAT(body, Not(HasSubstr("get_dimension_size")));
}

TEST(Legalize, AReductionOfOneElementEachIsAMap) {
  const std::string body = Legalized(R"(
    func.func @main(%a: tensor<3x1xf32>, %i: tensor<f32>) -> tensor<3xf32> {
      %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1]
        : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })");
  EXPECT_THAT(body, HasSubstr("map"));
  EXPECT_THAT(body, HasSubstr("reshape"));
  EXPECT_THAT(body, Not(HasSubstr("reduce")));
}

TEST(Legalize, HolesOfADilatedWindowArePadding) {
  const std::string body = Legalized(R"(
    func.func @main(%a: tensor<4xf32>, %i: tensor<f32>) -> tensor<6xf32> {
      %0 = "stablehlo.reduce_window"(%a, %i) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %s = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>}
        : (tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })");
  EXPECT_THAT(body, HasSubstr("pad"));
  EXPECT_THAT(body, HasSubstr("f32[7]"));
  EXPECT_THAT(body, HasSubstr("interior=[1]"));
  EXPECT_THAT(body, Not(HasSubstr("base_dilation")));
}

TEST(Legalize, WithinLoopsToo) {
  const std::string body = Legalized(R"(
    func.func @main(%a: tensor<3x1xf32>, %i: tensor<f32>, %p: tensor<i1>) -> tensor<3xf32> {
      %0 = "stablehlo.if"(%p) ({
        %1 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1]
          : (tensor<3x1xf32>, tensor<f32>) -> tensor<3xf32>
        stablehlo.return %1 : tensor<3xf32>
      }, {
        %2 = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<f32>) -> tensor<3xf32>
        stablehlo.return %2 : tensor<3xf32>
      }) : (tensor<i1>) -> tensor<3xf32>
      return %0 : tensor<3xf32>
    })");
  EXPECT_THAT(body, HasSubstr("map"));
  EXPECT_THAT(body, Not(HasSubstr("reduce")));
}

TEST(Legalize, TuplesAndTokensAreTheirParts) {
  const std::string body = Legalized(R"(
    func.func @main(%a: tensor<3xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.tuple"(%a, %b) : (tensor<3xf32>, tensor<2xf32>) -> tuple<tensor<3xf32>, tensor<2xf32>>
      %1 = "stablehlo.get_tuple_element"(%0) {index = 1 : i32} : (tuple<tensor<3xf32>, tensor<2xf32>>) -> tensor<2xf32>
      %2 = "stablehlo.create_token"() : () -> !stablehlo.token
      %3 = "stablehlo.after_all"(%2) : (!stablehlo.token) -> !stablehlo.token
      return %1 : tensor<2xf32>
    })");
  EXPECT_THAT(body, Not(HasSubstr("get_tuple_element")));
  EXPECT_THAT(body, Not(HasSubstr("after_all")));
}

TEST(Legalize, RefusesWhatTheTargetLacks) {
  constexpr std::string_view kFft = R"(
    func.func @main(%a: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
      %0 = stablehlo.fft %a, type = FFT, length = [8] : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
      return %0 : tensor<8xcomplex<f32>>
    })";
  EXPECT_TRUE(Refusal(kFft, testing::kPlainTarget).ok());
  Target target = testing::kPlainTarget;
  target.library.Remove(Opcode::kFft);
  const Status status = Refusal(kFft, target);
  EXPECT_EQ(status.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("the op fft is not implemented on the target plain"));
}

TEST(Recognize, ProductsThatTheTargetHas) {
  constexpr std::string_view kText = R"(
    func.func @main(%a: tensor<2x3xbf16>, %b: tensor<3x4xbf16>, %c: tensor<2x3xi8>,
                    %d: tensor<3x4xi8>) -> (tensor<2x4xbf16>, tensor<2x4xi32>) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
        : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
      %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0]
        : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
      return %0, %1 : tensor<2x4xbf16>, tensor<2x4xi32>
    })";
  auto optimized = [&](const Target& target) {
    std::unique_ptr<Module> module = ImportText(kText);
    if (module == nullptr) return std::string();
    EXPECT_TRUE(Optimize(*module, target).ok());
    return Body(*module);
  };
  EXPECT_THAT(optimized(testing::kPlainTarget), Not(HasSubstr("convert")));
  const std::string odd = optimized(testing::kOddTarget);
  // Operands and sums of f32, rounded; operands of s32.
  EXPECT_THAT(odd, HasSubstr(": f32[2,3]"));
  EXPECT_THAT(odd, HasSubstr(": f32[2,4]"));
  EXPECT_THAT(odd, HasSubstr(": bf16[2,4]"));
  EXPECT_THAT(odd, HasSubstr(": s32[2,3]"));
}

}  // namespace
}  // namespace plinth::compiler::passes
