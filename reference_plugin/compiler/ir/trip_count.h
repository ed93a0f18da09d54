// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_TRIP_COUNT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_TRIP_COUNT_H_

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// How often the body of a kWhile runs, where the program says it: an integer carry starts at a
// constant, a constant is added each turn, and the condition compares it with a constant. It is
// exact. Else infinity.
double TripCount(const Op& loop);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_TRIP_COUNT_H_
