// SPDX-License-Identifier: Apache-2.0
// Packing into panels, compiled once per instruction set; no include guard on purpose, see
// Highway's foreach_target.h. Included inside namespace plinth::cpu::library::HWY_NAMESPACE.

#if HWY_TARGET == HWY_SCALAR
template <typename T>
inline constexpr bool kHasTranspose = false;
#else
template <typename T>
inline constexpr bool kHasTranspose = std::is_floating_point_v<T> || std::is_same_v<T, int32_t>;

// The vector's blocks of 16 bytes, `stride` elements apart.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void StoreBlocks(D d, hn::Vec<D> v, T* to, int64_t stride) {
  constexpr size_t kBlocks = hn::MaxLanes(D()) * sizeof(T) / 16;
  if constexpr (kBlocks > 1) {
    const hn::Half<D> half;
    StoreBlocks(half, hn::LowerHalf(half, v), to, stride);
    StoreBlocks(half, hn::UpperHalf(half, v), to + kBlocks / 2 * stride, stride);
  } else {
    hn::StoreU(v, d, to);
  }
}

// Steps [k, length) as far as whole vectors go; returns where it stopped.
template <class D, typename T>
HWY_INLINE int64_t TransposeVectors(D d, const T* const (&rows)[4], int64_t k, int64_t length,
                                    T* panel, int64_t width) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; k + lanes <= length; k += lanes) {
    const auto v0 = hn::LoadU(d, rows[0] + k), v1 = hn::LoadU(d, rows[1] + k);
    const auto v2 = hn::LoadU(d, rows[2] + k), v3 = hn::LoadU(d, rows[3] + k);
    const auto low01 = hn::InterleaveLower(d, v0, v1), low23 = hn::InterleaveLower(d, v2, v3);
    const auto high01 = hn::InterleaveUpper(d, v0, v1), high23 = hn::InterleaveUpper(d, v2, v3);
    T* to = panel + k * width;
    if constexpr (sizeof(T) == 8) {
      StoreBlocks(d, low01, to, 2 * width);
      StoreBlocks(d, low23, to + 2, 2 * width);
      StoreBlocks(d, high01, to + width, 2 * width);
      StoreBlocks(d, high23, to + width + 2, 2 * width);
    } else {
      const hn::Repartition<std::conditional_t<std::is_same_v<T, float>, double, int64_t>, D> wide;
      auto store = [&](auto v, int64_t step) HWY_ATTR {
        StoreBlocks(d, hn::BitCast(d, v), to + step * width, 4 * width);
      };
      const auto a = hn::BitCast(wide, low01), b = hn::BitCast(wide, low23);
      store(hn::InterleaveLower(wide, a, b), 0);
      store(hn::InterleaveUpper(wide, a, b), 1);
      const auto e = hn::BitCast(wide, high01), f = hn::BitCast(wide, high23);
      store(hn::InterleaveLower(wide, e, f), 2);
      store(hn::InterleaveUpper(wide, e, f), 3);
    }
  }
  return k;
}

// Two rows that are contiguous in k, turned to pairs; returns how many k were done.
template <typename T>
HWY_INLINE int64_t TransposeTwoRows(const T* first, const T* second, int64_t length, T* panel,
                                    int64_t width) {
  const hn::Full128<T> d;
  constexpr int64_t kLanes = hn::MaxLanes(d);
  int64_t k = 0;
  for (; k + kLanes <= length; k += kLanes) {
    const auto a = hn::LoadU(d, first + k), b = hn::LoadU(d, second + k);
    const auto low = hn::InterleaveLower(d, a, b), high = hn::InterleaveUpper(d, a, b);
    T* to = panel + k * width;
    if constexpr (kLanes == 2) {
      hn::StoreU(low, d, to);
      hn::StoreU(high, d, to + width);
    } else {
      const hn::Half<decltype(d)> half;
      hn::StoreU(hn::LowerHalf(half, low), half, to);
      hn::StoreU(hn::UpperHalf(half, low), half, to + width);
      hn::StoreU(hn::LowerHalf(half, high), half, to + 2 * width);
      hn::StoreU(hn::UpperHalf(half, high), half, to + 3 * width);
    }
  }
  return k;
}

// Four rows that are contiguous in k, transposed in registers; returns how many k were done.
template <typename T>
HWY_INLINE int64_t TransposeFourRows(const T* const (&rows)[4], int64_t length, T* panel,
                                     int width) {
  const int64_t k = TransposeVectors(hn::ScalableTag<T>(), rows, 0, length, panel, width);
  return TransposeVectors(hn::Full128<T>(), rows, k, length, panel, width);
}
#endif

