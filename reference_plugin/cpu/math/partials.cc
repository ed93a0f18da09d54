// SPDX-License-Identifier: Apache-2.0
// Partial results of a row, which stay in registers while a tile is read.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/partials.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "reference_plugin/cpu/math/ask_ahead-inl.h"
#include "reference_plugin/cpu/math/extremes_of_floats-inl.h"
#include "reference_plugin/cpu/math/map-inl.h"
#include "reference_plugin/cpu/math/partials.h"

#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_ROW_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_ROW_
namespace plinth::cpu::math {
struct PartialsRow {
  compiler::Opcode opcode;
  DType type;
  Partials functions;
};
}  // namespace plinth::cpu::math
#endif

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

using compiler::Opcode;

// Of two NaNs a sum answers the first. A compiler may take it for commutative.
struct AddVectors {
  static constexpr bool kMindsNan = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
#if HWY_TARGET <= HWY_AVX2
    using T = hn::TFromD<D>;
    if constexpr (std::is_same_v<T, float>) {
      asm("vaddps %2, %1, %0" : "=v"(a.raw) : "v"(a.raw), "v"(b.raw));
      return a;
    }
    if constexpr (std::is_same_v<T, double>) {
      asm("vaddpd %2, %1, %0" : "=v"(a.raw) : "v"(a.raw), "v"(b.raw));
      return a;
    }
#endif
    return hn::Add(a, b);
  }
};
struct MaximumOfIntegers {
  static constexpr bool kMindsNan = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    return hn::Max(a, b);
  }
};
struct MinimumOfIntegers {
  static constexpr bool kMindsNan = false;
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    return hn::Min(a, b);
  }
};

// The partial results of a row, in registers.
template <class D>
inline constexpr size_t kVectors = kPartialBytes / sizeof(hn::TFromD<D>) / hn::MaxLanes(D());
template <class D>
using Sums = hn::Vec<D>[kVectors<D>];
template <class T>
inline constexpr size_t kPartials = kPartialBytes / sizeof(T);

template <class D>
HWY_INLINE void Load(D d, const hn::TFromD<D>* x, Sums<D>& sums) {
  for (size_t k = 0; k < kVectors<D>; ++k) sums[k] = hn::LoadU(d, x + k * hn::MaxLanes(d));
}
template <class D>
HWY_INLINE void Store(D d, const Sums<D>& sums, hn::TFromD<D>* x) {
  for (size_t k = 0; k < kVectors<D>; ++k) hn::StoreU(sums[k], d, x + k * hn::MaxLanes(d));
}

template <class Op, class D>
HWY_INLINE void TakeBlocks(D d, const hn::TFromD<D>* x, size_t blocks, Sums<D>& sums) {
  for (; blocks > 0; --blocks, x += kPartials<hn::TFromD<D>>) {
    PrefetchBlock<kPartialBytes>(x);
    for (size_t k = 0; k < kVectors<D>; ++k) {
      sums[k] = Op::Apply(d, sums[k], hn::LoadU(d, x + k * hn::MaxLanes(d)));
    }
  }
}

// The same for extrema of numbers. Answers false, with sums of no use, if there may have been a
// NaN: the total of a block with one is one, and so is that of two infinities.
template <class Op, class D>
HWY_INLINE bool TakeBlocksOfNumbers(D d, const hn::TFromD<D>* x, size_t blocks, Sums<D>& sums) {
  auto is_nan = hn::IsNaN(sums[0]);
  for (size_t k = 1; k < kVectors<D>; ++k) is_nan = hn::Or(is_nan, hn::IsNaN(sums[k]));
  for (; blocks > 0; --blocks, x += kPartials<hn::TFromD<D>>) {
    PrefetchBlock<kPartialBytes>(x);
    auto total = hn::Zero(d);
    for (size_t k = 0; k < kVectors<D>; ++k) {
      auto value = hn::LoadU(d, x + k * hn::MaxLanes(d));
#if HWY_COMPILER_GCC_ACTUAL
      asm("" : "+v"(value.raw));  // else g++ reads it from memory again for each use
#endif
      total = hn::Add(total, value);
      sums[k] = Op::OfNumbers(d, sums[k], value);
    }
    is_nan = hn::Or(is_nan, hn::IsNaN(total));
  }
  return hn::AllFalse(d, is_nan);
}

