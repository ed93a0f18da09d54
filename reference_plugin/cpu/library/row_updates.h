// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ROW_UPDATES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ROW_UPDATES_H_

#include <cstdint>

#include "reference_plugin/compiler/ir/opcode.h"
#include "reference_plugin/cpu/library/scatter_scalars.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {

// Sums and extrema of rows of one or a few vectors (16, 32 or 64 bytes), whose indices are s32 and
// of one part. Null for other ops, types and lengths, and where there are no vectors.
using RowUpdates = void (*)(const ScalarUpdates& updates);
RowUpdates FindRowUpdates(compiler::Opcode opcode, DType type, int64_t length,
                          math::SimdTarget target = math::BestSimdTarget());

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ROW_UPDATES_H_
