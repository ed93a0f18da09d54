// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_COMBINE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_COMBINE_H_

#include <cstdint>
#include <type_traits>

#include "reference_plugin/cpu/library/element.h"

// The usual combiners on single elements, for loops that take one element after the other. Bit for
// bit what the routines of cpu/math give: integers wrap, a NaN wins (the first of two) and becomes
// quiet, 0 is greater than -0, bf16 is rounded after each step.
namespace plinth::cpu::library {

template <typename T>
inline constexpr bool kIsNarrowFloat = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <typename T>
inline constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsNarrowFloat<T>;

// Unsigned integers of the same size.
template <typename T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

// The value in which elements of T are compared.
template <typename T>
inline auto Number(T x) {
  if constexpr (kIsNarrowFloat<T>) {
    return ToFloat(x);
  } else {
    return x;
  }
}

template <typename T>
inline T Quieted(T nan) {
  constexpr int kMantissaBits = std::is_same_v<T, Half>       ? 10
                                : std::is_same_v<T, BFloat16> ? 7
                                : sizeof(T) == 4              ? 23
                                                              : 52;
  return BitsAs<T>(
      static_cast<BitsOf<T>>(BitsAs<BitsOf<T>>(nan) | BitsOf<T>{1} << (kMantissaBits - 1)));
}

// Assignment of the second.
struct TakeSecond {
  template <typename T>
  static T Apply(T, T b) {
    return b;
  }
};

struct AddElements {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(
          static_cast<BitsOf<T>>(static_cast<BitsOf<T>>(a) + static_cast<BitsOf<T>>(b)));
    } else if constexpr (kIsNarrowFloat<T>) {
      return ConvertElement<T>(ToFloat(a) + ToFloat(b));
    } else {
      return a + b;
    }
  }
};

struct MultiplyElements {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      // As u64: a product of two u16 would be one of signed integers.
      return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    } else if constexpr (kIsNarrowFloat<T>) {
      return ConvertElement<T>(ToFloat(a) * ToFloat(b));
    } else {
      return a * b;
    }
  }
};

template <bool kMaximum>
struct ExtremumOfElements {
  // Whether `b` changes nothing. Not for NaN and equal numbers, though it may be so for them.
  template <typename T>
  static bool Keeps(T a, T b) {
    return kMaximum ? Number(b) < Number(a) : Number(a) < Number(b);
  }

  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (kIsFloat<T>) {
      const auto x = Number(a), y = Number(b);
      if constexpr (!kIsNarrowFloat<T>) {
        // One instruction, where a branch could not be foreseen.
        if (x < y || y < x) [[likely]]
          return kMaximum ? (x < y ? y : x) : (y < x ? y : x);
      }
      if (x != x) return Quieted(a);
      if (y != y) return Quieted(b);
      if (x == y) {
        // Equal numbers are equal bits but for zeros, of which one has a sign.
        const auto p = BitsAs<BitsOf<T>>(a), q = BitsAs<BitsOf<T>>(b);
        return BitsAs<T>(static_cast<BitsOf<T>>(kMaximum ? p & q : p | q));
      }
      return (x < y) == kMaximum ? b : a;
    } else {
      return (a < b) == kMaximum ? b : a;
    }
  }
};
using MaximumOfElements = ExtremumOfElements<true>;
using MinimumOfElements = ExtremumOfElements<false>;

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_COMBINE_H_
