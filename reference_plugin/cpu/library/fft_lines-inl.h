// SPDX-License-Identifier: Apache-2.0
// What moves elements between vectors of lines and of their elements, by ../math/blocks-inl.h; no
// include guard on purpose, see Highway's foreach_target.h. Included inside namespace
// plinth::cpu::library::HWY_NAMESPACE, not for the target without vectors.

template <int kLanes, typename T>
HWY_NOINLINE void CombineOf(int64_t m, const T* twiddles, const FftPlanes<T>& planes) {
  const hn::CappedTag<T, kLanes> d;
  using V = hn::Vec<decltype(d)>;
  if (hn::Lanes(d) != kLanes) return;
  constexpr int kPer = kBlockSize<T>;
  const T* sines = twiddles + (kLanes - 1) * m;
  ForOverlapping(m, kLanes, [&](int64_t k) HWY_ATTR {
    V re[kLanes], im[kLanes];
    for (int l = 0; l < kLanes; l += kPer) {
      for (int q = 0; q < kPer; ++q) {
        const int64_t at = (k + q) * kLanes + l;
        auto row = [=](const T* plane) {
          return [=](int block) { return plane + at + block * (kPer * kLanes); };
        };
        re[l + q] = LoadBlocks(d, row(planes.re));
        im[l + q] = LoadBlocks(d, row(planes.im));
      }
      TransposeBlocks(d, re + l);
      TransposeBlocks(d, im + l);
    }
    for (int l = 1; l < kLanes; ++l) {
      TurnBy(hn::LoadU(d, twiddles + (l - 1) * m + k), hn::LoadU(d, sines + (l - 1) * m + k), re[l],
             im[l]);
    }
    SmallDft<kLanes>(d, static_cast<const T*>(nullptr), re, im);
    for (int j = 0; j < kLanes; ++j) {
      hn::StoreU(re[j], d, planes.other_re + m * j + k);
      hn::StoreU(im[j], d, planes.other_im + m * j + k);
    }
  });
}

template <typename T>
void RunCombine(int lanes, int64_t m, const T* twiddles, const FftPlanes<T>& planes) {
  constexpr int kMost = static_cast<int>(HWY_MAX_BYTES / sizeof(T));
  if constexpr (kMost >= 16) {
    if (lanes == 16) return CombineOf<16>(m, twiddles, planes);
  }
  if constexpr (kMost >= 8) {
    if (lanes == 8) return CombineOf<8>(m, twiddles, planes);
  }
  if constexpr (kMost >= 4) return CombineOf<4>(m, twiddles, planes);
}

// One vector of lines; a complex number is two elements of a block.
template <typename T>
void SplitLines(int64_t count, int64_t line_stride, int64_t lines, const T* from, T* re, T* im) {
  const hn::ScalableTag<T> d;
  constexpr int kPer = kBlockSize<T>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto line = [=](int64_t q) { return from + std::min(q, lines - 1) * line_stride; };
  int64_t i = 0;
  for (; i + kPer / 2 <= count; i += kPer / 2) {
    hn::Vec<decltype(d)> v[kPer];
    for (int q = 0; q < kPer; ++q) {
      v[q] = LoadBlocks(d, [&](int block) { return line(block * kPer + q) + 2 * i; });
    }
    TransposeBlocks(d, v);
    for (int j = 0; j < kPer / 2; ++j) {
      hn::StoreU(v[2 * j], d, re + (i + j) * lanes);
      hn::StoreU(v[2 * j + 1], d, im + (i + j) * lanes);
    }
  }
  for (; i < count; ++i) {
    for (int64_t q = 0; q < lanes; ++q) {
      re[i * lanes + q] = line(q)[2 * i];
      im[i * lanes + q] = line(q)[2 * i + 1];
    }
  }
}

template <typename T>
void JoinLines(int64_t count, int64_t line_stride, int64_t lines, T scale, const T* re, const T* im,
               T* to) {
  const hn::ScalableTag<T> d;
  constexpr int kPer = kBlockSize<T>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  int64_t i = 0;
  for (; i + kPer / 2 <= count; i += kPer / 2) {
    hn::Vec<decltype(d)> v[kPer];
    for (int j = 0; j < kPer / 2; ++j) {
      v[2 * j] = hn::Mul(factor, hn::LoadU(d, re + (i + j) * lanes));
      v[2 * j + 1] = hn::Mul(factor, hn::LoadU(d, im + (i + j) * lanes));
    }
    TransposeBlocks(d, v);
    for (int q = 0; q < kPer; ++q) {
      ForBlocks(d, v[q], [&](int block, auto tag, auto part) HWY_ATTR {
        const int64_t line = block * kPer + q;
        if (line < lines) hn::StoreU(part, tag, to + line * line_stride + 2 * i);
      });
    }
  }
  for (; i < count; ++i) {
    for (int64_t q = 0; q < lines; ++q) {
      to[q * line_stride + 2 * i] = scale * re[i * lanes + q];
      to[q * line_stride + 2 * i + 1] = scale * im[i * lanes + q];
    }
  }
}
