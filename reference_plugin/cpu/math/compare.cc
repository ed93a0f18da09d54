// SPDX-License-Identifier: Apache-2.0
// compare and select.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/compare.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <bit>
#include <type_traits>

#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::ComparisonDirection;
using compiler::Opcode;

// -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN: the order of the bits as signed integers, with
// the magnitudes of negative numbers turned round.
template <class T>
auto TotalOrderKey(T a) {
  using S = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  const S bits = std::bit_cast<S>(a);
  constexpr S kMagnitude = std::numeric_limits<S>::max();
  return static_cast<S>(bits ^ ((bits >> (8 * sizeof(T) - 1)) & kMagnitude));
}

template <ComparisonDirection kDirection, bool kTotalOrder>
struct Compare {
  template <class T>
  static uint8_t Ordered(T a, T b) {
    if constexpr (kDirection == ComparisonDirection::kEq) return a == b;
    if constexpr (kDirection == ComparisonDirection::kNe) return a != b;
    if constexpr (kDirection == ComparisonDirection::kGe) return a >= b;
    if constexpr (kDirection == ComparisonDirection::kGt) return a > b;
    if constexpr (kDirection == ComparisonDirection::kLe) return a <= b;
    if constexpr (kDirection == ComparisonDirection::kLt) return a < b;
  }
  template <class T>
  static uint8_t Apply(T a, T b) {
    if constexpr (kTotalOrder) {
      return Ordered(TotalOrderKey(a), TotalOrderKey(b));
    } else {
      return Ordered(a, b);
    }
  }
};

// Only the width of what is selected matters.
struct Select {
  template <class T>
  static T Apply(uint8_t pred, T on_true, T on_false) {
    return pred != 0 ? on_true : on_false;
  }
};
struct Wide {
  uint64_t low, high;
};

#define PLINTH_DIRECTION(Direction, Type, T, total)                        \
  {Opcode::kCompare, DType::Type, DType::kPred,                            \
   &MapBinary<Compare<ComparisonDirection::Direction, total>, T, uint8_t>, \
   VariantOf(ComparisonDirection::Direction, total)},
#define PLINTH_COMPARE(Type, T, total)  \
  PLINTH_DIRECTION(kEq, Type, T, total) \
  PLINTH_DIRECTION(kNe, Type, T, total) \
  PLINTH_DIRECTION(kGe, Type, T, total) \
  PLINTH_DIRECTION(kGt, Type, T, total) \
  PLINTH_DIRECTION(kLe, Type, T, total) \
  PLINTH_DIRECTION(kLt, Type, T, total)
#define PLINTH_SELECT(Type, T) \
  {Opcode::kSelect, DType::Type, DType::Type, &MapTernary<Select, uint8_t, T, T, T>},

// clang-format off
constexpr TileRow kRows[] = {
    PLINTH_COMPARE(kPred, uint8_t, false)
    PLINTH_COMPARE(kS8, int8_t, false)
    PLINTH_COMPARE(kS16, int16_t, false)
    PLINTH_COMPARE(kS32, int32_t, false)
    PLINTH_COMPARE(kS64, int64_t, false)
    PLINTH_COMPARE(kU8, uint8_t, false)
    PLINTH_COMPARE(kU16, uint16_t, false)
    PLINTH_COMPARE(kU32, uint32_t, false)
    PLINTH_COMPARE(kU64, uint64_t, false)
    PLINTH_COMPARE(kF32, float, false)
    PLINTH_COMPARE(kF64, double, false)
    PLINTH_COMPARE(kF32, float, true)
    PLINTH_COMPARE(kF64, double, true)
    PLINTH_SELECT(kPred, uint8_t)
    PLINTH_SELECT(kS8, uint8_t)
    PLINTH_SELECT(kS16, uint16_t)
    PLINTH_SELECT(kS32, uint32_t)
    PLINTH_SELECT(kS64, uint64_t)
    PLINTH_SELECT(kU8, uint8_t)
    PLINTH_SELECT(kU16, uint16_t)
    PLINTH_SELECT(kU32, uint32_t)
    PLINTH_SELECT(kU64, uint64_t)
    PLINTH_SELECT(kF32, uint32_t)
    PLINTH_SELECT(kF64, uint64_t)
    PLINTH_SELECT(kC64, uint64_t)
    PLINTH_SELECT(kC128, Wide)
};
// clang-format on
#undef PLINTH_DIRECTION
#undef PLINTH_COMPARE
#undef PLINTH_SELECT

std::span<const TileRow> GetCompareRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const TileRow> CompareRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetCompareRows);
}
}  // namespace plinth::cpu::math
#endif
