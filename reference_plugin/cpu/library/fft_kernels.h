// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_FFT_KERNELS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_FFT_KERNELS_H_

#include <cstdint>

// The inner loops of Fourier transforms for one instruction set. Everything is computed on planes:
// real parts in one array, imaginary parts in another. `s` transforms stand side by side: element
// i of transform q is at [i * s + q].
namespace plinth::cpu::library {

inline constexpr int kMaxFftPrime = 61;  // of a stage; larger prime factors go another way
inline constexpr int kMaxFftLanes = 64 / sizeof(float);

// One pass over the data: `rest` groups of transforms of length `radix`, then twiddles.
template <typename T>
struct FftStage {
  int radix = 0;
  int64_t rest = 0;             // length / radix of the transforms that enter the stage
  const T* twiddles = nullptr;  // [rest][radix - 1][2]: exp(-2 pi i p j / length), j from 1 on
  const T* roots = nullptr;     // [radix][2]: cos and sin of 2 pi j / radix
};

// Where data lies before and after a pass. A pass exchanges the two pairs.
template <typename T>
struct FftPlanes {
  T* re;
  T* im;
  T* other_re;
  T* other_im;
};

// Rows of an array that hold transforms side by side as complex numbers, element i in row i.
template <typename T>
struct FftRows {
  int64_t step = 0;  // complex numbers from row to row
  bool inverse = false;
  const T* from = nullptr;
  T* to = nullptr;
  T scale = 1;  // multiplies what is written
};

template <typename T>
struct FftKernels {
  int lanes = 1;

  // From re/im to other_re/other_im; decimation in frequency, sorted as it goes (Stockham).
  void (*stage)(const FftStage<T>& stage, int64_t s, const FftPlanes<T>& planes);

  // The first and the last of several stages, of radix 4 or 8, of `lanes` transforms: read from
  // rows, written to rows. Null where vectors are short.
  void (*first_stage)(const FftStage<T>& stage, const FftRows<T>& rows,
                      const FftPlanes<T>& planes) = nullptr;
  void (*last_stage)(int radix, int64_t length, const FftRows<T>& rows,
                     const FftPlanes<T>& planes) = nullptr;

  // The last step of one transform of length lanes * m: lane l of [m][lanes] holds the transform of
  // the elements l, l + lanes, ...; twiddles: [2][lanes - 1][m]. `lanes` is 4, 8 or 16 and at most
  // this->lanes; m >= lanes.
  void (*combine)(int lanes, int64_t m, const T* twiddles, const FftPlanes<T>& planes);

  // Interleaved complex numbers to planes and back; `scale` multiplies.
  void (*split)(int64_t count, const T* from, T* re, T* im);
  void (*join)(int64_t count, T scale, const T* re, const T* im, T* to);
  // `count` rows of this->lanes numbers, `row_stride` numbers apart in memory, dense in planes.
  void (*split_lanes)(int64_t count, int64_t row_stride, const T* from, T* re, T* im);
  void (*join_lanes)(int64_t count, int64_t row_stride, T scale, const T* re, const T* im, T* to);
  // Null where vectors have one lane, like `combine`:
  // `lines` of `count` complex numbers each, at most this->lanes, `line_stride` numbers apart in
  // memory, side by side in planes; where there are fewer, lanes repeat the last.
  void (*split_lines)(int64_t count, int64_t line_stride, int64_t lines, const T* from, T* re,
                      T* im);
  void (*join_lines)(int64_t count, int64_t line_stride, int64_t lines, T scale, const T* re,
                     const T* im, T* to);

  // In place, (re, im)[i] *= (table_re, table_im)[i], i < count, for each of s transforms.
  void (*multiply)(int64_t count, int64_t s, const T* table_re, const T* table_im, T* re, T* im);

  // The spectrum (half + 1 numbers) of 2 * half real numbers from the transform of the half as many
  // complex ones that they make in pairs, and back (times 2). table: cos, then sin of
  // 2 pi k / (2 half), k < half. From re/im to other_re/other_im.
  void (*real_after)(int64_t half, int64_t s, const T* table, const FftPlanes<T>& planes);
  void (*real_before)(int64_t half, int64_t s, const T* table, const FftPlanes<T>& planes);
};

// T is float or double; of the best instruction set of this processor.
template <typename T>
const FftKernels<T>& FftKernelsFor();

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_FFT_KERNELS_H_
