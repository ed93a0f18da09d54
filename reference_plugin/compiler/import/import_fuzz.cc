// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/passes/optimize.h"
#include "reference_plugin/compiler/testing/targets.h"

// Any program that reads either imports to a valid module, which stays valid through every pass, or
// gives an error that is the program's fault.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth;  // NOLINT: one function
  auto program = program::Read(std::as_bytes(std::span(data, size)));
  if (!program.ok()) return 0;
  auto module = compiler::importer::Import(*std::move(program));
  if (!module.ok()) {
    if (module.status().code() == StatusCode::kInternal) __builtin_trap();
    return 0;
  }
  if (!compiler::Verify(**module).ok()) __builtin_trap();
  compiler::passes::OptimizeOptions options;
  options.verify = true;
  if (compiler::passes::Optimize(**module, compiler::testing::kPlainTarget, options).code() ==
      StatusCode::kInternal)
    __builtin_trap();
  return 0;
}
