// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/fft_pass.h"

#include <utility>

namespace plinth::cpu::library {

template <typename T>
void FftPass<T>::Read(const T* from, int64_t line, int64_t count,
                      const FftPlanes<T>& planes) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  if (kind == FftPassKind::kRealOdd) {
    for (int64_t q = 0; q < s; ++q) {
      const T* row = from + (line + std::min(q, count - 1)) * length;
      for (int64_t i = 0; i < length; ++i) {
        planes.re[i * s + q] = row[i];
        planes.im[i * s + q] = 0;
      }
    }
    return;
  }
  const T* base = from + 2 * Base(in, line);
  if (s == 1 && in.step == 1) return kernels.split(in_extent, base, planes.re, planes.im);
  if (s == kernels.lanes && line % columns + count <= columns) {
    if (count == s && in.column_step == 1) {
      return kernels.split_lanes(in_extent, in.step, base, planes.re, planes.im);
    }
    if (in.step == 1) {
      return kernels.split_lines(in_extent, 2 * in.column_step, count, base, planes.re, planes.im);
    }
  }
  // Lanes without a line of their own repeat the last one.
  const T* rows[kMaxFftLanes];
  for (int64_t q = 0; q < s; ++q) rows[q] = from + 2 * Base(in, line + std::min(q, count - 1));
  for (int64_t i = 0; i < in_extent; ++i) {
    for (int64_t q = 0; q < s; ++q) {
      planes.re[i * s + q] = rows[q][2 * i * in.step];
      planes.im[i * s + q] = rows[q][2 * i * in.step + 1];
    }
  }
}

template <typename T>
void FftPass<T>::Write(const FftPlanes<T>& planes, int64_t line, int64_t count, T* to) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  if (kind == FftPassKind::kToRealOdd) {
    for (int64_t q = 0; q < count; ++q) {
      T* row = to + (line + q) * length;
      for (int64_t i = 0; i < length; ++i) row[i] = scale * planes.re[i * s + q];
    }
    return;
  }
  T* base = to + 2 * Base(out, line);
  if (s == 1 && out.step == 1) return kernels.join(out_extent, scale, planes.re, planes.im, base);
  if (s == kernels.lanes && line % columns + count <= columns) {
    if (count == s && out.column_step == 1) {
      return kernels.join_lanes(out_extent, out.step, scale, planes.re, planes.im, base);
    }
    if (out.step == 1) {
      return kernels.join_lines(out_extent, 2 * out.column_step, count, scale, planes.re, planes.im,
                                base);
    }
  }
  T* rows[kMaxFftLanes];
  for (int64_t q = 0; q < count; ++q) rows[q] = to + 2 * Base(out, line + q);
  for (int64_t i = 0; i < out_extent; ++i) {
    for (int64_t q = 0; q < count; ++q) {
      rows[q][2 * i * out.step] = scale * planes.re[i * s + q];
      rows[q][2 * i * out.step + 1] = scale * planes.im[i * s + q];
    }
  }
}

template <typename T>
void FftPass<T>::Turn(int64_t line, const FftPlanes<T>& planes) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  const T* const group = turns.get() + line % columns * 2 * length / s;
  kernels.multiply(length, s, group, group + length, planes.re, planes.im);
  const int64_t size = length * s;
  kernels.multiply(size, 1, fine_turns.get(), fine_turns.get() + size, planes.re, planes.im);
}

template <typename T>
void FftPass<T>::Transform(int64_t line, FftPlanes<T>& planes) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  auto exchange = [&planes] {
    std::swap(planes.re, planes.other_re);
    std::swap(planes.im, planes.other_im);
  };
  auto conjugate = [&planes] {
    std::swap(planes.re, planes.im);
    std::swap(planes.other_re, planes.other_im);
  };
  if (kind == FftPassKind::kToRealPairs) {
    kernels.real_before(in_extent - 1, s, table.get(), planes);
    exchange();
  } else if (kind == FftPassKind::kToRealOdd) {
    for (int64_t q = 0; q < s; ++q) planes.im[q] = 0;
    for (int64_t k = in_extent; k < length; ++k) {
      for (int64_t q = 0; q < s; ++q) {
        planes.re[k * s + q] = planes.re[(length - k) * s + q];
        planes.im[k * s + q] = -planes.im[(length - k) * s + q];
      }
    }
  }
  const bool forward = kind == FftPassKind::kForward || kind == FftPassKind::kRealPairs ||
                       kind == FftPassKind::kRealOdd;
  if (!forward) conjugate();
  line_fft->Run(planes);
  if (turns != nullptr) Turn(line, planes);
  if (!forward) conjugate();
  if (kind == FftPassKind::kRealPairs) {
    kernels.real_after(in_extent, s, table.get(), planes);
    exchange();
  }
}

// Where a group fills vectors with columns, it is read by the first stage and written by the last.
template <typename T>
void FftPass<T>::RunGroup(int64_t line, int64_t count, const T* from, T* to,
                          FftPlanes<T>& planes) const {
  const int lanes = FftKernelsFor<T>().lanes;
  const bool is_complex = kind == FftPassKind::kForward || kind == FftPassKind::kInverse;
  if (!is_complex || s != lanes || count != s || line % columns + s > columns ||
      in.column_step != 1 || !line_fft->ReadsRows()) {
    Read(from, line, count, planes);
    Transform(line, planes);
    return Write(planes, line, count, to);
  }
  const bool inverse = kind == FftPassKind::kInverse;
  const FftRows<T> read{in.step, inverse, from + 2 * Base(in, line)};
  const FftRows<T> written{out.step, inverse, nullptr, to + 2 * Base(out, line), scale};
  if (turns == nullptr && out.column_step == 1 && line_fft->WritesRows()) {
    return line_fft->Run(planes, &read, &written);
  }
  line_fft->Run(planes, &read);
  if (turns != nullptr) Turn(line, planes);
  if (inverse) std::swap(planes.re, planes.im);
  Write(planes, line, count, to);
}

template <typename T>
Status FftPass<T>::Run(const void* from, void* to, const backend::RunContext& context) const {
  const int64_t size = PlaneStride();
  constexpr int64_t kGrainElements = 8 << 10;
  const Status status = blocks.ForEach(
      context, kGrainElements / (length * s) + 1,
      [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
        T* const at = reinterpret_cast<T*>(block);
        for (int64_t group = first; group < end; group += stride) {
          FftPlanes<T> four{at, at + size, at + 2 * size, at + 3 * size};
          const int64_t line = group * s, count = std::min(s, lines - line);
          RunGroup(line, count, static_cast<const T*>(from), static_cast<T*>(to), four);
        }
      });
  return status.ok() ? status : status.WithContext(StrCat("a transform of length ", length));
}

template struct FftPass<float>;
template struct FftPass<double>;

}  // namespace plinth::cpu::library
