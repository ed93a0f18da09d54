// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_LOWER_CLASS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_LOWER_CLASS_H_

#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::compiler {

// What lowering can write: a column of ops.toml.
constexpr LowerClass LowerClassOf(Opcode opcode) { return InfoOf(opcode).lower; }

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_LOWER_CLASS_H_
