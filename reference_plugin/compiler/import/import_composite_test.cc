// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"

// Composites with regions: chlo.scan is a cumulative_reduce or its decomposition, any other its
// decomposition.
namespace plinth::compiler::importer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kSum =
    "%c = stablehlo.add %x, %carry : tensor<2xf32> "
    "stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>";

// chlo.scan of a 3x2 array along dimension 0; the decomposition is recognized by its negation.
std::string Scan(std::string_view initial, std::string_view attributes, std::string_view body) {
  return StrCat(R"(
    func.func @main(%a: tensor<3x2xf32>, %v: tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>) {
      %s = stablehlo.constant dense<0.5> : tensor<f32>
      %i = )",
                initial, R"(
      %r:2 = "stablehlo.composite"(%a, %i) ({
      ^bb0(%x: tensor<2xf32>, %carry: tensor<2xf32>):
        )",
                body, R"(
      }) {name = "chlo.scan", decomposition = @impl, version = 1 : i32, composite_attributes = {)",
                attributes, R"(, operandSegmentSizes = array<i32: 1, 1>}}
        : (tensor<3x2xf32>, tensor<2xf32>) -> (tensor<3x2xf32>, tensor<2xf32>)
      return %r#0, %r#1 : tensor<3x2xf32>, tensor<2xf32>
    }
    func.func private @impl(%a: tensor<3x2xf32>, %i: tensor<2xf32>)
        -> (tensor<3x2xf32>, tensor<2xf32>) {
      %0 = stablehlo.negate %a : tensor<3x2xf32>
      return %0, %i : tensor<3x2xf32>, tensor<2xf32>
    })");
}

std::string Inlined(const std::string& text) {
  const std::unique_ptr<Module> module = ImportText(text);
  if (module == nullptr) return "";
  const Status status = passes::Inline(*module);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(Verify(*module).ok());
  return Body(*module);
}

constexpr std::string_view kBroadcast =
    "stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<2xf32>";

TEST(ImportComposite, ScanIsCumulativeReduce) {
  const std::string forward = Inlined(Scan(kBroadcast, "dimension = 0 : i64", kSum));
  EXPECT_THAT(forward, HasSubstr("cumulative_reduce(%0, %2)"));
  EXPECT_THAT(forward, HasSubstr("add("));
  EXPECT_THAT(forward, HasSubstr("slice"));
  EXPECT_THAT(forward, HasSubstr("start=[2,0], limit=[3,2]"));  // the last row is the last carry
  EXPECT_THAT(forward, Not(HasSubstr("negate")));

  const std::string backward = Inlined(Scan(
      "stablehlo.constant dense<0.5> : tensor<2xf32>", "dimension = 0 : i64, is_reverse = true",
      "%c = stablehlo.maximum %carry, %x : tensor<2xf32> "
      "stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>"));
  EXPECT_THAT(backward, HasSubstr("cumulative_reduce"));
  EXPECT_THAT(backward, HasSubstr("reverse"));
  EXPECT_THAT(backward, HasSubstr("maximum("));
  EXPECT_THAT(backward, HasSubstr("start=[0,0], limit=[1,2]"));
}

TEST(ImportComposite, OtherScansAreTheirDecomposition) {
  for (const auto& [initial, attributes, body] :
       {std::tuple{std::string_view("stablehlo.negate %v : tensor<2xf32>"),
                   std::string_view("dimension = 0 : i64"), kSum},
        {kBroadcast, "dimension = 1 : i64", kSum},
        {kBroadcast, "dimension = 7 : i64", kSum},
        {kBroadcast, "dimension = true", kSum},
        {kBroadcast, "size = 0 : i64", kSum},
        {kBroadcast, "dimension = 0 : i64",
         "%c = stablehlo.subtract %x, %carry : tensor<2xf32> "
         "stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>"},
        {kBroadcast, "dimension = 0 : i64",
         "%c = stablehlo.add %x, %x : tensor<2xf32> "
         "stablehlo.return %c, %c : tensor<2xf32>, tensor<2xf32>"},
        {kBroadcast, "dimension = 0 : i64",
         "%c = stablehlo.add %x, %carry : tensor<2xf32> "
         "stablehlo.return %c, %x : tensor<2xf32>, tensor<2xf32>"},
        {kBroadcast, "dimension = 0 : i64",
         "%c = stablehlo.add %x, %carry : tensor<2xf32> %d = stablehlo.negate %c : tensor<2xf32> "
         "stablehlo.return %d, %c : tensor<2xf32>, tensor<2xf32>"}}) {
    const std::string text = Inlined(Scan(initial, attributes, body));
    EXPECT_THAT(text, HasSubstr("negate")) << attributes << body;
    EXPECT_THAT(text, Not(HasSubstr("cumulative_reduce"))) << attributes << body;
  }
}

TEST(ImportComposite, AnyOtherWithARegionIsItsDecomposition) {
  EXPECT_EQ(Inlined(R"(
    func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = "stablehlo.composite"(%a) ({
      ^bb0(%x: tensor<f32>):
        %1 = "stablehlo.composite"(%x) ({
        ^bb1(%y: tensor<f32>):
          stablehlo.return %y : tensor<f32>
        }) {name = "my.inner", decomposition = @impl} : (tensor<f32>) -> tensor<f32>
        stablehlo.return %1 : tensor<f32>
      }) {name = "my.op", decomposition = @impl} : (tensor<2xf32>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    func.func private @impl(%a: tensor<2xf32>) -> tensor<2xf32> {
      %0 = stablehlo.negate %a : tensor<2xf32>
      return %0 : tensor<2xf32>
    })"),
            "entry @main(%0: f32[2]) {\n  %1 = negate(%0) : f32[2]\n  return(%1)\n}\n");
}

}  // namespace
}  // namespace plinth::compiler::importer
