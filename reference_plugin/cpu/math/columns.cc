// SPDX-License-Identifier: Apache-2.0
// Columns of short rows by squares of four elements that are turned in registers; those of dense
// rows of two to four by whole vectors.
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
#include "reference_plugin/cpu/math/blocks-inl.h"

// Of AVX-512 two squares, too: more lanes cost more to bring together.
using Lanes = hn::CappedTag<uint32_t, 2 * kSquare>;
constexpr size_t kRows = hn::MaxLanes(Lanes());
using Vectors = hn::Vec<Lanes>[kSquare];

// Four elements of kRows rows: vector i has element i of all of them, in their order.
HWY_INLINE void LoadSquares(const uint32_t* rows, int64_t stride, Vectors& v) {
  for (size_t i = 0; i < kSquare; ++i) {
    v[i] = LoadBlocks(Lanes(), [&](int block) {
      return RowAt(rows, stride, i + static_cast<size_t>(block) * kSquare);
    });
  }
  TransposeBlocks(Lanes(), v);
}

// The same back, kPairs: two elements of each row.
template <bool kPairs>
HWY_INLINE void StoreSquares(uint32_t* rows, int64_t stride, Vectors& v) {
  TransposeBlocks(Lanes(), v);
  const hn::FixedTag<uint32_t, kSquare> row;
  hn::Vec<decltype(row)> by_row[kRows];
  for (size_t i = 0; i < kSquare; ++i) {
    ForBlocks(Lanes(), v[i], [&](int block, auto, auto elements) {
      by_row[i + static_cast<size_t>(block) * kSquare] = elements;
    });
  }
  for (size_t i = 0; i < kRows; ++i) {
    if constexpr (kPairs) {
      const hn::Half<decltype(row)> pair;
      hn::StoreU(hn::LowerHalf(pair, by_row[i]), pair, RowAt(rows, stride, i));
    } else {
      hn::StoreU(by_row[i], row, RowAt(rows, stride, i));
    }
  }
}

// Rows that lie one after the other, of up to four elements: whole vectors of memory, each line
// once.
template <size_t kColumns>
size_t LoadDense(const uint32_t* rows, void* const* columns, size_t count) {
  const Lanes d;
  size_t i = 0;
  for (; i + kRows <= count; i += kRows, rows += kRows * kColumns) {
    Vectors v;
    if constexpr (kColumns == 2) hn::LoadInterleaved2(d, rows, v[0], v[1]);
    if constexpr (kColumns == 3) hn::LoadInterleaved3(d, rows, v[0], v[1], v[2]);
    if constexpr (kColumns == 4) hn::LoadInterleaved4(d, rows, v[0], v[1], v[2], v[3]);
    for (size_t c = 0; c < kColumns; ++c) {
      if (columns[c] != nullptr) hn::StoreU(v[c], d, static_cast<uint32_t*>(columns[c]) + i);
    }
  }
  return i;
}

// The same back.
template <size_t kColumns>
size_t StoreDense(uint32_t* rows, const void* const* columns, size_t count) {
  const Lanes d;
  const auto load = [&](size_t column, size_t row) {
    return hn::LoadU(d, static_cast<const uint32_t*>(columns[column]) + row);
  };
  size_t i = 0;
  for (; i + kRows <= count; i += kRows, rows += kRows * kColumns) {
    if constexpr (kColumns == 2) hn::StoreInterleaved2(load(0, i), load(1, i), d, rows);
    if constexpr (kColumns == 3) hn::StoreInterleaved3(load(0, i), load(1, i), load(2, i), d, rows);
    if constexpr (kColumns == 4) {
      hn::StoreInterleaved4(load(0, i), load(1, i), load(2, i), load(3, i), d, rows);
    }
  }
  return i;
}

// As many rows as go by squares. What is read of a row of fewer than four elements reaches into the
// next one, which therefore is not the last. Of more, the last square overlaps the one before it.
template <size_t kColumns>
size_t LoadRows(const void* rows, int64_t stride, void* const* columns, size_t count) {
  if constexpr (kColumns <= kSquare) {
    if (stride == kColumns * sizeof(uint32_t)) {
      return LoadDense<kColumns>(RowAt(rows, stride, 0), columns, count);
    }
  }
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

// No row of three elements in wider ones goes by squares: the fourth is not to be written.
template <size_t kColumns>
size_t StoreRows(void* rows, int64_t stride, const void* const* columns, size_t count) {
  if constexpr (kColumns <= kSquare) {
    if (stride == kColumns * sizeof(uint32_t)) {
      return StoreDense<kColumns>(RowAt(rows, stride, 0), columns, count);
    }
  }
  [[maybe_unused]] const Lanes d;
  [[maybe_unused]] const auto load = [&](size_t column, size_t row) {
    return hn::LoadU(d, static_cast<const uint32_t*>(columns[column]) + row);
  };
  size_t i = 0;
  if constexpr (kColumns == 2) {
    for (; i + kRows <= count; i += kRows) {
      Vectors v = {load(0, i), load(1, i), load(0, i), load(1, i)};
      StoreSquares</*kPairs=*/true>(RowAt(rows, stride, i), stride, v);
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
