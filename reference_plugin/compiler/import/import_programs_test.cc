// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "reference_plugin/compiler/mapping/device_mapping.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/compiler/testing/compiler_test_util.h"
#include "reference_plugin/compiler/testing/targets.h"

namespace plinth::compiler::importer {
namespace {

std::vector<std::filesystem::path> Programs() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator("../../../conformance/programs/jax-0.10.2")) {
    if (entry.path().extension() == ".mlirbc") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<std::byte> ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(bytes, bytes + text.size());
}

Expected<std::unique_ptr<Module>> ImportFile(const std::filesystem::path& path) {
  auto program = program::Read(ReadFile(path));
  if (!program.ok()) return program.status();
  return Import(*std::move(program));
}

// Everything that JAX sends imports; passes keep it valid, and what they gave they leave alone.
TEST(ImportPrograms, ImportOptimizeAndStay) {
  const auto paths = Programs();
  ASSERT_GE(paths.size(), 44u);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.string());
    auto module = ImportFile(path);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const Status verified = Verify(**module);
    ASSERT_TRUE(verified.ok()) << verified.ToString();
    passes::OptimizeOptions options;
    options.verify = true;
    Status status = passes::Optimize(**module, testing::kPlainTarget, options);
    ASSERT_TRUE(status.ok()) << status.ToString();
    const std::string once = ToString(**module);
    status = passes::Optimize(**module, testing::kPlainTarget, options);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(ToString(**module), once);
  }
}

TEST(ImportPrograms, WithoutSimplificationToo) {
  for (const auto& path : Programs()) {
    SCOPED_TRACE(path.string());
    auto module = ImportFile(path);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    passes::OptimizeOptions options;
    options.verify = true;
    options.simplify = false;
    const Status status = passes::Optimize(**module, testing::kPlainTarget, options);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ((*module)->functions.size(), 1u);
  }
}

// Every stage down to the plan, each with its verifier.
TEST(ImportPrograms, CompileToPlansThatHold) {
  size_t compiled = 0;
  for (const auto& path : Programs()) {
    SCOPED_TRACE(path.string());
    for (int off = 0; off < 3; ++off) {
      PipelineOptions options;
      options.verify = true;
      options.fusion = off != 1;
      options.simplify = off != 2;
      auto program = program::Read(ReadFile(path));
      ASSERT_TRUE(program.ok());
      const Status status =
          CompileProgram(*std::move(program), testing::kPlainTarget, options).status();
      compiled += status.ok();
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kUnimplemented) << status.ToString();
    }
  }
  EXPECT_GE(compiled, 3u * 38);  // The others are for several devices.
}

TEST(ImportPrograms, ForOneDeviceNeedNoOther) {
  for (const auto& path : Programs()) {
    SCOPED_TRACE(path.string());
    auto module = ImportFile(path);
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    if (mapping::IsForSeveralDevices(**module)) continue;
    const Status status = mapping::CheckSingleDevice(**module);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
}

TEST(ImportPrograms, DonationAndMemoryKinds) {
  const std::filesystem::path folder = "../../../conformance/programs/jax-0.10.2";
  auto donate = ImportFile(folder / "cpuplatform_donate.mlirbc");
  ASSERT_TRUE(donate.ok()) << donate.status().ToString();
  ASSERT_EQ((*donate)->donations.size(), 1u);
  EXPECT_EQ((*donate)->donations[0].argument, 0);
  EXPECT_EQ((*donate)->donations[0].output, 0);
  auto host = ImportFile(folder / "jit_host_out.mlirbc");
  ASSERT_TRUE(host.ok()) << host.status().ToString();
  EXPECT_EQ((*host)->output_memory_kinds, std::vector<std::string>{"pinned_host"});
}

TEST(ImportPrograms, TopKIsAnOp) {
  auto module = ImportFile("../../../conformance/programs/jax-0.10.2/top_k.mlirbc");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ASSERT_TRUE(passes::Optimize(**module, testing::kPlainTarget).ok());
  EXPECT_EQ(Body(**module), R"(entry @main(%0: f32[16]) {
  %1, %2 = top_k(%0) {dimension=0, count=3} : f32[3], s32[3]
  return(%1, %2)
}
)");
}

TEST(ImportPrograms, KeepsTheAlgorithmOfADot) {
  const auto module = ImportText(R"(
    func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
          algorithm = <lhs_precision_type = tf32, rhs_precision_type = bf16,
            accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 3,
            num_primitive_operations = 3, allow_imprecise_accumulation = true>
        : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    })");
  ASSERT_NE(module, nullptr);
  EXPECT_THAT(Body(*module),
              ::testing::HasSubstr("algorithm=<tf32 x bf16 in f32, components 1 x 3, "
                                   "operations 3, imprecise>"));
}

TEST(ImportPrograms, GradientOfAnMlpShrinks) {
  auto module = ImportFile("../testing/testdata/mlp_grad.mlirbc");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  passes::OptimizeOptions options;
  options.verify = true;
  const Status status = passes::Optimize(**module, testing::kPlainTarget, options);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ((*module)->functions.size(), 1u);
  const std::string text = ToString(**module);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 420);
  ASSERT_TRUE(passes::Optimize(**module, testing::kPlainTarget, options).ok());
  EXPECT_EQ(ToString(**module), text);
}

}  // namespace
}  // namespace plinth::compiler::importer
