// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/row_updates.h"

#include <algorithm>
#include <span>
#include <type_traits>

#include "reference_plugin/cpu/library/index_reader.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/library/row_updates.cc"
// clang-format off: must come first of those that are compiled for each target
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/extremes_of_floats-inl.h"

#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ROW_UPDATES_TABLE_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ROW_UPDATES_TABLE_
namespace plinth::cpu::library {
struct RowUpdatesRow {
  compiler::Opcode opcode;
  DType type;
  int64_t bytes;
  RowUpdates function;
};
}  // namespace plinth::cpu::library
#endif

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::library::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX2

using compiler::Opcode;
using math::HWY_NAMESPACE::MaximumOfFloats;
using math::HWY_NAMESPACE::MinimumOfFloats;

struct Sum {
  template <class D, class V>
  static HWY_INLINE V Apply(D, V a, V b) {
    return hn::Add(a, b);
  }
};
template <class Extreme>
struct ExtremeOfNumbers {
  // A row with a NaN is rare, and so one look is enough. Two infinities look like one.
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b) {
    if (HWY_UNLIKELY(!hn::AllFalse(d, hn::IsNaN(hn::Add(a, b))))) return Extreme::Apply(d, a, b);
    return Extreme::OfNumbers(d, a, b);
  }
};
struct Maximum {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return ExtremeOfNumbers<MaximumOfFloats>::Apply(d, a, b);
    } else {
      return hn::Max(a, b);
    }
  }
};
struct Minimum {
  template <class D, class V>
  static HWY_INLINE V Apply(D d, V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
      return ExtremeOfNumbers<MinimumOfFloats>::Apply(d, a, b);
    } else {
      return hn::Min(a, b);
    }
  }
};

// `u` is a copy: what rows are written to could else be a part of it.
template <class Op, typename T, size_t kBytes>
void UpdateRows(const ScalarUpdates& updates) {
  const hn::CappedTag<T, kBytes / sizeof(T)> d;
  const ScalarUpdates u = updates;
  const int64_t first = std::max<int64_t>(u.first, 0);
  const int64_t end = std::max(first, std::min(u.end, u.parts[0].end));
  const auto rows = static_cast<uint64_t>(end - first);
  const int64_t stride = u.parts[0].byte_stride;
  const std::byte* index = u.indices;
  const std::byte* from = u.updates;
  std::byte* array = u.array;
  for (int64_t i = 0; i < u.count; ++i) {
    const int64_t position = ReadIndexAs<int32_t>(index);
    if (static_cast<uint64_t>(position - first) < rows) {
      T* const to = reinterpret_cast<T*>(array + position * stride);
      for (size_t k = 0; k < kBytes / sizeof(T); k += hn::MaxLanes(d)) {
        const auto update = hn::LoadU(d, reinterpret_cast<const T*>(from) + k);
        hn::StoreU(Op::Apply(d, hn::LoadU(d, to + k), update), d, to + k);
      }
    }
    index += u.index_stride;
    from += u.update_stride;
    array += u.array_stride;
  }
}

#define PLINTH_ROWS(Name, Op, Type, T)                         \
  {Opcode::Name, DType::Type, 16, &UpdateRows<Op, T, 16>},     \
      {Opcode::Name, DType::Type, 32, &UpdateRows<Op, T, 32>}, \
      {Opcode::Name, DType::Type, 64, &UpdateRows<Op, T, 64>},
#define PLINTH_OPS(Type, T)       \
  PLINTH_ROWS(kAdd, Sum, Type, T) \
  PLINTH_ROWS(kMaximum, Maximum, Type, T) PLINTH_ROWS(kMinimum, Minimum, Type, T)

// clang-format off
constexpr RowUpdatesRow kRows[] = {
    PLINTH_OPS(kF32, float)
    PLINTH_OPS(kF64, double)
    PLINTH_OPS(kS32, int32_t)
};
// clang-format on
#undef PLINTH_OPS
#undef PLINTH_ROWS

std::span<const RowUpdatesRow> GetRowUpdates() { return kRows; }

#else

std::span<const RowUpdatesRow> GetRowUpdates() { return {}; }

#endif

}  // namespace plinth::cpu::library::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::library {
RowUpdates FindRowUpdates(compiler::Opcode opcode, DType type, int64_t length,
                          math::SimdTarget target) {
  if (!math::IsSupported(target)) target = math::SimdTarget::kBaseline;
  for (const RowUpdatesRow& row : PLINTH_CALL_FOR_TARGET(target, GetRowUpdates)) {
    if (row.opcode == opcode && row.type == type && row.bytes == length * ByteSize(type)) {
      return row.function;
    }
  }
  return nullptr;
}
}  // namespace plinth::cpu::library
#endif  // HWY_ONCE
