// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_H_

#include <cstddef>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// Bytes of the partial results of a row: 64 of f32, which 8 registers of AVX2 hold, or 4 of
// AVX-512.
inline constexpr size_t kPartialBytes = 256;

// Reduces `count` values to n = kPartialBytes / (bytes of one) partial results: value i is combined
// with partial i % n. `first`: partials are the first n values, or all there are; otherwise no more
// than the first `count` of them are touched.
using PartialsFunction = void (*)(void* partials, const void* values, size_t count, bool first);

// Of an op that commutes, with the bits of its tile routine; `type` is a tile type. Null for ops
// and types without a routine.
PartialsFunction FindPartials(compiler::Opcode opcode, DType type,
                              SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_H_
