// SPDX-License-Identifier: Apache-2.0
// Register tiles, compiled once per instruction set; no include guard on purpose, see Highway's
// foreach_target.h. Included inside namespace plinth::cpu::library::HWY_NAMESPACE.

// Rows of the widest tile: what the registers hold besides two vectors of the right operand.
#if HWY_TARGET == HWY_AVX3
inline constexpr int kWideRows = 12;
#else
inline constexpr int kWideRows = 6;
#endif

// Vector arithmetic of one scalar type.
template <typename T>
struct Lanes {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static HWY_INLINE V MultiplyAdd(V a, V b, V c) {
    if constexpr (std::is_floating_point_v<T>) {
      return hn::MulAdd(a, b, c);
    } else {
      return hn::Add(hn::Mul(a, b), c);
    }
  }
};

// Arrays of vectors become registers only if the loops over them are unrolled early: else g++ 12
// writes a tile's sums to memory before and after its loop.
#if defined(__clang__)
#define PLINTH_UNROLL _Pragma("unroll")
#else
#define PLINTH_UNROLL _Pragma("GCC unroll 16")
#endif

// Asks for what a packed panel has some steps later, `count` elements a step: panels come from the
// second-level cache, one after the other.
template <typename T>
HWY_INLINE void AskAhead(const T* panel, int count) {
  constexpr int kStepsAhead = 8, kLine = 64 / sizeof(T);
  for (int i = 0; i < count; i += kLine) __builtin_prefetch(panel + kStepsAhead * count + i);
}

// Columns [0, kVectors * lanes) of kRows rows. kMasked: only `last` lanes of the last vector of the
// result exist in memory, and of b if it is not packed. Element addresses as GemmKernels::direct
// says.
template <typename T, int kRows, int kVectors, bool kMasked, bool kPacked>
HWY_INLINE void RealTile(int64_t k_count, const T* HWY_RESTRICT a, int64_t a_row, int64_t a_k,
                         const T* HWY_RESTRICT b, int64_t b_k, int last, T* const* c_rows,
                         bool accumulate) {
  using L = Lanes<T>;
  using V = typename L::V;
  const typename L::D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<size_t>(last));
  // Rows of the result lie apart, and are wanted at the end.
  constexpr int kLine = 64 / sizeof(T);
  PLINTH_UNROLL
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kVectors * lanes; j += kLine) __builtin_prefetch(c_rows[i] + j, /*rw=*/1);
  }
  V sums[kRows][kVectors];
  PLINTH_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PLINTH_UNROLL
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  const int64_t next_panel = k_count * a_k;
  for (int64_t k = 0; k < k_count; ++k) {
    V right[kVectors];
    if constexpr (kPacked) {
      AskAhead(b, 2 * lanes);
      __builtin_prefetch(a + next_panel);
    }
    PLINTH_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      right[v] = kMasked && !kPacked && v == kVectors - 1 ? hn::MaskedLoad(mask, d, b + v * lanes)
                                                          : hn::LoadU(d, b + v * lanes);
    }
    PLINTH_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V left = hn::Set(d, a[i * a_row]);
      PLINTH_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        sums[i][v] = L::MultiplyAdd(left, right[v], sums[i][v]);
      }
    }
    a += a_k;
    b += b_k;
  }
  PLINTH_UNROLL
  for (int i = 0; i < kRows; ++i) {
    PLINTH_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      V sum = sums[i][v];
      T* at = c_rows[i] + v * lanes;
      if (kMasked && v == kVectors - 1) {
        if (accumulate) sum = hn::Add(sum, hn::MaskedLoad(mask, d, at));
        hn::BlendedStore(sum, mask, d, at);
      } else {
        if (accumulate) sum = hn::Add(sum, hn::LoadU(d, at));
        hn::StoreU(sum, d, at);
      }
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// Rows of a tile of 8-bit products. As many as kWideRows would leave no registers for the products
// before they are added: g++ 12 then keeps sums in memory, which takes twice the time.
inline constexpr int kPairRows = kWideRows > 8 ? 8 : 4;

// Sums of 8-bit products: two steps of k in one multiplication of 16-bit lanes.
template <int kRows, int kVectors>
HWY_INLINE void PairTile(int64_t pairs, const int32_t* HWY_RESTRICT a,
                         const int32_t* HWY_RESTRICT b, int width, int columns,
                         int32_t* const* c_rows, bool accumulate) {
  const hn::ScalableTag<int32_t> d;
  const hn::Repartition<int16_t, decltype(d)> d16;
  using V = hn::Vec<decltype(d)>;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V sums[kRows][kVectors];
  V unused = hn::Zero(d);
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (int64_t k = 0; k < pairs; ++k) {
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
    for (int i = 0; i < kRows; ++i) {
      const auto left = hn::BitCast(d16, hn::Set(d, a[i]));
      for (int v = 0; v < kVectors; ++v) {
        const V sum = sums[i][v];
        sums[i][v] =
            hn::ReorderWidenMulAccumulate(d, left, hn::BitCast(d16, right[v]), sum, unused);
      }
    }
    a += kPairRows;
    b += width;
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors && v * lanes < columns; ++v) {
      int32_t* at = c_rows[i] + v * lanes;
      const auto mask = hn::FirstN(d, static_cast<size_t>(std::min(lanes, columns - v * lanes)));
      V sum = sums[i][v];
      if (accumulate) sum = hn::Add(sum, hn::MaskedLoad(mask, d, at));
      hn::BlendedStore(sum, mask, d, at);
    }
  }
}

