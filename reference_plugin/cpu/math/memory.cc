// SPDX-License-Identifier: Apache-2.0
// Fills, strided loads and stores, iota.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/memory.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <cstring>
#include <limits>
#include <type_traits>

#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/tile_row.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

struct Wide {
  uint64_t low, high;
};

template <class T>
void Copy(void* result, const void* a, const void*, const void*, size_t count,
          const TileParameters&) {
  if (result != a) std::memcpy(result, a, count * sizeof(T));
}

template <class T>
void Fill(void* result, const void* element, size_t count) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  T* r = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) r[i] = value;
}

// Each byte eight times, for each of its bits (jnp.unpackbits).
void RepeatEightTimes(void* result, const void* elements, size_t count) {
  constexpr size_t kTimes = 8;
  const uint8_t* from = static_cast<const uint8_t*>(elements);
  uint8_t* to = static_cast<uint8_t*>(result);
  size_t i = 0;
#if HWY_TARGET <= HWY_AVX2
  const hn::FixedTag<uint8_t, 32> d;
  const hn::Repartition<uint32_t, decltype(d)> four;
  constexpr size_t kFour = hn::MaxLanes(d) / kTimes;
  alignas(32) uint8_t places[hn::MaxLanes(d)];  // in each half of the vector the bytes are the same
  for (size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
    places[lane] = static_cast<uint8_t>(lane / kTimes);
  }
  const auto place = hn::Load(d, places);
  for (; i + kFour <= count; i += kFour) {
    uint32_t bytes;
    std::memcpy(&bytes, from + i, kFour);
    const auto all = hn::BitCast(d, hn::Set(four, bytes));
    hn::StoreU(hn::TableLookupBytes(all, place), d, to + i * kTimes);
  }
#endif
  for (; i < count; ++i) std::memset(to + i * kTimes, from[i], kTimes);
}

#if HWY_TARGET <= HWY_AVX2
// Every `kStride`-th of kStride vectors of elements, a power of two.
template <int kStride, class D>
HWY_INLINE hn::Vec<D> TakeEvery(D d, const hn::TFromD<D>* source) {
  if constexpr (kStride == 1) {
    return hn::LoadU(d, source);
  } else {
    constexpr int kHalf = kStride / 2;
    return hn::ConcatEven(d, TakeEvery<kHalf>(d, source + kHalf * hn::MaxLanes(d)),
                          TakeEvery<kHalf>(d, source));
  }
}

// Every `kStride`-th element, as many whole vectors as end before the last of `count` elements:
// what is read beside an element lies in front of the next. Answers how many that were.
template <int kStride, class T>
size_t LoadEvery(T* result, const T* source, size_t count) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + kLanes < count; i += kLanes, source += kStride * kLanes) {
    if constexpr (kStride == 3) {
      hn::Vec<decltype(d)> v, second, third;
      hn::LoadInterleaved3(d, source, v, second, third);
      hn::StoreU(v, d, result + i);
    } else {
      hn::StoreU(TakeEvery<kStride>(d, source), d, result + i);
    }
  }
  return i;
}

// The same of bytes that lie eight apart: preds and u8 in rows of eight (jnp.packbits).
size_t LoadEveryEighth(uint8_t* result, const uint8_t* source, size_t count) {
  const hn::ScalableTag<uint64_t> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + kLanes < count; i += kLanes, source += 8 * kLanes) {
    const auto eight = hn::LoadU(d, reinterpret_cast<const uint64_t*>(source));
    hn::StoreU(hn::TruncateTo(bytes, eight), bytes, result + i);
  }
  return i;
}
#endif

