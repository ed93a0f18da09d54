// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_H_

#include <cstdint>
#include <memory>

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::importer {

// What whoever compiles asks for. Where the program says one, this counts, and the other way round;
// else the two have to be the same.
struct NumDevices {
  int64_t replicas = 1, partitions = 1;
};

// Makes the IR of a program as it was read, and checks everything that a program can get wrong on
// the way: what it gives passes Verify(). Constants are not copied: the module keeps the program
// alive.
//
// Some things are said in one way only afterwards:
//   a scalar predicate of select and scalar bounds of clamp are broadcast; pred is compared as
//   unsigned; operands of a dot or convolution have one element type; stablehlo.dot and broadcast
//   are dot_general and broadcast_in_dim; rng has no shape operand; custom calls that only carry
//   annotations are gone, and those that stand for an op (mhlo.topk, mhlo.erf, ...) are that op.
//
// INVALID_ARGUMENT or UNIMPLEMENTED, naming op and place, what was found and what was expected.
Expected<std::unique_ptr<Module>> Import(program::Module program, const NumDevices& asked = {});
Expected<std::unique_ptr<Module>> Import(std::shared_ptr<const program::Module> program,
                                         const NumDevices& asked = {});

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_H_
