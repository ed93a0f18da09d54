// SPDX-License-Identifier: Apache-2.0
// Bits, shifts and powers of integers; logic of pred.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/integer.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <type_traits>

#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

struct And {
  template <class T>
  static T Apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T Apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T Apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T Apply(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  static uint8_t Apply(uint8_t a) { return a ^ 1; }
};
// min(max(x, low), high)
struct LogicalClamp {
  static uint8_t Apply(uint8_t low, uint8_t x, uint8_t high) {
    return static_cast<uint8_t>((x | low) & high);
  }
};

// kBits is the width of the element type, which may be narrower than T.
template <int kBits>
struct BitsOf {
  template <class T>
  static auto Unsigned(T a) {
    using U = std::make_unsigned_t<T>;
    constexpr U kMask = static_cast<U>(~U{0}) >> (8 * sizeof(T) - kBits);
    return static_cast<U>(static_cast<U>(a) & kMask);
  }

  // A shift count is read as unsigned: negative ones are as large as any.
  struct ShiftLeft {
    template <class T>
    static T Apply(T a, T b) {
      const auto count = Unsigned(b);
      const auto bits = Unsigned(a);
      const T shifted = static_cast<T>(bits << (count & (kBits - 1)));
      return count < kBits ? shifted : T{0};
    }
  };
  struct ShiftRightLogical {
    template <class T>
    static T Apply(T a, T b) {
      const auto count = Unsigned(b);
      const T shifted = static_cast<T>(Unsigned(a) >> (count & (kBits - 1)));
      return count < kBits ? shifted : T{0};
    }
  };
  struct ShiftRightArithmetic {
    template <class T>
    static T Apply(T a, T b) {
      using S = std::make_signed_t<T>;
      constexpr int kPadding = 8 * static_cast<int>(sizeof(T)) - kBits;
      const auto count = Unsigned(b);
      const S value = static_cast<S>(
          static_cast<S>(static_cast<std::make_unsigned_t<T>>(a) << kPadding) >> kPadding);
      const auto limited = count < kBits ? count : static_cast<decltype(count)>(kBits - 1);
      return static_cast<T>(value >> limited);
    }
  };
  struct Popcnt {
    template <class T>
    static T Apply(T a) {
      // The sum of bits by halves; vectorizes everywhere, unlike the instruction.
      uint64_t wide = Unsigned(a);
      if constexpr (sizeof(T) == 8) {
        wide -= (wide >> 1) & 0x5555555555555555u;
        wide = (wide & 0x3333333333333333u) + ((wide >> 2) & 0x3333333333333333u);
        wide = (wide + (wide >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
        wide += wide >> 8;
        wide += wide >> 16;
        return static_cast<T>((wide + (wide >> 32)) & 127);
      } else {
        uint32_t bits = static_cast<uint32_t>(wide);
        bits -= (bits >> 1) & 0x55555555u;
        bits = (bits & 0x33333333u) + ((bits >> 2) & 0x33333333u);
        bits = (bits + (bits >> 4)) & 0x0F0F0F0Fu;
        bits += bits >> 8;
        return static_cast<T>((bits + (bits >> 16)) & 63);
      }
    }
  };
  struct CountLeadingZeros {
    template <class T>
    static T Apply(T a) {
      auto bits = Unsigned(a);
      for (int shift = 1; shift < kBits; shift *= 2) {
        bits = static_cast<decltype(bits)>(bits | (bits >> shift));
      }
      return static_cast<T>(kBits - BitsOf<8 * sizeof(T)>::Popcnt::Apply(bits));
    }
  };
};

// A negative exponent truncates the exact power towards zero; 0 to a negative power answers 0.
struct Power {
  template <class T>
  static T Apply(T base, T exponent) {
    using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;
    if constexpr (std::is_signed_v<T>) {
      if (exponent < 0) {
        if (base == 1) return 1;
        if (base == -1) return (exponent & 1) != 0 ? T{-1} : T{1};
        return 0;
      }
    }
    U result = 1, square = static_cast<U>(base);
    for (U rest = static_cast<U>(exponent); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) result *= square;
      square *= square;
    }
    return static_cast<T>(result);
  }
};

#define PLINTH_BINARY(Op, Type, T) {Opcode::k##Op, DType::Type, DType::Type, &MapBinary<Op, T>},
#define PLINTH_WIDTH_UNARY(Op, Type, T, bits) \
  {Opcode::k##Op, DType::Type, DType::Type, &MapUnary<BitsOf<bits>::Op, T>},
#define PLINTH_WIDTH_BINARY(Op, Type, T, bits) \
  {Opcode::k##Op, DType::Type, DType::Type, &MapBinary<BitsOf<bits>::Op, T>},

// Ops whose answer depends on the width: also for types that live in wider tile elements.
#define PLINTH_WIDTH(Type, T, bits)                        \
  PLINTH_WIDTH_BINARY(ShiftLeft, Type, T, bits)            \
  PLINTH_WIDTH_BINARY(ShiftRightLogical, Type, T, bits)    \
  PLINTH_WIDTH_BINARY(ShiftRightArithmetic, Type, T, bits) \
  PLINTH_WIDTH_UNARY(Popcnt, Type, T, bits)                \
  PLINTH_WIDTH_UNARY(CountLeadingZeros, Type, T, bits)

#define PLINTH_INTEGER(Type, T, bits) \
  PLINTH_WIDTH(Type, T, bits)         \
  PLINTH_BINARY(And, Type, T)         \
  PLINTH_BINARY(Or, Type, T)          \
  PLINTH_BINARY(Xor, Type, T)         \
  PLINTH_BINARY(Power, Type, T){Opcode::kNot, DType::Type, DType::Type, &MapUnary<Not, T>},

#define PLINTH_PRED(Op, Function) \
  {Opcode::k##Op, DType::kPred, DType::kPred, &MapBinary<Function, uint8_t>},

// clang-format off
constexpr TileRow kRows[] = {
    PLINTH_INTEGER(kS8, int8_t, 8)
    PLINTH_INTEGER(kS16, int16_t, 16)
    PLINTH_INTEGER(kS32, int32_t, 32)
    PLINTH_INTEGER(kS64, int64_t, 64)
    PLINTH_INTEGER(kU8, uint8_t, 8)
    PLINTH_INTEGER(kU16, uint16_t, 16)
    PLINTH_INTEGER(kU32, uint32_t, 32)
    PLINTH_INTEGER(kU64, uint64_t, 64)
    PLINTH_WIDTH(kS1, int8_t, 1)
    PLINTH_WIDTH(kS2, int8_t, 2)
    PLINTH_WIDTH(kS4, int8_t, 4)
    PLINTH_WIDTH(kU1, uint8_t, 1)
    PLINTH_WIDTH(kU2, uint8_t, 2)
    PLINTH_WIDTH(kU4, uint8_t, 4)
    PLINTH_PRED(And, And)
    PLINTH_PRED(Or, Or)
    PLINTH_PRED(Xor, Xor)
    PLINTH_PRED(Add, Or)
    PLINTH_PRED(Subtract, Xor)
    PLINTH_PRED(Multiply, And)
    PLINTH_PRED(Maximum, Or)
    PLINTH_PRED(Minimum, And)
    {Opcode::kNot, DType::kPred, DType::kPred, &MapUnary<LogicalNot, uint8_t>},
    {Opcode::kClamp, DType::kPred, DType::kPred,
     &MapTernary<LogicalClamp, uint8_t, uint8_t, uint8_t, uint8_t>},
};
// clang-format on
#undef PLINTH_BINARY
#undef PLINTH_WIDTH_UNARY
#undef PLINTH_WIDTH_BINARY
#undef PLINTH_WIDTH
#undef PLINTH_INTEGER
#undef PLINTH_PRED

std::span<const TileRow> GetIntegerRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> IntegerRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetIntegerRows);
}
}  // namespace plinth::cpu::math
#endif
