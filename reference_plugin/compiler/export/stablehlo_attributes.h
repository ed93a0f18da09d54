// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_EXPORT_STABLEHLO_ATTRIBUTES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_EXPORT_STABLEHLO_ATTRIBUTES_H_

#include <string>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// "tensor<2x3xf32>", "!stablehlo.token", "tuple<...>".
std::string StablehloType(const Type& type);

// The attributes of `op` as the op of StableHLO has them, "name = value, name = value".
std::string StablehloAttributes(const Op& op, const Module& module);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_EXPORT_STABLEHLO_ATTRIBUTES_H_
