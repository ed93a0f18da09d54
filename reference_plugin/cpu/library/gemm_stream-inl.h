// SPDX-License-Identifier: Apache-2.0
// Products with a few rows, bound by reading the right operand; compiled once per instruction set,
// no include guard on purpose, see Highway's foreach_target.h. Included inside namespace
// plinth::cpu::library::HWY_NAMESPACE.

// What is read once and does not fit the second cache comes as fast as memory gives it only if it
// is read in its order and asked for early. Measured on 4,096 x 4,096 f32, Zen 5, one thread: dots
// of four columns at a time take 2,400 us, of one 1,630, asked for 8 KB before 1,310; rows of axpy
// four at a time 2,650, one at a time with the next asked for 1,380. With AVX2 one sum per column
// is slower than four, and four that are asked for 4 KB before take 1.14 times as long.
constexpr int64_t kFarBytes = 256 << 10;
constexpr int64_t kFarRowBytes = 2048;
constexpr int64_t kAheadBytes = 8192;

// c rows += kSteps k-steps of a times as many rows of b, over `columns`; b may lie far away: so
// many rows from `next` on are asked for, 0: the processor sees to it.
template <typename T, int kRows, int kSteps, int kAsked, int kLocality = 3>
HWY_INLINE void AxpySteps(int64_t columns, const T* a, int64_t a_row, int64_t a_k, const T* b,
                          int64_t b_k, const T* next, T* c, int64_t c_row, bool first) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto step = [&](auto load, auto store, int64_t j) HWY_ATTR {
    V sums[kRows];
    for (int i = 0; i < kRows; ++i) sums[i] = first ? hn::Zero(d) : load(c + i * c_row + j);
    for (int s = 0; s < kSteps; ++s) {
      if (s < kAsked) __builtin_prefetch(next + s * b_k + j, /*rw=*/0, kLocality);
      const V right = load(b + s * b_k + j);
      for (int i = 0; i < kRows; ++i) {
        sums[i] = hn::MulAdd(hn::Set(d, a[i * a_row + s * a_k]), right, sums[i]);
      }
    }
    for (int i = 0; i < kRows; ++i) store(sums[i], c + i * c_row + j);
  };
  int64_t j = 0;
  for (; j + lanes <= columns; j += lanes) {
    step([&](const T* at) HWY_ATTR { return hn::LoadU(d, at); },
         [&](V value, T* at) HWY_ATTR { hn::StoreU(value, d, at); }, j);
  }
  if (j < columns) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(columns - j));
    step([&](const T* at) HWY_ATTR { return hn::MaskedLoad(mask, d, at); },
         [&](V value, T* at) HWY_ATTR { hn::BlendedStore(value, mask, d, at); }, j);
  }
}

// The first `count` lanes. A mask costs AVX2's loads nothing, but Zen's stores a dozen cycles.
template <class D, typename T>
HWY_INLINE void StorePart(hn::Vec<D> value, D d, int64_t count, T* to) {
  if constexpr (HWY_TARGET == HWY_AVX3) {
    hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(count)), d, to);
  } else {
    HWY_ALIGN T lanes[hn::MaxLanes(d)];
    hn::Store(value, d, lanes);
    for (int64_t j = 0; j < count; ++j) to[j] = lanes[j];
  }
}

// The same of all k-steps at once where a row of b is one vector, or its first `columns`: the sums
// stay in registers.
template <typename T, int kRows, bool kWhole>
HWY_INLINE void NarrowRows(int64_t columns, int64_t k_count, const T* a, int64_t a_row, int64_t a_k,
                           const T* b, int64_t b_k, T* c, int64_t c_row) {
  const hn::ScalableTag<T> d;
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns));
  hn::Vec<hn::ScalableTag<T>> sums[kRows];
  for (int i = 0; i < kRows; ++i) sums[i] = hn::Zero(d);
  for (int64_t k = 0; k < k_count; ++k, a += a_k, b += b_k) {
    const auto right = kWhole ? hn::LoadU(d, b) : hn::MaskedLoad(mask, d, b);
    for (int i = 0; i < kRows; ++i) {
      sums[i] = hn::MulAdd(hn::Set(d, a[i * a_row]), right, sums[i]);
    }
  }
  for (int i = 0; i < kRows; ++i) {
    if (kWhole) {
      hn::StoreU(sums[i], d, c + i * c_row);
    } else {
      StorePart(sums[i], d, columns, c + i * c_row);
    }
  }
}

