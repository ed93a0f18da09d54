// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_FIRST_EXTREME_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_FIRST_EXTREME_H_

#include <cstddef>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// Where the first of the largest (smallest) of `count` values is, at least one; the first NaN if
// there is one.
using FirstExtremeFunction = size_t (*)(const void* values, size_t count);

// `value` is a tile type. Null for types without a routine.
FirstExtremeFunction FindFirstExtreme(bool is_max, DType value,
                                      SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_FIRST_EXTREME_H_
