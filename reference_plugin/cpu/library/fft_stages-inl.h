// SPDX-License-Identifier: Apache-2.0
// Passes over all the data of a transform; no include guard on purpose, see Highway's
// foreach_target.h. Included inside namespace plinth::cpu::library::HWY_NAMESPACE.

// Calls step(i) for vectors of `lanes` that cover [0, count); the last may overlap the one before,
// so what is read must not be what is written. count >= lanes.
template <class Step>
HWY_INLINE void ForOverlapping(int64_t count, int64_t lanes, const Step& step) {
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) step(i);
  if (i < count) step(count - lanes);
}

template <int kRadix, bool kTwiddle, class D, typename T>
HWY_INLINE void StageGroup(D d, const FftStage<T>& stage, int64_t p, int64_t s,
                           const FftPlanes<T>& planes) {
  using V = hn::Vec<D>;
  const int64_t apart = stage.rest * s;
  const T* re = planes.re + p * s;
  const T* im = planes.im + p * s;
  T* to_re = planes.other_re + p * kRadix * s;
  T* to_im = planes.other_im + p * kRadix * s;
  const T* twiddles = stage.twiddles + p * (kRadix - 1) * 2;
  ForOverlapping(s, static_cast<int64_t>(hn::Lanes(d)), [&](int64_t q) HWY_ATTR {
    V x_re[kRadix], x_im[kRadix];
    for (int k = 0; k < kRadix; ++k) {
      x_re[k] = hn::LoadU(d, re + k * apart + q);
      x_im[k] = hn::LoadU(d, im + k * apart + q);
    }
    SmallDft<kRadix>(d, stage.roots, x_re, x_im);
    if constexpr (kTwiddle) {
      for (int j = 1; j < kRadix; ++j) {
        TurnBy(hn::Set(d, twiddles[2 * j - 2]), hn::Set(d, twiddles[2 * j - 1]), x_re[j], x_im[j]);
      }
    }
    for (int j = 0; j < kRadix; ++j) {
      hn::StoreU(x_re[j], d, to_re + j * s + q);
      hn::StoreU(x_im[j], d, to_im + j * s + q);
    }
  });
}

template <int kRadix, class D, typename T>
HWY_NOINLINE void StageOf(D d, const FftStage<T>& stage, int64_t s, const FftPlanes<T>& planes) {
  StageGroup<kRadix, false>(d, stage, 0, s, planes);
  for (int64_t p = 1; p < stage.rest; ++p) StageGroup<kRadix, true>(d, stage, p, s, planes);
}

// Any odd radix up to kMaxFftPrime.
template <class D, typename T>
HWY_NOINLINE void AnyStage(D d, const FftStage<T>& stage, int64_t s, const FftPlanes<T>& planes) {
  using V = hn::Vec<D>;
  constexpr int kHalf = kMaxFftPrime / 2 + 1;
  const int radix = stage.radix, half = radix / 2;
  const int64_t apart = stage.rest * s;
  for (int64_t p = 0; p < stage.rest; ++p) {
    const T* re = planes.re + p * s;
    const T* im = planes.im + p * s;
    T* to_re = planes.other_re + p * radix * s;
    T* to_im = planes.other_im + p * radix * s;
    const T* twiddles = stage.twiddles + p * (radix - 1) * 2;
    ForOverlapping(s, static_cast<int64_t>(hn::Lanes(d)), [&](int64_t q) HWY_ATTR {
      V sum_re[kHalf], sum_im[kHalf], difference_re[kHalf], difference_im[kHalf];
      const V first_re = hn::LoadU(d, re + q), first_im = hn::LoadU(d, im + q);
      V zero_re = first_re, zero_im = first_im;
      for (int k = 1; k <= half; ++k) {
        sum_re[k] = hn::LoadU(d, re + k * apart + q);
        sum_im[k] = hn::LoadU(d, im + k * apart + q);
        difference_re[k] = hn::LoadU(d, re + (radix - k) * apart + q);
        difference_im[k] = hn::LoadU(d, im + (radix - k) * apart + q);
        SumAndDifference(sum_re[k], difference_re[k]);
        SumAndDifference(sum_im[k], difference_im[k]);
        zero_re = hn::Add(zero_re, sum_re[k]);
        zero_im = hn::Add(zero_im, sum_im[k]);
      }
      hn::StoreU(zero_re, d, to_re + q);
      hn::StoreU(zero_im, d, to_im + q);
      for (int j = 1; j <= half; ++j) {
        V middle_re = first_re, middle_im = first_im;
        V turned_re = hn::Zero(d), turned_im = hn::Zero(d);
        int root = 0;
        for (int k = 1; k <= half; ++k) {
          root += j;
          if (root >= radix) root -= radix;
          const V c = hn::Set(d, stage.roots[2 * root]), w = hn::Set(d, stage.roots[2 * root + 1]);
          middle_re = hn::MulAdd(sum_re[k], c, middle_re);
          middle_im = hn::MulAdd(sum_im[k], c, middle_im);
          turned_re = hn::MulAdd(difference_im[k], w, turned_re);
          turned_im = hn::MulAdd(difference_re[k], w, turned_im);
        }
        V low_re = hn::Add(middle_re, turned_re), low_im = hn::Sub(middle_im, turned_im);
        V high_re = hn::Sub(middle_re, turned_re), high_im = hn::Add(middle_im, turned_im);
        const int other = radix - j;
        TurnBy(hn::Set(d, twiddles[2 * j - 2]), hn::Set(d, twiddles[2 * j - 1]), low_re, low_im);
        TurnBy(hn::Set(d, twiddles[2 * other - 2]), hn::Set(d, twiddles[2 * other - 1]), high_re,
               high_im);
        hn::StoreU(low_re, d, to_re + j * s + q);
        hn::StoreU(low_im, d, to_im + j * s + q);
        hn::StoreU(high_re, d, to_re + other * s + q);
        hn::StoreU(high_im, d, to_im + other * s + q);
      }
    });
  }
}

