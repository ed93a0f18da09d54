// SPDX-License-Identifier: Apache-2.0
// Long sums whose rows lie side by side in the left operand and whose columns do in the right one
// (the gradient of a convolution's kernel, features innermost): both are read in place, from lists
// of positions that groups of rows share. Terms outside of the array are left out.

#include <algorithm>

#include "reference_plugin/cpu/library/gemm.h"

namespace plinth::cpu::library {

// How many rows share a list; 0 where this method does not fit.
int64_t Gemm::TermRows() const {
  const OperandMap &a = problem_.a, &b = problem_.b;
  const GemmKernels& kernels = KernelsFor(kind_);
  if (kernels.terms == nullptr || !in_place_ || a.dtype != kernels.native ||
      b.dtype != kernels.native || !b.IsPlain() || a.inner.empty()) {
    return 0;
  }
  if (n_ > 1 && (b.outer.size() != 1 || b.outer[0].stride != 1)) return 0;
  for (const MapWindow& window : a.windows) {
    if (window.dilation != 1) return 0;
  }
  if (a.outer.empty() || a.outer.back().window >= 0 || a.outer.back().stride != 1) return 0;
  constexpr int64_t kMostGroups = 64, kFewestRows = 8;
  const int64_t rows = a.outer.back().size;
  if (rows < kFewestRows) return 0;
  const int64_t groups = m_ / rows;
  return groups <= kMostGroups && k_ >= 4 * groups ? rows : 0;
}

Status Gemm::RunTerms(const std::byte* a_data, const std::byte* b_data, std::byte* c_data,
                      const backend::RunContext& context) const {
  const GemmKernels& kernels = KernelsFor(kind_);
  const OperandMap &a_map = problem_.a, &b_map = problem_.b;
  backend::ThreadPool* pool = PoolFor(context);
  const int64_t mr = kernels.mr, nr = kernels.nr, group_rows = TermRows();
  // kTerms is chosen only where TermRows() is not 0.
  const int64_t groups = m_ / group_rows;  // NOLINT(clang-analyzer-core.DivideZero)
  // Lists are made again for every task: no more tasks than even out the threads.
  const int64_t threads = pool == nullptr ? 1 : pool->parallelism();
  const int64_t wanted = (4 * threads + batches_ * groups - 1) / (batches_ * groups);
  const int64_t panels = (group_rows + mr - 1) / mr;
  const int64_t task_rows = (panels + std::min(wanted, panels) - 1) / std::min(wanted, panels) * mr;
  const int64_t splits = (group_rows + task_rows - 1) / task_rows;
  backend::ParallelFor(pool, batches_ * groups * splits, 1, [&](int64_t begin, int64_t end) {
    constexpr int64_t kTerms = 256;
    int64_t a_positions[kTerms], b_positions[kTerms];
    for (int64_t task = begin; task < end; ++task) {
      if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
      const Positions at = BatchPositions(task / splits / groups);
      const int64_t group = task / splits % groups, first = task % splits * task_rows;
      const int64_t last = std::min(group_rows, first + task_rows);
      // Operand offsets are part of the terms.
      const float* a = reinterpret_cast<const float*>(a_data) + (at.a - a_map.offset);
      const float* b = reinterpret_cast<const float*>(b_data) + (at.b - b_map.offset);
      float* c = reinterpret_cast<float*>(c_data) + at.c;
      RowTerms terms(a_map, b_map, group * group_rows);
      terms.StartRow();
      for (int64_t done = 0; done < k_; done += kTerms) {
        const int64_t listed = terms.List(std::min(kTerms, k_ - done), a_positions, b_positions);
        for (int64_t i = first; i < last; i += mr) {
          const int rows = static_cast<int>(std::min(mr, last - i));
          int64_t row_positions[kMaxTileRows];
          FillPositions(problem_.c.rows, group * group_rows + i, rows, row_positions);
          for (int64_t j = 0; j < n_; j += nr) {
            void* tile_rows[kMaxTileRows];
            for (int r = 0; r < rows; ++r) tile_rows[r] = c + row_positions[r] + j;
            kernels.terms(rows, static_cast<int>(std::min(nr, n_ - j)), listed, a + i, a_positions,
                          b + j, b_positions, tile_rows, done > 0);
          }
        }
      }
    }
  });
  return Status();
}

}  // namespace plinth::cpu::library
