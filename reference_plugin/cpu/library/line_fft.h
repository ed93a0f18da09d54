// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LINE_FFT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LINE_FFT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/cpu/library/fft_kernels.h"

namespace plinth::cpu::library {

// Tables and run times beyond this are a wrong program's.
inline constexpr int64_t kMaxFftLength = int64_t{1} << 27;

// One-dimensional transforms of one length: sum of x[j] exp(-2 pi i j k / length). The inverse is
// the same with real and imaginary planes exchanged. Immutable, any thread.
template <typename T>
class LineFft {
 public:
  // `s` transforms at once: 1, or the kernels' number of lanes. RESOURCE_EXHAUSTED when the tables
  // do not fit into memory.
  static Expected<std::unique_ptr<LineFft>> Make(int64_t length, int64_t s);

  // Whether one transform of this length alone makes use of vectors, and of the whole of them.
  static bool IsGoodLine(int64_t length);
  static bool FillsVectors(int64_t length);

  // Elements per plane that Run needs: s * length, or more.
  int64_t work_size() const { return work_length_ * s_; }

  // Transforms re/im in place; the planes may exchange their roles. Where rows are given, which
  // takes `lanes` transforms and ReadsRows() or WritesRows(), the data comes from there or goes
  // there: planes.re and im are then what is neither read nor written.
  void Run(FftPlanes<T>& planes, const FftRows<T>* from = nullptr,
           const FftRows<T>* to = nullptr) const;
  bool ReadsRows() const { return stages_.size() > 1 && IsRowsRadix(stages_.front().radix); }
  bool WritesRows() const { return stages_.size() > 1 && IsRowsRadix(stages_.back().radix); }

 private:
  static bool IsRowsRadix(int radix) {
    return FftKernelsFor<T>().first_stage != nullptr && (radix == 4 || radix == 8);
  }
  LineFft(int64_t length, int64_t s) : length_(length), work_length_(length), s_(s) {}
  Status MakeStages(int64_t length);
  Status MakeBluestein();

  int64_t length_, work_length_, s_;
  int line_lanes_ = 1;  // > 1: one transform is split into so many, which `combine` joins
  std::vector<FftStage<T>> stages_;
  std::vector<std::unique_ptr<T[]>> tables_;
  const T* combine_ = nullptr;
  // Lengths with a large prime factor become a convolution (Bluestein).
  std::unique_ptr<LineFft> convolution_;
  const T* chirp_ = nullptr;     // [2][length]: exp(-i pi k^2 / length)
  const T* spectrum_ = nullptr;  // [2][work_length]
};

// table[k] = cos, table[count + k] = sin of 2 pi k * step / length, k < count; null when there is
// no memory. 0 <= count * step <= length, or any product less than 2^62.
template <typename T>
std::unique_ptr<T[]> MakeRootTable(int64_t length, int64_t count, int64_t step = 1);

// exp(-2 pi i r (j step + c) / length) for j < count, as [2][rows][columns] one after the other,
// real parts first; null as above.
template <typename T>
std::unique_ptr<T[]> MakeTurns(int64_t length, int64_t count, int64_t step, int64_t rows,
                               int64_t columns = 1);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LINE_FFT_H_
