// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/larger_elements.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/library/larger_elements.cc"
// clang-format off: must come first of those that are compiled for each target
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/ask_ahead-inl.h"

#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LARGER_ELEMENTS_ROW_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LARGER_ELEMENTS_ROW_
namespace plinth::cpu::library {
struct LargerElementsRow {
  DType type;
  LargerElements functions;
};

// The bits of what is next below the `rank`-th of the largest of these; none if it is the least of
// all. The same for every target.
template <class T>
std::optional<uint64_t> BitsBelow(T* ordered, int64_t count, int64_t rank) {
  using Limits = std::numeric_limits<T>;
  std::nth_element(ordered, ordered + rank - 1, ordered + count, std::greater<T>());
  const T least = ordered[rank - 1];
  if (least == Limits::min()) return std::nullopt;
  const auto descending = static_cast<T>(~(static_cast<T>(least - 1) ^ Limits::min()));
  return static_cast<std::make_unsigned_t<T>>(descending);
}
}  // namespace plinth::cpu::library
#endif

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::library::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// What the bits of an element are.
enum class Kind : uint8_t { kFloat, kSigned, kUnsigned };

// Signed numbers that have the order of the elements whose bits these are.
template <Kind kind, class T>
T Ordered(T bits) {
  constexpr T kSign = std::numeric_limits<T>::min(), kOthers = std::numeric_limits<T>::max();
  if constexpr (kind == Kind::kUnsigned) return static_cast<T>(bits ^ kSign);
  if constexpr (kind == Kind::kFloat) return static_cast<T>(bits ^ (bits < 0 ? kOthers : T{0}));
  return bits;
}

#if HWY_TARGET != HWY_SCALAR
template <Kind kind, class D, class V>
HWY_INLINE V OrderedVector(D d, V bits) {
  using T = hn::TFromD<D>;
  if constexpr (kind == Kind::kUnsigned) {
    return hn::Xor(bits, hn::Set(d, std::numeric_limits<T>::min()));
  } else if constexpr (kind == Kind::kFloat) {
    constexpr int kSignBit = static_cast<int>(8 * sizeof(T)) - 1;
    const auto others = hn::Set(d, std::numeric_limits<T>::max());
    return hn::Xor(bits, hn::And(hn::ShiftRight<kSignBit>(bits), others));
  }
  return bits;
}
#endif

template <Kind kind, class T>
int64_t NextLarger(const void* elements, int64_t begin, int64_t end, uint64_t bits) {
  const T* const x = static_cast<const T*>(elements);
  // Bits of descending order are those of ascending order, unsigned, turned round.
  const T bound = static_cast<T>(static_cast<T>(~bits) ^ std::numeric_limits<T>::min());
  int64_t i = begin;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = static_cast<int64_t>(hn::MaxLanes(d)), kAtOnce = 4;
  const auto bounds = hn::Set(d, bound);
  const auto is_larger = [&](int64_t at) HWY_ATTR {
    return hn::Gt(OrderedVector<kind>(d, hn::LoadU(d, x + at)), bounds);
  };
  for (; i + kAtOnce * kLanes <= end; i += kAtOnce * kLanes) {
    math::HWY_NAMESPACE::PrefetchBlock<kAtOnce * sizeof(hn::Vec<hn::ScalableTag<T>>)>(x + i);
    const auto any = hn::Or(hn::Or(is_larger(i), is_larger(i + kLanes)),
                            hn::Or(is_larger(i + 2 * kLanes), is_larger(i + 3 * kLanes)));
    if (!hn::AllFalse(d, any)) break;
  }
  for (; i + kLanes <= end; i += kLanes) {
    const intptr_t lane = hn::FindFirstTrue(d, is_larger(i));
    if (lane >= 0) return i + static_cast<int64_t>(lane);
  }
#else
  constexpr int64_t kAtOnce = 16;
  for (; i + kAtOnce <= end; i += kAtOnce) {
    bool any = false;
    for (int64_t j = 0; j < kAtOnce; ++j) any |= Ordered<kind>(x[i + j]) > bound;
    if (any) break;
  }
#endif
  while (i < end && Ordered<kind>(x[i]) <= bound) ++i;
  return i;
}

// Fewer elements of a group make no good bound.
constexpr int64_t kFewestOfGroup = 8;

// Group g has elements g, g + groups and so on; the largest of each are different elements. If the
// groups are twice as many as are asked for, half as many again are larger on average.
template <Kind kind, class T>
std::optional<uint64_t> Bound(const void* elements, int64_t count, int64_t rank, int64_t groups,
                              void* space) {
  if (count / groups < kFewestOfGroup) return std::nullopt;
  const T* x = static_cast<const T*>(elements);
  T* const largest = static_cast<T*>(space);
  for (int64_t round = 0; round < count / groups; ++round, x += groups) {
#if HWY_TARGET != HWY_SCALAR
    const hn::ScalableTag<T> d;
    static_assert(64 % hn::MaxLanes(d) == 0);
    for (int64_t g = 0; g < groups; g += static_cast<int64_t>(hn::MaxLanes(d))) {
      const auto ordered = OrderedVector<kind>(d, hn::LoadU(d, x + g));
      hn::StoreU(round == 0 ? ordered : hn::Max(hn::LoadU(d, largest + g), ordered), d,
                 largest + g);
    }
#else
    for (int64_t g = 0; g < groups; ++g) {
      const T ordered = Ordered<kind>(x[g]);
      largest[g] = round == 0 ? ordered : std::max(largest[g], ordered);
    }
#endif
  }
  return BitsBelow(largest, groups, rank);
}

template <Kind kind, class T>
constexpr LargerElements kOf = {&NextLarger<kind, T>, &Bound<kind, T>};

constexpr LargerElementsRow kRows[] = {
    {DType::kPred, kOf<Kind::kUnsigned, int8_t>}, {DType::kU8, kOf<Kind::kUnsigned, int8_t>},
    {DType::kU16, kOf<Kind::kUnsigned, int16_t>}, {DType::kU32, kOf<Kind::kUnsigned, int32_t>},
    {DType::kU64, kOf<Kind::kUnsigned, int64_t>}, {DType::kS8, kOf<Kind::kSigned, int8_t>},
    {DType::kS16, kOf<Kind::kSigned, int16_t>},   {DType::kS32, kOf<Kind::kSigned, int32_t>},
    {DType::kS64, kOf<Kind::kSigned, int64_t>},   {DType::kF16, kOf<Kind::kFloat, int16_t>},
    {DType::kBF16, kOf<Kind::kFloat, int16_t>},   {DType::kF32, kOf<Kind::kFloat, int32_t>},
    {DType::kF64, kOf<Kind::kFloat, int64_t>},
};

std::span<const LargerElementsRow> GetLargerElementsRows() { return kRows; }

}  // namespace plinth::cpu::library::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::library {
LargerElements FindLargerElements(DType type, math::SimdTarget target) {
  if (!math::IsSupported(target)) target = math::SimdTarget::kBaseline;
  for (const LargerElementsRow& row : PLINTH_CALL_FOR_TARGET(target, GetLargerElementsRows)) {
    if (row.type == type) return row.functions;
  }
  return {};
}
}  // namespace plinth::cpu::library
#endif
