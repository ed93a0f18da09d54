// SPDX-License-Identifier: Apache-2.0
// Products whose left operand is read in place through windows (a convolution with the features
// innermost): one pointer per row and kernel element takes the place of a packed panel.

#include <algorithm>
#include <bit>

#include "plinth/support/integer_math.h"
#include "reference_plugin/cpu/library/gemm.h"

namespace plinth::cpu::library {
namespace {

constexpr int64_t kMaxRunLength = 256;
// Pointers of a panel, and steps of a block: its part of the right operand stays in the first-level
// cache.
constexpr int64_t kMaxRuns = 64;
constexpr int64_t kMaxIndirectSteps = 256;
// Kernel elements along the windowed dimensions, all together.
constexpr int64_t kMaxTaps = 128;

// Reads where a kernel element lies outside of the array.
alignas(64) constexpr float kZeros[kMaxRunLength] = {};

// The pointers of one panel of rows.
class PanelPointers {
 public:
  PanelPointers(const OperandMap& map, int width) : map_(map), width_(width) {}

  // Takes `count` rows; further ones read zeros.
  void Start(const float* data, Odometer& outer, int count) {
    std::fill_n(rows_, width_, kZeros);
    int64_t coordinates[kMaxMapWindows][kMaxTileRows];
    const size_t num_windows = map_.windows.size();
    for (int i = 0; i < count; ++i, outer.Next()) {
      int64_t position = map_.offset + outer.position();
      for (size_t w = 0; w < num_windows; ++w) {
        coordinates[w][i] = map_.windows[w].low + outer.coordinate(w);
        position += coordinates[w][i] * map_.windows[w].stride;
      }
      rows_[i] = data + position;
    }
    const uint32_t all = (1u << count) - 1;
    auto inside = [&](int window, int64_t shift) {
      const uint64_t extent = static_cast<uint64_t>(map_.windows[window].extent);
      uint32_t bits = 0;
      for (int i = 0; i < count; ++i) {
        const uint64_t at = static_cast<uint64_t>(coordinates[window][i] + shift);
        bits |= static_cast<uint32_t>(at < extent) << i;
      }
      return bits;
    };
    // A window that only one kernel element moves along has no summed dimension.
    present_ = all;
    uint32_t summed = 0;
    int64_t tap = 0;
    for (const MapDim& dim : map_.inner) {
      if (dim.window >= 0) summed |= 1u << dim.window;
      for (int64_t t = 0; t < dim.size; ++t, ++tap) {
        inside_[tap] = dim.window < 0 ? all : inside(dim.window, t * dim.step);
      }
    }
    for (size_t w = 0; w < num_windows; ++w) {
      if ((summed >> w & 1) == 0) present_ &= inside(static_cast<int>(w), 0);
    }
  }

  // The pointers of runs [first, first + count).
  void List(int64_t first, int64_t count, const void** pointers) const {
    const size_t rank = map_.inner.size();
    int64_t digits[kMaxMapWindows + 2], shifts[kMaxMapWindows + 2];
    int64_t shift = 0;
    for (size_t d = rank; d-- > 0;) {
      const MapDim& dim = map_.inner[d];
      digits[d] = first % dim.size;
      first /= dim.size;
      shifts[d] = dim.window < 0 ? dim.stride : dim.step * map_.windows[dim.window].stride;
      shift += digits[d] * shifts[d];
    }
    for (int64_t r = 0; r < count; ++r, pointers += width_) {
      uint32_t inside = present_;
      int64_t tap = 0;
      for (size_t d = 0; d < rank; ++d) {
        inside &= inside_[tap + digits[d]];
        tap += map_.inner[d].size;
      }
      for (int i = 0; i < width_; ++i) pointers[i] = rows_[i] + shift;
      for (uint32_t outside = inside ^ ((1u << width_) - 1); outside != 0; outside &= outside - 1) {
        pointers[std::countr_zero(outside)] = kZeros;
      }
      for (size_t d = rank; d-- > 0;) {
        shift += shifts[d];
        if (++digits[d] < map_.inner[d].size) break;
        shift -= digits[d] * shifts[d];
        digits[d] = 0;
      }
    }
  }

