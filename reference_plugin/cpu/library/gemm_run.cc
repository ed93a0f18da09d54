// SPDX-License-Identifier: Apache-2.0
// How a Gemm runs: each method cuts the product into tasks for the pool. A task computes its part
// of the result over the whole sum, so the cut does not change any element's bits.

#include <algorithm>

#include "plinth/support/integer_math.h"
#include "reference_plugin/backend/host/thread_scratch.h"
#include "reference_plugin/cpu/library/gemm.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {
namespace {

bool Stopped(const backend::RunContext& context) {
  return context.stop != nullptr && context.stop->load(std::memory_order_relaxed);
}

// body(batch, first, count) for pieces of `piece` of the indices [0, size) of every batch.
template <typename Body>
void ForPieces(backend::ThreadPool* pool, const backend::RunContext& context, int64_t batches,
               int64_t size, int64_t piece, double work_per_piece, const Body& body) {
  const int64_t pieces = CeilDiv(size, piece);
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(100e3 / work_per_piece));
  backend::ParallelFor(pool, batches * pieces, grain, [&](int64_t begin, int64_t end) {
    int64_t batch = begin / pieces, first = begin % pieces * piece;
    for (int64_t t = begin; t < end && !Stopped(context); ++t) {
      body(batch, first, std::min(piece, size - first));
      first += piece;
      if (first >= size) first = 0, ++batch;
    }
  });
}

// Sums are cut into blocks of this many steps: a panel of the right operand then fits the
// first-level cache.
constexpr int64_t kMaxBlockSteps = 256;
// A whole operand of a task that is packed once and kept while the task's neighbours run.
constexpr int64_t kResidentBytes = 384 * 1024;
// A right operand that is packed once for all tasks, in memory of the plan, has no more bytes.
constexpr int64_t kMostSharedBytes = int64_t{16} << 20;

// The sum of k steps in blocks of one size, but for the last.
struct StepBlocks {
  StepBlocks(int64_t k, int64_t step_unit)
      : count(CeilDiv(k, kMaxBlockSteps)), steps(RoundUp(CeilDiv(k, count), step_unit)) {}
  int64_t count, steps;
};

}  // namespace

