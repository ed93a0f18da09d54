// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <type_traits>

#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/cpu/lapack/families.h"

// Products of sparse matrices in compressed rows with dense vectors and matrices: what
// jax.experimental.sparse sends for BCSR on a CPU.
namespace plinth::cpu::lapack {
namespace {

struct CsrProduct {
  int64_t rows, inner, columns, entries;  // [rows, inner] times [inner, columns]
};

// Integers wrap.
template <typename T>
T MultiplyAdd(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(sum) + static_cast<Bits>(a) * static_cast<Bits>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum + a * b;
  } else {
    return sum +
           T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
  }
}

// data[entries], starts[rows + 1], inner_indices[entries], dense[inner, columns]. Indices are data:
// starts are taken to lie within the entries, and entries beyond the inner dimension (with which
// JAX fills up) count for nothing.
template <typename T, typename Index>
class CsrStep final : public backend::PreparedStep {
 public:
  explicit CsrStep(const CsrProduct& product) : p_(product) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const auto* data = static_cast<const T*>(operands[0]);
    const auto* starts = static_cast<const Index*>(operands[1]);
    const auto* indices = static_cast<const Index*>(operands[2]);
    const auto* dense = static_cast<const T*>(operands[3]);
    auto* result = static_cast<T*>(results[0]);
    const auto start_of = [&](int64_t row) {
      return std::clamp<int64_t>(static_cast<int64_t>(starts[row]), 0, p_.entries);
    };
    constexpr double kGrainProducts = 16 << 10;
    const double per_row =
        (static_cast<double>(p_.entries) / static_cast<double>(std::max<int64_t>(p_.rows, 1)) + 1) *
        (static_cast<double>(p_.columns) + 1);
    const int64_t grain = static_cast<int64_t>(kGrainProducts / per_row) + 1;
    backend::ParallelFor(context.pool, p_.rows, grain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
        T* const sums = result + row * p_.columns;
        std::fill_n(sums, p_.columns, T(0));
        const int64_t last = start_of(row + 1);
        for (int64_t e = start_of(row); e < last; ++e) {
          const auto index = static_cast<int64_t>(indices[e]);
          if (index < 0 || index >= p_.inner) continue;
          const T* const x = dense + index * p_.columns;
          for (int64_t c = 0; c < p_.columns; ++c) {
            sums[c] = MultiplyAdd(sums[c], data[e], x[c]);
          }
        }
      }
    });
    return Status();
  }

 private:
  const CsrProduct p_;
};

template <typename T>
std::unique_ptr<backend::PreparedStep> MakeStep(DType index, const CsrProduct& product) {
  if (index == DType::kS32) return std::make_unique<CsrStep<T, int32_t>>(product);
  return std::make_unique<CsrStep<T, int64_t>>(product);
}

struct TypeRow {
  DType dtype;
  std::unique_ptr<backend::PreparedStep> (*make)(DType index, const CsrProduct& product);
};
constexpr TypeRow kTypes[] = {
    {DType::kS32, MakeStep<int32_t>},
    {DType::kS64, MakeStep<int64_t>},
    {DType::kF32, MakeStep<float>},
    {DType::kF64, MakeStep<double>},
    {DType::kC64, MakeStep<std::complex<float>>},
    {DType::kC128, MakeStep<std::complex<double>>},
};

Expected<std::unique_ptr<backend::PreparedStep>> PrepareCsrProduct(
    const backend::CustomCall& call) {
  if (call.operands.size() != 4 || call.results.size() != 1) {
    return InvalidArgument("it has ", call.operands.size(), " operands and ", call.results.size(),
                           " results; expected data, row starts, column indices and a dense array, "
                           "and one result");
  }
  const backend::CustomCallArray &data = call.operands[0], &starts = call.operands[1];
  const backend::CustomCallArray &indices = call.operands[2], &dense = call.operands[3];
  const backend::CustomCallArray& result = call.results[0];
  const int64_t rank = dense.rank();
  bool fits = data.rank() == 1 && starts.rank() == 1 && indices.dims == data.dims &&
              (rank == 1 || rank == 2) && result.rank() == rank;
  fits = fits && starts.dims[0] == result.dims[0] + 1 &&
         (rank == 1 || result.dims[1] == dense.dims[1]);
  fits = fits && dense.dtype == data.dtype && result.dtype == data.dtype &&
         indices.dtype == starts.dtype &&
         (starts.dtype == DType::kS32 || starts.dtype == DType::kS64);
  if (!fits || !dense.IsRowMajor() || !result.IsRowMajor()) {
    return InvalidArgument(
        "expected data[n], starts[rows + 1] and indices[n] of s32 or s64, a vector or row-major "
        "matrix of the data's elements, and a result with as many dimensions of `rows` rows");
  }
  const CsrProduct product{result.dims[0], dense.dims[0], rank == 1 ? 1 : dense.dims[1],
                           data.dims[0]};
  for (const TypeRow& row : kTypes) {
    if (row.dtype == data.dtype) return row.make(starts.dtype, product);
  }
  return Unimplemented("elements of type ", Name(data.dtype));
}

constexpr backend::CustomCallRow kSparseRows[] = {
    {"cpu_csr_sparse_dense_ffi", PrepareCsrProduct},
};

}  // namespace

std::span<const backend::CustomCallRow> SparseRows() { return kSparseRows; }

}  // namespace plinth::cpu::lapack