 private:
  const OperandMap& map_;
  const int width_;
  uint32_t present_ = 0;
  const float* rows_[kMaxTileRows];
  // One bit per row: per index of every summed dimension, whether it is inside of that one's
  // window.
  uint32_t inside_[kMaxTaps];
};

}  // namespace

bool Gemm::CanRunIndirect() const {
  const OperandMap& a = problem_.a;
  const GemmKernels& kernels = KernelsFor(kind_);
  if (kernels.indirect == nullptr || !in_place_ || a.dtype != kernels.native || a.inner.empty() ||
      !problem_.b.IsPlain() || m_ < kernels.mr / 2 || a.inner.size() > kMaxMapWindows + 2) {
    return false;
  }
  if ((a.run_length > 1 && a.run_stride != 1) || a.run_length > kMaxRunLength) return false;
  // Rows that are neighbours are packed faster than pointers are made for single elements.
  if (a.run_length == 1 && !a.outer.empty() && a.outer.back().window < 0 &&
      a.outer.back().stride == 1) {
    return false;
  }
  int64_t taps = 0;
  for (const MapDim& dim : a.inner) taps += std::min(dim.size, kMaxTaps + 1);
  if (taps > kMaxTaps) return false;
  return std::all_of(a.windows.begin(), a.windows.end(),
                     [](const MapWindow& window) { return window.dilation == 1; });
}

Status Gemm::RunIndirect(const std::byte* a, const std::byte* b, std::byte* c,
                         const backend::RunContext& context) const {
  const GemmKernels& kernels = KernelsFor(kind_);
  backend::ThreadPool* pool = PoolFor(context);
  const int64_t mr = kernels.mr, nr = kernels.nr;
  const int64_t run_length = problem_.a.run_length, all_runs = k_ / run_length;
  const int64_t b_size = ByteSize(problem_.b.dtype);
  const int64_t panels = CeilDiv(n_, nr);
  float* const packed = reinterpret_cast<float*>(packed_kernel_.Get(context));
  if (packed == nullptr) {
    return ResourceExhausted("no memory for the packed kernel of a convolution");
  }
  backend::ParallelFor(pool, batches_ * panels, std::max<int64_t>(1, 32768 / (k_ * nr)),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t t = begin; t < end; ++t) {
                           const int64_t first = t % panels * nr;
                           const int64_t shift = BatchPositions(t / panels).b - problem_.b.offset;
                           PackBlock(problem_.b, pack_b_, b + shift * b_size, first,
                                     std::min(nr, n_ - first), 0, k_, static_cast<int>(nr),
                                     kernels.packed_bytes, 1,
                                     reinterpret_cast<std::byte*>(packed + t * nr * k_));
                         }
                       });

  const int64_t block_runs =
      std::min(kMaxRuns, std::max<int64_t>(1, kMaxIndirectSteps / run_length));
  const int64_t row_panels = CeilDiv(m_, mr);
  // Several panels meet each block of the right operand while it is near.
  constexpr int64_t kTaskPanels = 4;
  const int64_t row_tasks = CeilDiv(row_panels, kTaskPanels);
  const double work = static_cast<double>(mr * kTaskPanels * n_) * static_cast<double>(k_);
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(100e3 / work));
  backend::ParallelFor(pool, batches_ * row_tasks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t t = begin; t < end; ++t) {
      if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
      const int64_t batch = t / row_tasks;
      const int64_t first_row = t % row_tasks * kTaskPanels * mr;
      const Positions at = BatchPositions(batch);
      const float* data = reinterpret_cast<const float*>(a) + (at.a - problem_.a.offset);
      float* result = reinterpret_cast<float*>(c) + at.c;
      const float* b_panels = packed + batch * panels * nr * k_;
      Odometer outer(problem_.a.outer, first_row);
      for (int64_t row = first_row; row < std::min(m_, first_row + kTaskPanels * mr); row += mr) {
        const int rows = static_cast<int>(std::min(mr, m_ - row));
        PanelPointers panel(problem_.a, static_cast<int>(mr));
        panel.Start(data, outer, rows);
        int64_t positions[kMaxTileRows];
        FillPositions(problem_.c.rows, row, rows, positions);
        const void* pointers[kMaxRuns * kMaxTileRows];
        for (int64_t run = 0; run < all_runs; run += block_runs) {
          const int64_t runs = std::min(block_runs, all_runs - run);
          panel.List(run, runs, pointers);
          for (int64_t q = 0; q < panels; ++q) {
            void* tile_rows[kMaxTileRows];
            for (int i = 0; i < rows; ++i) tile_rows[i] = result + positions[i] + q * nr;
            kernels.indirect(rows, static_cast<int>(std::min(nr, n_ - q * nr)), runs, run_length,
                             pointers, b_panels + (q * k_ + run * run_length) * nr, tile_rows,
                             run > 0);
          }
        }
      }
    }
  });
  return Status();
}

}  // namespace plinth::cpu::library
