// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LARGER_ELEMENTS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LARGER_ELEMENTS_H_

#include <cstdint>
#include <optional>

#include "plinth/support/dtype.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {

// Looks for the largest elements of a row. An element stands for its bits of descending total order
// (order_bits.h).
struct LargerElements {
  // The first element from `begin` on that is larger than one of these bits; `end` if there is none
  // before it.
  int64_t (*next)(const void* elements, int64_t begin, int64_t end, uint64_t bits) = nullptr;
  // The bits of one than which `rank` of the elements are larger, and few others if they are in no
  // order. `groups`, at least `rank`, is a multiple of 64, `space` of 8 bytes for each. None if
  // there are few elements for so many groups, or no smaller one.
  std::optional<uint64_t> (*bound)(const void* elements, int64_t count, int64_t rank,
                                   int64_t groups, void* space) = nullptr;
};

// Without functions for types that have no order.
LargerElements FindLargerElements(DType type, math::SimdTarget target = math::BestSimdTarget());

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LARGER_ELEMENTS_H_
