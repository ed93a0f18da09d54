// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>

#include "reference_plugin/cpu/library/lapack.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/triangular.h"

namespace plinth::cpu::library {
namespace {

using compiler::TransposeMode;
using compiler::TriangularSolveAttributes;

// Right-hand sides that one task solves for, and the order from which LAPACK's BLAS is faster.
constexpr int64_t kBlockOfSides = 64;
constexpr int64_t kSmallTriangle = 16;

template <typename T>
class TriangularSolveStep final : public backend::PreparedStep {
 public:
  TriangularSolveStep(const compiler::plan::PlanStep& step, const LibraryOptions& options)
      : attributes_(*std::get_if<TriangularSolveAttributes>(step.attributes.get())) {
    const compiler::Type& b = step.operands[1].type;
    n_ = step.operands[0].type.dims.back();
    columns_ = b.dims.back();
    rows_ = b.dims[b.dims.size() - 2];
    for (size_t d = 0; d + 2 < b.dims.size(); ++d) batch_ *= b.dims[d];
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    if (n_ < kSmallTriangle || n_ > kMost || columns_ > kMost) return;
    if (auto trsm = FindLapack<T>(options.blas, Lapack<T>::kTrsm); trsm.ok()) trsm_ = *trsm;
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const T* const a = static_cast<const T*>(operands[0]);
    T* const x = static_cast<T*>(results[0]);
    const int64_t size = rows_ * columns_;
    if (size * batch_ == 0) return Status();
    if (x != operands[1]) {
      std::memcpy(x, operands[1], sizeof(T) * static_cast<size_t>(size * batch_));
    }
    const int64_t sides = attributes_.left_side ? columns_ : rows_;
    const int64_t blocks = (sides + kBlockOfSides - 1) / kBlockOfSides;
    constexpr int64_t kGrainWork = 64 << 10;
    const int64_t work = n_ * n_ * std::min(sides, kBlockOfSides) + 1;
    backend::ParallelFor(
        context.pool, batch_ * blocks, kGrainWork / work + 1, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t matrix = i / blocks, first = i % blocks * kBlockOfSides;
            T* const b = x + matrix * size + first * (attributes_.left_side ? 1 : columns_);
            Solve(a + matrix * n_ * n_, b, std::min(sides - first, kBlockOfSides));
          }
        });
    return Status();
  }

 private:
  void Solve(const T* a, T* b, int64_t sides) const {
    const TriangularSolveAttributes& how = attributes_;
    const bool transposes = how.transpose_a != TransposeMode::kNoTranspose;
    if (trsm_ != nullptr) {
      // Rows are BLAS's columns: everything is transposed, so the sides and triangles change.
      const char* const trans = how.transpose_a == TransposeMode::kAdjoint ? "C"
                                : transposes                               ? "T"
                                                                           : "N";
      const int m = static_cast<int>(how.left_side ? sides : n_);
      const int n = static_cast<int>(how.left_side ? n_ : sides);
      const int lda = static_cast<int>(n_), ldb = static_cast<int>(columns_);
      const T one(1);
      trsm_(how.left_side ? "R" : "L", how.lower ? "U" : "L", trans, how.unit_diagonal ? "U" : "N",
            &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
      return;
    }
    MatrixView<T> view{a, n_, 1, how.transpose_a == TransposeMode::kAdjoint};
    if (transposes) view = view.Transposed();
    const bool lower = how.lower != transposes;
    if (how.left_side) {
      SolveFromLeft(view, n_, lower, how.unit_diagonal, b, columns_, sides);
    } else {
      SolveFromRight(view, n_, lower, how.unit_diagonal, b, columns_, sides);
    }
  }

  typename decltype(Lapack<T>::kTrsm)::Function* trsm_ = nullptr;
  TriangularSolveAttributes attributes_;
  int64_t n_ = 0, rows_ = 0, columns_ = 0, batch_ = 1;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareTriangularSolve(
    const compiler::plan::PlanStep& step, const LibraryOptions& options) {
  using Made = Expected<std::unique_ptr<backend::PreparedStep>>;
  return ForLapackType(step.operands[0].type.dtype, [&]<typename T>() -> Made {
    return std::unique_ptr<backend::PreparedStep>(new TriangularSolveStep<T>(step, options));
  });
}

}  // namespace plinth::cpu::library