// Where the elements of a panel come from: memory of T, or of a type that is converted, so that
// only `convert` exists once per type.
template <typename T>
struct PackSource {
  int64_t bytes = sizeof(T);  // of one element
  // to[i] = from[i * stride] for i < count; null for memory of T.
  void (*convert)(const std::byte* from, int64_t stride, int64_t count, T* to) = nullptr;
};

template <typename T, typename In>
void ConvertRun(const std::byte* from, int64_t stride, int64_t count, T* to) {
  const In* HWY_RESTRICT in = reinterpret_cast<const In*>(from);
  T* HWY_RESTRICT out = to;
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) out[i] = ConvertElement<T>(in[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) out[i] = ConvertElement<T>(in[i * stride]);
  }
}

// `length` steps of `count` neighbours: from + k * k_stride to panel + k * width. Zeros if null.
template <typename T, bool kNative>
HWY_INLINE void PackNeighbours(const PackSource<T>& source, const std::byte* from, int64_t k_stride,
                               int count, int64_t length, T* panel, int width) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const hn::CappedTag<T, 16 / sizeof(T)> few;
  const int few_lanes = static_cast<int>(hn::Lanes(few));
  constexpr int64_t kStepsAhead = 8;
  for (int64_t k = 0; k < length; ++k, panel += width) {
    if (from == nullptr) {
      std::fill_n(panel, count, T());
      continue;
    }
    // Each step may be on a page of its own, which the processor does not foresee. More steps than
    // these come next as a rule.
    const uintptr_t ahead = reinterpret_cast<uintptr_t>(from) +
                            static_cast<uintptr_t>(kStepsAhead * k_stride * source.bytes);
    for (int64_t at = 0; at < count * source.bytes; at += 64) {
      __builtin_prefetch(reinterpret_cast<const void*>(ahead + static_cast<uintptr_t>(at)));
    }
    if constexpr (kNative) {
      const T* in = reinterpret_cast<const T*>(from);
      int i = 0;
      for (; i + lanes <= count; i += lanes) hn::StoreU(hn::LoadU(d, in + i), d, panel + i);
      for (; i + few_lanes <= count; i += few_lanes) {
        hn::StoreU(hn::LoadU(few, in + i), few, panel + i);
      }
      for (; i < count; ++i) panel[i] = in[i];
    } else {
      source.convert(from, 1, count, panel);
    }
    from += k_stride * source.bytes;
  }
}

// Up to four rows that are not neighbours; other types are converted to short rows first.
template <typename T, bool kNative>
HWY_INLINE void PackFourRows(const PackSource<T>& source, const std::byte* const* rows, int count,
                             int64_t length, int64_t k_stride, T* panel, int width) {
  constexpr int64_t kChunk = 64;
  const bool in_place = kNative && k_stride == 1;
  alignas(64) T converted[4][kChunk];
  const int64_t chunk = in_place ? length : kChunk;
  for (int64_t k = 0; k < length; k += chunk) {
    const int64_t part = std::min(chunk, length - k);
    const T* turned[4];
    for (int j = 0; j < count; ++j) {
      const std::byte* from = rows[j] + k * k_stride * source.bytes;
      turned[j] = converted[j];
      if (in_place) {
        turned[j] = reinterpret_cast<const T*>(from);
      } else if constexpr (kNative) {
        ConvertRun<T, T>(from, k_stride, part, converted[j]);
      } else {
        source.convert(from, k_stride, part, converted[j]);
      }
    }
    T* to = panel + k * width;
    int64_t l = 0;
    if constexpr (kHasTranspose<T>) {
      if (count == 4) {
        l = TransposeFourRows<T>(turned, part, to, width);
      } else if (count == 2) {  // the last of a panel of six
        l = TransposeTwoRows<T>(turned[0], turned[1], part, to, width);
      }
    }
    for (; l < part; ++l) {
      for (int j = 0; j < count; ++j) to[l * width + j] = turned[j][l];
    }
  }
}