void Gemm::RunNarrow(const std::byte* a, const std::byte* b, std::byte* c,
                     const backend::RunContext& context) const {
  const compiler::Product& p = problem_;
  const compiler::BatchDim& last = p.batch.back();
  const GemmKernels::Apart apart{last.a_stride, last.b_stride, last.c_stride};
  const int64_t grain = std::max<int64_t>(1, 100'000 / (m_ * n_ * k_));
  backend::ParallelFor(PoolFor(context), batches_, grain, [&](int64_t begin, int64_t end) {
    while (begin < end && !Stopped(context)) {
      const int64_t count = std::min({grain, end - begin, last.size - begin % last.size});
      const Positions at = BatchPositions(begin);
      KernelsFor(kind_).narrow(count, apart, static_cast<int>(m_), n_, k_,
                               a + at.a * element_bytes_, StrideOf(p.a.outer), p.a.run_stride,
                               b + at.b * element_bytes_, p.b.run_stride, c + at.c * element_bytes_,
                               StrideOf(p.c.rows));
      begin += count;
    }
  });
}

Status Gemm::RunAxpy(const std::byte* a, const std::byte* b, std::byte* c,
                     const backend::RunContext& context) const {
  if (sum_parts_ > 1) return RunAxpyParts(a, b, c, context);
  const compiler::Product& p = problem_;
  const GemmKernels& kernels = KernelsFor(kind_);
  backend::ThreadPool* pool = PoolFor(context);
  const int64_t threads = pool != nullptr ? pool->parallelism() : 1;
  const int64_t piece =
      std::min(n_, std::max<int64_t>(512, RoundUp(CeilDiv(n_, 2 * threads), 512)));
  ForPieces(pool, context, batches_, n_, piece,
            static_cast<double>(m_ * piece) * static_cast<double>(k_),
            [&](int64_t batch, int64_t first, int64_t count) {
              const Positions at = BatchPositions(batch);
              kernels.axpy(static_cast<int>(m_), count, k_, a + at.a * element_bytes_,
                           StrideOf(p.a.outer), p.a.run_stride, b + (at.b + first) * element_bytes_,
                           p.b.run_stride, c + (at.c + first) * element_bytes_, StrideOf(p.c.rows));
            });
  return Status();
}

// Each part of the sum reads its rows of b whole, one after the other.
Status Gemm::RunAxpyParts(const std::byte* a, const std::byte* b, std::byte* c,
                          const backend::RunContext& context) const {
  static constexpr auto kOnes = [] {
    struct {
      float f32[kMostSumParts];
      double f64[kMostSumParts];
    } ones{};
    for (int64_t i = 0; i < kMostSumParts; ++i) ones.f32[i] = 1, ones.f64[i] = 1;
    return ones;
  }();
  const compiler::Product& p = problem_;
  const GemmKernels& kernels = KernelsFor(kind_);
  std::byte* const sums = packed_kernel_.Get(context);
  if (sums == nullptr) return ResourceExhausted("no memory for the sums of a product");
  const int64_t steps = CeilDiv(k_, sum_parts_);
  const int64_t parts = CeilDiv(k_, steps);
  for (int64_t batch = 0; batch < batches_; ++batch) {
    const Positions at = BatchPositions(batch);
    ForPieces(PoolFor(context), context, 1, k_, steps, static_cast<double>(n_ * steps),
              [&](int64_t, int64_t first, int64_t count) {
                kernels.axpy(1, n_, count, a + (at.a + first * p.a.run_stride) * element_bytes_, 0,
                             p.a.run_stride, b + (at.b + first * p.b.run_stride) * element_bytes_,
                             p.b.run_stride, sums + first / steps * n_ * element_bytes_, 0);
              });
    const void* const ones =
        kernels.native == DType::kF32 ? static_cast<const void*>(kOnes.f32) : kOnes.f64;
    kernels.axpy(1, n_, parts, ones, 0, 1, sums, n_, c + at.c * element_bytes_, 0);
  }
  return Status();
}

Status Gemm::RunDots(const std::byte* a, const std::byte* b, std::byte* c,
                     const backend::RunContext& context) const {
  const compiler::Product& p = problem_;
  const GemmKernels& kernels = KernelsFor(kind_);
  int64_t a_row = StrideOf(p.a.outer);
  if (packs_rows_) {
    std::byte* const packed = packed_kernel_.Get(context);
    if (packed == nullptr) return ResourceExhausted("no memory for the rows of a product");
    const math::StridedLoadFunction load = math::FindStridedLoad(element_bytes_);
    for (int64_t row = 0; row < batches_ * m_; ++row) {
      const int64_t from = BatchPositions(row / m_).a + row % m_ * a_row;
      load(packed + row * PackedRow() * element_bytes_, a + from * element_bytes_,
           p.a.run_stride * element_bytes_, static_cast<size_t>(k_));
    }
    a = packed;
    a_row = PackedRow();
  }
  const int64_t piece = std::min<int64_t>(n_, 64);
  const int64_t b_column = StrideOf(p.b.outer), c_column = StrideOf(p.c.columns);
  ForPieces(PoolFor(context), context, batches_, n_, piece,
            static_cast<double>(m_ * piece) * static_cast<double>(k_),
            [&](int64_t batch, int64_t first, int64_t count) {
              const Positions at = BatchPositions(batch);
              const int64_t a_first = packs_rows_ ? batch * m_ * a_row : at.a;
              kernels.dots(static_cast<int>(m_), count, k_, a + a_first * element_bytes_, a_row,
                           b + (at.b + first * b_column) * element_bytes_, b_column,
                           c + (at.c + first * c_column) * element_bytes_, StrideOf(p.c.rows),
                           c_column);
            });
  return Status();
}

void Gemm::RunDirect(const std::byte* a, const std::byte* b, std::byte* c,
                     const backend::RunContext& context) const {
  const compiler::Product& p = problem_;
  const GemmKernels& kernels = KernelsFor(kind_);
  const int64_t a_row = StrideOf(p.a.outer), c_row = StrideOf(p.c.rows);
  const int64_t piece = std::min<int64_t>(m_, 4 * kernels.mr);
  ForPieces(PoolFor(context), context, batches_, m_, piece,
            static_cast<double>(n_ * piece) * static_cast<double>(k_),
            [&](int64_t batch, int64_t first, int64_t count) {
              const Positions at = BatchPositions(batch);
              for (int64_t j = 0; j < n_; j += kernels.nr) {
                const int columns = static_cast<int>(std::min<int64_t>(kernels.nr, n_ - j));
                for (int64_t i = first; i < first + count; i += kernels.mr) {
                  const int rows =
                      static_cast<int>(std::min<int64_t>(kernels.mr, first + count - i));
                  kernels.direct(rows, columns, k_, a + (at.a + i * a_row) * element_bytes_, a_row,
                                 p.a.run_stride, b + (at.b + j) * element_bytes_, p.b.run_stride,
                                 c + (at.c + i * c_row + j) * element_bytes_, c_row);
                }
              }
            });
}

void Gemm::RunBlas(const std::byte* a, const std::byte* b, std::byte* c,
                   const backend::RunContext& context) const {
  const compiler::Product& p = problem_;
  // Blocks are a matter of shape only: a library may sum differently for another block size.
  auto block = [](int64_t size) {
    return std::min(size, std::clamp<int64_t>(RoundUp(CeilDiv(size, 4), 64), 256, 1024));
  };
  const int64_t rows = block(m_), columns = block(n_);
  const int64_t row_blocks = CeilDiv(m_, rows), column_blocks = CeilDiv(n_, columns);
  const int64_t c_row = StrideOf(p.c.rows);
  struct Side {
    int transpose;
    int leading;
    int64_t outer;
  };
  auto side = [](const OperandMap& map, int64_t size, int in_order, int turned) {
    const int64_t outer = size == 1 ? 1 : StrideOf(map.outer);
    const bool k_contiguous = map.run_stride == 1 && outer >= map.run_length;
    return Side{k_contiguous ? in_order : turned,
                static_cast<int>(k_contiguous ? outer : map.run_stride), outer};
  };
  const Side left = side(p.a, m_, Blas::kNoTranspose, Blas::kTranspose);
  const Side right = side(p.b, n_, Blas::kTranspose, Blas::kNoTranspose);
  const int k = static_cast<int>(k_);
  backend::ParallelFor(
      PoolFor(context), batches_ * row_blocks * column_blocks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end && !Stopped(context); ++t) {
          const int64_t i = t % row_blocks * rows;
          const int64_t j = t / row_blocks % column_blocks * columns;
          const Positions at = BatchPositions(t / row_blocks / column_blocks);
          const void* a_at = a + (at.a + i * left.outer) * element_bytes_;
          const void* b_at = b + (at.b + j * right.outer) * element_bytes_;
          void* c_at = c + (at.c + i * c_row + j) * element_bytes_;
          const int m = static_cast<int>(std::min(rows, m_ - i));
          const int n = static_cast<int>(std::min(columns, n_ - j));
          const int ldc = static_cast<int>(c_row);
          auto call = [&](auto function, auto one, auto zero, auto cast) {
            function(Blas::kRowMajor, left.transpose, right.transpose, m, n, k, one, cast(a_at),
                     left.leading, cast(b_at), right.leading, zero,
                     const_cast<std::remove_const_t<std::remove_pointer_t<decltype(cast(a_at))>>*>(
                         cast(c_at)),
                     ldc);
          };
          auto same = [](const void* data) { return data; };
          static constexpr float kFloats[] = {1, 0, 0, 0};
          static constexpr double kDoubles[] = {1, 0, 0, 0};
          switch (kind_) {
            case GemmKind::kF32:
              call(blas_->sgemm, 1.0f, 0.0f,
                   [](const void* data) { return static_cast<const float*>(data); });
              break;
            case GemmKind::kF64:
              call(blas_->dgemm, 1.0, 0.0,
                   [](const void* data) { return static_cast<const double*>(data); });
              break;
            case GemmKind::kC64:
              call(blas_->cgemm, &kFloats[0], &kFloats[2], same);
              break;
            case GemmKind::kC128:
              call(blas_->zgemm, &kDoubles[0], &kDoubles[2], same);
              break;
            case GemmKind::kI32:
            case GemmKind::kI64:
            case GemmKind::kI8:
              break;
          }
        }
      });
}

