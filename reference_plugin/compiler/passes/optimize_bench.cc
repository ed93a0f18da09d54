// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/targets.h"

// Time per stage for a training step that JAX made. Run in this folder, which holds testdata/.
namespace plinth::compiler::passes {
namespace {

std::vector<std::byte> ReadProgram() {
  std::ifstream file("../testing/testdata/mlp_grad.mlirbc", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return std::vector<std::byte>(bytes, bytes + text.size());
}

void BM_Read(benchmark::State& state) {
  const std::vector<std::byte> bytes = ReadProgram();
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(program::Read(bytes));
}
BENCHMARK(BM_Read);

void BM_Import(benchmark::State& state) {
  auto program = program::Read(ReadProgram());
  if (!program.ok())
    return state.SkipWithError("../testing/testdata/mlp_grad.mlirbc does not read");
  const auto shared = std::make_shared<const program::Module>(*std::move(program));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(importer::Import(shared));
}
BENCHMARK(BM_Import);

void BM_ImportAndOptimize(benchmark::State& state) {
  auto program = program::Read(ReadProgram());
  if (!program.ok())
    return state.SkipWithError("../testing/testdata/mlp_grad.mlirbc does not read");
  const auto shared = std::make_shared<const program::Module>(*std::move(program));
  for ([[maybe_unused]] auto _ : state) {
    auto module = importer::Import(shared);
    if (!module.ok() || !Optimize(**module, testing::kPlainTarget).ok())
      return state.SkipWithError("it does not compile");
  }
}
BENCHMARK(BM_ImportAndOptimize);

}  // namespace
}  // namespace plinth::compiler::passes
