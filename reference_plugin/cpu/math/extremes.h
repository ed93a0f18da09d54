// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_H_

#include <cstddef>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// Pairs of a value and its index, lane by lane: values[i] and indices[i] become the other pair
// where that value is larger (smaller), or equal with a smaller index. A NaN beats every number.
using ExtremesFunction = void (*)(void* values, void* indices, const void* other_values,
                                  const void* other_indices, size_t count);

// `value` is a tile type. Null for pairs of types without a routine.
ExtremesFunction FindExtremes(bool is_max, DType value, DType index,
                              SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_EXTREMES_H_
