// SPDX-License-Identifier: Apache-2.0
// Loops along rows of an array, compiled once per instruction set; no include guard on purpose, see
// Highway's foreach_target.h. Included inside namespace plinth::cpu::library::HWY_NAMESPACE.

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

// Few enough pointers for the registers of addresses.
template <int kLefts, int kTaps>
HWY_INLINE void RowProductsOf(int64_t rows, int64_t columns, const float* left, int64_t left_stride,
                              int64_t left_row, const float* right, int64_t right_row,
                              const int64_t* offsets, float* sums, int64_t sums_stride) {
  using V = hn::Vec<hn::ScalableTag<float>>;
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<size_t>(columns % lanes));
  V sum[kLefts][kTaps];
  for (int i = 0; i < kLefts; ++i) {
    for (int t = 0; t < kTaps; ++t) sum[i][t] = hn::LoadU(d, sums + i * sums_stride + t * lanes);
  }
  for (int64_t y = 0; y < rows; ++y, left += left_row, right += right_row) {
    auto step = [&](auto load, int64_t x) HWY_ATTR {
      V value[kLefts];
      for (int i = 0; i < kLefts; ++i) value[i] = load(left + i * left_stride + x);
      for (int t = 0; t < kTaps; ++t) {
        const V other = load(right + offsets[t] + x);
        for (int i = 0; i < kLefts; ++i) sum[i][t] = hn::MulAdd(value[i], other, sum[i][t]);
      }
    };
    int64_t x = 0;
    for (; x + lanes <= columns; x += lanes) {
      step([&](const float* at) HWY_ATTR { return hn::LoadU(d, at); }, x);
    }
    if (x < columns) step([&](const float* at) HWY_ATTR { return hn::MaskedLoad(mask, d, at); }, x);
  }
  for (int i = 0; i < kLefts; ++i) {
    for (int t = 0; t < kTaps; ++t) hn::StoreU(sum[i][t], d, sums + i * sums_stride + t * lanes);
  }
}

inline void RowProducts(int lefts, int64_t taps, int64_t rows, int64_t columns, const float* left,
                        int64_t left_stride, int64_t left_row, const float* right,
                        int64_t right_row, const int64_t* offsets, float* sums) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
  auto part = [&](auto left_count, auto most_taps) HWY_ATTR {
    constexpr int kLefts = decltype(left_count)::value, kTaps = decltype(most_taps)::value;
    for (; lefts >= kLefts; lefts -= kLefts, left += kLefts * left_stride) {
      int64_t t = 0;
      for (; t + kTaps <= taps; t += kTaps) {
        RowProductsOf<kLefts, kTaps>(rows, columns, left, left_stride, left_row, right, right_row,
                                     offsets + t, sums + t * lanes, taps * lanes);
      }
      for (; t < taps; ++t) {
        RowProductsOf<kLefts, 1>(rows, columns, left, left_stride, left_row, right, right_row,
                                 offsets + t, sums + t * lanes, taps * lanes);
      }
      sums += kLefts * taps * lanes;
    }
  };
  part(std::integral_constant<int, 4>(), std::integral_constant<int, 3>());
  part(std::integral_constant<int, 1>(), std::integral_constant<int, 5>());
}
