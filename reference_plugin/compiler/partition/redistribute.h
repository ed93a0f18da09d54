// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_REDISTRIBUTE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_REDISTRIBUTE_H_

#include <span>

#include "reference_plugin/compiler/partition/emitter.h"

// Windows of a whole that spread arrays make up: each device gets what it needs and no more.
namespace plinth::compiler::partition {

// An array in the whole, which may be larger or smaller.
struct Placed {
  LocalValue local;  // without terms
  Dims offset;       // where its first element is
  Dims low, high;    // the place that it may fill; elsewhere it is cut off
};

// One per device, all of one size.
struct Windows {
  Layout layout;     // along a dimension, devices of the same part have the same window
  Dims first, step;  // where that of part 0 begins, and how much further that of the next one
  Dims extent;
};

// Whether all is on one mesh, and along axes that are not manual.
bool CanRedistribute(const Emitter& emitter, std::span<const Placed> arrays, const Layout& to);
// What stands where no array is, `fill` says, a scalar. Nothing moves along dimensions in which
// each device has its window already.
Value* Redistribute(Emitter& emitter, std::span<const Placed> arrays, const Windows& windows,
                    Value* fill);

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_REDISTRIBUTE_H_
