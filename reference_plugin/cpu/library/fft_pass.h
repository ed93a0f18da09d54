// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_FFT_PASS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_FFT_PASS_H_

#include <algorithm>
#include <cstdint>
#include <memory>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/cpu/library/line_fft.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {

enum class FftPassKind : uint8_t {
  kForward,
  kInverse,
  kRealPairs,  // real to complex, an even number of elements
  kRealOdd,
  kToRealPairs,  // complex to real
  kToRealOdd,
};

// Where the lines of a pass lie, in complex numbers (pairs where they are real and even). Lines are
// counted column by column.
struct FftPlaces {
  int64_t step = 1;  // between neighbours of a line
  int64_t column_step = 0;
  int64_t outer_step = 0;  // from the first column to the next first
};

// Transforms along one dimension of an array. Immutable once laid out, any thread.
template <typename T>
struct FftPass {
  FftPassKind kind = FftPassKind::kForward;
  int64_t length = 0;  // elements of the (complex or real) side that fft_length counts
  int64_t lines = 1;   // how many transforms
  int64_t columns = 1;
  FftPlaces in, out;
  int64_t in_extent = 0;  // complex numbers of a line; pairs where it is real and even
  int64_t out_extent = 0;
  T scale = 1;
  int64_t s = 1;  // transforms side by side
  std::unique_ptr<LineFft<T>> line_fft;
  std::unique_ptr<T[]> table;  // kRealPairs, kToRealPairs
  // Factors after the transforms, else null: [2][length] for each s columns, times [2][length][s]
  // for these. Small tables, which stay in the caches; one for all would be as large as the array.
  std::unique_ptr<T[]> turns, fine_turns;
  bool to_scratch = false;
  WorkBlocks blocks;  // planes: four for each group of transforms side by side

  // Once the rest is known; the scratch memory before `offset` is another one's.
  void LayOut(int64_t offset) {
    blocks = WorkBlocks(4 * PlaneStride() * static_cast<int64_t>(sizeof(T)), NumGroups(), offset);
  }
  Status Run(const void* from, void* to, const backend::RunContext& context) const;

 private:
  int64_t Base(const FftPlaces& places, int64_t line) const {
    return line / columns * places.outer_step + line % columns * places.column_step;
  }
  void RunGroup(int64_t line, int64_t count, const T* from, T* to, FftPlanes<T>& planes) const;
  void Transform(int64_t line, FftPlanes<T>& planes) const;
  void Turn(int64_t line, const FftPlanes<T>& planes) const;
  void Read(const T* from, int64_t line, int64_t count, const FftPlanes<T>& planes) const;
  void Write(const FftPlanes<T>& planes, int64_t line, int64_t count, T* to) const;
  int64_t PlaneSize() const {
    return std::max(line_fft->work_size(), (std::max(in_extent, out_extent) + 1) * s) + 16;
  }
  // Whole cache lines. Planes of pages and more lie at different places of their pages: a load that
  // seems to be from where a store in flight goes to, by its last twelve bits, waits for it.
  int64_t PlaneStride() const {
    constexpr int64_t kPage = 4096 / sizeof(T), kShift = (1024 + 64) / sizeof(T);
    const int64_t size = (PlaneSize() + 15) / 16 * 16;
    return size < kPage ? size : (size - kShift + kPage - 1) / kPage * kPage + kShift;
  }
  int64_t NumGroups() const { return (lines + s - 1) / s; }
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_FFT_PASS_H_
