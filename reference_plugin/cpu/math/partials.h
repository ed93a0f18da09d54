// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_H_

#include <cstddef>
#include <cstdint>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// Bytes of the partial results of a row: 64 of f32, which 8 registers of AVX2 hold, or 4 of
// AVX-512.
inline constexpr size_t kPartialBytes = 256;

// How a row becomes one element by an op that commutes: with the bits of its tile routine, in an
// order that depends on the number of values alone.
struct Partials {
  // Combines value i with partial i % n, where n = kPartialBytes / (bytes of one). `first`: the
  // partials are the first n values, or all that there are; otherwise no more than the first
  // `count` of them are touched.
  void (*accumulate)(void* partials, const void* values, size_t count, bool first) = nullptr;
  // Reduces `count` partials, at most n, to the first by halves: partial i with partial i + half,
  // where half is the largest power of two below the count, again and again. They are overwritten.
  void (*fold)(void* partials, size_t count) = nullptr;
  // Both for each of `rows` rows: the `count` values (at least one) at values + r * stride, in
  // bytes, become results[r].
  void (*reduce_rows)(void* results, const void* values, int64_t stride, size_t rows,
                      size_t count) = nullptr;

  explicit operator bool() const { return accumulate != nullptr; }
};

// `type` is a tile type. None for ops and types without routines.
Partials FindPartials(compiler::Opcode opcode, DType type, SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_H_