template <typename T>
void NarrowProducts(int64_t count, const GemmKernels::Apart& apart, int rows, int64_t columns,
                    int64_t k_count, const void* a_data, int64_t a_row, int64_t a_k,
                    const void* b_data, int64_t b_k, void* c_data, int64_t c_row) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* c = static_cast<T*>(c_data);
  auto products = [&](auto is_whole) HWY_ATTR {
    constexpr bool kWhole = decltype(is_whole)::value;
    for (int64_t n = 0; n < count; ++n, a += apart.a, b += apart.b, c += apart.c) {
      int i = 0;
      auto part = [&](auto row_count) HWY_ATTR {
        constexpr int kRows = decltype(row_count)::value;
        for (; i + kRows <= rows; i += kRows) {
          NarrowRows<T, kRows, kWhole>(columns, k_count, a + i * a_row, a_row, a_k, b, b_k,
                                       c + i * c_row, c_row);
        }
      };
      part(std::integral_constant<int, 8>());
      part(std::integral_constant<int, 3>());
      part(std::integral_constant<int, 1>());
    }
  };
  if (columns == static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()))) {
    products(std::true_type());
  } else {
    products(std::false_type());
  }
}

// One row of c, of few vectors, which `kWhole` counts, and a part of one: the sums stay in
// registers, which the loops of Axpy write and read again for every four rows of b.
template <typename T, int... kWhole>
void RowOfVectors(std::integer_sequence<int, kWhole...>, int64_t columns, int64_t k_count,
                  const T* a, int64_t a_k, const T* b, int64_t b_k, T* c) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t before = static_cast<int64_t>(sizeof...(kWhole)) * lanes;
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns - before));
  // Not by loops over them, for which the compiler keeps such an array in memory.
  V sums[] = {(static_cast<void>(kWhole), hn::Zero(d))...};
  V last = hn::Zero(d);
  for (int64_t k = 0; k < k_count; ++k, a += a_k, b += b_k) {
    const V left = hn::Set(d, *a);
    ((sums[kWhole] = hn::MulAdd(left, hn::LoadU(d, b + kWhole * lanes), sums[kWhole])), ...);
    last = hn::MulAdd(left, hn::MaskedLoad(mask, d, b + before), last);
  }
  (hn::StoreU(sums[kWhole], d, c + kWhole * lanes), ...);
  StorePart(last, d, columns - before, c + before);
}

// False if the row has too many vectors, or just one.
template <typename T, int kVectors = 8>
bool ShortRow(int64_t columns, int64_t k_count, const T* a, int64_t a_k, const T* b, int64_t b_k,
              T* c) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
  if (columns > kVectors * lanes) return false;
  if constexpr (kVectors > 2) {
    if (columns <= (kVectors - 1) * lanes) {
      return ShortRow<T, kVectors - 1>(columns, k_count, a, a_k, b, b_k, c);
    }
  } else {
    if (columns <= lanes) return false;
  }
  RowOfVectors(std::make_integer_sequence<int, kVectors - 1>(), columns, k_count, a, a_k, b, b_k,
               c);
  return true;
}

