// Packing into panels, compiled once per instruction set; no include guard on purpose, see
// Highway's foreach_target.h. Included inside namespace plinth::cpu::HWY_NAMESPACE.

#if HWY_TARGET == HWY_SCALAR
template <typename T>
inline constexpr bool kHasTranspose = false;
#else
template <typename T>
inline constexpr bool kHasTranspose = std::is_same_v<T, float> || std::is_same_v<T, int32_t>;

// Four rows that are contiguous in k, transposed in registers; returns how many k were done.
template <typename T>
HWY_INLINE int64_t TransposeFourRows(const T* r0, const T* r1, const T* r2, const T* r3,
                                     int64_t length, T* panel, int width) {
  const hn::Full128<T> d;
  const hn::Repartition<std::conditional_t<std::is_same_v<T, float>, double, int64_t>, decltype(d)>
      wide;
  int64_t k = 0;
  for (; k + 4 <= length; k += 4) {
    const auto v0 = hn::LoadU(d, r0 + k), v1 = hn::LoadU(d, r1 + k);
    const auto v2 = hn::LoadU(d, r2 + k), v3 = hn::LoadU(d, r3 + k);
    const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, v0, v1));
    const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, v2, v3));
    const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, v0, v1));
    const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, v2, v3));
    T* to = panel + k * width;
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, to);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, to + width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, to + 2 * width);
    hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, to + 3 * width);
  }
  return k;
}
#endif

template <typename T, typename In>
HWY_NOINLINE void ConvertRun(const In* from, int64_t stride, int64_t count, T* to) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = ConvertElement<T>(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = ConvertElement<T>(from[i * stride]);
  }
}

// `length` steps of `count` neighbours: from + k * k_stride to panel + k * width. Zeros if null.
template <typename T, typename In>
HWY_INLINE void PackNeighbours(const In* from, int64_t k_stride, int count, int64_t length,
                               T* panel, int width) {
  const hn::ScalableTag<T> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const hn::CappedTag<T, 16 / sizeof(T)> few;
  const int few_lanes = static_cast<int>(hn::Lanes(few));
  for (int64_t k = 0; k < length; ++k, panel += width) {
    if (from == nullptr) {
      std::fill_n(panel, count, T());
      continue;
    }
    if constexpr (std::is_same_v<In, T>) {
      int i = 0;
      for (; i + lanes <= count; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, panel + i);
      for (; i + few_lanes <= count; i += few_lanes) {
        hn::StoreU(hn::LoadU(few, from + i), few, panel + i);
      }
      for (; i < count; ++i) panel[i] = from[i];
    } else {
      ConvertRun(from, 1, count, panel);
    }
    from += k_stride;
  }
}

// Up to four rows that are not neighbours; other types are converted to short rows first.
template <typename T, typename In>
HWY_INLINE void PackFourRows(const In* const* rows, int count, int64_t length, int64_t k_stride,
                             T* panel, int width) {
  constexpr int64_t kChunk = 64;
  const bool in_place = std::is_same_v<In, T> && k_stride == 1;
  alignas(64) T converted[4][kChunk];
  const int64_t chunk = in_place ? length : kChunk;
  for (int64_t k = 0; k < length; k += chunk) {
    const int64_t part = std::min(chunk, length - k);
    const T* turned[4];
    for (int j = 0; j < count; ++j) {
      if constexpr (std::is_same_v<In, T>) turned[j] = rows[j] + k;
      if (!in_place) {
        ConvertRun(rows[j] + k * k_stride, k_stride, part, converted[j]);
        turned[j] = converted[j];
      }
    }
    T* to = panel + k * width;
    int64_t l = 0;
    if constexpr (kHasTranspose<T>) {
      if (count == 4) {
        l = TransposeFourRows<T>(turned[0], turned[1], turned[2], turned[3], part, to, width);
      }
    }
    for (; l < part; ++l) {
      for (int j = 0; j < count; ++j) to[l * width + j] = turned[j][l];
    }
  }
}

template <typename T, typename In>
void PackPanel(const void* const* rows, int count, int width, int64_t length, int64_t k_stride,
               void* to) {
  T* panel = static_cast<T*>(to);
  const In* const* in = reinterpret_cast<const In* const*>(rows);
  for (int i = 0; i < count;) {
    const In* first = in[i];
    int end = i + 1;
    while (end < count && in[end] == (first == nullptr ? nullptr : first + (end - i))) ++end;
    if (end - i > 1 || first == nullptr || length == 1) {
      PackNeighbours(first, k_stride, end - i, length, panel + i, width);
    } else {
      while (end < count && end < i + 4 && in[end] != nullptr) ++end;
      PackFourRows(in + i, end - i, length, k_stride, panel + i, width);
    }
    i = end;
  }
  if (count < width) {
    PackNeighbours<T, T>(nullptr, 0, width - count, length, panel + count, width);
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
        auto row = [&](int j) { return reinterpret_cast<const int32_t*>(wide[j]); };
        int64_t l = 0;
        if (group == 4) {
          l = TransposeFourRows<int32_t>(row(0), row(1), row(2), row(3), part_pairs, out, width);
        }
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
