// SPDX-License-Identifier: Apache-2.0
// Types whose memory form is not their tile form: loads, stores and rounding.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/narrow.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <bit>
#include <cmath>
#include <type_traits>

#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/round_to_odd.h"
#include "reference_plugin/cpu/math/small_float.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

// A codec's Memory and Tile types, Load, Store and Finish say all about a narrow type. All are free
// of branches, so that the loops vectorize.
template <SmallFloatFormat kFormat>
struct SmallFloat {
  using Memory = std::conditional_t<kFormat.bits == 16, uint16_t, uint8_t>;
  using Tile = float;
  static constexpr int kShift = 23 - kFormat.mantissa_bits;
  static constexpr uint32_t kKeep = ~((uint32_t{1} << kShift) - 1);
  static constexpr bool kSharesExponents = kFormat.bias == 127;
  static constexpr uint32_t kMaxBits =
      std::bit_cast<uint32_t>(DecodeSmallFloat(kFormat, kFormat.max_pattern()));

  static float Load(Memory pattern) {
    if constexpr (sizeof(Memory) == 1) {
      return kDecodeTable<kFormat>[pattern];
    } else if constexpr (kSharesExponents) {
      return std::bit_cast<float>(uint32_t{pattern} << 16);
    } else {
      // The multiplication corrects the bias and is exact, also for subnormals.
      const uint32_t magnitude = (uint32_t{pattern} & kFormat.magnitude_mask()) << kShift;
      const uint32_t sign = (uint32_t{pattern} >> kFormat.sign_shift()) << 31;
      const float value = std::bit_cast<float>(magnitude) * PowerOfTwoFloat(127 - kFormat.bias);
      // A signaling NaN becomes quiet, as the conversion instructions have it.
      constexpr uint32_t kSpecial = (kFormat.max_pattern() + 1) << kShift;
      const uint32_t special = magnitude >= kSpecial ? 0x7F800000u : 0u;
      const uint32_t quiet = magnitude > kSpecial ? 0x00400000u : 0u;
      return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | special | quiet | sign);
    }
  }

  static float Finish(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const uint32_t magnitude = bits & 0x7FFFFFFFu;
    const uint32_t sign = bits & 0x80000000u;
    const bool is_nan = magnitude > 0x7F800000u;
    constexpr uint32_t kHalf = (uint32_t{1} << (kShift - 1)) - 1;
    uint32_t rounded = (magnitude + kHalf + ((magnitude >> kShift) & 1)) & kKeep;
    if constexpr (!kSharesExponents) {
      // Adding a number whose unit in the last place is the format's smallest number rounds to it.
      constexpr float kAligner = PowerOfTwoFloat(24 - kFormat.bias - kFormat.mantissa_bits);
      constexpr uint32_t kMinNormal = static_cast<uint32_t>(128 - kFormat.bias) << 23;
      const float aligned = (std::bit_cast<float>(magnitude) + kAligner) - kAligner;
      rounded = magnitude < kMinNormal ? std::bit_cast<uint32_t>(aligned) : rounded;
    }
    const bool overflows = rounded > kMaxBits;
    switch (kFormat.kind) {
      case SmallFloatKind::kIeee:
        rounded = overflows ? 0x7F800000u : rounded;
        rounded = is_nan ? (magnitude | 0x00400000u) & kKeep : rounded;
        return std::bit_cast<float>(rounded | sign);
      case SmallFloatKind::kFn:
        rounded = overflows ? 0x7FC00000u : rounded;  // also NaN
        return std::bit_cast<float>(rounded | sign);
      case SmallFloatKind::kFnuz:
        rounded = overflows ? 0x7FC00000u : rounded;
        return std::bit_cast<float>(rounded == 0 || overflows ? rounded : rounded | sign);
      case SmallFloatKind::kFinite:
        rounded = overflows ? kMaxBits : rounded;
        return std::bit_cast<float>(is_nan ? 0x80000000u : rounded | sign);
    }
    return x;
  }

  // x has been through Finish.
  static Memory Store(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    if constexpr (sizeof(Memory) == 2 && kSharesExponents) {
      return static_cast<Memory>(bits >> 16);
    } else {
      const uint32_t magnitude = bits & 0x7FFFFFFFu;
      const uint32_t sign = (bits >> 31) << kFormat.sign_shift();
      constexpr uint32_t kRebias = static_cast<uint32_t>(127 - kFormat.bias) << 23;
      constexpr uint32_t kMinNormal = static_cast<uint32_t>(128 - kFormat.bias) << 23;
      uint32_t pattern = (magnitude - kRebias) >> kShift;
      const float scaled = std::bit_cast<float>(magnitude < kMinNormal ? magnitude : 0u) *
                           PowerOfTwoFloat(kFormat.bias + kFormat.mantissa_bits - 1);
      pattern =
          magnitude < kMinNormal ? static_cast<uint32_t>(static_cast<int32_t>(scaled)) : pattern;
      if constexpr (kFormat.kind == SmallFloatKind::kIeee) {
        const uint32_t special = (magnitude >> kShift) & kFormat.magnitude_mask();
        const uint32_t infinity = kFormat.max_pattern() + 1;
        pattern = magnitude >= 0x7F800000u ? special | infinity : pattern;
      } else if constexpr (kFormat.kind == SmallFloatKind::kFn) {
        pattern = magnitude > kMaxBits ? kFormat.magnitude_mask() : pattern;
      } else if constexpr (kFormat.kind == SmallFloatKind::kFnuz) {
        constexpr uint32_t kNan = uint32_t{1} << kFormat.sign_shift();
        return static_cast<Memory>(magnitude > kMaxBits ? kNan : pattern | sign);
      }
      return static_cast<Memory>(pattern | sign);
    }
  }
};

