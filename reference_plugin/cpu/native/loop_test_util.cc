// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/loop_test_util.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "plinth/program/program.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/backend/run/prepared_program.h"
#include "reference_plugin/compiler/pipeline.h"
#include "reference_plugin/cpu/backend.h"
#include "reference_plugin/cpu/math/tile_functions.h"
#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/loop.h"

namespace plinth::cpu::native {

Run RunProgram(const std::string& text, const std::vector<Bytes>& arguments, bool native) {
  Run run;
  Expected<program::Module> module = program::Read(std::as_bytes(std::span(text)));
  EXPECT_TRUE(module.ok()) << module.status().ToString() << text;
  if (!module.ok()) return run;
  backend::Backend backend = *MakeBackend({}, {.loops = native, .kernels = native});
  if (native) {
    backend.translate = [&run](const compiler::plan::Plan& plan,
                               std::span<const backend::NativeStep> steps) {
      auto loops = TranslateLoops(plan, steps);
      run.loops = loops.size();
      return loops;
    };
  }
  auto compiled = compiler::CompileProgram(std::move(*module), backend.target, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  if (!compiled.ok()) return run;
  auto program = backend::PreparedProgram::Create(std::move(compiled->plan), backend);
  EXPECT_TRUE(program.ok()) << program.status().ToString();
  if (!program.ok()) return run;
  run.is_short = (*program)->IsShort();
  backend::Runtime runtime(1, 0);
  std::vector<backend::RunArgument> storages;
  for (const Bytes& argument : arguments) {
    auto storage = runtime.memory->Allocate(static_cast<int64_t>(argument.size()));
    std::memcpy((*storage)->data(), argument.data(), argument.size());
    storages.push_back({*storage});
  }
  std::vector<backend::StoragePtr> outputs((*program)->plan().outputs.size());
  const Status status = (*program)->Run(runtime, storages, outputs);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (!status.ok()) return run;
  for (const backend::StoragePtr& output : outputs) {
    run.results.emplace_back(output->data(), output->data() + output->size());
  }
  return run;
}

size_t CountKernelsWithoutCode(const std::string& text) {
  Expected<program::Module> module = program::Read(std::as_bytes(std::span(text)));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return 0;
  auto compiled = compiler::CompileProgram(std::move(*module), (*MakeBackend({}, {})).target, {});
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  if (!compiled.ok()) return 0;
  const auto& steps = compiled->plan.steps;
  return static_cast<size_t>(std::count_if(steps.begin(), steps.end(), [](const auto& step) {
    return step.kind == compiler::plan::PlanStepKind::kKernel && InlineStep::Make(step) == nullptr;
  }));
}

std::string LoopText(const std::vector<LoopCarry>& carries, std::string_view body, int turns) {
  std::string parameters, begins, types, next, results;
  for (size_t c = 0; c < carries.size(); ++c) {
    const std::string_view comma = c > 0 ? ", " : "";
    parameters += StrCat(comma, "%p", c, ": ", carries[c].type);
    begins += StrCat(", ", carries[c].name, " = %p", c);
    types += StrCat(comma, carries[c].type);
    next += StrCat(", ", carries[c].next);
    results += StrCat(comma, "%0#", c + 1);
  }
  return StrCat("func.func @main(", parameters, ") -> (", types, R"() {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %0:)",
                carries.size() + 1, " = stablehlo.while(%i = %z", begins, ") : tensor<i32>, ",
                types, R"(
    cond {
      %n = stablehlo.constant dense<)",
                turns, R"(> : tensor<i32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
)",
                body, "\n      stablehlo.return %j", next, " : tensor<i32>, ", types,
                "\n    }\n    return ", results, " : ", types, "\n  }");
}

std::vector<Bytes> ExpectSameBits(const std::string& text, const std::vector<Bytes>& arguments,
                                  size_t loops) {
  SCOPED_TRACE(text);
  const Run steps = RunProgram(text, arguments, false), code = RunProgram(text, arguments, true);
  EXPECT_EQ(code.loops, math::BestSimdTarget() >= math::SimdTarget::kAvx2 ? loops : 0);
  EXPECT_EQ(steps.results.size(), code.results.size());
  for (size_t r = 0; r < std::min(steps.results.size(), code.results.size()); ++r) {
    const Bytes &wanted = steps.results[r], &got = code.results[r];
    EXPECT_EQ(wanted.size(), got.size());
    const auto differs = std::mismatch(wanted.begin(), wanted.end(), got.begin(), got.end());
    EXPECT_TRUE(differs.first == wanted.end())
        << "result " << r << " differs from byte " << differs.first - wanted.begin() << " on";
  }
  return code.results;
}

}  // namespace plinth::cpu::native
