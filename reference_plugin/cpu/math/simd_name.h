// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_SIMD_NAME_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_SIMD_NAME_H_

#include <string_view>

#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::math {

// "baseline", "avx2" or "avx512".
std::string_view NameOf(SimdTarget target);

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_SIMD_NAME_H_
