// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_WORK_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_WORK_H_

#include "reference_plugin/compiler/ir/opcode.h"
#include "reference_plugin/ops/work_class.h"

namespace plinth::compiler {

// What an element of an op takes: a column of ops.toml.
using OpWork = ops::WorkClass;
constexpr OpWork WorkOf(Opcode opcode) { return InfoOf(opcode).work; }

constexpr bool IsTranscendental(Opcode opcode) {
  return WorkOf(opcode) == OpWork::kRoot || WorkOf(opcode) == OpWork::kFunction;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_WORK_H_
