// SPDX-License-Identifier: Apache-2.0
// Transposes by blocks that are turned in registers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference_plugin/cpu/math/transpose.cc"
// clang-format off: must come first
#include "reference_plugin/cpu/math/simd_targets.h"
// clang-format on

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "hwy/highway.h"
#include "reference_plugin/cpu/math/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace plinth::cpu::math {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A cache line of each of as many columns: a square block. Whole lines of the source are read at
// once, so that lines that fall into one cache set do not drive each other out.
template <size_t kBytes>
constexpr size_t kEdge = kTransposeBytes / kBytes;

template <size_t kBytes>
void TransposePart(const char* source, int64_t source_stride, char* result, int64_t result_stride,
                   size_t rows, size_t columns) {
  char lines[kEdge<kBytes>][kTransposeBytes];
  for (size_t c = 0; c < columns; ++c) {
    std::memcpy(lines[c], source + static_cast<int64_t>(c) * source_stride, rows * kBytes);
  }
  for (size_t r = 0; r < rows; ++r) {
    char* const row = result + static_cast<int64_t>(r) * result_stride;
    for (size_t c = 0; c < columns; ++c) {
      std::memcpy(row + c * kBytes, lines[c] + r * kBytes, kBytes);
    }
  }
}

// Columns that are so far apart lie on pages of their own, so a processor does not foresee the
// next ones. Xeon with 2 MB a core, one thread, `x.T + 0` of 64 MB: 13.3 ms, 8.7 where the next
// block is asked for, 16 where that after the next one is.
constexpr int64_t kFarBytes = 4096;

#if HWY_TARGET != HWY_SCALAR

// Asks for the block of the next columns, into the second cache: in the first one they would drive
// each other out.
template <size_t kBytes>
HWY_INLINE void PrefetchNext(const char* source, int64_t source_stride) {
  constexpr int kForReading = 0, kSecondCache = 2;
  const char* const next = source + static_cast<int64_t>(kEdge<kBytes>) * source_stride;
  for (size_t c = 0; c < kEdge<kBytes>; ++c) {
    __builtin_prefetch(next + static_cast<int64_t>(c) * source_stride, kForReading, kSecondCache);
  }
}

// The 16 bytes at `from`, at `from + step` and so on.
template <class D>
HWY_INLINE hn::Vec<D> LoadPieces(D d, const char* from, size_t step) {
  constexpr size_t kPieces = hn::MaxLanes(d) * sizeof(hn::TFromD<D>) / 16;
  if constexpr (kPieces == 1) {
    return hn::LoadU(d, reinterpret_cast<const hn::TFromD<D>*>(from));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, LoadPieces(half, from + kPieces / 2 * step, step),
                       LoadPieces(half, from, step));
  }
}

// Square blocks of 16 bytes, one in each 16 bytes of the vectors. To lay the upper half of the
// vectors between the lower one, again and again, turns them.
template <class D, size_t kCount>
HWY_INLINE void TurnSquares(D d, hn::Vec<D> (&v)[kCount]) {
  for (size_t round = 1; round < kCount; round *= 2) {
    hn::Vec<D> turned[kCount];
    for (size_t i = 0; i < kCount / 2; ++i) {
      turned[2 * i] = hn::InterleaveLower(d, v[i], v[i + kCount / 2]);
      turned[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kCount / 2]);
    }
    for (size_t i = 0; i < kCount; ++i) v[i] = turned[i];
  }
}

template <size_t kBytes>
HWY_INLINE void TransposeBlock(const char* source, int64_t source_stride, char* result,
                               int64_t result_stride) {
  using Lane =
      std::conditional_t<kBytes == 1, uint8_t,
                         std::conditional_t<kBytes == 2, uint16_t,
                                            std::conditional_t<kBytes == 4, uint32_t, uint64_t>>>;
  const hn::ScalableTag<Lane> d;
  constexpr size_t kColumns = hn::MaxLanes(d) * sizeof(Lane) / kBytes;  // of a vector
  constexpr size_t kSquare = 16 / kBytes;
  alignas(64) char lines[kEdge<kBytes>][kTransposeBytes];
  for (size_t c = 0; c < kEdge<kBytes>; ++c) {
    std::memcpy(lines[c], source + static_cast<int64_t>(c) * source_stride, kTransposeBytes);
  }
  for (size_t c = 0; c < kEdge<kBytes>; c += kColumns) {
    for (size_t piece = 0; piece < kTransposeBytes; piece += 16) {
      hn::Vec<decltype(d)> v[kSquare];
      for (size_t j = 0; j < kSquare; ++j) {
        v[j] = LoadPieces(d, lines[c + j] + piece, kSquare * kTransposeBytes);
      }
      TurnSquares(d, v);
      char* const to = result + c * kBytes;
      for (size_t j = 0; j < kSquare; ++j) {
        const auto row = static_cast<int64_t>(piece / kBytes + j);
        hn::StoreU(v[j], d, reinterpret_cast<Lane*>(to + row * result_stride));
      }
    }
  }
}

#endif

template <size_t kBytes>
void Transpose(const void* source, int64_t source_stride, void* result, int64_t result_stride,
               size_t rows, size_t columns) {
  [[maybe_unused]] const bool is_far = source_stride >= kFarBytes;
  for (size_t c = 0; c < columns; c += kEdge<kBytes>) {
    const char* const from =
        static_cast<const char*>(source) + static_cast<int64_t>(c) * source_stride;
    char* const to = static_cast<char*>(result) + c * kBytes;
    const size_t some_columns = std::min(kEdge<kBytes>, columns - c);
    for (size_t r = 0; r < rows; r += kEdge<kBytes>) {
      const size_t some_rows = std::min(kEdge<kBytes>, rows - r);
      char* const row = to + static_cast<int64_t>(r) * result_stride;
#if HWY_TARGET != HWY_SCALAR
      if (some_rows == kEdge<kBytes> && some_columns == kEdge<kBytes>) {
        if (is_far) PrefetchNext<kBytes>(from + r * kBytes, source_stride);
        TransposeBlock<kBytes>(from + r * kBytes, source_stride, row, result_stride);
        continue;
      }
#endif
      TransposePart<kBytes>(from + r * kBytes, source_stride, row, result_stride, some_rows,
                            some_columns);
    }
  }
}

TransposeFunction GetTranspose(size_t element_bytes) {
  constexpr TransposeFunction kFunctions[] = {&Transpose<1>, &Transpose<2>, &Transpose<4>,
                                              &Transpose<8>, &Transpose<16>};
  return kFunctions[std::countr_zero(element_bytes)];
}

}  // namespace HWY_NAMESPACE
}  // namespace plinth::cpu::math
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace plinth::cpu::math {
TransposeFunction FindTranspose(size_t element_bytes, SimdTarget target) {
  if (!std::has_single_bit(element_bytes) || element_bytes > 16) return nullptr;
  if (!IsSupported(target)) target = SimdTarget::kBaseline;
  return PLINTH_CALL_FOR_TARGET(target, GetTranspose, element_bytes);
}
}  // namespace plinth::cpu::math
#endif
