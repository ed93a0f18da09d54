// Packing into panels, compiled once per instruction set; no include guard on purpose, see
// Highway's foreach_target.h. Included inside namespace plinth::cpu::HWY_NAMESPACE.

// Writes element (i, k) of a panel: kPlanes is 2 for complex kinds.
template <typename T, int kPlanes, typename In>
HWY_INLINE void PutElement(In value, T* panel, int width, int64_t k, int i) {
  if constexpr (kPlanes == 2) {
    const auto element = ConvertElement<std::complex<T>>(value);
    panel[k * 2 * width + i] = element.real();
    panel[k * 2 * width + width + i] = element.imag();
  } else {
    panel[k * width + i] = ConvertElement<T>(value);
  }
}

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

template <typename T, int kPlanes, typename In>
void PackPanel(const void* const* rows, int count, int width, int64_t length, int64_t k_stride,
               void* to) {
  T* panel = static_cast<T*>(to);
  const In* const* in = reinterpret_cast<const In* const*>(rows);
  int i = 0;
  while (i < count) {
    const In* first = in[i];
    int end = i + 1;
    if (first == nullptr) {
      while (end < count && in[end] == nullptr) ++end;
      for (int64_t k = 0; k < length; ++k) {
        for (int j = i; j < end; ++j) PutElement<T, kPlanes>(T(), panel, width, k, j);
      }
      i = end;
      continue;
    }
    while (end < count && in[end] == first + (end - i)) ++end;
    if (end - i > 1) {
      for (int64_t k = 0; k < length; ++k) {
        const In* from = first + k * k_stride;
        for (int j = i; j < end; ++j) PutElement<T, kPlanes>(from[j - i], panel, width, k, j);
      }
      i = end;
      continue;
    }
    if constexpr (kPlanes == 1 && kHasTranspose<T> && !std::is_same_v<In, T>) {
      // Widened in a loop of its own, which vectorizes, then turned.
      if (k_stride == 1 && i + 4 <= count && in[i + 1] != nullptr && in[i + 2] != nullptr &&
          in[i + 3] != nullptr && length >= 8) {
        constexpr int64_t kChunk = 64;
        alignas(64) T wide[4][kChunk];
        for (int64_t k = 0; k < length; k += kChunk) {
          const int64_t part = std::min(kChunk, length - k);
          for (int j = 0; j < 4; ++j) {
            const In* from = in[i + j] + k;
            for (int64_t l = 0; l < part; ++l) wide[j][l] = ConvertElement<T>(from[l]);
          }
          T* turned = panel + k * width + i;
          int64_t l = TransposeFourRows<T>(wide[0], wide[1], wide[2], wide[3], part, turned, width);
          for (; l < part; ++l) {
            for (int j = 0; j < 4; ++j) turned[l * width + j] = wide[j][l];
          }
        }
        i += 4;
        continue;
      }
    }
    if constexpr (kPlanes == 1 && kHasTranspose<In> && std::is_same_v<In, T>) {
      if (k_stride == 1 && i + 4 <= count && in[i + 1] != nullptr && in[i + 2] != nullptr &&
          in[i + 3] != nullptr) {
        int64_t k =
            TransposeFourRows<T>(first, in[i + 1], in[i + 2], in[i + 3], length, panel + i, width);
        for (; k < length; ++k) {
          for (int j = 0; j < 4; ++j) panel[k * width + i + j] = in[i + j][k];
        }
        i += 4;
        continue;
      }
    }
    for (int64_t k = 0; k < length; ++k) {
      PutElement<T, kPlanes>(first[k * k_stride], panel, width, k, i);
    }
    ++i;
  }
  if (count < width) {
    for (int64_t k = 0; k < length; ++k) {
      for (int j = count; j < width; ++j) PutElement<T, kPlanes>(T(), panel, width, k, j);
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
