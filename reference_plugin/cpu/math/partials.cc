// SPDX-License-Identifier: Apache-2.0
// Partial results of a row, which stay in registers while a tile is read.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/partials.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <cstring>
#include <span>

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

struct AddVectors {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    return hn::Add(a, b);
  }
};
struct MaximumOfIntegers {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    return hn::Max(a, b);
  }
};
struct MinimumOfIntegers {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    return hn::Min(a, b);
  }
};

template <class Op, class T>
void Accumulate(void* partials, const void* values, size_t count, bool first) {
  constexpr size_t kPartials = kPartialBytes / sizeof(T);
  T* const p = static_cast<T*>(partials);
  const T* x = static_cast<const T*>(values);
  if (count < kPartials) {
    if (!first) return VectorBinary<Op, T>(p, p, x, nullptr, count, {});
    std::memcpy(p, x, count * sizeof(T));
    return;
  }
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d), kVectors = kPartials / kLanes;
  const T* const end = x + count;
  hn::Vec<decltype(d)> sums[kVectors];
  const T* const from = first ? x : p;
  for (size_t k = 0; k < kVectors; ++k) sums[k] = hn::LoadU(d, from + k * kLanes);
  if (first) x += kPartials;
  for (; x + kPartials <= end; x += kPartials) {
    for (size_t k = 0; k < kVectors; ++k) {
      sums[k] = Op::Apply(d, sums[k], hn::LoadU(d, x + k * kLanes));
    }
  }
  for (size_t k = 0; k < kVectors; ++k) hn::StoreU(sums[k], d, p + k * kLanes);
  VectorBinary<Op, T>(p, p, x, nullptr, static_cast<size_t>(end - x), {});
}

// The lanes of one vector. Highway's scalar target, our baseline, has no halves.
template <class Op, class D>
HWY_INLINE void FoldVector(D d, hn::Vec<D> sum, hn::TFromD<D>* partials) {
  using T = hn::TFromD<D>;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(d) * sizeof(T) > 16) {
    const hn::Half<D> half;
    return FoldVector<Op>(half, Op::Apply(half, hn::LowerHalf(half, sum), hn::UpperHalf(half, sum)),
                          partials);
  }
#endif
  hn::StoreU(sum, d, partials);
  const hn::CappedTag<T, 1> one;
  for (size_t half = hn::MaxLanes(d) / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      hn::StoreU(Op::Apply(one, hn::LoadU(one, partials + i), hn::LoadU(one, partials + i + half)),
                 one, partials + i);
    }
  }
}

template <class Op, class T>
void Fold(void* partials, size_t count) {
  constexpr size_t kPartials = kPartialBytes / sizeof(T);
  T* const p = static_cast<T*>(partials);
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d), kVectors = kPartials / kLanes;
  if (count == kPartials) {
    hn::Vec<decltype(d)> sums[kVectors];
    for (size_t k = 0; k < kVectors; ++k) sums[k] = hn::LoadU(d, p + k * kLanes);
    for (size_t half = kVectors / 2; half > 0; half /= 2) {
      for (size_t k = 0; k < half; ++k) sums[k] = Op::Apply(d, sums[k], sums[k + half]);
    }
    return FoldVector<Op>(d, sums[0], p);
  }
  size_t half = 1;
  while (2 * half < count) half *= 2;
  for (; count > 1; count = half, half /= 2) {
    VectorBinary<Op, T>(p, p, p + half, nullptr, count - half, {});
  }
}

template <class Op, class T>
constexpr Partials kOf = {&Accumulate<Op, T>, &Fold<Op, T>};

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
