// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LEGALIZE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LEGALIZE_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

// The last pass before lowering, which only reads: leaves nothing that lowering cannot write for
// the target. Constants stand for get_dimension_size; a map for a reduction of one element each;
// padding for the holes of a dilated reduce_window; operands for the results of sharding
// constraints, reshards, joined tokens, elements of tuples, and barriers of what is no array.
//
// UNIMPLEMENTED names the op and its place: shapes that are not known, tuples that are not taken
// apart, traffic with the host, ops that the target does not have.
Status Legalize(Module& module, const Target& target);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_LEGALIZE_H_