inline void AnyPairTile(int rows, int columns, int64_t k, const void* a_panel, const void* b_panel,
                        void* const* c_rows, bool accumulate) {
  const int32_t* a = static_cast<const int32_t*>(a_panel);
  const int32_t* b = static_cast<const int32_t*>(b_panel);
  const int width = 2 * static_cast<int>(hn::Lanes(hn::ScalableTag<int32_t>()));
  auto part = [&](auto count) HWY_ATTR {
    constexpr int kRows = decltype(count)::value;
    while (rows >= kRows) {
      PairTile<kRows, 2>((k + 1) / 2, a, b, width, columns,
                         reinterpret_cast<int32_t* const*>(c_rows), accumulate);
      rows -= kRows;
      a += kRows;
      c_rows += kRows;
    }
  };
  part(std::integral_constant<int, kPairRows>());
  part(std::integral_constant<int, 4>());
  part(std::integral_constant<int, 1>());
}
#endif

// Chooses the vector count and masking for `columns`.
template <typename T, int kRows, bool kPacked>
HWY_NOINLINE void RowsTile(int columns, int64_t k, const T* a, int64_t a_row, int64_t a_k,
                           const T* b, int64_t b_k, T* const* c_rows, bool accumulate) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  if (kPacked) {
    a_row = 1;
    a_k = kWideRows;
    b_k = 2 * lanes;
  }
  if (columns == 2 * lanes) {
    RealTile<T, kRows, 2, false, kPacked>(k, a, a_row, a_k, b, b_k, 0, c_rows, accumulate);
  } else if (columns > lanes) {
    RealTile<T, kRows, 2, true, kPacked>(k, a, a_row, a_k, b, b_k, columns - lanes, c_rows,
                                         accumulate);
  } else {
    RealTile<T, kRows, 1, true, kPacked>(k, a, a_row, a_k, b, b_k, columns, c_rows, accumulate);
  }
}

template <typename T, bool kPacked>
HWY_INLINE void AnyRowsTile(int rows, int columns, int64_t k, const T* a, int64_t a_row,
                            int64_t a_k, const T* b, int64_t b_k, T* const* c_rows,
                            bool accumulate) {
  auto part = [&](auto count) HWY_ATTR {
    constexpr int kRows = decltype(count)::value;
    while (rows >= kRows) {
      RowsTile<T, kRows, kPacked>(columns, k, a, a_row, a_k, b, b_k, c_rows, accumulate);
      rows -= kRows;
      a += kRows * a_row;
      c_rows += kRows;
    }
  };
  part(std::integral_constant<int, kWideRows>());
  if (kWideRows > 8) part(std::integral_constant<int, 8>());
  part(std::integral_constant<int, 4>());
  part(std::integral_constant<int, 2>());
  part(std::integral_constant<int, 1>());
}