Status Gemm::RunLanes(const std::byte* a, const std::byte* b, std::byte* c,
                      const backend::RunContext& context) const {
  const compiler::Product& p = problem_;
  // Of many lanes a task has a part.
  constexpr int64_t kMostLanes = 16 << 10;
  const int64_t all_lanes = p.batch.back().size, parts = CeilDiv(all_lanes, kMostLanes);
  const int64_t lanes = std::min(all_lanes, kMostLanes);
  const int64_t a_size = ByteSize(p.a.dtype), c_size = ByteSize(p.c.dtype);
  // The terms of an element are listed and summed in pieces of this many.
  constexpr int64_t kTerms = 256;
  const int64_t piece = std::max<int64_t>(1, std::min<int64_t>(m_, 100000 / (k_ * lanes + 1)));
  std::atomic<bool> out_of_memory = false;
  auto run_rows = [&](int64_t batch, int64_t first, int64_t count) {
    thread_local backend::ThreadScratch scratch;
    std::byte* memory = scratch.Get(lanes * (element_bytes_ + 8) + 4 * kTerms * 8);
    if (memory == nullptr) {
      out_of_memory = true;
      return;
    }
    int64_t* a_terms = reinterpret_cast<int64_t*>(memory);
    int64_t* b_terms = a_terms + kTerms;
    int64_t* a_row_terms = b_terms + kTerms;
    int64_t* b_row_terms = a_row_terms + kTerms;
    int64_t* lane_positions = b_row_terms + kTerms;
    void* sums = lane_positions + lanes;
    for (int64_t j = 0; j < lanes; ++j) lane_positions[j] = j;
    const int64_t first_lane = batch % parts * kMostLanes;
    const int64_t num_lanes = std::min(kMostLanes, all_lanes - first_lane);
    const Positions at = BatchPositions(batch / parts * all_lanes + first_lane);
    // Operand offsets are part of the terms.
    const std::byte* a_at = a + (at.a - p.a.offset) * a_size;
    const std::byte* b_at = b + (at.b - p.b.offset) * a_size;
    RowTerms terms(p.a, p.b, first);
    const bool keep = k_ <= kTerms;
    if (keep) terms.ListInner(k_, a_terms, b_terms);
    // Rows that have all terms wait for others, if there is a loop for several.
    constexpr int kRows = GemmKernels::kLaneRows;
    const void* lefts[kRows];
    void* results[kRows];
    int waiting = 0;
    auto run_waiting = [&] {
      if (waiting == kRows) {
        lane_rows_(num_lanes, k_, lefts, a_terms, b_at, b_terms, results);
      } else {
        for (int r = 0; r < waiting; ++r) {
          lanes_(num_lanes, k_, lefts[r], a_terms, b_at, b_terms, results[r], false);
        }
      }
      waiting = 0;
    };
    for (int64_t i = first; i < first + count; ++i, terms.NextRow()) {
      int64_t row;
      FillPositions(p.c.rows, i, 1, &row);
      if (in_place_) sums = c + (at.c + row) * c_size;
      if (keep && terms.RowIsInside()) {
        lefts[waiting] = a_at + terms.row_position() * a_size;
        results[waiting] = sums;
        if (++waiting == kRows || lane_rows_ == nullptr) run_waiting();
      } else {
        terms.StartRow();
        for (int64_t done = 0; done < k_; done += kTerms) {
          const int64_t listed = terms.List(std::min(kTerms, k_ - done), a_row_terms, b_row_terms);
          lanes_(num_lanes, listed, a_at, a_row_terms, b_at, b_row_terms, sums, done > 0);
        }
      }
      if (in_place_) continue;
      store_(sums, 0, 1, static_cast<int>(num_lanes), c + at.c * c_size, &row, lane_positions);
    }
    run_waiting();
  };
  ForPieces(PoolFor(context), context, batches_ / all_lanes * parts, m_, piece,
            static_cast<double>(piece * lanes) * static_cast<double>(k_), run_rows);
  if (out_of_memory) return ResourceExhausted("no memory for the sums of a depthwise convolution");
  return Status();
}

