// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_PRINT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_PRINT_H_

#include <functional>
#include <string>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// The whole module as text, with what `note` says of a value after its type; nothing if that is
// empty.
using ValueNote = std::function<std::string(const Value&)>;
std::string ToString(const Module& module, const ValueNote& note);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_PRINT_H_
