// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_PARTITIONED_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_PARTITIONED_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/partition.h"

namespace plinth::compiler::testing {

// The module of a program, in text or bytecode, of one function.
Expected<std::unique_ptr<Module>> ReadInlined(std::span<const std::byte> program);

// As for kPlainTarget.
Expected<partition::PartitionReport> Partition(Module& module,
                                               const partition::PartitionOptions& options = {});

struct Partitioned {
  std::unique_ptr<Module> module;
  partition::PartitionReport report;
};

// Partitions the program, runs it on as many devices and the program as it was on one, with small
// integers as arguments, and compares: every device must have its part of each result, as
// output_shardings say. `tolerance` is relative. INTERNAL says what differs.
Expected<Partitioned> CheckPartitioned(std::span<const std::byte> program, double tolerance = 0,
                                       const partition::PartitionOptions& options = {});
inline Expected<Partitioned> CheckPartitioned(std::string_view text, double tolerance = 0,
                                              const partition::PartitionOptions& options = {}) {
  return CheckPartitioned(std::as_bytes(std::span(text)), tolerance, options);
}

// How many ops of that kind there are, those of inner blocks too.
int Count(const Module& module, Opcode opcode);

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_PARTITIONED_H_