template <class Op>
struct OfNumbers {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b) {
    return Op::OfNumbers(d, a, b);
  }
};

// Blocks after which numbers that were taken for all are looked for a NaN.
constexpr size_t kStripBlocks = 16;

// `before`: the sums, as they lie in memory.
template <class Op, class D>
HWY_INLINE void Take(D d, const hn::TFromD<D>* x, size_t blocks, Sums<D>& sums,
                     const hn::TFromD<D>* before) {
  if constexpr (!Op::kMindsNan) {
    TakeBlocks<Op>(d, x, blocks, sums);
  } else {
    hn::TFromD<D> kept[kPartials<hn::TFromD<D>>];
    for (;;) {
      const size_t strip = std::min(blocks, kStripBlocks);
      if (!TakeBlocksOfNumbers<Op>(d, x, strip, sums)) {
        Load(d, before, sums);
        TakeBlocks<Op>(d, x, strip, sums);
      }
      blocks -= strip;
      if (blocks == 0) return;
      x += strip * kPartials<hn::TFromD<D>>;
      Store(d, sums, kept);
      before = kept;
    }
  }
}

template <class Op, class T>
void Accumulate(void* partials, const void* values, size_t count, bool first) {
  T* const p = static_cast<T*>(partials);
  const T* x = static_cast<const T*>(values);
  if (count < kPartials<T>) {
    if (!first) return VectorBinary<Op, T>(p, p, x, nullptr, count, {});
    std::memcpy(p, x, count * sizeof(T));
    return;
  }
  using D = hn::ScalableTag<T>;
  const D d;
  Sums<D> sums;
  const T* const before = first ? x : p;
  Load(d, before, sums);
  if (first) x += kPartials<T>, count -= kPartials<T>;
  Take<Op>(d, x, count / kPartials<T>, sums, before);
  Store(d, sums, p);
  const size_t rest = count % kPartials<T>;
  VectorBinary<Op, T>(p, p, x + (count - rest), nullptr, rest, {});
}

// The lanes of one vector; the result is in the first. Highway's baselines have one lane (g++) or
// an array for a vector (clang), no registers.
template <class Op, class D>
HWY_INLINE hn::TFromD<D> FoldVector(D d, hn::Vec<D> sum) {
#if HWY_TARGET == HWY_EMU128
  HWY_ALIGN hn::TFromD<D> lanes[hn::MaxLanes(d)];
  hn::Store(sum, d, lanes);
  const hn::CappedTag<hn::TFromD<D>, 1> one;
  for (size_t half = hn::MaxLanes(d) / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      lanes[i] = hn::GetLane(Op::Apply(one, hn::Set(one, lanes[i]), hn::Set(one, lanes[i + half])));
    }
  }
  return lanes[0];
#elif HWY_TARGET != HWY_SCALAR
  using T = hn::TFromD<D>;
  if constexpr (hn::MaxLanes(d) * sizeof(T) > 16) {
    const hn::Half<D> half;
    return FoldVector<Op>(half,
                          Op::Apply(half, hn::LowerHalf(half, sum), hn::UpperHalf(half, sum)));
  } else if constexpr (hn::MaxLanes(d) > 1) {
    // A part of 16 bytes is a whole register.
    const hn::Full128<T> full;
    hn::Vec<decltype(full)> v{sum.raw};
    if constexpr (sizeof(T) == 8) {
      v = Op::Apply(full, v, hn::Shuffle01(v));
    } else {
      if constexpr (hn::MaxLanes(d) > 2) v = Op::Apply(full, v, hn::Shuffle1032(v));
      v = Op::Apply(full, v, hn::Shuffle2301(v));
    }
    return hn::GetLane(v);
  } else {
    return hn::GetLane(sum);
  }
#else
  return hn::GetLane(sum);
#endif
}