template <typename T>
void Axpy(int rows, int64_t columns, int64_t k_count, const void* a_data, int64_t a_row,
          int64_t a_k, const void* b_data, int64_t b_k, void* c_data, int64_t c_row) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* c = static_cast<T*>(c_data);
  if (columns <= static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>())) &&
      k_count <= GemmKernels::kMostNarrowSteps) {
    return NarrowProducts<T>(1, {}, rows, columns, k_count, a, a_row, a_k, b, b_k, c, c_row);
  }
  if constexpr (HWY_TARGET != HWY_SCALAR) {
    if (rows == 1 && ShortRow<T>(columns, k_count, a, a_k, b, b_k, c)) return;
  }
  constexpr int64_t kMostApart = 8, kStrip = 4096 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kApartRow = kStrip + 64 / static_cast<int64_t>(sizeof(T));
  // Few enough columns that the result rows and four rows of b stay in the first-level cache.
  const int64_t widest = rows == 1 ? 4 * kStrip : kStrip;
  HWY_ALIGN T apart[kMostApart * kApartRow];
  for (int64_t j = 0; j < columns; j += widest) {
    const int64_t strip = std::min(widest, columns - j);
    const int64_t row_bytes = strip * static_cast<int64_t>(sizeof(T));
    const bool is_far = row_bytes >= kFarRowBytes && row_bytes * k_count >= kFarBytes;
    // Long rows of the result and of b are often powers of two apart: a dozen lines of one set of
    // the cache. Sums that are used for long lie elsewhere meanwhile. 8 rows times 4,096 x 4,096
    // f32, two threads of an Emerald Rapids Xeon: 3,200 us in place, 2,040 so.
    const bool lies_apart = is_far && rows > 1 && rows <= kMostApart;
    T* const sums = lies_apart ? apart : c + j;
    const int64_t sums_row = lies_apart ? kApartRow : c_row;
    int64_t k = 0;
    auto steps = [&](auto count, auto asked, auto one_row) HWY_ATTR {
      constexpr int kSteps = decltype(count)::value, kAsked = decltype(asked)::value;
      // Where c is one row, what comes is used next.
      constexpr int kLocality = decltype(one_row)::value ? 3 : 2;
      for (; k + kSteps <= k_count; k += kSteps) {
        const T* const from = b + k * b_k + j;
        // Half of the next rows are asked for with the first rows of c, half with the others:
        // memory has something to do all the time.
        const T* next = from + kSteps * b_k;
        int i = 0;
        auto rows_of = [&](auto row_count) HWY_ATTR {
          constexpr int kRows = decltype(row_count)::value;
          for (; i + kRows <= rows; i += kRows) {
            AxpySteps<T, kRows, kSteps, kAsked, kLocality>(strip, a + i * a_row + k * a_k, a_row,
                                                           a_k, from, b_k, next,
                                                           sums + i * sums_row, sums_row, k == 0);
            if (i == 0) next += kAsked * b_k;
          }
        };
        if constexpr (!decltype(one_row)::value) rows_of(std::integral_constant<int, 4>());
        rows_of(std::integral_constant<int, 1>());
      }
    };
    constexpr std::integral_constant<int, 0> kNone;
    constexpr std::integral_constant<int, 1> kOne;
    constexpr std::integral_constant<int, 2> kHalf;
    constexpr std::integral_constant<int, 4> kFour;
    constexpr std::true_type kOneRow;
    constexpr std::false_type kAnyRows;
    if (rows == 1 && is_far) {
      constexpr int kFarSteps = HWY_TARGET == HWY_AVX3 ? 1 : 4;
      constexpr std::integral_constant<int, kFarSteps> kAll;
      steps(kAll, kAll, kOneRow);
    } else if (rows == 4 && is_far) {
      steps(kFour, kFour, kAnyRows);  // They are done at once.
    } else if (is_far) {
      steps(kFour, kHalf, kAnyRows);
    }
    steps(kFour, kNone, kAnyRows);
    steps(kOne, kNone, kAnyRows);
    for (int i = 0; lies_apart && i < rows; ++i) {
      std::copy_n(sums + i * sums_row, strip, c + i * c_row + j);
    }
  }
}

// What is asked for while a tile of dots is computed: what comes kAheadBytes later, or as many
// columns as the tile has.
enum class Ahead { kNothing, kBytes, kColumns };

