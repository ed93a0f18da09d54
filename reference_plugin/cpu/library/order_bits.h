// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_BITS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_BITS_H_

#include <cstdint>

#include "plinth/support/dtype.h"

namespace plinth::cpu::library {

// Maps `count` elements of a key's type to unsigned integers of the key's order.
using OrderBitsFunction = void (*)(const void* keys, uint64_t* bits, int64_t count);
// Null for types that have no order.
OrderBitsFunction FindOrderBits(DType type, bool descending, bool total_order);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_BITS_H_