// The first elements of a strided load, where vectors are faster than one at a time.
template <class T>
size_t LoadVectors(T* result, const char* source, int64_t byte_stride, size_t count) {
#if HWY_TARGET <= HWY_AVX2  // Highway's shuffles for the baseline are not of all sizes.
  if constexpr (std::is_integral_v<T>) {
    const T* from = reinterpret_cast<const T*>(source);
    constexpr int64_t kBytes = sizeof(T);
    if (byte_stride == 2 * kBytes) return LoadEvery<2>(result, from, count);
    if (byte_stride == 3 * kBytes) return LoadEvery<3>(result, from, count);
    if (byte_stride == 4 * kBytes) return LoadEvery<4>(result, from, count);
    if constexpr (kBytes == 1) {
      if (byte_stride == 8) return LoadEveryEighth(result, from, count);
    }
    if constexpr (kBytes == 4) {
      if (byte_stride == 8 * kBytes) return LoadEvery<8>(result, from, count);
    }
  }
#else
  (void)result, (void)source, (void)byte_stride, (void)count;
#endif
  return 0;
}

template <class T>
void LoadStrided(void* result, const void* base, int64_t byte_stride, size_t count) {
  if (byte_stride == static_cast<int64_t>(sizeof(T))) {
    std::memcpy(result, base, count * sizeof(T));
    return;
  }
  const char* source = static_cast<const char*>(base);
  T* r = static_cast<T*>(result);
  if (byte_stride == -static_cast<int64_t>(sizeof(T))) {
    // A constant stride lets the compiler load vectors and reverse them.
    PLINTH_INDEPENDENT
    for (size_t i = 0; i < count; ++i) {
      std::memcpy(r + i, source - static_cast<int64_t>(i * sizeof(T)), sizeof(T));
    }
    return;
  }
  size_t i = LoadVectors(r, source, byte_stride, count);
  // All loads of a group come before its stores, so that none waits for another's.
  constexpr size_t kGroup = 8;
  for (; i + kGroup <= count; i += kGroup) {
    const char* from = source + static_cast<int64_t>(i) * byte_stride;
    T group[kGroup];
    for (size_t j = 0; j < kGroup; ++j, from += byte_stride)
      std::memcpy(&group[j], from, sizeof(T));
    std::memcpy(r + i, group, sizeof(group));
  }
  for (; i < count; ++i) {
    std::memcpy(r + i, source + static_cast<int64_t>(i) * byte_stride, sizeof(T));
  }
}

// As many as go by vectors to every second place: how many are written. Nothing else is, not even
// with the bytes that are there, since another thread may write them; so only where stores take
// masks.
template <class T>
size_t StoreEverySecond(T* result, const T* source, size_t count) {
  size_t i = 0;
#if HWY_TARGET == HWY_AVX3
  if constexpr (sizeof(T) <= 4) {
    const hn::ScalableTag<T> d;
    const hn::Repartition<hwy::MakeWide<T>, decltype(d)> wide;
    const hn::Rebind<T, decltype(wide)> half;
    constexpr size_t kHalf = hn::MaxLanes(half);
    const auto even = hn::MaskFromVec(hn::BitCast(
        d, hn::Set(wide, static_cast<hwy::MakeWide<T>>(std::numeric_limits<T>::max()))));
    for (; i + kHalf <= count; i += kHalf) {
      const auto spread = hn::BitCast(d, hn::PromoteTo(wide, hn::LoadU(half, source + i)));
      hn::BlendedStore(spread, even, d, result + 2 * i);
    }
  }
#endif
  return i;
}

#if HWY_TARGET == HWY_AVX3
// A vector of elements as kStride vectors, each element in a lane of its own.
template <int kStride, class T, size_t kLanes>
struct Spread {
  constexpr Spread() {
    for (size_t at = 0; at < kLanes; ++at) {
      const size_t to = at * kStride;
      from[to / kLanes][to % kLanes] = static_cast<T>(at);
      bits[to / kLanes][to % kLanes / 8] |= static_cast<uint8_t>(1 << to % 8);
    }
  }
  alignas(64) T from[kStride][kLanes] = {};
  uint8_t bits[kStride][8] = {};  // of a mask; whose loads read eight bytes
};

