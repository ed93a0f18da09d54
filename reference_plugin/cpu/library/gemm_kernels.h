// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_GEMM_KERNELS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_GEMM_KERNELS_H_

#include <cstdint>

#include "plinth/support/dtype.h"

// The inner loops of the matrix product for one instruction set: register tiles, packing, and the
// streaming loops for a few rows.
namespace plinth::cpu::library {

// The arithmetic of a product. Narrow types are widened when packed; the integer kinds wrap, so
// they serve every integer of their width or less, signed or not.
// kI8 gives kI32's results for 8-bit operands.
enum class GemmKind : uint8_t { kF32, kF64, kI32, kI64, kC64, kC128, kI8 };
inline constexpr int kNumGemmKinds = 7;

// Rows of a tile never exceed this, columns never kMaxTileColumns.
inline constexpr int kMaxTileRows = 16;
inline constexpr int kMaxTileColumns = 32;

// Packed panels: for each k, the panel's `width` elements; complex ones as all real parts, then
// all imaginary parts. "Scalars" are floats of a complex<float>, else elements.
struct GemmKernels {
  int mr = 0, nr = 0;    // panel widths of the left and the right operand
  int scalar_bytes = 0;  // of one scalar
  int scalars = 1;       // per element: 2 for complex
  // kI8 packs 16-bit elements, two steps of k side by side: panels hold an even number of steps.
  int packed_bytes = 0;  // of one packed element
  int step_unit = 1;
  DType native = DType::kInvalid;  // the memory type that needs no conversion

  // c_rows[i][0..columns) = (or += if `accumulate`) sum over k of a[k][i] * b[k][0..columns).
  // Complex rows are `nr` real parts, then `nr` imaginary parts, whatever `columns`.
  void (*tile)(int rows, int columns, int64_t k, const void* a, const void* b, void* const* c_rows,
               bool accumulate) = nullptr;

  // Writes `length` k-steps of one panel. Element (i, k) is at rows[i] + k * k_stride elements, a
  // null row reads as zero; panel columns [count, width) become zero. Null where the type cannot
  // be an operand of this kind.
  using Pack = void (*)(const void* const* rows, int count, int width, int64_t length,
                        int64_t k_stride, void* panel);
  Pack pack[kNumDTypes] = {};

  // One tile from operands in place (native types, floats only): a element (i, k) at
  // a + i * a_row + k * a_k, b element (k, j) at b + k * b_k + j, result row i at c + i * c_row.
  // Overwrites. `rows` <= mr, `columns` <= nr. Null where not offered.
  void (*direct)(int rows, int columns, int64_t k, const void* a, int64_t a_row, int64_t a_k,
                 const void* b, int64_t b_k, void* c, int64_t c_row) = nullptr;

  // As `tile`, with the left operand in place: element (i, r * run_length + l) is at
  // pointers[r * mr + i][l] for all mr rows, of which `rows` are written. f32 only, else null.
  void (*indirect)(int rows, int columns, int64_t runs, int64_t run_length,
                   const void* const* pointers, const void* b, void* const* c_rows,
                   bool accumulate) = nullptr;

  // c_rows[i][j] = (or += if `accumulate`) sum over t < terms of a[a_positions[t] + i] *
  // b[b_positions[t] + j], for i < rows, at most mr, and j < columns, at most nr. f32 only, else
  // null.
  void (*terms)(int rows, int columns, int64_t terms, const void* a, const int64_t* a_positions,
                const void* b, const int64_t* b_positions, void* const* c_rows,
                bool accumulate) = nullptr;

  // sums[j] = (or += if `accumulate`) sum over t < terms of a[a_positions[t] + j] *
  // b[b_positions[t] + j], for j < count; the sums are scalars of this kind. Null where not
  // offered for the type of the operands.
  using LaneSums = void (*)(int64_t count, int64_t terms, const void* a, const int64_t* a_positions,
                            const void* b, const int64_t* b_positions, void* sums, bool accumulate);
  LaneSums lanes[kNumDTypes] = {};
  // The same of kLaneRows rows that share b, each with a and sums of its own. Null where not
  // offered.
  using LaneRowSums = void (*)(int64_t count, int64_t terms, const void* const* a,
                               const int64_t* a_positions, const void* b,
                               const int64_t* b_positions, void* const* sums);
  static constexpr int kLaneRows = 4;
  LaneRowSums lane_rows[kNumDTypes] = {};

  // Products with the vectors along rows of an array; `data` is read to the end of the last
  // vector. f32 only, else null.
  // results[i][j] = sum over k < terms of weights[i * terms + k] * data[offsets[k] + j].
  void (*weighted_rows)(int rows, int64_t columns, int64_t terms, const float* weights,
                        const int64_t* offsets, const float* data, float* const* results) = nullptr;
  // Adds left[i * left_stride + y * left_row + x] * right[y * right_row + offsets[t] + x] over all
  // y and x, lane by lane: sums holds a vector (`nr` / 2 lanes) per i < lefts and t < taps.
  void (*row_products)(int lefts, int64_t taps, int64_t rows, int64_t columns, const float* left,
                       int64_t left_stride, int64_t left_row, const float* right, int64_t right_row,
                       const int64_t* offsets, float* sums) = nullptr;

  // Many small products in place: `count` of them, whose operands and results lie so many elements
  // apart, with elements as in `direct`. `columns` <= nr / 2, which is one vector, and at most
  // kMostNarrowSteps steps. Floats only, else null.
  struct Apart {
    int64_t a = 0, b = 0, c = 0;
  };
  static constexpr int64_t kMostNarrowSteps = 64;
  void (*narrow)(int64_t count, const Apart& apart, int rows, int64_t columns, int64_t k,
                 const void* a, int64_t a_row, int64_t a_k, const void* b, int64_t b_k, void* c,
                 int64_t c_row) = nullptr;

  // Any number of columns for a few rows, reading b once and in the order it lies in memory.
  // axpy: b rows contiguous, as in `direct`. dots: b element (k, j) at b + j * b_column + k, and
  // a element (i, k) at a + i * a_row + k. Overwrite. Floats only.
  void (*axpy)(int rows, int64_t columns, int64_t k, const void* a, int64_t a_row, int64_t a_k,
               const void* b, int64_t b_k, void* c, int64_t c_row) = nullptr;
  void (*dots)(int rows, int64_t columns, int64_t k, const void* a, int64_t a_row, const void* b,
               int64_t b_column, void* c, int64_t c_row, int64_t c_column) = nullptr;
};

// The kernels of the best instruction set of this processor.
const GemmKernels& KernelsFor(GemmKind kind);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_GEMM_KERNELS_H_
