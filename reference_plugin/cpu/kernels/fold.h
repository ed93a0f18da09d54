// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_FOLD_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_FOLD_H_

#include <cstdint>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::cpu::kernels {

// Reduces `count` lanes, at most 64, to lane 0 by halves: lane i with lane i + half, where half is
// the largest power of two below the count, again and again. The lanes are overwritten.
using FoldFunction = void (*)(void* lanes, int64_t count);

// For the ops and types that are summed most, null for others. `type` is the type in tile form.
FoldFunction FindFold(compiler::Opcode opcode, DType type);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_FOLD_H_