// Powers of two from 2^-127 to 2^127, and NaN; no sign, no zero.
struct Exponent8 {
  using Memory = uint8_t;
  using Tile = float;
  static constexpr uint32_t kSmallest = 0x00400000u;  // 2^-127
  static float Load(uint8_t pattern) {
    const uint32_t bits = pattern == 0 ? kSmallest : uint32_t{pattern} << 23;
    return std::bit_cast<float>(pattern == 255 ? 0x7FC00000u : bits);
  }
  static float Finish(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    uint32_t rounded = (bits + 0x00400000u) & 0x7F800000u;  // ties up
    rounded = bits < 0x00600000u ? kSmallest : rounded;
    const bool is_valid = bits != 0 && rounded < 0x7F800000u && bits < 0x7F800000u;
    return std::bit_cast<float>(is_valid ? rounded : 0x7FC00000u);
  }
  static uint8_t Store(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return static_cast<uint8_t>(bits >= 0x7F800000u ? 255u : bits >> 23);
  }
};

template <class T, int kBits>
struct SubByte {
  using Memory = T;
  using Tile = T;
  static constexpr int kPadding = 8 - kBits;
  static T Load(T x) {
    return static_cast<T>(static_cast<T>(static_cast<uint8_t>(x) << kPadding) >> kPadding);
  }
  static T Finish(T x) { return Load(x); }
  // In memory the upper bits are zero, as ml_dtypes writes them; others may write what they like.
  static T Store(T x) { return static_cast<T>(x & ((1 << kBits) - 1)); }
};

struct Pred {
  using Memory = uint8_t;
  using Tile = uint8_t;
  static uint8_t Load(uint8_t x) { return x != 0; }
};

// f16 through the conversion instructions, where the target has them.
#if HWY_NATIVE_FMA
struct HardwareF16 {
  using Memory = uint16_t;
  using Tile = float;
  using Soft = SmallFloat<kF16Format>;
  static float Load(uint16_t x) { return Soft::Load(x); }
  static float Finish(float x) { return Soft::Finish(x); }

  static void LoadTile(void* result, const void* a, const void*, const void*, size_t count,
                       const TileParameters& parameters) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    const uint16_t* x = static_cast<const uint16_t*>(a);
    float* r = static_cast<float*>(result);
    size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(x + i))), d,
                 r + i);
    }
    for (; i < count; ++i) r[i] = Soft::Load(x[i]);
  }
  static void StoreTile(void* result, const void* a, const void*, const void*, size_t count,
                        const TileParameters& parameters) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    const float* x = static_cast<const float*>(a);
    uint16_t* r = static_cast<uint16_t*>(result);
    size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(hn::DemoteTo(dh, hn::LoadU(d, x + i)), dh,
                 reinterpret_cast<hwy::float16_t*>(r + i));
    }
    for (; i < count; ++i) r[i] = Soft::Store(x[i]);
  }
  static void FinishTile(void* result, const void* a, const void*, const void*, size_t count,
                         const TileParameters& parameters) {
    const hn::ScalableTag<float> d;
    const hn::Rebind<hwy::float16_t, decltype(d)> dh;
    const float* x = static_cast<const float*>(a);
    float* r = static_cast<float*>(result);
    size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(hn::PromoteTo(d, hn::DemoteTo(dh, hn::LoadU(d, x + i))), d, r + i);
    }
    for (; i < count; ++i) r[i] = Soft::Finish(x[i]);
  }
};
#endif

template <class Codec>
struct LoadOp {
  static auto Apply(typename Codec::Memory x) { return Codec::Load(x); }
};
template <class Codec>
struct StoreOp {
  static auto Apply(typename Codec::Tile x) { return Codec::Store(x); }
};
template <class Codec>
struct FinishOp {
  static auto Apply(typename Codec::Tile x) { return Codec::Finish(x); }
};

