// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/gemm.h"

#include <algorithm>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/element.h"
#include "reference_plugin/cpu/math/tile_functions.h"

namespace plinth::cpu::library {
namespace {

Expected<GemmKind> KindOf(DType a, DType b, DType c) {
  const DTypeClass result = InfoOf(c).kind;
  auto any = [&](DType type) { return a == type || b == type || c == type; };
  if (result == DTypeClass::kComplex) return any(DType::kC128) ? GemmKind::kC128 : GemmKind::kC64;
  if (result == DTypeClass::kFloat) return any(DType::kF64) ? GemmKind::kF64 : GemmKind::kF32;
  if (InfoOf(a).kind == DTypeClass::kFloat || InfoOf(b).kind == DTypeClass::kFloat) {
    return GemmKind::kF64;
  }
  return InfoOf(c).bytes == 8 ? GemmKind::kI64 : GemmKind::kI32;
}

// Tiles of complex kinds hold the imaginary parts half a row after the real ones.
template <typename Scalar, typename To>
void StoreTileAs(const void* tile, int tile_row, int rows, int columns, void* c,
                 const int64_t* row_positions, const int64_t* column_positions) {
  const Scalar* from = static_cast<const Scalar*>(tile);
  To* to = static_cast<To*>(c);
  if constexpr (std::is_same_v<Scalar, float> &&
                (std::is_same_v<To, Half> || std::is_same_v<To, BFloat16>)) {
    // Halves whose columns are neighbours, as nearly always: a loop of vectors.
    bool neighbours = true;
    for (int j = 1; j < columns; ++j) neighbours &= column_positions[j] == column_positions[0] + j;
    if (neighbours) {
      for (int i = 0; i < rows; ++i, from += tile_row) {
        To* row = to + row_positions[i] + column_positions[0];
        for (int j = 0; j < columns; ++j) row[j] = ConvertElement<To>(from[j]);
      }
      return;
    }
  }
  for (int i = 0; i < rows; ++i, from += tile_row) {
    To* row = to + row_positions[i];
    for (int j = 0; j < columns; ++j) {
      if constexpr (kIsComplex<To>) {
        row[column_positions[j]] =
            ConvertElement<To>(std::complex<Scalar>(from[j], from[tile_row / 2 + j]));
      } else {
        row[column_positions[j]] = ConvertElement<To>(from[j]);
      }
    }
  }
}

// Below this many multiplications a fork-join costs more than it saves.
constexpr double kInlineWork = 400e3;

bool SingleStride(const std::vector<MapDim>& dims) { return dims.size() <= 1; }

}  // namespace

template <typename Scalar>
void Gemm::SetStore() {
  switch (problem_.c.dtype) {
#define PLINTH_STORE(dtype, Type)                                          \
  case DType::dtype:                                                       \
    if constexpr (!kIsComplex<Type> || std::is_floating_point_v<Scalar>) { \
      store_ = StoreTileAs<Scalar, Type>;                                  \
    }                                                                      \
    break;
    PLINTH_FOR_EACH_ELEMENT(PLINTH_STORE)
#undef PLINTH_STORE
    default:
      break;
  }
}

Expected<Gemm> Gemm::Make(compiler::Product problem, const BlasOptions& blas) {
  Gemm gemm;
  PLINTH_ASSIGN_OR_RETURN(gemm.kind_, KindOf(problem.a.dtype, problem.b.dtype, problem.c.dtype));
  const GemmKernels& kernels = KernelsFor(gemm.kind_);
  gemm.problem_ = std::move(problem);
  compiler::Product& p = gemm.problem_;
  switch (gemm.kind_) {
    case GemmKind::kF32:
    case GemmKind::kC64:
      gemm.SetStore<float>();
      break;
    case GemmKind::kF64:
    case GemmKind::kC128:
      gemm.SetStore<double>();
      break;
    case GemmKind::kI32:
    case GemmKind::kI8:
      gemm.SetStore<int32_t>();
      break;
    case GemmKind::kI64:
      gemm.SetStore<int64_t>();
      break;
  }
  gemm.pack_a_ = kernels.pack[static_cast<int>(p.a.dtype)];
  gemm.pack_b_ = kernels.pack[static_cast<int>(p.b.dtype)];
  if (gemm.store_ == nullptr || gemm.pack_a_ == nullptr || gemm.pack_b_ == nullptr) {
    return Unimplemented("no product of ", Name(p.a.dtype), " and ", Name(p.b.dtype), " as ",
                         Name(p.c.dtype), " on this plugin; convert the operands first");
  }
  gemm.m_ = NumElements(p.a.outer);
  gemm.n_ = NumElements(p.b.outer);
  gemm.k_ = NumElements(p.a.inner);
  for (const compiler::BatchDim& dim : p.batch) gemm.batches_ *= dim.size;
  if (gemm.m_ == 0 || gemm.n_ == 0 || gemm.batches_ == 0) {
    gemm.method_ = GemmMethod::kNothing;
    return gemm;
  }
  compiler::MergeDims(p.c.rows);
  compiler::MergeDims(p.c.columns);
  gemm.element_bytes_ = int64_t{kernels.scalar_bytes} * kernels.scalars;
  if (gemm.k_ == 0) {
    gemm.method_ = GemmMethod::kZero;
    return gemm;
  }
  p.a.Simplify();
  p.b.Simplify();
  if (gemm.kind_ == GemmKind::kI32 && p.a.IsPlain() && p.b.IsPlain() && p.a.inner.empty() &&
      p.b.inner.empty()) {
    const GemmKernels& bytes = KernelsFor(GemmKind::kI8);
    const auto pack_a = bytes.pack[static_cast<int>(p.a.dtype)];
    const auto pack_b = bytes.pack[static_cast<int>(p.b.dtype)];
    if (pack_a != nullptr && pack_b != nullptr) {
      gemm.kind_ = GemmKind::kI8;
      gemm.pack_a_ = pack_a;
      gemm.pack_b_ = pack_b;
    }
  }
  if (!gemm.TryLanes()) gemm.Choose(blas);
  if (gemm.method_ == GemmMethod::kPacked) gemm.ShareOperand();
  return gemm;
}

void Gemm::Choose(const BlasOptions& blas) {
  const compiler::Product& p = problem_;
  const GemmKernels& kernels = KernelsFor(kind_);
  const bool native_c =
      p.c.dtype == kernels.native ||
      ((kind_ == GemmKind::kI32 || kind_ == GemmKind::kI8) && p.c.dtype == DType::kU32) ||
      (kind_ == GemmKind::kI64 && p.c.dtype == DType::kU64);
  const bool contiguous_c = n_ == 1 || (p.c.columns.size() == 1 && p.c.columns[0].stride == 1);
  in_place_ = native_c && contiguous_c && kernels.scalars == 1;

  if (TermRows() > 0) {
    method_ = GemmMethod::kTerms;
    return;
  }
  if (CanRunIndirect()) {
    method_ = GemmMethod::kIndirect;
    const int64_t panels = (n_ + kernels.nr - 1) / kernels.nr;
    packed_kernel_ =
        SharedBlock(batches_ * panels * kernels.nr * k_ * static_cast<int64_t>(sizeof(float)));
    return;
  }
  const bool plain = p.a.dtype == kernels.native && p.b.dtype == kernels.native && native_c &&
                     p.a.IsPlain() && p.b.IsPlain() && p.a.inner.empty() && p.b.inner.empty() &&
                     SingleStride(p.a.outer) && SingleStride(p.b.outer) && SingleStride(p.c.rows) &&
                     SingleStride(p.c.columns);
  if (!plain) return;
  if (kernels.narrow != nullptr && TryNarrow()) return;
  if (kernels.direct != nullptr && TryStream()) {
    if (method_ == GemmMethod::kAxpy) CutSum();
    return;
  }
  // TryStream may have turned the product round.
  const bool rows_contiguous = n_ == 1 || StrideOf(p.c.columns) == 1;
  const int64_t b_outer = n_ == 1 ? 1 : StrideOf(p.b.outer);
  const double work = static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
  // Bound by reading the left operand, once and in its order, however large.
  const bool one_panel = n_ <= kernels.nr && (p.a.run_stride == 1 || k_ == 1);
  if (kernels.direct != nullptr && rows_contiguous && b_outer == 1 &&
      k_ * std::min<int64_t>(n_, 256) * element_bytes_ <= 128 * 1024 &&
      (work <= 3e6 || one_panel)) {
    method_ = GemmMethod::kDirect;
    return;
  }
  constexpr int64_t kLimit = int64_t{1} << 30;  // CBLAS counts in int
  auto fits = [](const OperandMap& map, int64_t outer) {
    const int64_t stride = outer == 1 ? 1 : StrideOf(map.outer);
    const int64_t run = map.run_stride;
    return (run == 1 && stride >= map.run_length && stride < kLimit) ||
           (stride == 1 && run >= outer && run < kLimit);
  };
  const bool is_blas_kind = kernels.direct != nullptr || kernels.scalars == 2;
  const bool wide = math::BestSimdTarget() == math::SimdTarget::kAvx512;
  // Measured: up to here our own product is as fast, and it splits into finer tasks. With AVX-512,
  // OpenBLAS 0.3.34 against it, two threads of an Emerald Rapids Xeon: 1,024^3 f32 7.9 and 7.4 ms,
  // f64 23.2 and 19.1 ms; 2,048^3 f32 59.5 and 59.8 ms.
  const double blas_work = kernels.scalars == 2 ? 3e6 : wide ? 4e9 : 200e6;
  if (is_blas_kind && rows_contiguous && work >= blas_work && m_ > 8 && n_ > 8 && k_ > 8 &&
      k_ < kLimit && StrideOf(p.c.rows) < kLimit && StrideOf(p.c.rows) >= n_ && fits(p.a, m_) &&
      fits(p.b, n_)) {
    // OpenBLAS's loops for narrower vectors than ours take up to 1.75 times as long.
    if (auto opened = OpenBlas(blas); opened.ok() && ((*opened)->has_avx512 || !wide)) {
      blas_ = *opened;
      method_ = GemmMethod::kBlas;
    }
  }
}

// One column, and neighbours in memory are neighbours in the batch (a depthwise convolution with
// the features innermost): the vectors run along the batch.
bool Gemm::TryLanes() {
  const compiler::Product& p = problem_;
  lanes_ = KernelsFor(kind_).lanes[static_cast<int>(p.a.dtype)];
  if (n_ != 1 || lanes_ == nullptr || p.a.dtype != p.b.dtype || p.batch.empty()) return false;
  const compiler::BatchDim& last = p.batch.back();
  if (last.a_stride != 1 || last.b_stride != 1 || last.c_stride != 1 || last.size < 4) return false;
  if (!p.b.IsPlain()) return false;
  for (const MapWindow& window : p.a.windows) {
    if (window.dilation != 1) return false;
  }
  method_ = GemmMethod::kLanes;
  in_place_ = p.c.dtype == KernelsFor(kind_).native;
  if (in_place_) lane_rows_ = KernelsFor(kind_).lane_rows[static_cast<int>(p.a.dtype)];
  return true;
}

// To start one of 8 x 8 takes longer than to compute it.
bool Gemm::TryNarrow() {
  constexpr int64_t kMostRows = 32;
  const compiler::Product& p = problem_;
  if (batches_ < 2 || n_ < 2 || n_ > KernelsFor(kind_).nr / 2 || m_ > kMostRows ||
      k_ > GemmKernels::kMostNarrowSteps || StrideOf(p.b.outer) != 1 ||
      StrideOf(p.c.columns) != 1) {
    return false;
  }
  method_ = GemmMethod::kNarrow;
  return true;
}

// A few rows (or, turned round, columns) are bound by reading the other operand.
bool Gemm::TryStream() {
  constexpr int64_t kMaxRows = 8;
  // Above this many multiplications few rows that lie across memory are copied, once: what the
  // tiles of the direct method take of each of a dozen long rows lies in one set of the cache.
  constexpr double kCopyWork = 3e6;
  const double work = static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_);
  const bool along = problem_.b.run_stride == 1;
  const bool few_columns = n_ <= kMaxRows && m_ > kMaxRows && problem_.a.run_stride == 1 &&
                           (along || (n_ > 1 && work > kCopyWork)) && k_ >= 8;
  if ((n_ == 1 && m_ > 1) || few_columns) {
    // c^T = b^T a^T: the left operand becomes the right one.
    turned_ = true;
    std::swap(problem_.a, problem_.b);
    std::swap(problem_.c.rows, problem_.c.columns);
    std::swap(pack_a_, pack_b_);
    std::swap(m_, n_);
    for (compiler::BatchDim& dim : problem_.batch) std::swap(dim.a_stride, dim.b_stride);
    in_place_ = StrideOf(problem_.c.columns) == 1;
  }
  const compiler::Product& p = problem_;
  if (m_ > kMaxRows) return false;
  const bool contiguous_c = n_ == 1 || StrideOf(p.c.columns) == 1;
  if (p.b.run_stride == 1 || k_ == 1) {
    if (p.a.run_stride != 1 && k_ != 1) {
      if (work <= kCopyWork) return false;
      packs_rows_ = true;
      packed_kernel_ = SharedBlock(batches_ * m_ * PackedRow() * element_bytes_);
      method_ = GemmMethod::kDots;
      return true;
    }
    if (k_ < 8 && contiguous_c && StrideOf(p.b.outer) == 1) {
      method_ = GemmMethod::kAxpy;
    } else {
      method_ = GemmMethod::kDots;
    }
    return true;
  }
  if ((n_ == 1 || StrideOf(p.b.outer) == 1) && contiguous_c && (m_ <= 2 || k_ * n_ > 64 * 1024)) {
    method_ = GemmMethod::kAxpy;
    return true;
  }
  return false;
}

