// SPDX-License-Identifier: Apache-2.0
// The back end that docs/extending/back-end.md begins with: a target without library steps, an
// engine that takes kernels at their word, and the client of a device in the host's memory. It runs
// what every back end must.
#include <gtest/gtest.h>

#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/backend/testing/backend_under_test.h"
#include "reference_plugin/compiler/testing/oracle.h"
#include "reference_plugin/compiler/testing/targets.h"
#include "reference_plugin/cpu/pjrt/client.h"

namespace plinth {
namespace {

using compiler::plan::PlanStep;
using compiler::plan::PlanStepKind;

// A kernel, point by point, as its definition says.
class WordForWord final : public backend::PreparedStep {
 public:
  explicit WordForWord(const PlanStep& step)
      : kernel_(step.kernel), operands_(SizesOf(step.operands)), results_(SizesOf(step.results)) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext&) const override {
    const std::vector<std::string> errors = compiler::testing::RunKernel(
        *kernel_, BytesOf(operands, operands_), BytesOf(results, results_));
    return errors.empty() ? Status() : Internal(StrJoin(errors));
  }

 private:
  static std::vector<size_t> SizesOf(const std::vector<compiler::plan::ArrayRef>& arrays) {
    std::vector<size_t> sizes;
    for (const auto& array : arrays) sizes.push_back(static_cast<size_t>(array.type.SizeInBytes()));
    return sizes;
  }
  static std::vector<std::span<std::byte>> BytesOf(std::span<void* const> arrays,
                                                   const std::vector<size_t>& sizes) {
    std::vector<std::span<std::byte>> bytes;
    for (size_t i = 0; i < arrays.size(); ++i) {
      bytes.emplace_back(static_cast<std::byte*>(arrays[i]), sizes[i]);
    }
    return bytes;
  }

  const std::shared_ptr<const compiler::Kernel> kernel_;
  const std::vector<size_t> operands_, results_;
};

backend::Engine KernelEngine() {
  return {[](const PlanStep& step) { return step.kind == PlanStepKind::kKernel; },
          [](const PlanStep& step, backend::Preparation&) {
            return Expected<std::unique_ptr<backend::PreparedStep>>(
                std::make_unique<WordForWord>(step));
          }};
}

compiler::Target SmallestTarget() {
  compiler::Target target = compiler::testing::kOddTarget;
  target.name = "smallest";
  target.library = {compiler::Opcode::kCustomCall};
  target.products = {};
  target.control_flow = compiler::ControlFlow::kJumps;
  return target;
}

}  // namespace

namespace backend {

std::shared_ptr<const Backend> BackendUnderTest() {
  Backend backend;
  backend.name = "smallest";
  backend.hardware = "any";
  backend.target = SmallestTarget();
  backend.engines = {KernelEngine(), CallEngine(backend.name, {})};
  return std::make_shared<const Backend>(std::move(backend));
}

std::unique_ptr<BackendClient> ClientUnderTest(int num_devices) {
  cpu::CpuClientOptions options;
  options.num_devices = num_devices;
  options.num_threads = 1;
  options.backend = BackendUnderTest();
  return std::make_unique<cpu::CpuClient>(options);
}

}  // namespace backend

namespace {

TEST(SmallestBackEnd, RefusesWhatItsTargetHasNot) {
  const auto program = backend::CompileUnderTest(
      "func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
      "  %y = stablehlo.cholesky %x : tensor<2x2xf32>\n  return %y : tensor<2x2xf32>\n}\n");
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.status().code(), StatusCode::kUnimplemented);
  EXPECT_NE(program.status().message().find("cholesky"), std::string_view::npos)
      << program.status().ToString();
}

}  // namespace
}  // namespace plinth