// From the end: a wide result never covers a narrow element that is still to be read.
template <class Codec>
void WidenInPlace(void* result, const void*, const void*, const void*, size_t count,
                  const TileParameters&) {
  using Memory = typename Codec::Memory;
  char* bytes = static_cast<char*>(result);
  for (size_t i = count; i > 0; --i) {
    Memory narrow;
    std::memcpy(&narrow, bytes + (i - 1) * sizeof(Memory), sizeof(Memory));
    const typename Codec::Tile wide = Codec::Load(narrow);
    std::memcpy(bytes + (i - 1) * sizeof(wide), &wide, sizeof(wide));
  }
}

template <class Codec>
void Iota(void* result, int64_t start, int64_t step, size_t count) {
  using Tile = typename Codec::Tile;
  Tile* r = static_cast<Tile*>(result);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step);
    const int64_t number = static_cast<int64_t>(value);
    if constexpr (std::is_floating_point_v<Tile>) {
      r[i] = Codec::Finish(RoundToOdd(number));
    } else {
      r[i] = Codec::Finish(static_cast<Tile>(number));
    }
  }
}

#define PLINTH_FLOAT(Type, ...)                                 \
  {DType::Type,                                                 \
   &MapUnary<LoadOp<__VA_ARGS__>, __VA_ARGS__::Memory, float>,  \
   &MapUnary<StoreOp<__VA_ARGS__>, float, __VA_ARGS__::Memory>, \
   &MapUnary<FinishOp<__VA_ARGS__>, float>,                     \
   &WidenInPlace<__VA_ARGS__>,                                  \
   &Iota<__VA_ARGS__>},
#define PLINTH_INTEGER(Type, T, bits)        \
  {DType::Type,                              \
   &MapUnary<LoadOp<SubByte<T, bits>>, T>,   \
   &MapUnary<StoreOp<SubByte<T, bits>>, T>,  \
   &MapUnary<FinishOp<SubByte<T, bits>>, T>, \
   &MapUnary<LoadOp<SubByte<T, bits>>, T>,   \
   &Iota<SubByte<T, bits>>},

// clang-format off
constexpr NarrowRow kRows[] = {
#if HWY_NATIVE_FMA
    {DType::kF16, &HardwareF16::LoadTile, &HardwareF16::StoreTile, &HardwareF16::FinishTile,
     &WidenInPlace<HardwareF16>, &Iota<HardwareF16>},
#else
    PLINTH_FLOAT(kF16, SmallFloat<kF16Format>)
#endif
    PLINTH_FLOAT(kBF16, SmallFloat<kBF16Format>)
    PLINTH_FLOAT(kF8E5M2, SmallFloat<kF8E5M2Format>)
    PLINTH_FLOAT(kF8E4M3, SmallFloat<kF8E4M3Format>)
    PLINTH_FLOAT(kF8E3M4, SmallFloat<kF8E3M4Format>)
    PLINTH_FLOAT(kF8E4M3FN, SmallFloat<kF8E4M3FNFormat>)
    PLINTH_FLOAT(kF8E4M3B11FNUZ, SmallFloat<kF8E4M3B11FNUZFormat>)
    PLINTH_FLOAT(kF8E5M2FNUZ, SmallFloat<kF8E5M2FNUZFormat>)
    PLINTH_FLOAT(kF8E4M3FNUZ, SmallFloat<kF8E4M3FNUZFormat>)
    PLINTH_FLOAT(kF6E2M3FN, SmallFloat<kF6E2M3FNFormat>)
    PLINTH_FLOAT(kF6E3M2FN, SmallFloat<kF6E3M2FNFormat>)
    PLINTH_FLOAT(kF4E2M1FN, SmallFloat<kF4E2M1FNFormat>)
    PLINTH_FLOAT(kF8E8M0FNU, Exponent8)
    PLINTH_INTEGER(kS1, int8_t, 1)
    PLINTH_INTEGER(kS2, int8_t, 2)
    PLINTH_INTEGER(kS4, int8_t, 4)
    PLINTH_INTEGER(kU1, uint8_t, 1)
    PLINTH_INTEGER(kU2, uint8_t, 2)
    PLINTH_INTEGER(kU4, uint8_t, 4)
    {DType::kPred, &MapUnary<LoadOp<Pred>, uint8_t>, nullptr, nullptr,
     &MapUnary<LoadOp<Pred>, uint8_t>, nullptr},
};
// clang-format on
#undef PLINTH_FLOAT
#undef PLINTH_INTEGER

std::span<const NarrowRow> GetNarrowRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const NarrowRow> NarrowRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetNarrowRows);
}
}  // namespace plinth::cpu::math
#endif
