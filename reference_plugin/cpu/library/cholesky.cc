// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

#include "reference_plugin/cpu/library/blocked_factor.h"
#include "reference_plugin/cpu/library/lapack.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/triangular.h"

namespace plinth::cpu::library {
namespace {

// From this order on LAPACK is faster.
constexpr int64_t kSmallCholesky = 32;

// The triangle that is no result is zero; a matrix that is not positive definite gives NaN.
template <typename T>
class CholeskyStep final : public backend::PreparedStep {
 public:
  CholeskyStep(const compiler::plan::PlanStep& step, const LibraryOptions& options)
      : lower_(std::get_if<compiler::CholeskyAttributes>(step.attributes.get())->lower) {
    const compiler::Type& type = step.operands[0].type;
    n_ = type.dims.back();
    for (size_t d = 0; d + 2 < type.dims.size(); ++d) batch_ *= type.dims[d];
    if (n_ < kSmallCholesky || n_ > std::numeric_limits<int>::max()) return;
    if (auto lapack = BlockedFactor<T>::Find(options.blas); lapack.ok()) lapack_ = *lapack;
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const int64_t size = n_ * n_;
    constexpr int64_t kGrainWork = 32 << 10;
    backend::ParallelFor(context.pool, size == 0 ? 0 : batch_, kGrainWork / (size * n_ + 1) + 1,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             Factor(static_cast<const T*>(operands[0]) + i * size,
                                    static_cast<T*>(results[0]) + i * size, context.pool);
                           }
                         });
    return Status();
  }

 private:
  void Factor(const T* from, T* to, backend::ThreadPool* pool) const {
    if (to != from) std::memcpy(to, from, sizeof(T) * static_cast<size_t>(n_ * n_));
    bool is_positive = true;
    if (lapack_.has_value()) {
      // Rows are LAPACK's columns: the factor it finds is the transpose of ours.
      const int n = static_cast<int>(n_);
      is_positive = lapack_->Cholesky(pool, lower_ ? 'U' : 'L', n, to, n) == 0;
    } else {
      // The upper factor is the transpose of the lower one of the transpose.
      is_positive = FactorCholesky(to, n_, lower_ ? n_ : 1, lower_ ? 1 : n_) == 0;
    }
    if (!is_positive) {
      std::fill_n(to, n_ * n_, T(std::numeric_limits<typename RealOf<T>::Type>::quiet_NaN()));
      return;
    }
    for (int64_t i = 0; i < n_; ++i) {
      T* const row = to + i * n_;
      lower_ ? std::fill(row + i + 1, row + n_, T(0)) : std::fill(row, row + i, T(0));
    }
  }

  std::optional<BlockedFactor<T>> lapack_;  // for all but small matrices
  bool lower_;
  int64_t n_ = 0, batch_ = 1;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareCholesky(
    const compiler::plan::PlanStep& step, const LibraryOptions& options) {
  using Made = Expected<std::unique_ptr<backend::PreparedStep>>;
  return ForLapackType(step.operands[0].type.dtype, [&]<typename T>() -> Made {
    return std::unique_ptr<backend::PreparedStep>(new CholeskyStep<T>(step, options));
  });
}

}  // namespace plinth::cpu::library
