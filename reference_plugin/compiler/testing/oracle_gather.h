// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_ORACLE_GATHER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_ORACLE_GATHER_H_

#include <cstddef>

#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::testing {

// The definition of gather, element by element, on dense arrays.
void RunGather(const GatherAttributes& gather, const Type& operand, const std::byte* from,
               const Type& indices, const std::byte* index, const Type& result, std::byte* to);

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_ORACLE_GATHER_H_
