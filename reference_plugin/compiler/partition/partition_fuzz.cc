// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <span>

#include "plinth/program/program.h"
#include "reference_plugin/compiler/import/import.h"
#include "reference_plugin/compiler/ir/verifier.h"
#include "reference_plugin/compiler/partition/partition.h"
#include "reference_plugin/compiler/passes/inline.h"
#include "reference_plugin/compiler/testing/targets.h"

// Any program that reads either becomes a valid one for each device, or gives an error that is the
// program's fault.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace plinth;            // NOLINT: one function
  using namespace plinth::compiler;  // NOLINT
  auto program = program::Read(std::as_bytes(std::span(data, size)));
  if (!program.ok()) return 0;
  auto module = importer::Import(*std::move(program));
  Status status = module.status();
  if (status.ok()) status = passes::Inline(**module);
  // Of most programs that are for one device other fuzzers take care, and huge ones only last.
  if (status.ok() && ((*module)->num_partitions == 1 || (*module)->num_replicas != 1)) return 0;
  if (status.ok()) {
    status = partition::Partition(**module, compiler::testing::kPlainTarget.collectives).status();
  }
  if (status.ok() && !Verify(**module).ok()) __builtin_trap();
  if (status.code() == StatusCode::kInternal) __builtin_trap();
  return 0;
}
