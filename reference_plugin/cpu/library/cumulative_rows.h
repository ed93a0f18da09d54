// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CUMULATIVE_ROWS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CUMULATIVE_ROWS_H_

#include <cstdint>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::cpu::library {

// result[i] = combiner(initial, operand[0], ..., operand[i]) of one row, with what was combined so
// far in a register. Elements are `step_elements` apart, backwards if that is negative.
using CumulativeRow = void (*)(void* result, const void* operand, const void* initial,
                               int64_t length, int64_t step_elements);

// Null where rows have no such loop.
CumulativeRow FindCumulativeRow(compiler::Opcode opcode, DType type);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_CUMULATIVE_ROWS_H_