template <class D, typename T>
void StageWith(D d, const FftStage<T>& stage, int64_t s, const FftPlanes<T>& planes) {
  switch (stage.radix) {
    case 2:
      return StageOf<2>(d, stage, s, planes);
    case 3:
      return StageOf<3>(d, stage, s, planes);
    case 4:
      return StageOf<4>(d, stage, s, planes);
    case 5:
      return StageOf<5>(d, stage, s, planes);
    case 7:
      return StageOf<7>(d, stage, s, planes);
    case 8:
      return StageOf<8>(d, stage, s, planes);
    default:
      return AnyStage(d, stage, s, planes);
  }
}

template <typename T>
void RunStage(const FftStage<T>& stage, int64_t s, const FftPlanes<T>& planes) {
  const hn::ScalableTag<T> wide;
  const hn::CappedTag<T, 4> four;
  if (s >= static_cast<int64_t>(hn::Lanes(wide))) return StageWith(wide, stage, s, planes);
  if constexpr (HWY_MAX_BYTES / sizeof(T) > 8) {
    const hn::CappedTag<T, 8> eight;
    if (s >= 8) return StageWith(eight, stage, s, planes);
  }
  if (s >= static_cast<int64_t>(hn::Lanes(four))) return StageWith(four, stage, s, planes);
  return StageWith(hn::CappedTag<T, 1>(), stage, s, planes);
}

template <int kCount, class V>
HWY_INLINE void Exchange(V* re, V* im) {
  for (int k = 0; k < kCount; ++k) std::swap(re[k], im[k]);
}

// The first of several stages of transforms side by side, one vector of them: row i of the array
// has element i of each. Of an inverse transform real and imaginary parts trade places.
template <int kRadix, typename T>
HWY_NOINLINE void FirstStageOf(const FftStage<T>& stage, const FftRows<T>& rows,
                               const FftPlanes<T>& planes) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), step = 2 * rows.step;
  for (int64_t p = 0; p < stage.rest; ++p) {
    V re[kRadix], im[kRadix];
    for (int k = 0; k < kRadix; ++k) {
      const T* row = rows.from + (p + k * stage.rest) * step;
      hn::LoadInterleaved2(d, row, re[k], im[k]);
    }
    if (rows.inverse) Exchange<kRadix>(re, im);
    SmallDft<kRadix>(d, stage.roots, re, im);
    const T* twiddles = stage.twiddles + p * (kRadix - 1) * 2;
    for (int j = 1; j < kRadix; ++j) {
      TurnBy(hn::Set(d, twiddles[2 * j - 2]), hn::Set(d, twiddles[2 * j - 1]), re[j], im[j]);
    }
    for (int j = 0; j < kRadix; ++j) {
      hn::StoreU(re[j], d, planes.other_re + (p * kRadix + j) * lanes);
      hn::StoreU(im[j], d, planes.other_im + (p * kRadix + j) * lanes);
    }
  }
}

