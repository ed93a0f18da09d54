// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_ROUND_TO_ODD_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_ROUND_TO_ODD_H_

#include <bit>
#include <cstdint>
#include <type_traits>

// Numbers as f32 that round to every type of at most 16 bits as the numbers themselves do. Digits
// that the f32 has no room for are dropped, and the last one that stays becomes odd: it says to the
// second rounding on which side of a tie the number lies. Two digits more than the narrow type has
// are enough for that, so here fewer are kept than an f32 has. All without branches, so that loops
// vectorize.
namespace plinth::cpu::math {

// The low `count` bits are dropped; the last one left is set if they were not zero. Also of
// negative numbers in two's complement.
template <class Bits>
[[gnu::always_inline]] constexpr Bits DropBits(Bits x, int count) {
  const Bits low = static_cast<Bits>((Bits{1} << count) - 1);
  return (x | ((x & low) + low)) & ~low;
}

[[gnu::always_inline]] inline float RoundToOdd(double x) {
  // 15 digits behind the point: exact in f32 from 2^-134 on, half the smallest number of bf16.
  const uint64_t kept = DropBits(std::bit_cast<uint64_t>(x), 52 - 15);
  return static_cast<float>(std::bit_cast<double>(kept));
}

// At least ten digits stay. Those are two more than bf16 has; for f16 and the others numbers from
// 2^24 on are too large anyway.
template <class T>
[[gnu::always_inline]] inline float RoundToOdd(T x) {
  static_assert(std::is_integral_v<T> && sizeof(T) >= 4);
  using Bits = std::make_unsigned_t<T>;
  Bits bits = static_cast<Bits>(x);
  // Whether the magnitude is 2^digits or more.
  const auto is_large = [&](int digits) {
    const Bits limit = Bits{1} << digits;
    return std::is_signed_v<T> ? bits + limit > 2 * limit : bits > limit;
  };
  if constexpr (sizeof(T) == 4) {
    bits = is_large(24) ? DropBits(bits, 8) : bits;
  } else {
    bits = is_large(24) ? DropBits(bits, 14) : bits;
    bits = is_large(38) ? DropBits(bits, 28) : bits;
    bits = is_large(52) ? DropBits(bits, 40) : bits;
  }
  return static_cast<float>(static_cast<T>(bits));
}

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_ROUND_TO_ODD_H_
