// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_EXPORT_STABLEHLO_TEXT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_EXPORT_STABLEHLO_TEXT_H_

#include <string>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// The entry function as StableHLO in MLIR's generic text, which MLIR's own parser accepts and
// program::ReadText reads. For programs after device mapping, where nothing is called and
// collectives list lanes. What StableHLO has no op for is a custom call "plinth.<name>".
std::string StablehloText(const Module& module);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_EXPORT_STABLEHLO_TEXT_H_