// And the last.
template <int kRadix, typename T>
HWY_NOINLINE void LastStageOf(int64_t count, const FftRows<T>& rows, const FftPlanes<T>& planes) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d)), step = 2 * rows.step;
  const int64_t rest = count / kRadix;
  const V factor = hn::Set(d, rows.scale);
  for (int64_t p = 0; p < rest; ++p) {
    V re[kRadix], im[kRadix];
    for (int k = 0; k < kRadix; ++k) {
      re[k] = hn::LoadU(d, planes.re + (p + k * rest) * lanes);
      im[k] = hn::LoadU(d, planes.im + (p + k * rest) * lanes);
    }
    SmallDft<kRadix>(d, static_cast<const T*>(nullptr), re, im);
    if (rows.inverse) Exchange<kRadix>(re, im);
    for (int j = 0; j < kRadix; ++j) {
      hn::StoreInterleaved2(hn::Mul(factor, re[j]), hn::Mul(factor, im[j]), d,
                            rows.to + (p + j * rest) * step);
    }
  }
}

template <typename T>
void FirstStage(const FftStage<T>& stage, const FftRows<T>& rows, const FftPlanes<T>& planes) {
  if (stage.radix == 4) return FirstStageOf<4>(stage, rows, planes);
  return FirstStageOf<8>(stage, rows, planes);
}

template <typename T>
void LastStage(int radix, int64_t count, const FftRows<T>& rows, const FftPlanes<T>& planes) {
  if (radix == 4) return LastStageOf<4>(count, rows, planes);
  return LastStageOf<8>(count, rows, planes);
}

template <typename T>
void Split(int64_t count, const T* from, T* re, T* im) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::Vec<decltype(d)> real, imaginary;
    hn::LoadInterleaved2(d, from + 2 * i, real, imaginary);
    hn::StoreU(real, d, re + i);
    hn::StoreU(imaginary, d, im + i);
  }
  for (; i < count; ++i) {
    re[i] = from[2 * i];
    im[i] = from[2 * i + 1];
  }
}

template <typename T>
void Join(int64_t count, T scale, const T* re, const T* im, T* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreInterleaved2(hn::Mul(factor, hn::LoadU(d, re + i)),
                          hn::Mul(factor, hn::LoadU(d, im + i)), d, to + 2 * i);
  }
  for (; i < count; ++i) {
    to[2 * i] = scale * re[i];
    to[2 * i + 1] = scale * im[i];
  }
}

template <typename T>
void SplitLanes(int64_t count, int64_t row_stride, const T* from, T* re, T* im) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t i = 0; i < count; ++i) {
    hn::Vec<decltype(d)> real, imaginary;
    hn::LoadInterleaved2(d, from + 2 * i * row_stride, real, imaginary);
    hn::StoreU(real, d, re + i * lanes);
    hn::StoreU(imaginary, d, im + i * lanes);
  }
}

template <typename T>
void JoinLanes(int64_t count, int64_t row_stride, T scale, const T* re, const T* im, T* to) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  for (int64_t i = 0; i < count; ++i) {
    hn::StoreInterleaved2(hn::Mul(factor, hn::LoadU(d, re + i * lanes)),
                          hn::Mul(factor, hn::LoadU(d, im + i * lanes)), d,
                          to + 2 * i * row_stride);
  }
}

template <typename T>
void Multiply(int64_t count, int64_t s, const T* table_re, const T* table_im, T* re, T* im) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto element = [](auto tag, const T* c, const T* w, T* x, T* y, bool spread) HWY_ATTR {
    auto real = hn::LoadU(tag, x), imaginary = hn::LoadU(tag, y);
    Rotate(spread ? hn::Set(tag, *c) : hn::LoadU(tag, c),
           spread ? hn::Set(tag, *w) : hn::LoadU(tag, w), real, imaginary);
    hn::StoreU(real, tag, x);
    hn::StoreU(imaginary, tag, y);
  };
  if (s == 1) {
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
      element(d, table_re + i, table_im + i, re + i, im + i, false);
    }
    for (; i < count; ++i) element(one, table_re + i, table_im + i, re + i, im + i, false);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    int64_t q = i * s;
    for (; q + lanes <= (i + 1) * s; q += lanes) {
      element(d, table_re + i, table_im + i, re + q, im + q, true);
    }
    for (; q < (i + 1) * s; ++q) element(one, table_re + i, table_im + i, re + q, im + q, true);
  }
}

