// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_TRIP_COUNT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_TRIP_COUNT_H_

#include <optional>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// The carry that counts the turns of a kWhile, where the program says how many there are: an
// integer starts at a constant, a constant is added each turn, and the condition compares it with a
// constant.
struct LoopCounter {
  int32_t carry = 0;
  double start = 0, step = 0;
  double turns = 0;  // exact
};
std::optional<LoopCounter> CounterOf(const Op& loop);

// How often the body of a kWhile runs; infinity where the program does not say it.
double TripCount(const Op& loop);

// Whether a value of the body, in the turns of the loop, is each of 0, ..., extent - 1 exactly
// once: the counter plus or minus constants, upwards or downwards.
bool CountsThrough(const Value* index, const Op& loop, const LoopCounter& counter, int64_t extent);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_TRIP_COUNT_H_
