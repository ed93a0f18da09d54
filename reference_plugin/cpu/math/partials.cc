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
#include "reference_plugin/cpu/math/partials.h"

#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_ROW_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_PARTIALS_ROW_
namespace plinth::cpu::math {
struct PartialsRow {
  compiler::Opcode opcode;
  DType type;
  PartialsFunction function;
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

// partials[i] with values[i].
template <class Op, class T>
HWY_INLINE void Combine(T* partials, const T* values, size_t count) {
  const hn::ScalableTag<T> d;
  constexpr size_t kLanes = hn::MaxLanes(d);
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(Op::Apply(d, hn::LoadU(d, partials + i), hn::LoadU(d, values + i)), d, partials + i);
  }
  const hn::CappedTag<T, 1> one;
  for (; i < count; ++i) {
    hn::StoreU(Op::Apply(one, hn::LoadU(one, partials + i), hn::LoadU(one, values + i)), one,
               partials + i);
  }
}

template <class Op, class T>
void Accumulate(void* partials, const void* values, size_t count, bool first) {
  constexpr size_t kPartials = kPartialBytes / sizeof(T);
  T* const p = static_cast<T*>(partials);
  const T* x = static_cast<const T*>(values);
  if (count < kPartials) {
    if (!first) return Combine<Op>(p, x, count);
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
  Combine<Op>(p, x, static_cast<size_t>(end - x));
}

// clang-format off
constexpr PartialsRow kRows[] = {
    {Opcode::kAdd, DType::kF32, &Accumulate<AddVectors, float>},
    {Opcode::kAdd, DType::kF64, &Accumulate<AddVectors, double>},
    {Opcode::kAdd, DType::kS32, &Accumulate<AddVectors, int32_t>},
    {Opcode::kAdd, DType::kS64, &Accumulate<AddVectors, int64_t>},
    {Opcode::kMaximum, DType::kF32, &Accumulate<MaximumOfFloats, float>},
    {Opcode::kMaximum, DType::kF64, &Accumulate<MaximumOfFloats, double>},
    {Opcode::kMaximum, DType::kS32, &Accumulate<MaximumOfIntegers, int32_t>},
    {Opcode::kMaximum, DType::kS64, &Accumulate<MaximumOfIntegers, int64_t>},
    {Opcode::kMinimum, DType::kF32, &Accumulate<MinimumOfFloats, float>},
    {Opcode::kMinimum, DType::kF64, &Accumulate<MinimumOfFloats, double>},
    {Opcode::kMinimum, DType::kS32, &Accumulate<MinimumOfIntegers, int32_t>},
    {Opcode::kMinimum, DType::kS64, &Accumulate<MinimumOfIntegers, int64_t>},
};
// clang-format on

std::span<const PartialsRow> GetPartialsRows() { return kRows; }

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
PartialsFunction FindPartials(compiler::Opcode opcode, DType type, SimdTarget target) {
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  for (const PartialsRow& row : PLINTH_CALL_FOR_TARGET(target, GetPartialsRows)) {
    if (row.opcode == opcode && row.type == type) return row.function;
  }
  return nullptr;
}
}  // namespace plinth::cpu::math
#endif
