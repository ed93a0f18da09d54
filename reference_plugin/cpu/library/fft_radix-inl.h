// SPDX-License-Identifier: Apache-2.0
// Transforms of a few numbers, each a vector of independent transforms; no include guard on
// purpose, see Highway's foreach_target.h. Included inside namespace
// plinth::cpu::library::HWY_NAMESPACE. All are exp(-2 pi i j k / n), in natural order, in place.

// (re, im) times (c - i s).
template <class V>
HWY_INLINE void TurnBy(V c, V s, V& re, V& im) {
  const V turned = hn::MulAdd(re, c, hn::Mul(im, s));
  im = hn::NegMulAdd(re, s, hn::Mul(im, c));
  re = turned;
}

// (re, im) times (c + i s).
template <class V>
HWY_INLINE void Rotate(V c, V s, V& re, V& im) {
  const V rotated = hn::NegMulAdd(im, s, hn::Mul(re, c));
  im = hn::MulAdd(re, s, hn::Mul(im, c));
  re = rotated;
}

template <class V>
HWY_INLINE void SumAndDifference(V& a, V& b) {
  const V sum = hn::Add(a, b);
  b = hn::Sub(a, b);
  a = sum;
}

// Of the elements first, first + step, ..., first + 3 step.
template <class V>
HWY_INLINE void Dft4(V* re, V* im, int first, int step) {
  const int a = first, b = first + step, c = first + 2 * step, d = first + 3 * step;
  SumAndDifference(re[a], re[c]);
  SumAndDifference(im[a], im[c]);
  SumAndDifference(re[b], re[d]);
  SumAndDifference(im[b], im[d]);
  SumAndDifference(re[a], re[b]);
  SumAndDifference(im[a], im[b]);
  // Now a and b hold results 0 and 2; c -+ i d are results 1 and 3.
  const V re_1 = hn::Add(re[c], im[d]), im_1 = hn::Sub(im[c], re[d]);
  const V re_3 = hn::Sub(re[c], im[d]), im_3 = hn::Add(im[c], re[d]);
  re[c] = re[b];
  im[c] = im[b];
  re[b] = re_1;
  im[b] = im_1;
  re[d] = re_3;
  im[d] = im_3;
}

template <class D, class V>
HWY_INLINE void Dft8(D d, V* re, V* im) {
  Dft4(re, im, 0, 2);
  Dft4(re, im, 1, 2);
  // Even results in 0, 2, 4, 6, odd ones in 1, 3, 5, 7, to be turned by eighths.
  const V half_root = hn::Set(d, static_cast<hn::TFromD<D>>(0.70710678118654752440L));
  const V re_3 = re[3], re_7 = re[7];
  re[3] = hn::Mul(half_root, hn::Add(re_3, im[3]));
  im[3] = hn::Mul(half_root, hn::Sub(im[3], re_3));
  const V re_5 = re[5];
  re[5] = im[5];
  im[5] = hn::Neg(re_5);
  re[7] = hn::Mul(half_root, hn::Sub(im[7], re_7));
  im[7] = hn::Neg(hn::Mul(half_root, hn::Add(im[7], re_7)));
  V out_re[8], out_im[8];
  for (int j = 0; j < 4; ++j) {
    out_re[j] = hn::Add(re[2 * j], re[2 * j + 1]);
    out_im[j] = hn::Add(im[2 * j], im[2 * j + 1]);
    out_re[j + 4] = hn::Sub(re[2 * j], re[2 * j + 1]);
    out_im[j + 4] = hn::Sub(im[2 * j], im[2 * j + 1]);
  }
  for (int j = 0; j < 8; ++j) {
    re[j] = out_re[j];
    im[j] = out_im[j];
  }
}

template <class D, class V>
HWY_INLINE void Dft16(D d, V* re, V* im) {
  using T = hn::TFromD<D>;
  constexpr T kCos[4] = {static_cast<T>(1), static_cast<T>(0.92387953251128675613L),
                         static_cast<T>(0.70710678118654752440L),
                         static_cast<T>(0.38268343236508977173L)};
  // cos and sin of 2 pi j / 16 for the products j of 1, 2, 3 with 1, 2, 3.
  constexpr T kC[10] = {1, kCos[1], kCos[2], kCos[3], 0, 0, -kCos[2], 0, 0, -kCos[1]};
  constexpr T kS[10] = {0, kCos[3], kCos[2], kCos[1], 1, 0, kCos[2], 0, 0, -kCos[3]};
  for (int k = 0; k < 4; ++k) Dft4(re, im, k, 4);
  for (int k = 1; k < 4; ++k) {
    for (int j = 1; j < 4; ++j) {
      TurnBy(hn::Set(d, kC[j * k]), hn::Set(d, kS[j * k]), re[4 * j + k], im[4 * j + k]);
    }
  }
  for (int j = 0; j < 4; ++j) Dft4(re, im, 4 * j, 1);
  // Result j + 4 k is at 4 j + k.
  for (int j = 0; j < 4; ++j) {
    for (int k = j + 1; k < 4; ++k) {
      std::swap(re[4 * j + k], re[4 * k + j]);
      std::swap(im[4 * j + k], im[4 * k + j]);
    }
  }
}

// Of an odd number of elements: pairs j and n - j share their products.
template <int kRadix, class D, class V>
HWY_INLINE void DftOdd(D d, const hn::TFromD<D>* roots, V* re, V* im) {
  constexpr int kHalf = kRadix / 2;
  for (int k = 1; k <= kHalf; ++k) {
    SumAndDifference(re[k], re[kRadix - k]);
    SumAndDifference(im[k], im[kRadix - k]);
  }
  V out_re[kRadix], out_im[kRadix];
  out_re[0] = re[0];
  out_im[0] = im[0];
  for (int k = 1; k <= kHalf; ++k) {
    out_re[0] = hn::Add(out_re[0], re[k]);
    out_im[0] = hn::Add(out_im[0], im[k]);
  }
  for (int j = 1; j <= kHalf; ++j) {
    V sum_re = re[0], sum_im = im[0];
    V turned_re = hn::Zero(d), turned_im = hn::Zero(d);
    for (int k = 1; k <= kHalf; ++k) {
      const int root = 2 * (j * k % kRadix);
      const V c = hn::Set(d, roots[root]), s = hn::Set(d, roots[root + 1]);
      sum_re = hn::MulAdd(re[k], c, sum_re);
      sum_im = hn::MulAdd(im[k], c, sum_im);
      turned_re = hn::MulAdd(im[kRadix - k], s, turned_re);
      turned_im = hn::MulAdd(re[kRadix - k], s, turned_im);
    }
    out_re[j] = hn::Add(sum_re, turned_re);
    out_im[j] = hn::Sub(sum_im, turned_im);
    out_re[kRadix - j] = hn::Sub(sum_re, turned_re);
    out_im[kRadix - j] = hn::Add(sum_im, turned_im);
  }
  for (int j = 0; j < kRadix; ++j) {
    re[j] = out_re[j];
    im[j] = out_im[j];
  }
}

template <int kRadix, class D, class V>
HWY_INLINE void SmallDft(D d, const hn::TFromD<D>* roots, V* re, V* im) {
  if constexpr (kRadix == 2) {
    SumAndDifference(re[0], re[1]);
    SumAndDifference(im[0], im[1]);
  } else if constexpr (kRadix == 4) {
    Dft4(re, im, 0, 1);
  } else if constexpr (kRadix == 8) {
    Dft8(d, re, im);
  } else if constexpr (kRadix == 16) {
    Dft16(d, re, im);
  } else {
    DftOdd<kRadix>(d, roots, re, im);
  }
}