// The first `count` partials, a power of two.
template <class Op, class T, size_t count>
HWY_INLINE void FoldPower(T* p) {
  using D = hn::CappedTag<T, count>;
  const D d;
  if constexpr (count == hn::MaxLanes(d)) {
    p[0] = FoldVector<Op>(d, hn::LoadU(d, p));
  } else {
    constexpr size_t half = count / 2, lanes = std::min(half, hn::MaxLanes(d));
    const hn::CappedTag<T, lanes> part;
    for (size_t i = 0; i < half; i += lanes) {
      hn::StoreU(Op::Apply(part, hn::LoadU(part, p + i), hn::LoadU(part, p + i + half)), part,
                 p + i);
    }
    FoldPower<Op, T, half>(p);
  }
}

template <class Op, class T>
void Fold(void* partials, size_t count) {
  T* const p = static_cast<T*>(partials);
  if (count < 2) return;
  size_t half = 1;
  while (2 * half < count) half *= 2;
  const hn::ScalableTag<T> d;
  const size_t pairs = count - half;
  size_t i = 0;
  for (; i + hn::MaxLanes(d) <= pairs; i += hn::MaxLanes(d)) {
    hn::StoreU(Op::Apply(d, hn::LoadU(d, p + i), hn::LoadU(d, p + i + half)), d, p + i);
  }
  const hn::CappedTag<T, 1> one;
  for (; i < pairs; ++i) {
    hn::StoreU(Op::Apply(one, hn::LoadU(one, p + i), hn::LoadU(one, p + i + half)), one, p + i);
  }
  static_assert(kPartials<T> <= 64);
  switch (half) {
    case 32:
      return FoldPower<Op, T, 32>(p);
    case 16:
      return FoldPower<Op, T, 16>(p);
    case 8:
      return FoldPower<Op, T, 8>(p);
    case 4:
      return FoldPower<Op, T, 4>(p);
    case 2:
      return FoldPower<Op, T, 2>(p);
  }
}

// Accumulate and Fold without partials in memory: what is read there in other pieces than it was
// written waits for it, and so would each row.
template <class Op, class T>
HWY_NOINLINE T ReduceLongRow(const T* x, size_t count) {
  using D = hn::ScalableTag<T>;
  const D d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  Sums<D> sums;
  Load(d, x, sums);
  Take<Op>(d, x + kPartials<T>, count / kPartials<T> - 1, sums, x);
  const size_t rest = count % kPartials<T>;
  x += count - rest;
  for (size_t k = 0; k < kVectors<D>; ++k) {
    const size_t begin = k * kLanes;
    if (begin + kLanes <= rest) {
      sums[k] = Op::Apply(d, sums[k], hn::LoadU(d, x + begin));
    } else if (begin < rest) {
      const auto is_inside = hn::FirstN(d, rest - begin);
      const auto values = hn::MaskedLoad(is_inside, d, x + begin);
      sums[k] = hn::IfThenElse(is_inside, Op::Apply(d, sums[k], values), sums[k]);
    }
  }
  for (size_t half = kVectors<D> / 2; half > 0; half /= 2) {
    for (size_t k = 0; k < half; ++k) sums[k] = Op::Apply(d, sums[k], sums[k + half]);
  }
  return FoldVector<Op>(d, sums[0]);
}

// Where nobody asks ahead, lines of several rows are under way together. Two vectors of each row
// suffice, since extrema of numbers have the same bits in any order.
constexpr size_t kRowsAtOnce = 4;
// What has to be read again, where there may be a NaN, is near.
constexpr size_t kMostBytesAtOnce = 64 << 10;

