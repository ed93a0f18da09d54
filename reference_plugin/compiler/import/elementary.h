// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_ELEMENTARY_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_ELEMENTARY_H_

#include <string_view>

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::importer {

// A real elementary function by name ("erf", "tan", "sinh", "cosh", "asin", "acos", "asinh",
// "acosh", "atanh"): one op where there is one, else spelled out in ops that there are, in f32 at
// least and rounded once at the end. Null for an unknown name.
//
// Frameworks from before composites name these as custom calls (mhlo.sinh) without saying how they
// are computed.
Value* BuildElementary(Builder& builder, std::string_view name, Value* x);

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_ELEMENTARY_H_