// Calls body(tag, k, q, c, w, backward) for all 0 < k < half: with vectors along the transforms
// where there are several, else along k, the mirrored elements then being read backward.
template <typename T, class Body>
HWY_INLINE void ForMirrored(int64_t half, int64_t s, const T* table, const Body& body) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> one;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (s == 1) {
    int64_t k = 1;
    for (; k + lanes <= half; k += lanes) {
      body(d, k, half - k - lanes + 1, hn::LoadU(d, table + k), hn::LoadU(d, table + half + k),
           true);
    }
    for (; k < half; ++k) {
      body(one, k, half - k, hn::Set(one, table[k]), hn::Set(one, table[half + k]), false);
    }
    return;
  }
  for (int64_t k = 1; k < half; ++k) {
    int64_t q = 0;
    for (; q + lanes <= s; q += lanes) {
      body(d, k * s + q, (half - k) * s + q, hn::Set(d, table[k]), hn::Set(d, table[half + k]),
           false);
    }
    for (; q < s; ++q) {
      body(one, k * s + q, (half - k) * s + q, hn::Set(one, table[k]),
           hn::Set(one, table[half + k]), false);
    }
  }
}

template <typename T>
void RealAfter(int64_t half, int64_t s, const T* table, const FftPlanes<T>& planes) {
  for (int64_t q = 0; q < s; ++q) {
    planes.other_re[q] = planes.re[q] + planes.im[q];
    planes.other_re[half * s + q] = planes.re[q] - planes.im[q];
    planes.other_im[q] = planes.other_im[half * s + q] = 0;
  }
  ForMirrored(half, s, table,
              [&](auto d, int64_t at, int64_t mirror, auto c, auto w, bool backward) HWY_ATTR {
                const auto x_re = hn::LoadU(d, planes.re + at), x_im = hn::LoadU(d, planes.im + at);
                auto y_re = hn::LoadU(d, planes.re + mirror);
                auto y_im = hn::LoadU(d, planes.im + mirror);
                if (backward) {
                  y_re = hn::Reverse(d, y_re);
                  y_im = hn::Reverse(d, y_im);
                }
                const auto half_of = hn::Set(d, static_cast<T>(0.5));
                const auto e = hn::Add(x_im, y_im), f = hn::Sub(x_re, y_re);
                const auto re = hn::NegMulAdd(w, f, hn::MulAdd(c, e, hn::Add(x_re, y_re)));
                const auto im = hn::NegMulAdd(w, e, hn::NegMulAdd(c, f, hn::Sub(x_im, y_im)));
                hn::StoreU(hn::Mul(half_of, re), d, planes.other_re + at);
                hn::StoreU(hn::Mul(half_of, im), d, planes.other_im + at);
              });
}

template <typename T>
void RealBefore(int64_t half, int64_t s, const T* table, const FftPlanes<T>& planes) {
  for (int64_t q = 0; q < s; ++q) {
    planes.other_re[q] = planes.re[q] + planes.re[half * s + q];
    planes.other_im[q] = planes.re[q] - planes.re[half * s + q];
  }
  ForMirrored(half, s, table,
              [&](auto d, int64_t at, int64_t mirror, auto c, auto w, bool backward) HWY_ATTR {
                const auto x_re = hn::LoadU(d, planes.re + at), x_im = hn::LoadU(d, planes.im + at);
                auto y_re = hn::LoadU(d, planes.re + mirror);
                auto y_im = hn::LoadU(d, planes.im + mirror);
                if (backward) {
                  y_re = hn::Reverse(d, y_re);
                  y_im = hn::Reverse(d, y_im);
                }
                const auto e = hn::Add(x_im, y_im), f = hn::Sub(x_re, y_re);
                hn::StoreU(hn::NegMulAdd(w, f, hn::NegMulAdd(c, e, hn::Add(x_re, y_re))), d,
                           planes.other_re + at);
                hn::StoreU(hn::NegMulAdd(w, e, hn::MulAdd(c, f, hn::Sub(x_im, y_im))), d,
                           planes.other_im + at);
              });
}
