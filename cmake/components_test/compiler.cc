// SPDX-License-Identifier: Apache-2.0
#include <plinth/compiler/compiler.h>

#include <cstdio>

using plinth::compiler::CompiledProgram;

int main() {
  auto module = plinth::program::ReadText(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})");
  if (!module.ok()) return 1;
  // All that it must say: no op is a library step, kernels of one op.
  plinth::compiler::Target target = {};
  target.arena_alignment = 64;
  plinth::compiler::PipelineOptions options;
  options.fusion = false;
  const plinth::Expected<CompiledProgram> compiled =
      plinth::compiler::CompileProgram(*std::move(module), target, options);
  if (!compiled.ok()) std::fprintf(stderr, "%s\n", compiled.status().ToString().c_str());
  return compiled.ok() && !compiled->plan.steps.empty() ? 0 : 1;
}