// Tasks that have the same rows or columns would pack them each for itself: a fifth of the time of
// a product of 1,024 x 1,024 f64. The smaller operand is packed once for all tasks; a task packs
// its part of the larger one where it uses it, in its own cache.
void Gemm::ShareOperand() {
  const GemmKernels& kernels = KernelsFor(kind_);
  constexpr int64_t kFewestPanels = 8;
  const bool left = m_ < n_;
  if (batches_ > 1 || (left ? n_ < kFewestPanels * kernels.nr : m_ < kFewestPanels * kernels.mr)) {
    return;
  }
  const int64_t bytes = (left ? RoundUp(m_, kernels.mr) : RoundUp(n_, kernels.nr)) *
                        kernels.packed_bytes * RoundUp(k_, kernels.step_unit);
  if (bytes > kMostSharedBytes) return;
  shared_ = left ? Shared::kLeft : Shared::kRight;
  packed_kernel_ = SharedBlock(bytes);
}

// Block after block of the sum, each with all rows or columns.
void Gemm::PackShared(const std::byte* data, std::byte* packed,
                      const backend::RunContext& context) const {
  const GemmKernels& kernels = KernelsFor(kind_);
  const bool left = shared_ == Shared::kLeft;
  const OperandMap& map = left ? problem_.a : problem_.b;
  const int width = left ? kernels.mr : kernels.nr;
  const int64_t size = left ? m_ : n_;
  const StepBlocks blocks(k_, kernels.step_unit);
  const int64_t group = 4 * width, groups = CeilDiv(size, group);
  const int64_t grain = std::max<int64_t>(1, 32768 / (blocks.steps * group));
  backend::ParallelFor(
      PoolFor(context), blocks.count * groups, grain, [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end && !Stopped(context); ++t) {
          const int64_t first = t / groups * blocks.steps, at = t % groups * group;
          const int64_t count = std::min(blocks.steps, k_ - first);
          const int64_t padded = RoundUp(count, kernels.step_unit);
          PackBlock(map, left ? pack_a_ : pack_b_, data, at, std::min(group, size - at), first,
                    count, width, kernels.packed_bytes, kernels.step_unit,
                    packed + (first * RoundUp(size, width) + padded * at) * kernels.packed_bytes);
        }
      });
}