// Answers false, with results of no use, if there may have been a NaN.
template <class Op, class T>
HWY_INLINE bool ReduceRowsAtOnce(const T* const (&rows)[kRowsAtOnce], size_t count, T* results) {
  using D = hn::ScalableTag<T>;
  const D d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  hn::Vec<D> even[kRowsAtOnce], odd[kRowsAtOnce];
  for (size_t r = 0; r < kRowsAtOnce; ++r) {
    even[r] = hn::LoadU(d, rows[r]);
    odd[r] = hn::LoadU(d, rows[r] + kLanes);
  }
  auto is_nan = hn::IsNaN(even[0]);
  const auto take = [&](size_t at) HWY_ATTR {
    for (size_t r = 0; r < kRowsAtOnce; ++r) {
      const auto a = hn::LoadU(d, rows[r] + at), b = hn::LoadU(d, rows[r] + at + kLanes);
      is_nan = hn::Or(is_nan, hn::IsNaN(hn::Add(a, b)));
      even[r] = Op::OfNumbers(d, even[r], a);
      odd[r] = Op::OfNumbers(d, odd[r], b);
    }
  };
  for (size_t at = 0; at + 2 * kLanes <= count; at += 2 * kLanes) take(at);
  take(count - 2 * kLanes);
  if (!hn::AllFalse(d, is_nan)) return false;
  for (size_t r = 0; r < kRowsAtOnce; ++r) {
    results[r] = FoldVector<OfNumbers<Op>>(d, Op::OfNumbers(d, even[r], odd[r]));
  }
  return true;
}

template <class Op, class T>
void ReduceRows(void* results, const void* values, int64_t stride, size_t rows, size_t count) {
  const auto row = [&](size_t r) {
    return reinterpret_cast<const T*>(static_cast<const char*>(values) +
                                      static_cast<int64_t>(r) * stride);
  };
  T* const to = static_cast<T*>(results);
  // Without vectors nothing is gained by the rest, which is large.
  if (HWY_TARGET == HWY_SCALAR || count < kPartials<T>) {
    T partials[kPartials<T>];
    for (size_t r = 0; r < rows; ++r) {
      Accumulate<Op, T>(partials, row(r), count, /*first=*/true);
      Fold<Op, T>(partials, std::min<size_t>(count, kPartials<T>));
      to[r] = partials[0];
    }
    return;
  }
#if HWY_TARGET != HWY_SCALAR
  size_t r = 0;
  if constexpr (Op::kMindsNan && !kAsksAhead) {
    const bool are_near = count * sizeof(T) <= kMostBytesAtOnce;
    for (; are_near && r + kRowsAtOnce <= rows; r += kRowsAtOnce) {
      const T* const some[] = {row(r), row(r + 1), row(r + 2), row(r + 3)};
      if (ReduceRowsAtOnce<Op>(some, count, to + r)) continue;
      for (size_t i = 0; i < kRowsAtOnce; ++i) to[r + i] = ReduceLongRow<Op>(some[i], count);
    }
  }
  for (; r < rows; ++r) to[r] = ReduceLongRow<Op>(row(r), count);
#endif
}

template <class Op, class T>
constexpr Partials kOf = {&Accumulate<Op, T>, &Fold<Op, T>, &ReduceRows<Op, T>};

// clang-format off
constexpr PartialsRow kRows[] = {
    {Opcode::kAdd, DType::kF32, kOf<AddVectors, float>},
    {Opcode::kAdd, DType::kF64, kOf<AddVectors, double>},
    {Opcode::kAdd, DType::kS32, kOf<AddVectors, int32_t>},
    {Opcode::kAdd, DType::kS64, kOf<AddVectors, int64_t>},
    {Opcode::kMaximum, DType::kF32, kOf<MaximumOfFloats, float>},
    {Opcode::kMaximum, DType::kF64, kOf<MaximumOfFloats, double>},
    {Opcode::kMaximum, DType::kS32, kOf<MaximumOfIntegers, int32_t>},
    {Opcode::kMaximum, DType::kS64, kOf<MaximumOfIntegers, int64_t>},
    {Opcode::kMinimum, DType::kF32, kOf<MinimumOfFloats, float>},
    {Opcode::kMinimum, DType::kF64, kOf<MinimumOfFloats, double>},
    {Opcode::kMinimum, DType::kS32, kOf<MinimumOfIntegers, int32_t>},
    {Opcode::kMinimum, DType::kS64, kOf<MinimumOfIntegers, int64_t>},
};
// clang-format on

std::span<const PartialsRow> GetPartialsRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
Partials FindPartials(compiler::Opcode opcode, DType type, SimdTarget target) {
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  for (const PartialsRow& row : PLINTH_CALL_FOR_TARGET(target, GetPartialsRows)) {
    if (row.opcode == opcode && row.type == type) return row.functions;
  }
  return {};
}
}  // namespace plinth::cpu::math
#endif