template <typename T>
void PackedTile(int rows, int columns, int64_t k, const void* a, const void* b, void* const* c_rows,
                bool accumulate) {
  AnyRowsTile<T, true>(rows, columns, k, static_cast<const T*>(a), 1, kWideRows,
                       static_cast<const T*>(b), 0, reinterpret_cast<T* const*>(c_rows),
                       accumulate);
}

template <typename T>
void DirectTile(int rows, int columns, int64_t k, const void* a, int64_t a_row, int64_t a_k,
                const void* b, int64_t b_k, void* c, int64_t c_row) {
  T* c_rows[kMaxTileRows];
  for (int i = 0; i < rows; ++i) c_rows[i] = static_cast<T*>(c) + i * c_row;
  AnyRowsTile<T, false>(rows, columns, k, static_cast<const T*>(a), a_row, a_k,
                        static_cast<const T*>(b), b_k, c_rows, false);
}

// All rows are computed, whatever `rows`.
template <typename T, int kVectors>
HWY_INLINE void IndirectVectors(int rows, int columns, int64_t runs, int64_t run_length,
                                const T* const* pointers, const T* HWY_RESTRICT b, T* const* c_rows,
                                bool accumulate) {
  using V = typename Lanes<T>::V;
  const typename Lanes<T>::D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  V sums[kWideRows][kVectors];
  for (int i = 0; i < kWideRows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (int64_t r = 0; r < runs; ++r, pointers += kWideRows) {
    for (int64_t l = 0; l < run_length; ++l, b += 2 * lanes) {
      V right[kVectors];
      for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
      for (int i = 0; i < kWideRows; ++i) {
        const V left = hn::Set(d, pointers[i][l]);
        for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(left, right[v], sums[i][v]);
      }
    }
  }
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns - (kVectors - 1) * lanes));
  for (int i = 0; i < kWideRows; ++i) {
    if (i >= rows) break;
    for (int v = 0; v < kVectors; ++v) {
      T* at = c_rows[i] + v * lanes;
      if (v < kVectors - 1) {
        hn::StoreU(accumulate ? hn::Add(sums[i][v], hn::LoadU(d, at)) : sums[i][v], d, at);
      } else {
        V sum = sums[i][v];
        if (accumulate) sum = hn::Add(sum, hn::MaskedLoad(mask, d, at));
        hn::BlendedStore(sum, mask, d, at);
      }
    }
  }
}

template <typename T>
void IndirectTile(int rows, int columns, int64_t runs, int64_t run_length,
                  const void* const* pointers, const void* b, void* const* c_rows,
                  bool accumulate) {
  const auto* left = reinterpret_cast<const T* const*>(pointers);
  const T* right = static_cast<const T*>(b);
  auto* results = reinterpret_cast<T* const*>(c_rows);
  if (columns > static_cast<int>(hn::Lanes(hn::ScalableTag<T>()))) {
    IndirectVectors<T, 2>(rows, columns, runs, run_length, left, right, results, accumulate);
  } else {
    IndirectVectors<T, 1>(rows, columns, runs, run_length, left, right, results, accumulate);
  }
}

// `columns` of up to kVectors vectors; the last one may be a part.
template <typename T, int kRows, int kVectors>
HWY_INLINE void TermVectors(int columns, int64_t terms, const T* a, const int64_t* a_positions,
                            const T* b, const int64_t* b_positions, T* const* c_rows,
                            bool accumulate) {
  using V = typename Lanes<T>::V;
  const typename Lanes<T>::D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns - (kVectors - 1) * lanes));
  auto load = [&](const T* from, int v) HWY_ATTR {
    return v + 1 < kVectors ? hn::LoadU(d, from + v * lanes)
                            : hn::MaskedLoad(mask, d, from + v * lanes);
  };
  V sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] = accumulate ? load(c_rows[i], v) : hn::Zero(d);
  }
  for (int64_t t = 0; t < terms; ++t) {
    const T* from = a + a_positions[t];
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = load(b + b_positions[t], v);
    for (int i = 0; i < kRows; ++i) {
      const V left = hn::Set(d, from[i]);
      for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::MulAdd(left, right[v], sums[i][v]);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v + 1 < kVectors; ++v) hn::StoreU(sums[i][v], d, c_rows[i] + v * lanes);
    hn::BlendedStore(sums[i][kVectors - 1], mask, d, c_rows[i] + (kVectors - 1) * lanes);
  }
}

