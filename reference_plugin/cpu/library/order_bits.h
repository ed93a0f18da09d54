// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_BITS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_BITS_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "plinth/support/dtype.h"
#include "reference_plugin/cpu/library/combine.h"

namespace plinth::cpu::library {

// How floats are ordered. Of integers there is one order.
enum class FloatOrder : uint8_t {
  kTotal,       // -NaN, -infinity, ..., -0, 0, ..., infinity, NaN
  kZerosEqual,  // the same, but -0 equals 0
  kCanonical,   // the same, and all NaN are equal and last
};

// Maps `count` elements of a key's type to unsigned integers of the key's order.
using OrderBitsFunction = void (*)(const void* keys, uint64_t* bits, int64_t count);
// Null for types that have no order.
OrderBitsFunction FindOrderBits(DType type, bool descending, FloatOrder order);

// The unsigned integer of one element, of its size. Ascending; all bits are turned round for
// descending order.
template <typename T, FloatOrder kOrder>
inline BitsOf<T> ToOrderBits(T element) {
  using Bits = BitsOf<T>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  Bits x = BitsAs<Bits>(element);
  if constexpr (kIsFloat<T>) {
    if constexpr (kOrder != FloatOrder::kTotal) x = x == kSign ? Bits{0} : x;
    if constexpr (kOrder == FloatOrder::kCanonical) {
      constexpr Bits kInfinity = std::is_same_v<T, Half>       ? 0x7c00
                                 : std::is_same_v<T, BFloat16> ? 0x7f80
                                 : sizeof(T) == 4              ? static_cast<Bits>(0x7f800000)
                                                  : static_cast<Bits>(0x7ff0000000000000);
      const auto magnitude = static_cast<Bits>(x & static_cast<Bits>(~kSign));
      x = magnitude > kInfinity ? static_cast<Bits>(~kSign) : x;
    }
    return (x & kSign) != 0 ? static_cast<Bits>(~x) : static_cast<Bits>(x | kSign);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<Bits>(x ^ kSign);
  } else {
    return x;
  }
}

// The element of these bits; of elements that have the same, one of them.
template <typename T>
inline T FromOrderBits(BitsOf<T> x) {
  using Bits = BitsOf<T>;
  constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  if constexpr (kIsFloat<T>) {
    return BitsAs<T>((x & kSign) != 0 ? static_cast<Bits>(x ^ kSign) : static_cast<Bits>(~x));
  } else if constexpr (std::is_signed_v<T>) {
    return BitsAs<T>(static_cast<Bits>(x ^ kSign));
  } else {
    return BitsAs<T>(x);
  }
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_BITS_H_
