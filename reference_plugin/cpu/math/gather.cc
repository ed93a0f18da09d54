// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/gather.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/gather.h"

// Vectors make a list of offsets of a block of indices, and plain loads take the elements: twice as
// fast as a loop that does both for each element, and as the instructions that gather (Zen 5: 0.22,
// 0.45 and 0.31 ns an element of a table in the nearest cache; 1.05, 1.36 and 1.46 ns of 16 MB).
HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kBlock = 256;  // a list that stays in the nearest cache

struct Wide {
  uint64_t low, high;
};

// Whether every offset in a block fits into 32 bits.
inline bool IsNear(const GatherPlace& place) {
  constexpr int64_t kLimit = std::numeric_limits<int32_t>::max();
  int64_t left = kLimit;
  for (int i = 0; i < place.num_indices; ++i) {
    const auto [maximum, stride] = place.indices[i];
    if (maximum > kLimit || stride < 0 || stride > kLimit || maximum * stride > left) return false;
    left -= maximum * stride;
  }
  return std::abs(place.lane_stride) <= left / static_cast<int64_t>(kBlock);
}

template <class Index>
int64_t OffsetAt(const Index* index, size_t i, const GatherPlace::Index& part) {
  return std::clamp<int64_t>(index[i], 0, part.maximum) * part.byte_stride;
}

// offsets[i] (+)= clamp(index[i], 0, maximum) * byte_stride.
template <bool kAdd, class Index>
HWY_INLINE void NearOffsets(const Index* index, const GatherPlace::Index& part, size_t count,
                            int32_t* offsets) {
  const hn::ScalableTag<Index> d;
  const hn::RebindToSigned<decltype(d)> ds;
  const auto zero = hn::Zero(d);
  const auto maximum = hn::Set(d, static_cast<Index>(part.maximum));
  const auto stride = hn::Set(ds, static_cast<int32_t>(part.byte_stride));
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto clamped = hn::Min(hn::Max(hn::LoadU(d, index + i), zero), maximum);
    auto offset = hn::Mul(hn::BitCast(ds, clamped), stride);
    if constexpr (kAdd) offset = hn::Add(offset, hn::LoadU(ds, offsets + i));
    hn::StoreU(offset, ds, offsets + i);
  }
  for (; i < count; ++i) {
    const auto offset = static_cast<int32_t>(OffsetAt(index, i, part));
    offsets[i] = kAdd ? offsets[i] + offset : offset;
  }
}

template <bool kAdd, class Index>
HWY_INLINE void FarOffsets(const Index* index, const GatherPlace::Index& part, size_t count,
                           int64_t* offsets) {
  for (size_t i = 0; i < count; ++i) {
    const int64_t offset = OffsetAt(index, i, part);
    offsets[i] = kAdd ? offsets[i] + offset : offset;
  }
}

// All loads of a group come before its stores, so that none waits for another's.
template <class T, class Offset>
HWY_INLINE void LoadAt(const std::byte* base, const Offset* offsets, size_t count, T* result) {
  constexpr size_t kGroup = 8;
  size_t i = 0;
  for (; i + kGroup <= count; i += kGroup) {
    T elements[kGroup];
    for (size_t j = 0; j < kGroup; ++j) std::memcpy(&elements[j], base + offsets[i + j], sizeof(T));
    std::memcpy(result + i, elements, sizeof(elements));
  }
  for (; i < count; ++i) std::memcpy(result + i, base + offsets[i], sizeof(T));
}

template <class T, class Index, class Offset>
HWY_INLINE void GatherBlocks(T* result, const Index* first, const Index* second,
                             const GatherPlace& place, size_t count) {
  constexpr bool kNear = sizeof(Offset) == 4;
  HWY_ALIGN Offset offsets[kBlock];
  const std::byte* base = place.base;
  const int64_t lane_stride = place.lane_stride;
  const bool has_second = place.num_indices > 1;
  for (size_t done = 0; done < count; done += kBlock) {
    const size_t block = std::min(kBlock, count - done);
    if constexpr (kNear) {
      NearOffsets<false>(first + done, place.indices[0], block, offsets);
      if (has_second) NearOffsets<true>(second + done, place.indices[1], block, offsets);
    } else {
      FarOffsets<false>(first + done, place.indices[0], block, offsets);
      if (has_second) FarOffsets<true>(second + done, place.indices[1], block, offsets);
    }
    if (lane_stride != 0) {
      const auto step = static_cast<Offset>(lane_stride);
      for (size_t i = 0; i < block; ++i) offsets[i] += static_cast<Offset>(i) * step;
    }
    LoadAt(base, offsets, block, result + done);
    base += static_cast<int64_t>(block) * lane_stride;
  }
}

template <class T, class Index>
void Gather(void* result, const void* first, const void* second, const GatherPlace& place,
            size_t count) {
  T* const to = static_cast<T*>(result);
  const Index* const index = static_cast<const Index*>(first);
  const Index* const other = static_cast<const Index*>(second);
  if constexpr (sizeof(Index) == 4) {
    if (IsNear(place)) return GatherBlocks<T, Index, int32_t>(to, index, other, place, count);
  }
  GatherBlocks<T, Index, int64_t>(to, index, other, place, count);
}

template <class T>
constexpr GatherFunction kGatherOf[] = {&Gather<T, int32_t>, &Gather<T, uint32_t>,
                                        &Gather<T, int64_t>};

const GatherFunction* GathersOf(int log2_bytes) {
  constexpr const GatherFunction* kGathers[] = {kGatherOf<uint8_t>, kGatherOf<uint16_t>,
                                                kGatherOf<uint32_t>, kGatherOf<uint64_t>,
                                                kGatherOf<Wide>};
  return kGathers[log2_bytes];
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {

GatherFunction FindGather(size_t element_bytes, DType index, SimdTarget target) {
  if (!std::has_single_bit(element_bytes) || element_bytes > sizeof(uint64_t) * 2) return nullptr;
  constexpr DType kIndices[] = {DType::kS32, DType::kU32, DType::kS64};
  const auto found = std::find(std::begin(kIndices), std::end(kIndices), index);
  if (found == std::end(kIndices)) return nullptr;
  const GatherFunction* const gathers =
      PLINTH_CALL_FOR_TARGET(target, GathersOf, std::countr_zero(element_bytes));
  return gathers[found - std::begin(kIndices)];
}

}  // namespace plinth::cpu::math
#endif