template <typename T>
void TermTile(int rows, int columns, int64_t terms, const void* a_data, const int64_t* a_positions,
              const void* b_data, const int64_t* b_positions, void* const* c_data,
              bool accumulate) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  auto* c_rows = reinterpret_cast<T* const*>(c_data);
  const bool one_vector = columns <= static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
  auto part = [&](auto count) HWY_ATTR {
    constexpr int kRows = decltype(count)::value;
    for (; rows >= kRows; rows -= kRows, a += kRows, c_rows += kRows) {
      if (one_vector) {
        TermVectors<T, kRows, 1>(columns, terms, a, a_positions, b, b_positions, c_rows,
                                 accumulate);
      } else {
        TermVectors<T, kRows, 2>(columns, terms, a, a_positions, b, b_positions, c_rows,
                                 accumulate);
      }
    }
  };
  part(std::integral_constant<int, kWideRows>());
  part(std::integral_constant<int, 4>());
  part(std::integral_constant<int, 1>());
}

// 64-bit integers have no portable vector multiplication: loops that the compiler vectorizes where
// the instruction set has one.
inline constexpr int kLongRows = 4, kLongColumns = 16;

inline void LongTile(int rows, int columns, int64_t k_count, const void* a_panel,
                     const void* b_panel, void* const* c_rows, bool accumulate) {
  const uint64_t* a = static_cast<const uint64_t*>(a_panel);
  const uint64_t* b = static_cast<const uint64_t*>(b_panel);
  uint64_t sums[kLongRows][kLongColumns] = {};
  for (int64_t k = 0; k < k_count; ++k) {
    for (int i = 0; i < kLongRows; ++i) {
      const uint64_t left = a[i];
      for (int j = 0; j < kLongColumns; ++j) sums[i][j] += left * b[j];
    }
    a += kLongRows;
    b += kLongColumns;
  }
  for (int i = 0; i < rows; ++i) {
    uint64_t* row = static_cast<uint64_t*>(c_rows[i]);
    for (int j = 0; j < columns; ++j) row[j] = accumulate ? row[j] + sums[i][j] : sums[i][j];
  }
}

// Complex tiles: planes of real and imaginary parts, one vector of each.
inline constexpr int kComplexRows = 4;

template <typename T>
void ComplexTile(int rows, int columns, int64_t k_count, const void* a_panel, const void* b_panel,
                 void* const* c_rows, bool accumulate) {
  using V = hn::Vec<hn::ScalableTag<T>>;
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const T* HWY_RESTRICT a = static_cast<const T*>(a_panel);
  const T* HWY_RESTRICT b = static_cast<const T*>(b_panel);
  V real[kComplexRows], imaginary[kComplexRows];
  for (int i = 0; i < kComplexRows; ++i) real[i] = imaginary[i] = hn::Zero(d);
  for (int64_t k = 0; k < k_count; ++k) {
    const V b_real = hn::LoadU(d, b), b_imaginary = hn::LoadU(d, b + lanes);
    for (int i = 0; i < kComplexRows; ++i) {
      const V a_real = hn::Set(d, a[i]), a_imaginary = hn::Set(d, a[kComplexRows + i]);
      real[i] = hn::MulAdd(a_real, b_real, real[i]);
      imaginary[i] = hn::MulAdd(a_real, b_imaginary, imaginary[i]);
      real[i] = hn::NegMulAdd(a_imaginary, b_imaginary, real[i]);
      imaginary[i] = hn::MulAdd(a_imaginary, b_real, imaginary[i]);
    }
    a += 2 * kComplexRows;
    b += 2 * lanes;
  }
  for (int i = 0; i < rows; ++i) {
    T* row = static_cast<T*>(c_rows[i]);
    if (accumulate) {
      real[i] = hn::Add(real[i], hn::LoadU(d, row));
      imaginary[i] = hn::Add(imaginary[i], hn::LoadU(d, row + lanes));
    }
    hn::StoreU(real[i], d, row);
    hn::StoreU(imaginary[i], d, row + lanes);
  }
}