template <typename T, int kRows, int kColumns, Ahead kAhead = Ahead::kNothing>
HWY_INLINE void DotTile(int64_t k_count, const T* a, int64_t a_row, const T* b, int64_t b_column,
                        T* c, int64_t c_row, int64_t c_column, const T* next = nullptr) {
  constexpr int kAsked = kAhead == Ahead::kColumns ? kColumns : 0;
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[kRows][kColumns];
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) sums[i][j] = hn::Zero(d);
  }
  auto step = [&](auto load, int64_t k) HWY_ATTR {
    V left[kRows];
    for (int i = 0; i < kRows; ++i) left[i] = load(a + i * a_row + k);
    for (int j = 0; j < kColumns; ++j) {
      const T* const at = b + j * b_column + k;
      if (kAhead == Ahead::kBytes) {
        __builtin_prefetch(reinterpret_cast<const char*>(at) + kAheadBytes);
      } else if (j < kAsked) {
        __builtin_prefetch(next + j * b_column + k, /*rw=*/0, /*locality=*/2);
      }
      const V right = load(at);
      for (int i = 0; i < kRows; ++i) sums[i][j] = hn::MulAdd(left[i], right, sums[i][j]);
    }
  };
  int64_t k = 0;
  for (; k + lanes <= k_count; k += lanes) {
    step([&](const T* at) HWY_ATTR { return hn::LoadU(d, at); }, k);
  }
  if (k < k_count) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(k_count - k));
    step([&](const T* at) HWY_ATTR { return hn::MaskedLoad(mask, d, at); }, k);
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      c[i * c_row + j * c_column] = hn::GetLane(hn::SumOfLanes(d, sums[i][j]));
    }
  }
}

// The same of one row and four columns. As an array, the sums would go through memory on the way to
// the rest of a column: 100 columns of 200 f32 and 200 of 100 took 2.7 us on an Emerald Rapids
// Xeon, and take 2.2.
template <typename T>
HWY_INLINE void DotsOfRow(int64_t k_count, const T* a, const T* b, int64_t b_column, T* c,
                          int64_t c_column) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T *b1 = b + b_column, *b2 = b1 + b_column, *b3 = b2 + b_column;
  auto sum = hn::Zero(d), sum1 = sum, sum2 = sum, sum3 = sum;
  int64_t k = 0;
  for (; k + lanes <= k_count; k += lanes) {
    const auto left = hn::LoadU(d, a + k);
    sum = hn::MulAdd(left, hn::LoadU(d, b + k), sum);
    sum1 = hn::MulAdd(left, hn::LoadU(d, b1 + k), sum1);
    sum2 = hn::MulAdd(left, hn::LoadU(d, b2 + k), sum2);
    sum3 = hn::MulAdd(left, hn::LoadU(d, b3 + k), sum3);
  }
  if (k < k_count) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(k_count - k));
    const auto left = hn::MaskedLoad(mask, d, a + k);
    sum = hn::MulAdd(left, hn::MaskedLoad(mask, d, b + k), sum);
    sum1 = hn::MulAdd(left, hn::MaskedLoad(mask, d, b1 + k), sum1);
    sum2 = hn::MulAdd(left, hn::MaskedLoad(mask, d, b2 + k), sum2);
    sum3 = hn::MulAdd(left, hn::MaskedLoad(mask, d, b3 + k), sum3);
  }
  c[0] = hn::GetLane(hn::SumOfLanes(d, sum));
  c[c_column] = hn::GetLane(hn::SumOfLanes(d, sum1));
  c[2 * c_column] = hn::GetLane(hn::SumOfLanes(d, sum2));
  c[3 * c_column] = hn::GetLane(hn::SumOfLanes(d, sum3));
}