// A part of the result of one batch, and the thread's packed operands.
struct Gemm::Task {
  const std::byte* a;
  const std::byte* b;
  std::byte* c;
  const std::byte* shared;  // a whole operand, packed; or null
  Positions at;
  int64_t first_row, rows, first_column, columns;
  // Kept packed from the task before, or must be packed now.
  bool a_resident, b_resident, a_is_packed, b_is_packed;
};

bool Gemm::RunBlock(Task& task) const {
  thread_local backend::ThreadScratch a_scratch, b_scratch, sum_scratch, position_scratch;
  const GemmKernels& kernels = KernelsFor(kind_);
  const int mr = kernels.mr, nr = kernels.nr;
  const StepBlocks step_blocks(k_, kernels.step_unit);
  const int64_t blocks = step_blocks.count, steps = step_blocks.steps;
  const int64_t all_steps = RoundUp(k_, kernels.step_unit);
  const int64_t row_panels = CeilDiv(task.rows, mr), column_panels = CeilDiv(task.columns, nr);
  const int64_t a_bytes = row_panels * mr * kernels.packed_bytes;  // per step
  const int64_t b_bytes = column_panels * nr * kernels.packed_bytes;
  const int64_t tile_bytes = int64_t{mr} * nr * element_bytes_;
  const int64_t c_size = ByteSize(problem_.c.dtype);

  const bool shares_a = shared_ == Shared::kLeft, shares_b = shared_ == Shared::kRight;
  std::byte* a_panels =
      a_scratch.Get(shares_a ? 64 : a_bytes * (task.a_resident ? all_steps : steps));
  std::byte* b_panels =
      b_scratch.Get(shares_b ? 64 : b_bytes * (task.b_resident ? all_steps : steps));
  std::byte* sums =
      sum_scratch.Get(in_place_ ? 64 : tile_bytes * (blocks > 1 ? row_panels * column_panels : 1));
  int64_t* row_positions = reinterpret_cast<int64_t*>(
      position_scratch.Get((task.rows + task.columns) * static_cast<int64_t>(sizeof(int64_t))));
  if (!a_panels || !b_panels || !sums || !row_positions) return false;
  int64_t* column_positions = row_positions + task.rows;
  FillPositions(problem_.c.rows, task.first_row, task.rows, row_positions);
  FillPositions(problem_.c.columns, task.first_column, task.columns, column_positions);
  std::byte* c = task.c + task.at.c * c_size;

  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t first = block * steps, count = std::min(steps, k_ - first);
    const int64_t padded = RoundUp(count, kernels.step_unit);
    auto shared_block = [&](int64_t size, int width, int64_t at) {
      return task.shared + (first * RoundUp(size, width) + padded * at) * kernels.packed_bytes;
    };
    std::byte* own_a = a_panels + (task.a_resident ? first * a_bytes : 0);
    std::byte* own_b = b_panels + (task.b_resident ? first * b_bytes : 0);
    const std::byte* a_block = shares_a ? shared_block(m_, mr, task.first_row) : own_a;
    const std::byte* b_block = shares_b ? shared_block(n_, nr, task.first_column) : own_b;
    if (!shares_a && !task.a_is_packed) {
      PackBlock(problem_.a, pack_a_, task.a, task.first_row, task.rows, first, count, mr,
                kernels.packed_bytes, kernels.step_unit, own_a);
    }
    if (!shares_b && !task.b_is_packed) {
      PackBlock(problem_.b, pack_b_, task.b, task.first_column, task.columns, first, count, nr,
                kernels.packed_bytes, kernels.step_unit, own_b);
    }
    auto run_tile = [&](int64_t r, int64_t q, int64_t at) {
      const int rows = static_cast<int>(std::min<int64_t>(mr, task.rows - r * mr));
      const int columns = static_cast<int>(std::min<int64_t>(nr, task.columns - q * nr));
      const std::byte* a_panel = a_block + r * mr * padded * kernels.packed_bytes;
      const std::byte* b_panel = b_block + q * nr * padded * kernels.packed_bytes;
      void* tile_rows[kMaxTileRows];
      if (in_place_) {
        for (int i = 0; i < rows; ++i) {
          tile_rows[i] = c + (row_positions[r * mr + i] + column_positions[q * nr]) * c_size;
        }
        kernels.tile(rows, columns, count, a_panel, b_panel, tile_rows, block > 0);
        return;
      }
      std::byte* tile = sums + (blocks > 1 ? at : 0) * tile_bytes;
      for (int i = 0; i < rows; ++i) tile_rows[i] = tile + i * nr * element_bytes_;
      kernels.tile(rows, columns, count, a_panel, b_panel, tile_rows, block > 0);
      if (block + 1 == blocks) {
        store_(tile, nr * kernels.scalars, rows, columns, c, row_positions + r * mr,
               column_positions + q * nr);
      }
    };
    // A panel of the left operand stays in the first-level cache while those of the right one pass.
    // Complex tiles have too few rows for that: they keep the panel of the right operand.
    if (kernels.scalars == 1) {
      for (int64_t r = 0; r < row_panels; ++r) {
        for (int64_t q = 0; q < column_panels; ++q) run_tile(r, q, r * column_panels + q);
      }
    } else {
      for (int64_t q = 0; q < column_panels; ++q) {
        for (int64_t r = 0; r < row_panels; ++r) run_tile(r, q, q * row_panels + r);
      }
    }
  }
  return true;
}