// A row times a matrix that no cache holds: threads that took columns of it would each read a piece
// of every row. Two threads take 910 to 1,090 us for 4,096 x 4,096 f32 where they share out the
// rows, 1,230 to 1,460 where they share out the columns.
void Gemm::CutSum() {
  constexpr int64_t kFarBytes = 4 << 20, kLongestRow = 64 << 10, kFewestSteps = 64;
  const int64_t row_bytes = n_ * element_bytes_;
  if (m_ != 1 || row_bytes > kLongestRow || row_bytes * k_ < kFarBytes) return;
  if (problem_.b.run_stride < n_) return;
  sum_parts_ = std::clamp<int64_t>(k_ / kFewestSteps, 1, kMostSumParts);
  if (sum_parts_ > 1) packed_kernel_ = SharedBlock(sum_parts_ * row_bytes);
}

Gemm::Positions Gemm::BatchPositions(int64_t batch) const {
  Positions at{problem_.a.offset, problem_.b.offset, problem_.c.offset};
  for (size_t d = problem_.batch.size(); d-- > 0;) {
    const compiler::BatchDim& dim = problem_.batch[d];
    // Two divisions take as long as a product of 8 x 8 does.
    const int64_t rest = d == 0 ? 0 : batch / dim.size;
    const int64_t index = batch - rest * dim.size;
    batch = rest;
    at.a += index * dim.a_stride;
    at.b += index * dim.b_stride;
    at.c += index * dim.c_stride;
  }
  return at;
}