// The same to every third or fourth place: the columns of points and quaternions.
template <int kStride, class T>
size_t StoreEvery(T* result, const T* source, size_t count) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  static constexpr Spread<kStride, T, kLanes> kSpread;
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes, result += kStride * kLanes) {
    const auto elements = hn::LoadU(d, source + i);
    for (int v = 0; v < kStride; ++v) {
      hn::BlendedStore(hn::TableLookupLanes(elements, hn::SetTableIndices(d, kSpread.from[v])),
                       hn::LoadMaskBits(d, kSpread.bits[v]), d,
                       result + static_cast<size_t>(v) * kLanes);
    }
  }
  return i;
}
#endif

template <class T>
void StoreStrided(void* base, int64_t byte_stride, const void* source, size_t count) {
  if (byte_stride == static_cast<int64_t>(sizeof(T))) {
    std::memcpy(base, source, count * sizeof(T));
    return;
  }
  char* destination = static_cast<char*>(base);
  const T* x = static_cast<const T*>(source);
  size_t i = 0;
  if constexpr (sizeof(T) <= 4) {
    if (byte_stride == 2 * static_cast<int64_t>(sizeof(T))) {
      i = StoreEverySecond(static_cast<T*>(base), x, count);
    }
  }
#if HWY_TARGET == HWY_AVX3
  if constexpr (std::is_integral_v<T> && sizeof(T) >= 4) {
    constexpr int64_t kBytes = sizeof(T);
    if (byte_stride == 3 * kBytes) i = StoreEvery<3>(static_cast<T*>(base), x, count);
    if (byte_stride == 4 * kBytes) i = StoreEvery<4>(static_cast<T*>(base), x, count);
  }
#endif
  for (; i < count; ++i) {
    std::memcpy(destination + static_cast<int64_t>(i) * byte_stride, x + i, sizeof(T));
  }
}

template <class T>
void Iota(void* result, int64_t start, int64_t step, size_t count) {
  T* r = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step);
    r[i] = static_cast<T>(static_cast<int64_t>(value));
  }
}

template <class T>
void ComplexIota(void* result, int64_t start, int64_t step, size_t count) {
  T* r = static_cast<T*>(result);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t value = static_cast<uint64_t>(start) + i * static_cast<uint64_t>(step);
    r[2 * i] = static_cast<T>(static_cast<int64_t>(value));
    r[2 * i + 1] = 0;
  }
}

constexpr MemoryRow kMemoryRows[] = {
    {&Copy<uint8_t>, &Fill<uint8_t>, &LoadStrided<uint8_t>, &StoreStrided<uint8_t>,
     &RepeatEightTimes},
    {&Copy<uint16_t>, &Fill<uint16_t>, &LoadStrided<uint16_t>, &StoreStrided<uint16_t>},
    {&Copy<uint32_t>, &Fill<uint32_t>, &LoadStrided<uint32_t>, &StoreStrided<uint32_t>},
    {&Copy<uint64_t>, &Fill<uint64_t>, &LoadStrided<uint64_t>, &StoreStrided<uint64_t>},
    {&Copy<Wide>, &Fill<Wide>, &LoadStrided<Wide>, &StoreStrided<Wide>},
};

// The types of tile elements; the others are rounded or wrapped from theirs.
constexpr IotaRow kIotaRows[] = {
    {DType::kS8, &Iota<int8_t>},        {DType::kS16, &Iota<int16_t>},
    {DType::kS32, &Iota<int32_t>},      {DType::kS64, &Iota<int64_t>},
    {DType::kU8, &Iota<uint8_t>},       {DType::kU16, &Iota<uint16_t>},
    {DType::kU32, &Iota<uint32_t>},     {DType::kU64, &Iota<uint64_t>},
    {DType::kF32, &Iota<float>},        {DType::kF64, &Iota<double>},
    {DType::kC64, &ComplexIota<float>}, {DType::kC128, &ComplexIota<double>},
};

std::span<const MemoryRow> GetMemoryRows() { return kMemoryRows; }
std::span<const IotaRow> GetIotaRows() { return kIotaRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
std::span<const MemoryRow> MemoryRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetMemoryRows);
}
std::span<const IotaRow> IotaRows(SimdTarget target) {
  return PLINTH_CALL_FOR_TARGET(target, GetIotaRows);
}
}  // namespace plinth::cpu::math
#endif
