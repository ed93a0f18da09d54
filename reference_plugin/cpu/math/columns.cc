// SPDX-License-Identifier: Apache-2.0
// Columns of short rows by squares of four elements that are turned in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/columns.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <cstring>
#include <iterator>

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/columns.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kSquare = 4;

HWY_INLINE const uint32_t* RowAt(const void* rows, int64_t stride, size_t row) {
  return reinterpret_cast<const uint32_t*>(static_cast<const char*>(rows) +
                                           static_cast<int64_t>(row) * stride);
}
HWY_INLINE uint32_t* RowAt(void* rows, int64_t stride, size_t row) {
  return const_cast<uint32_t*>(RowAt(const_cast<const void*>(rows), stride, row));
}

#if HWY_TARGET != HWY_SCALAR

// Of AVX-512 two squares, too: more lanes cost more to bring together.
using Lanes = hn::CappedTag<uint32_t, 2 * kSquare>;
constexpr size_t kRows = hn::MaxLanes(Lanes());
using Vectors = hn::Vec<Lanes>[kSquare];

// Vector i has rows i and, behind it, i + kSquare; afterwards it has element i of all rows, in
// their order. And back.
HWY_INLINE void TurnSquares(Vectors& v) {
  const Lanes d;
  const hn::Repartition<uint64_t, Lanes> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

// Four elements of kRows rows.
HWY_INLINE void LoadSquares(const uint32_t* rows, int64_t stride, Vectors& v) {
  const Lanes d;
  for (size_t i = 0; i < kSquare; ++i) {
    if constexpr (kRows == kSquare) {
      v[i] = hn::LoadU(d, RowAt(rows, stride, i));
    } else {
      const hn::Half<Lanes> half;
      v[i] = hn::Combine(d, hn::LoadU(half, RowAt(rows, stride, i + kSquare)),
                         hn::LoadU(half, RowAt(rows, stride, i)));
    }
  }
  TurnSquares(v);
}

// The same back, row by row; kPairs: two elements of each.
template <bool kPairs>
HWY_INLINE void StoreSquares(uint32_t* rows, int64_t stride, Vectors& v) {
  TurnSquares(v);
  const hn::FixedTag<uint32_t, kSquare> row;
  const auto store = [&](size_t to, auto elements) {
    if constexpr (kPairs) {
      const hn::FixedTag<uint32_t, kSquare / 2> pair;
      hn::StoreU(hn::LowerHalf(pair, elements), pair, RowAt(rows, stride, to));
    } else {
      hn::StoreU(elements, row, RowAt(rows, stride, to));
    }
  };
  if constexpr (kRows == kSquare) {
    for (size_t i = 0; i < kSquare; ++i) store(i, v[i]);
  } else {
    const hn::Half<Lanes> half;
    for (size_t i = 0; i < kSquare; ++i) store(i, hn::LowerHalf(half, v[i]));
    for (size_t i = 0; i < kSquare; ++i) store(i + kSquare, hn::UpperHalf(half, v[i]));
  }
}

// As many rows as go by squares. What is read of a row of fewer than four elements reaches into the
// next one, which therefore is not the last. Of more, the last square overlaps the one before it.
template <size_t kColumns>
size_t LoadRows(const void* rows, int64_t stride, void* const* columns, size_t count) {
  const Lanes d;
  const size_t end = kColumns < kSquare ? count - std::min<size_t>(count, 1) : count;
  size_t i = 0;
  for (; i + kRows <= end; i += kRows) {
    const uint32_t* const row = RowAt(rows, stride, i);
    const auto store = [&](size_t column, hn::Vec<Lanes> v) {
      if (columns[column] == nullptr) return;
      hn::StoreU(v, d, static_cast<uint32_t*>(columns[column]) + i);
    };
    Vectors v;
    LoadSquares(row, stride, v);
    store(0, v[0]);
    store(1, v[1]);
    if constexpr (kColumns > 2) store(2, v[2]);
    if constexpr (kColumns > 3) store(3, v[3]);
    if constexpr (kColumns > kSquare) {
      LoadSquares(row + kColumns - kSquare, stride, v);
      if constexpr (kColumns > 7) store(kColumns - 4, v[0]);
      if constexpr (kColumns > 6) store(kColumns - 3, v[1]);
      if constexpr (kColumns > 5) store(kColumns - 2, v[2]);
      store(kColumns - 1, v[3]);
    }
  }
  return i;
}

template <size_t kColumns>
size_t StoreRows(void* rows, int64_t stride, const void* const* columns, size_t count) {
  const Lanes d;
  const auto load = [&](size_t column, size_t row) {
    return hn::LoadU(d, static_cast<const uint32_t*>(columns[column]) + row);
  };
  size_t i = 0;
  if constexpr (kColumns == 2) {
    for (; i + kRows <= count; i += kRows) {
      Vectors v = {load(0, i), load(1, i), load(0, i), load(1, i)};
      StoreSquares</*kPairs=*/true>(RowAt(rows, stride, i), stride, v);
    }
  } else if constexpr (kColumns == 3) {
    // The fourth element is the first of the next row, which is written after it.
    if (stride != kColumns * sizeof(uint32_t)) return 0;
    for (; i + kRows < count; i += kRows) {
      Vectors v = {load(0, i), load(1, i), load(2, i), load(2, i)};
      StoreSquares</*kPairs=*/false>(RowAt(rows, stride, i), stride, v);
    }
  } else if constexpr (kColumns >= kSquare) {
    for (; i + kRows <= count; i += kRows) {
      uint32_t* const row = RowAt(rows, stride, i);
      Vectors v = {load(0, i), load(1, i), load(2, i), load(3, i)};
      StoreSquares</*kPairs=*/false>(row, stride, v);
      if constexpr (kColumns > kSquare) {
        constexpr size_t kBegin = kColumns - kSquare;
        Vectors last = {load(kBegin, i), load(kBegin + 1, i), load(kBegin + 2, i),
                        load(kBegin + 3, i)};
        StoreSquares</*kPairs=*/false>(row + kBegin, stride, last);
      }
    }
  }
  return i;
}

#endif

template <size_t kColumns>
void LoadColumns(const void* rows, int64_t stride, void* const* columns, size_t count) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = LoadRows<kColumns>(rows, stride, columns, count);
#endif
  for (; i < count; ++i) {
    for (size_t c = 0; c < kColumns; ++c) {
      if (columns[c] == nullptr) continue;
      std::memcpy(static_cast<uint32_t*>(columns[c]) + i, RowAt(rows, stride, i) + c,
                  sizeof(uint32_t));
    }
  }
}