// Adds `k_count` steps to a tile of dots whose vectors of sums stay at `sums` from part to part.
// Meanwhile as many columns from `next` on are asked for.
template <typename T, int kRows, int kColumns>
HWY_INLINE void DotPart(int64_t k_count, const T* a, int64_t a_row, const T* b, int64_t b_column,
                        const T* next, T* sums_at, int64_t sums_row, bool first) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<hn::ScalableTag<T>>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[kRows][kColumns];
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) {
      sums[i][j] = first ? hn::Zero(d) : hn::Load(d, sums_at + i * sums_row + j * lanes);
    }
  }
  auto step = [&](auto load, int64_t k) HWY_ATTR {
    V right[kColumns];
    for (int j = 0; j < kColumns; ++j) {
      __builtin_prefetch(next + j * b_column + k);
      right[j] = load(b + j * b_column + k);
    }
    for (int i = 0; i < kRows; ++i) {
      const V left = load(a + i * a_row + k);
      for (int j = 0; j < kColumns; ++j) sums[i][j] = hn::MulAdd(left, right[j], sums[i][j]);
    }
  };
  int64_t k = 0;
  for (; k + lanes <= k_count; k += lanes) {
    step([&](const T* at) HWY_ATTR { return hn::LoadU(d, at); }, k);
  }
  if (k < k_count) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(k_count - k));
    step([&](const T* at) HWY_ATTR { return hn::MaskedLoad(mask, d, at); }, k);
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) hn::Store(sums[i][j], d, sums_at + i * sums_row + j * lanes);
  }
}

// Dots of several long rows, part after part of the sums: what the rows have of a part stays in the
// first-level cache. Whole rows would come from the second-level one for each tile, faster than it
// gives them. An element's sum has the order that DotTile gives it. 8 rows and 4,096 columns of
// 4,096 f32, Emerald Rapids Xeon: 3,730 us of one thread before, 3,370 so.
template <typename T>
void DotsInParts(int rows, int64_t columns, int64_t k_count, const T* a, int64_t a_row, const T* b,
                 int64_t b_column, T* c, int64_t c_row, int64_t c_column) {
  constexpr int kMostRows = 8, kColumns = 2;
  constexpr int64_t kStrip = 32, kPart = 2048 / static_cast<int64_t>(sizeof(T));
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), sums_row = kStrip * lanes;
  HWY_ALIGN T sums[kMostRows * kStrip * hn::MaxLanes(d)];
  for (int64_t first = 0; first < columns; first += kStrip) {
    const int64_t strip = std::min(kStrip, columns - first);
    for (int64_t k = 0; k < k_count; k += kPart) {
      const int64_t part = std::min(kPart, k_count - k);
      const T* const from = b + first * b_column + k;
      int64_t j = 0;
      auto tiles = [&](auto column_count) HWY_ATTR {
        constexpr int kCount = decltype(column_count)::value;
        for (; j + kCount <= strip; j += kCount) {
          // The last columns of the strip ask for the next part of the first.
          const T* const next = from + (j + kCount < strip ? (j + kCount) * b_column : part);
          int i = 0;
          auto rows_of = [&](auto row_count) HWY_ATTR {
            constexpr int kRows = decltype(row_count)::value;
            for (; i + kRows <= rows; i += kRows) {
              DotPart<T, kRows, kCount>(part, a + i * a_row + k, a_row, from + j * b_column,
                                        b_column, next, sums + i * sums_row + j * lanes, sums_row,
                                        k == 0);
            }
          };
          if constexpr (HWY_TARGET == HWY_AVX3) rows_of(std::integral_constant<int, 8>());
          rows_of(std::integral_constant<int, 4>());
          rows_of(std::integral_constant<int, 1>());
        }
      };
      tiles(std::integral_constant<int, kColumns>());
      tiles(std::integral_constant<int, 1>());
    }
    for (int i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < strip; ++j) {
        c[i * c_row + (first + j) * c_column] =
            hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums + i * sums_row + j * lanes)));
      }
    }
  }
}