template <typename T, bool kNative>
HWY_NOINLINE void PackRows(const PackSource<T>& source, const void* const* rows, int count,
                           int width, int64_t length, int64_t k_stride, void* to) {
  T* panel = static_cast<T*>(to);
  const auto* in = reinterpret_cast<const std::byte* const*>(rows);
  for (int i = 0; i < count;) {
    const std::byte* first = in[i];
    auto neighbour = [&](int row) {
      return first == nullptr ? nullptr : first + (row - i) * source.bytes;
    };
    int end = i + 1;
    while (end < count && in[end] == neighbour(end)) ++end;
    if (end - i > 1 || first == nullptr || length == 1) {
      PackNeighbours<T, kNative>(source, first, k_stride, end - i, length, panel + i, width);
    } else {
      while (end < count && end < i + 4 && in[end] != nullptr) ++end;
      PackFourRows<T, kNative>(source, in + i, end - i, length, k_stride, panel + i, width);
    }
    i = end;
  }
  if (count < width) {
    PackNeighbours<T, kNative>(source, nullptr, 0, width - count, length, panel + count, width);
  }
}

template <typename T, typename In>
void PackPanel(const void* const* rows, int count, int width, int64_t length, int64_t k_stride,
               void* to) {
  if constexpr (std::is_same_v<In, T>) {
    PackRows<T, true>({}, rows, count, width, length, k_stride, to);
  } else {
    PackRows<T, false>({sizeof(In), ConvertRun<T, In>}, rows, count, width, length, k_stride, to);
  }
}

// Panels of complex kinds: all real parts of a step, then all imaginary parts.
template <typename T, typename In>
void PackPlanes(const void* const* rows, int count, int width, int64_t length, int64_t k_stride,
                void* to) {
  for (int i = 0; i < width; ++i) {
    const In* from = i < count ? static_cast<const In*>(rows[i]) : nullptr;
    T* panel = static_cast<T*>(to) + i;
    for (int64_t k = 0; k < length; ++k, panel += 2 * width) {
      std::complex<T> element = 0;
      if (from != nullptr) element = ConvertElement<std::complex<T>>(from[k * k_stride]);
      panel[0] = element.real();
      panel[width] = element.imag();
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
// Panels of GemmKind::kI8: 16-bit elements, steps 2k and 2k + 1 side by side.
template <typename In>
void PackPairs(const void* const* rows, int count, int width, int64_t length, int64_t k_stride,
               void* to) {
  const In* const* in = reinterpret_cast<const In* const*>(rows);
  const int64_t pairs = (length + 1) / 2;
  int32_t* panel = static_cast<int32_t*>(to);
  bool contiguous = true;
  for (int i = 1; i < count; ++i) contiguous &= in[i] == in[0] + i;
  if (contiguous) {
    for (int64_t k = 0; k < pairs; ++k) {
      const In* even = in[0] + 2 * k * k_stride;
      const bool last = 2 * k + 1 == length;
      const In* odd = last ? even : even + k_stride;
      int32_t* out = panel + k * width;
      for (int i = 0; i < count; ++i) {
        const int32_t high = last ? 0 : ConvertElement<int16_t>(odd[i]);
        out[i] = static_cast<int32_t>(static_cast<uint32_t>(high) << 16 |
                                      static_cast<uint16_t>(ConvertElement<int16_t>(even[i])));
      }
    }
  } else {
    constexpr int64_t kChunk = 128;
    alignas(64) int16_t wide[4][kChunk];
    for (int i = 0; i < count; i += 4) {
      const int group = std::min(4, count - i);
      for (int64_t k = 0; k < length; k += kChunk) {
        const int64_t part = std::min(kChunk, length - k), part_pairs = (part + 1) / 2;
        for (int j = 0; j < group; ++j) {
          const In* from = in[i + j] + k * k_stride;
          wide[j][2 * part_pairs - 1] = 0;
          if (k_stride == 1) {
            for (int64_t l = 0; l < part; ++l) wide[j][l] = ConvertElement<int16_t>(from[l]);
          } else {
            for (int64_t l = 0; l < part; ++l) {
              wide[j][l] = ConvertElement<int16_t>(from[l * k_stride]);
            }
          }
        }
        int32_t* out = panel + k / 2 * width + i;
        const int32_t* turned[4];
        for (int j = 0; j < 4; ++j) turned[j] = reinterpret_cast<const int32_t*>(wide[j]);
        int64_t l = 0;
        if (group == 4) l = TransposeFourRows<int32_t>(turned, part_pairs, out, width);
        for (; l < part_pairs; ++l) {
          for (int j = 0; j < group; ++j) std::memcpy(&out[l * width + j], &wide[j][2 * l], 4);
        }
      }
    }
  }
  for (int64_t k = 0; k < pairs; ++k) {
    for (int i = count; i < width; ++i) panel[k * width + i] = 0;
  }
}
#endif
