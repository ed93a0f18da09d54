// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/lower_test_util.h"

// Whole programs as JAX writes them (testdata): fused and unfused they compute the same.
// Library steps are stand-ins (lower_test_interpreter.h).
namespace plinth::compiler {
namespace {

using testing::Bytes;
using testing::CountKernels;
using testing::Interpreter;
using testing::MakeArguments;
using testing::Parse;

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

class LowerPrograms : public ::testing::TestWithParam<Program> {};

TEST_P(LowerPrograms, FusionKeepsResults) {
  const std::string text = ReadFile(std::string("testdata/") + GetParam().name + ".mlir");
  ASSERT_FALSE(text.empty());
  for (bool simplify : {false, true}) {
    std::unique_ptr<Module> module = Parse(text);
    ASSERT_NE(module, nullptr);
    OptimizeOptions options;
    options.simplify = simplify;
    const Status optimized = Optimize(*module, options);
    ASSERT_TRUE(optimized.ok()) << optimized.ToString();
    auto unfused = Lower(*module, LowerOptions{false});
    ASSERT_TRUE(unfused.ok()) << unfused.status().ToString();
    const auto start = std::chrono::steady_clock::now();
    auto fused = Lower(*module, LowerOptions{true});
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(fused.ok()) << fused.status().ToString();

    std::vector<Bytes> arguments = MakeArguments(*fused);
    Interpreter a(*fused), b(*unfused);
    std::vector<Bytes> results_a = a.Run(arguments), results_b = b.Run(arguments);
    ASSERT_TRUE(a.errors().empty()) << a.errors()[0] << "\n" << ToString(*fused);
    ASSERT_TRUE(b.errors().empty()) << b.errors()[0] << "\n" << ToString(*unfused);
    ASSERT_EQ(results_a.size(), results_b.size());
    for (size_t r = 0; r < results_a.size(); ++r) {
      EXPECT_EQ(results_a[r], results_b[r]) << "result " << r << "\n" << ToString(*fused);
    }
    const int kernels = CountKernels(fused->entry);
    const std::string prefix = simplify ? "simplified_" : "plain_";
    RecordProperty(prefix + "kernels", kernels);
    RecordProperty(prefix + "unfused_kernels", CountKernels(unfused->entry));
    RecordProperty(prefix + "microseconds", std::to_string(took.count()));
    if (simplify) {
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
}  // namespace plinth::compiler
