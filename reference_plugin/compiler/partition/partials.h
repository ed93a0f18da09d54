// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PARTIALS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PARTIALS_H_

#include <optional>
#include <span>

#include "reference_plugin/compiler/partition/emitter.h"

// Reductions and cumulative ones in which each device does its part, and what comes of the parts is
// exchanged and reduced again.
namespace plinth::compiler::partition {

// Whether the initial values of a reduction may count any number of times: of them, the region
// makes what they are.
bool MayCountInitsAgain(const Op& op);

// Whole results in place of those of `local`, a reduction of parts along these axes.
void CombinePartials(Emitter& emitter, const Op& local, const Mesh& mesh, const AxisList& axes,
                     std::span<Value*> results);

// A reduce_window in which each element is combined with all before it (or behind it).
struct Cumulative {
  size_t dim;
  Opcode combiner;
  bool is_reverse;
};
std::optional<Cumulative> CumulativeOf(const Op& op);

// What one device has along that dimension of a cumulative sum, given that of its part alone.
Value* WithTotalsBefore(Emitter& emitter, const Cumulative& how, Value* local, Value* init,
                        const Mesh& mesh, const AxisList& axes);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_PARTIALS_H_
