// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_DYNAMIC_SLICES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_DYNAMIC_SLICES_H_

#include <span>
#include <vector>

#include "reference_plugin/compiler/partition/emitter.h"

// Slices whose place is known only when the program runs, along dimensions that are spread: the
// slice goes from device to device, never what it is cut out of.
namespace plinth::compiler::partition {

// What the device has of the slice that begins at these places of the array, which is `global`
// where it is whole. Where it has nothing is what changes no sum (no maximum, of predicates): a
// term of the slice along the axes of the dimensions that `is_spread` says.
Value* TermOfSlice(Emitter& emitter, const LocalValue& operand, const Type& global,
                   std::span<Value* const> starts, const Dims& sizes,
                   const std::vector<bool>& is_spread);

// The device's part of the array with `update` in it, which is whole along those dimensions.
Value* UpdatePart(Emitter& emitter, const LocalValue& operand, const Type& global, Value* update,
                  std::span<Value* const> starts, const std::vector<bool>& is_spread);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_DYNAMIC_SLICES_H_
