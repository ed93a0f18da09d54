// Loops along rows of an array, compiled once per instruction set; no include guard on purpose, see
// Highway's foreach_target.h. Included inside namespace plinth::cpu::HWY_NAMESPACE.

template <int kRows, int kVectors>
HWY_INLINE void WeightedStrip(int64_t terms, const float* weights, const int64_t* offsets,
                              const float* data, int64_t last, float* const* results,
                              int64_t first) {
  using V = hn::Vec<hn::ScalableTag<float>>;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sums[kRows][kVectors];
  for (int i = 0; i < kRows; ++i) {
    for (int v = 0; v < kVectors; ++v) sums[i][v] = hn::Zero(d);
  }
  for (int64_t k = 0; k < terms; ++k) {
    const float* from = data + offsets[k];
    for (int v = 0; v < kVectors; ++v) {
      const V value = hn::LoadU(d, from + v * lanes);
      for (int i = 0; i < kRows; ++i) {
        sums[i][v] = hn::MulAdd(hn::Set(d, weights[i * terms + k]), value, sums[i][v]);
      }
    }
  }
  for (int i = 0; i < kRows; ++i) {
    float* to = results[i] + first;
    for (int v = 0; v + 1 < kVectors; ++v) hn::StoreU(sums[i][v], d, to + v * lanes);
    if (last == lanes) {
      hn::StoreU(sums[i][kVectors - 1], d, to + (kVectors - 1) * lanes);
    } else {
      hn::BlendedStore(sums[i][kVectors - 1], hn::FirstN(d, static_cast<size_t>(last)), d,
                       to + (kVectors - 1) * lanes);
    }
  }
}

inline void WeightedRows(int rows, int64_t columns, int64_t terms, const float* weights,
                         const int64_t* offsets, const float* data, float* const* results) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  auto part = [&](auto row_count, auto vector_count) HWY_ATTR {
    constexpr int kRows = decltype(row_count)::value, kVectors = decltype(vector_count)::value;
    for (; rows >= kRows; rows -= kRows, weights += kRows * terms, results += kRows) {
      int64_t j = 0;
      for (; j + (kVectors - 1) * lanes < columns; j += kVectors * lanes) {
        WeightedStrip<kRows, kVectors>(terms, weights, offsets, data + j,
                                       std::min(lanes, columns - j - (kVectors - 1) * lanes),
                                       results, j);
      }
      for (; j < columns; j += lanes) {
        WeightedStrip<kRows, 1>(terms, weights, offsets, data + j, std::min(lanes, columns - j),
                                results, j);
      }
    }
  };
  part(std::integral_constant<int, 4>(), std::integral_constant<int, 2>());
  part(std::integral_constant<int, 1>(), std::integral_constant<int, 4>());
}

template <int kTaps>
HWY_INLINE void RowProductsOf(int64_t rows, int64_t columns, const float* left, int64_t left_row,
                              const float* right, int64_t right_row, const int64_t* offsets,
                              float* sums) {
  using V = hn::Vec<hn::ScalableTag<float>>;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns % lanes));
  const float* taps[kTaps];
  V sum[kTaps];
  for (int t = 0; t < kTaps; ++t) {
    taps[t] = right + offsets[t];
    sum[t] = hn::LoadU(d, sums + t * lanes);
  }
  for (int64_t y = 0; y < rows; ++y, left += left_row) {
    const int64_t at = y * right_row;
    int64_t x = 0;
    for (; x + lanes <= columns; x += lanes) {
      const V value = hn::LoadU(d, left + x);
      for (int t = 0; t < kTaps; ++t) {
        sum[t] = hn::MulAdd(value, hn::LoadU(d, taps[t] + at + x), sum[t]);
      }
    }
    if (x < columns) {
      const V value = hn::MaskedLoad(mask, d, left + x);
      for (int t = 0; t < kTaps; ++t) {
        const V other = hn::IfThenElseZero(mask, hn::LoadU(d, taps[t] + at + x));
        sum[t] = hn::MulAdd(value, other, sum[t]);
      }
    }
  }
  for (int t = 0; t < kTaps; ++t) hn::StoreU(sum[t], d, sums + t * lanes);
}

inline void RowProducts(int64_t taps, int64_t rows, int64_t columns, const float* left,
                        int64_t left_row, const float* right, int64_t right_row,
                        const int64_t* offsets, float* sums) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  auto part = [&](auto count) HWY_ATTR {
    constexpr int kTaps = decltype(count)::value;
    for (; taps >= kTaps; taps -= kTaps, offsets += kTaps, sums += kTaps * lanes) {
      RowProductsOf<kTaps>(rows, columns, left, left_row, right, right_row, offsets, sums);
    }
  };
  part(std::integral_constant<int, 9>());
  part(std::integral_constant<int, 3>());
  part(std::integral_constant<int, 1>());
}
