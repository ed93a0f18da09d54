// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_GEMM_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_GEMM_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/cpu/library/blas.h"
#include "reference_plugin/cpu/library/operand_map.h"
#include "reference_plugin/cpu/library/work_blocks.h"

// c[i][j] = sum over k of a[i][k] * b[k][j], for any element types and positions.
namespace plinth::cpu::library {

// The way a product is computed.
enum class GemmMethod : uint8_t {
  kNothing,   // the result has no elements
  kZero,      // nothing to sum
  kNarrow,    // many small products with one vector of columns: operands in place
  kAxpy,      // few rows, right operand read along its rows
  kDots,      // few rows, right operand read along its columns
  kDirect,    // small: operands in place
  kLanes,     // one column, vectors along the batch
  kIndirect,  // windows of an array whose summed elements are neighbours: left operand in place
  kTerms,     // long sums through windows, rows and columns neighbours in memory: nothing packed
  kPacked,    // our blocked product
  kBlas,      // OpenBLAS on blocks
};

// Immutable once made. The order in which an element's terms are summed depends on shapes and
// types only, so results are the same bits for any number of threads.
class Gemm {
 public:
  // UNIMPLEMENTED names a type that has no product.
  static Expected<Gemm> Make(compiler::Product problem, const BlasOptions& blas);

  // CANCELLED if `context.stop` was set on the way, RESOURCE_EXHAUSTED without memory to pack.
  Status Run(const void* a, const void* b, void* c, const backend::RunContext& context) const;

  GemmMethod method() const { return method_; }

  // What Run needs in RunContext::scratch.
  int64_t scratch_bytes() const { return packed_kernel_.scratch_end(); }

 private:
  // Writes one finished tile: element (i, j) at tile + i * tile_row + j scalars.
  using StoreTile = void (*)(const void* tile, int tile_row, int rows, int columns, void* c,
                             const int64_t* row_positions, const int64_t* column_positions);
  struct Task;
  struct Positions {
    int64_t a, b, c;
  };
  template <typename Scalar>
  void SetStore();
  void Choose(const BlasOptions& blas);
  bool TryNarrow();
  bool TryStream();
  bool TryLanes();
  // Elements from one copied row to the next: no power of two, whose rows would share cache sets.
  int64_t PackedRow() const { return (k_ + 15) / 16 * 16 + 16; }
  bool CanRunIndirect() const;
  int64_t TermRows() const;
  Positions BatchPositions(int64_t batch) const;
  backend::ThreadPool* PoolFor(const backend::RunContext& context) const;
  void CutSum();
  void RunNarrow(const std::byte* a, const std::byte* b, std::byte* c,
                 const backend::RunContext& context) const;
  Status RunAxpy(const std::byte* a, const std::byte* b, std::byte* c,
                 const backend::RunContext& context) const;
  Status RunAxpyParts(const std::byte* a, const std::byte* b, std::byte* c,
                      const backend::RunContext& context) const;
  Status RunDots(const std::byte* a, const std::byte* b, std::byte* c,
                 const backend::RunContext& context) const;
  void RunDirect(const std::byte* a, const std::byte* b, std::byte* c,
                 const backend::RunContext& context) const;
  void RunBlas(const std::byte* a, const std::byte* b, std::byte* c,
               const backend::RunContext& context) const;
  Status RunLanes(const std::byte* a, const std::byte* b, std::byte* c,
                  const backend::RunContext& context) const;
  Status RunIndirect(const std::byte* a, const std::byte* b, std::byte* c,
                     const backend::RunContext& context) const;
  Status RunTerms(const std::byte* a, const std::byte* b, std::byte* c,
                  const backend::RunContext& context) const;
  Status RunPacked(const std::byte* a, const std::byte* b, std::byte* c,
                   const backend::RunContext& context) const;
  void ShareOperand();
  void PackShared(const std::byte* data, std::byte* packed,
                  const backend::RunContext& context) const;
  bool RunBlock(Task& task) const;

  compiler::Product problem_;
  GemmKind kind_ = GemmKind::kF32;
  GemmMethod method_ = GemmMethod::kPacked;
  int64_t m_ = 0, n_ = 0, k_ = 0, batches_ = 1;
  int64_t element_bytes_ = 0;  // of a native element, and of a sum
  bool turned_ = false;        // computed as c^T = b^T a^T: the operands are exchanged
  bool in_place_ = false;      // tiles and lanes write the result themselves
  StoreTile store_ = nullptr;
  GemmKernels::Pack pack_a_ = nullptr, pack_b_ = nullptr;
  GemmKernels::LaneSums lanes_ = nullptr;
  GemmKernels::LaneRowSums lane_rows_ = nullptr;
  const Blas* blas_ = nullptr;
  // kIndirect: the right operand. kPacked: the operand that all tasks share. kDots: the few rows,
  // if they lie across memory. kAxpy: the sums of all parts.
  SharedBlock packed_kernel_;
  static constexpr int64_t kMostSumParts = 16;
  int64_t sum_parts_ = 1;    // kAxpy: of one row, each of consecutive steps
  bool packs_rows_ = false;  // kDots
  enum class Shared : uint8_t { kNothing, kLeft, kRight };
  Shared shared_ = Shared::kNothing;  // kPacked
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_GEMM_H_
