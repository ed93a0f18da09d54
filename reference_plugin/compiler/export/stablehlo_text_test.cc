// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/export/stablehlo_text.h"

#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler {
namespace {

// Reads back as a program that is written in the same way.
TEST(StablehloText, ReadsBack) {
  const std::unique_ptr<Module> module = ImportText(R"(
    module @jit_f {
      func.func @main(%a: tensor<4x6xf32> {jax.buffer_donor = true}, %b: tensor<6x3xf32>)
          -> (tensor<4x3xf32>, tensor<6xf32>) {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %dot = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
            : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
        %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
            : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
        return %dot, %sum : tensor<4x3xf32>, tensor<6xf32>
      }
    })");
  ASSERT_NE(module, nullptr);
  const std::string text = StablehloText(*module);
  EXPECT_NE(text.find("jax.buffer_donor = true"), std::string::npos) << text;
  const std::unique_ptr<Module> again = ImportText(text);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(Body(*again), Body(*module)) << text;
  EXPECT_EQ(StablehloText(*again), text);
}

TEST(StablehloText, HasTheCollectivesOfThePartitioner) {
  auto program = program::ReadText(R"(
    module @jit_f attributes {mhlo.num_partitions = 4 : i32} {
      sdy.mesh @mesh = <["x"=4]>
      func.func @main(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
          -> tensor<4xf32> {
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0]
            : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
        return %sum : tensor<4xf32>
      }
    })");
  ASSERT_TRUE(program.ok()) << program.status().ToString();
  PipelineOptions options;
  options.num_partitions = 4;
  const Expected<std::string> text =
      TextOfOneDevice(*std::move(program), testing::kPlainTarget, options);
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_NE(text->find("@main(%0: tensor<2x4xf32>) -> (tensor<4xf32>)"), std::string::npos)
      << *text;
  EXPECT_NE(text->find("\"stablehlo.all_reduce\""), std::string::npos) << *text;
  EXPECT_NE(text->find("dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"), std::string::npos) << *text;
}

}  // namespace
}  // namespace plinth::compiler