template <size_t kColumns>
void StoreColumns(void* rows, int64_t stride, const void* const* columns, size_t count) {
  size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = StoreRows<kColumns>(rows, stride, columns, count);
#endif
  for (; i < count; ++i) {
    for (size_t c = 0; c < kColumns; ++c) {
      std::memcpy(RowAt(rows, stride, i) + c, static_cast<const uint32_t*>(columns[c]) + i,
                  sizeof(uint32_t));
    }
  }
}

ColumnFunctions GetColumns(size_t columns) {
  constexpr ColumnFunctions kFunctions[] = {
      {&LoadColumns<2>, &StoreColumns<2>}, {&LoadColumns<3>, &StoreColumns<3>},
      {&LoadColumns<4>, &StoreColumns<4>}, {&LoadColumns<5>, &StoreColumns<5>},
      {&LoadColumns<6>, &StoreColumns<6>}, {&LoadColumns<7>, &StoreColumns<7>},
      {&LoadColumns<8>, &StoreColumns<8>}};
  static_assert(std::size(kFunctions) == kMostColumns - kFewestColumns + 1);
  return kFunctions[columns - kFewestColumns];
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
ColumnFunctions FindColumns(size_t element_bytes, size_t columns, SimdTarget target) {
  if (element_bytes != sizeof(uint32_t) || columns < kFewestColumns || columns > kMostColumns) {
    return {};
  }
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  return PLINTH_CALL_FOR_TARGET(target, GetColumns, columns);
}
}  // namespace plinth::cpu::math
#endif