backend::ThreadPool* Gemm::PoolFor(const backend::RunContext& context) const {
  const double work = static_cast<double>(m_) * static_cast<double>(n_) * static_cast<double>(k_) *
                      static_cast<double>(batches_);
  return work < kInlineWork ? nullptr : context.pool;
}

Status Gemm::Run(const void* a_data, const void* b_data, void* c_data,
                 const backend::RunContext& context) const {
  const std::byte* a = static_cast<const std::byte*>(a_data);
  const std::byte* b = static_cast<const std::byte*>(b_data);
  if (turned_) std::swap(a, b);
  std::byte* c = static_cast<std::byte*>(c_data);
  switch (method_) {
    case GemmMethod::kNothing:
      return Status();
    case GemmMethod::kZero: {
      // All-zero bytes are zero in every element type.
      const int64_t size = ByteSize(problem_.c.dtype);
      std::vector<int64_t> columns(static_cast<size_t>(n_));
      FillPositions(problem_.c.columns, 0, n_, columns.data());
      for (int64_t batch = 0; batch < batches_; ++batch) {
        const Positions at = BatchPositions(batch);
        for (int64_t i = 0; i < m_; ++i) {
          int64_t row;
          FillPositions(problem_.c.rows, i, 1, &row);
          for (int64_t column : columns) std::memset(c + (at.c + row + column) * size, 0, size);
        }
      }
      return Status();
    }
    case GemmMethod::kNarrow:
      RunNarrow(a, b, c, context);
      break;
    case GemmMethod::kAxpy:
      PLINTH_RETURN_IF_ERROR(RunAxpy(a, b, c, context));
      break;
    case GemmMethod::kDots:
      PLINTH_RETURN_IF_ERROR(RunDots(a, b, c, context));
      break;
    case GemmMethod::kDirect:
      RunDirect(a, b, c, context);
      break;
    case GemmMethod::kBlas:
      RunBlas(a, b, c, context);
      break;
    case GemmMethod::kLanes:
      PLINTH_RETURN_IF_ERROR(RunLanes(a, b, c, context));
      break;
    case GemmMethod::kIndirect:
      PLINTH_RETURN_IF_ERROR(RunIndirect(a, b, c, context));
      break;
    case GemmMethod::kTerms:
      PLINTH_RETURN_IF_ERROR(RunTerms(a, b, c, context));
      break;
    case GemmMethod::kPacked:
      PLINTH_RETURN_IF_ERROR(RunPacked(a, b, c, context));
      break;
  }
  if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) {
    return Status(StatusCode::kCancelled, "the execution was stopped during a matrix product");
  }
  return Status();
}

}  // namespace plinth::cpu::library
