// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"

// Whole programs as JAX writes them (testdata): fused and unfused they compute the same.
// Library steps are stand-ins (oracle.h).
namespace plinth::compiler::lower {
namespace {

using testing::Bytes;
using testing::CountKernels;
using testing::MakeArguments;
using testing::Parse;
using testing::RunAndPlan;

struct Program {
  const char* name;
  int max_kernels;  // after optimization and fusion
};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class LowerPrograms : public ::testing::TestWithParam<Program> {
 protected:
  static void Run(const Target& target);
};

TEST_P(LowerPrograms, FusionKeepsResults) { Run(testing::kPlainTarget); }
TEST_P(LowerPrograms, FusionKeepsResultsOnAnOddTarget) { Run(testing::kOddTarget); }

void LowerPrograms::Run(const Target& target) {
  const std::string text = ReadFile(std::string("testdata/") + GetParam().name + ".mlir");
  ASSERT_FALSE(text.empty());
  for (bool simplify : {false, true}) {
    std::unique_ptr<Module> module = Parse(text);
    ASSERT_NE(module, nullptr);
    passes::OptimizeOptions options;
    options.simplify = simplify;
    const Status optimized = passes::Optimize(*module, target, options);
    ASSERT_TRUE(optimized.ok()) << optimized.ToString();
    ASSERT_TRUE(passes::Legalize(*module, target).ok());
    const auto start = std::chrono::steady_clock::now();
    auto fused = lower::Lower(*module, target, lower::LowerOptions{true});
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(fused.ok()) << fused.status().ToString();
    auto unfused = lower::Lower(*module, target, lower::LowerOptions{false});
    ASSERT_TRUE(unfused.ok()) << unfused.status().ToString();

    const std::vector<Bytes> arguments = MakeArguments(*fused);
    EXPECT_EQ(RunAndPlan(*fused, target, arguments), RunAndPlan(*unfused, target, arguments))
        << ToString(*fused);
    const int kernels = CountKernels(fused->entry);
    const std::string prefix = simplify ? "simplified_" : "plain_";
    RecordProperty(prefix + "kernels", kernels);
    RecordProperty(prefix + "unfused_kernels", CountKernels(unfused->entry));
    RecordProperty(prefix + "microseconds", std::to_string(took.count()));
    if (simplify && &target == &testing::kPlainTarget) {
      EXPECT_LE(kernels, GetParam().max_kernels) << ToString(*fused);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, LowerPrograms,
                         ::testing::Values(Program{"mlp_adam", 16}, Program{"block_grad", 40},
                                           Program{"cnn_grad", 16}, Program{"lstm_grad", 16},
                                           Program{"dropout", 16}, Program{"stencil", 16}),
                         [](const auto& program) { return program.param.name; });

}  // namespace
}  // namespace plinth::compiler::lower