template <typename T>
void Dots(int rows, int64_t columns, int64_t k, const void* a_data, int64_t a_row,
          const void* b_data, int64_t b_column, void* c_data, int64_t c_row, int64_t c_column) {
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* c = static_cast<T*>(c_data);
  const bool is_far = columns * k * static_cast<int64_t>(sizeof(T)) >= kFarBytes;
  if (rows >= 4 && is_far) {
    return DotsInParts<T>(rows, columns, k, a, a_row, b, b_column, c, c_row, c_column);
  }
  int64_t j = 0;
  auto part = [&](auto column_count) HWY_ATTR {
    constexpr int kColumns = decltype(column_count)::value;
    for (; j + kColumns <= columns; j += kColumns) {
      int i = 0;
      auto tiles = [&](auto row_count) HWY_ATTR {
        constexpr int kRows = decltype(row_count)::value;
        const T* const from = b + j * b_column;
        const T* const next = from + kColumns * b_column;
        if (kRows == 2 && i == 0 && rows >= kRows && is_far) {
          DotTile<T, kRows, kColumns, Ahead::kColumns>(k, a, a_row, from, b_column,
                                                       c + j * c_column, c_row, c_column, next);
          i = kRows;
        }
        for (; i + kRows <= rows; i += kRows) {
          DotTile<T, kRows, kColumns>(k, a + i * a_row, a_row, from, b_column,
                                      c + i * c_row + j * c_column, c_row, c_column);
        }
      };
      if (HWY_TARGET == HWY_AVX3) tiles(std::integral_constant<int, 4>());
      tiles(std::integral_constant<int, 2>());
      tiles(std::integral_constant<int, 1>());
    }
  };
  if (rows == 1 && is_far) {
    // There is nothing to keep for the next row.
    constexpr int kColumns = HWY_TARGET == HWY_AVX3 ? 1 : 4;
    for (; j + kColumns <= columns; j += kColumns) {
      DotTile<T, 1, kColumns, HWY_TARGET == HWY_AVX3 ? Ahead::kBytes : Ahead::kNothing>(
          k, a, a_row, b + j * b_column, b_column, c + j * c_column, c_row, c_column);
    }
  } else if (HWY_TARGET == HWY_AVX3 && rows >= 4) {
    // Sums for twice the registers.
    part(std::integral_constant<int, 6>());
  } else if (rows == 1) {
    constexpr int kColumns = 4;
    for (; j + kColumns <= columns; j += kColumns) {
      DotsOfRow(k, a, b + j * b_column, b_column, c + j * c_column, c_column);
    }
  }
  part(std::integral_constant<int, 4>());
  part(std::integral_constant<int, 1>());
}

// Plain loops, which the compiler vectorizes together with the conversion of narrow types.
template <typename T, typename In>
void LaneSums(int64_t count, int64_t terms, const void* a_data, const int64_t* a_positions,
              const void* b_data, const int64_t* b_positions, void* sum_data, bool accumulate) {
  constexpr int kStrip = 128 / sizeof(T);
  const In* a = static_cast<const In*>(a_data);
  const In* b = static_cast<const In*>(b_data);
  T* sums = static_cast<T*>(sum_data);
  int64_t j = 0;
  for (; j + kStrip <= count; j += kStrip) {
    T strip[kStrip] = {};
    if (accumulate) {
      for (int l = 0; l < kStrip; ++l) strip[l] = sums[j + l];
    }
    for (int64_t t = 0; t < terms; ++t) {
      const In* x = a + a_positions[t] + j;
      const In* y = b + b_positions[t] + j;
      for (int l = 0; l < kStrip; ++l) {
        strip[l] += ConvertElement<T>(x[l]) * ConvertElement<T>(y[l]);
      }
    }
    for (int l = 0; l < kStrip; ++l) sums[j + l] = strip[l];
  }
  for (; j < count; ++j) {
    T sum = accumulate ? sums[j] : T();
    for (int64_t t = 0; t < terms; ++t) {
      sum += ConvertElement<T>(a[a_positions[t] + j]) * ConvertElement<T>(b[b_positions[t] + j]);
    }
    sums[j] = sum;
  }
}