Status Gemm::RunPacked(const std::byte* a, const std::byte* b, std::byte* c,
                       const backend::RunContext& context) const {
  const GemmKernels& kernels = KernelsFor(kind_);
  backend::ThreadPool* pool = PoolFor(context);
  const int64_t mr = kernels.mr, nr = kernels.nr;
  const bool shares_a = shared_ == Shared::kLeft, shares_b = shared_ == Shared::kRight;
  // The left block fills half of a second-level cache of 1 MB.
  int64_t rows = std::min(m_, std::max<int64_t>(mr, 1920 / element_bytes_ / mr * mr));
  int64_t columns = std::min(n_, RoundUp((shares_a ? 2048 : 4096) / element_bytes_, nr));
  const int64_t threads = pool != nullptr ? pool->parallelism() : 1;
  int64_t row_blocks = 1, column_blocks = 1;
  // Whether the last threads end soon after the first.
  auto cut_evenly = [&] {
    row_blocks = CeilDiv(m_, rows), column_blocks = CeilDiv(n_, columns);
    rows = RoundUp(CeilDiv(m_, row_blocks), mr);
    columns = RoundUp(CeilDiv(n_, column_blocks), nr);
    const int64_t cells = batches_ * row_blocks * column_blocks;
    if (threads == 1 || cells >= 8 * threads) return true;
    const double all = static_cast<double>(batches_ * m_) * static_cast<double>(n_);
    const double most = static_cast<double>(CeilDiv(cells, threads) * rows * columns);
    return cells >= 3 * threads && most * static_cast<double>(threads) <= 1.03 * all;
  };
  const int64_t fewest_rows = kernels.scalars == 1 ? 2 * mr : 12 * mr;
  while (!cut_evenly()) {
    const bool wide = columns > 2 * nr, tall = rows > fewest_rows;
    if (!wide && !tall) break;
    // To cut the operand that is not shared costs no packing; if none is, square pieces cost least.
    if (wide && (!tall || shares_a || (!shares_b && columns * mr >= rows * nr))) {
      columns = RoundUp(CeilDiv(columns, 2), nr);
    } else {
      rows = RoundUp(CeilDiv(rows, 2), mr);
    }
  }
  const int64_t a_size = ByteSize(problem_.a.dtype), b_size = ByteSize(problem_.b.dtype);
  const int64_t tasks = batches_ * row_blocks * column_blocks;
  const bool a_resident = RoundUp(rows, mr) * k_ * element_bytes_ <= kResidentBytes;
  const bool b_resident = RoundUp(columns, nr) * k_ * element_bytes_ <= kResidentBytes;
  std::byte* shared = nullptr;
  if (shared_ != Shared::kNothing) {
    shared = packed_kernel_.Get(context);
    if (shared == nullptr) return ResourceExhausted("no memory to pack an operand of a product");
    PackShared(shared_ == Shared::kLeft ? a : b, shared, context);
  }
  // The operand that stays the same from one task to the next is the one worth keeping.
  const bool rows_first =
      shared_ == Shared::kLeft || (shared_ == Shared::kNothing && (b_resident || !a_resident));
  const double work = static_cast<double>(rows * columns) * static_cast<double>(k_);
  const int64_t grain = std::max<int64_t>(
      {1, tasks / (8 * threads), static_cast<int64_t>(100e3 / std::max(work, 1.0))});
  std::atomic<bool> out_of_memory = false;
  backend::ParallelFor(pool, tasks, grain, [&](int64_t begin, int64_t end) {
    int64_t packed_a = -1, packed_b = -1;
    for (int64_t t = begin; t < end && !Stopped(context); ++t) {
      const int64_t batch = t / (row_blocks * column_blocks);
      const int64_t cell = t % (row_blocks * column_blocks);
      const int64_t i = rows_first ? cell % row_blocks : cell / column_blocks;
      const int64_t j = rows_first ? cell / row_blocks : cell % column_blocks;
      Task task;
      // The maps add the operands' own offsets.
      task.at = BatchPositions(batch);
      task.a = a + (task.at.a - problem_.a.offset) * a_size;
      task.b = b + (task.at.b - problem_.b.offset) * b_size;
      task.c = c;
      task.shared = shared;
      task.first_row = i * rows;
      task.rows = std::min(rows, m_ - task.first_row);
      task.first_column = j * columns;
      task.columns = std::min(columns, n_ - task.first_column);
      task.a_resident = a_resident;
      task.b_resident = b_resident;
      task.a_is_packed = a_resident && packed_a == batch * row_blocks + i;
      task.b_is_packed = b_resident && packed_b == batch * column_blocks + j;
      packed_a = batch * row_blocks + i;
      packed_b = batch * column_blocks + j;
      if (!RunBlock(task)) {
        out_of_memory = true;
        return;
      }
    }
  });
  if (out_of_memory) {
    return ResourceExhausted("no memory for the packed blocks of a matrix product");
  }
  return Status();
}

}  // namespace plinth::cpu::library