// The same for operands that need no conversion, with the sums in registers.
template <typename T>
void NativeLaneSums(int64_t count, int64_t terms, const void* a_data, const int64_t* a_positions,
                    const void* b_data, const int64_t* b_positions, void* sum_data,
                    bool accumulate) {
  using V = hn::Vec<hn::ScalableTag<T>>;
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* a = static_cast<const T*>(a_data);
  const T* b = static_cast<const T*>(b_data);
  T* sums = static_cast<T*>(sum_data);
  int64_t j = 0;
  auto strips = [&](auto vector_count) HWY_ATTR {
    constexpr int kVectors = decltype(vector_count)::value;
    for (; j + kVectors * lanes <= count; j += kVectors * lanes) {
      V strip[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        strip[v] = accumulate ? hn::LoadU(d, sums + j + v * lanes) : hn::Zero(d);
      }
      for (int64_t t = 0; t < terms; ++t) {
        const T* x = a + a_positions[t] + j;
        const T* y = b + b_positions[t] + j;
        for (int v = 0; v < kVectors; ++v) {
          strip[v] = hn::MulAdd(hn::LoadU(d, x + v * lanes), hn::LoadU(d, y + v * lanes), strip[v]);
        }
      }
      for (int v = 0; v < kVectors; ++v) hn::StoreU(strip[v], d, sums + j + v * lanes);
    }
  };
  strips(std::integral_constant<int, 4>());
  strips(std::integral_constant<int, 1>());
  if (j < count) {
    const auto mask = hn::FirstN(d, static_cast<size_t>(count - j));
    V sum = accumulate ? hn::MaskedLoad(mask, d, sums + j) : hn::Zero(d);
    for (int64_t t = 0; t < terms; ++t) {
      sum = hn::MulAdd(hn::MaskedLoad(mask, d, a + a_positions[t] + j),
                       hn::MaskedLoad(mask, d, b + b_positions[t] + j), sum);
    }
    hn::BlendedStore(sum, mask, d, sums + j);
  }
}

// Several rows at once read b once, and no sum waits for the one before.
template <typename T>
void NativeLaneRowSums(int64_t count, int64_t terms, const void* const* a,
                       const int64_t* a_positions, const void* b_data, const int64_t* b_positions,
                       void* const* sums) {
  constexpr int kRows = GemmKernels::kLaneRows;
  using V = hn::Vec<hn::ScalableTag<T>>;
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* b = static_cast<const T*>(b_data);
  int64_t j = 0;
  auto strips = [&](auto vector_count) HWY_ATTR {
    constexpr int kVectors = decltype(vector_count)::value;
    for (; j + kVectors * lanes <= count; j += kVectors * lanes) {
      V strip[kRows][kVectors];
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kVectors; ++v) strip[r][v] = hn::Zero(d);
      }
      for (int64_t t = 0; t < terms; ++t) {
        V y[kVectors];
        for (int v = 0; v < kVectors; ++v) y[v] = hn::LoadU(d, b + b_positions[t] + j + v * lanes);
        for (int r = 0; r < kRows; ++r) {
          const T* x = static_cast<const T*>(a[r]) + a_positions[t] + j;
          for (int v = 0; v < kVectors; ++v) {
            strip[r][v] = hn::MulAdd(hn::LoadU(d, x + v * lanes), y[v], strip[r][v]);
          }
        }
      }
      for (int r = 0; r < kRows; ++r) {
        for (int v = 0; v < kVectors; ++v) {
          hn::StoreU(strip[r][v], d, static_cast<T*>(sums[r]) + j + v * lanes);
        }
      }
    }
  };
  strips(std::integral_constant<int, 2>());
  strips(std::integral_constant<int, 1>());
  if (j == count) return;
  for (int r = 0; r < kRows; ++r) {
    NativeLaneSums<T>(count - j, terms, static_cast<const T*>(a[r]) + j, a_positions, b + j,
                      b_positions, static_cast<T*>(sums[r]) + j, false);
  }
}
