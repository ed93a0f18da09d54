// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference_plugin/cpu/lapack/families.h"
#include "reference_plugin/cpu/lapack/lapack_call.h"
#include "reference_plugin/cpu/library/blocked_factor.h"
#include "reference_plugin/cpu/library/triangular.h"

// Factors and solutions of linear systems: Cholesky, LU, triangular and tridiagonal.
namespace plinth::cpu::lapack {
namespace {

// Up to it, calling LAPACK takes longer than the work.
constexpr int kSmallOrder = 24;

// a -> a, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PreparePotrf(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 1, 2);
  const int n = checker.SquareMatrices(0, kDTypeOf<T>);
  checker.Result(0, kDTypeOf<T>, {n, n});
  checker.Result(1, DType::kS32, {});
  const char uplo = checker.Letter("uplo", "LU");
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(const auto lapack, library::BlockedFactor<T>::Find(options.blas));
  return LapackStep::Make(checker, std::pow(n, 3) / 3, {},
                          [=](const CallArrays& arrays, std::byte*) {
                            T* const a = arrays.CopiedResult<T>(0, 0, int64_t{n} * n);
                            if (n <= kSmallOrder) {
                              *arrays.Info(1) = uplo == 'L' ? library::FactorCholesky(a, n, 1, n)
                                                            : library::FactorCholesky(a, n, n, 1);
                              return;
                            }
                            const int lda = LeadingDimension(n);
                            *arrays.Info(1) = lapack.Cholesky(arrays.pool, uplo, n, a, lda);
                          });
}

// a, b, and of old programs a factor of b -> x.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareTrsm(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  const bool has_factor = call.operands.size() == 3;
  CallChecker checker(call, has_factor ? 3 : 2, 1);
  const int order = checker.SquareMatrices(0, kDTypeOf<T>);
  const char side = checker.Letter("side", "LR"), uplo = checker.Letter("uplo", "LU");
  const char trans = checker.Letter("trans_x", "NTC"), diag = checker.Letter("diag", "NU");
  PLINTH_RETURN_IF_ERROR(checker.status());
  const compiler::Dims& dims = call.operands[1].dims;
  checker.Expect(dims.size() >= 2, checker.OperandIs(1), "; expected matrices");
  PLINTH_RETURN_IF_ERROR(checker.status());
  const int64_t m = dims[dims.size() - 2], n = dims.back();
  checker.Expect(
      (side == 'L' ? m : n) == order && std::max(m, n) <= std::numeric_limits<int>::max(),
      checker.OperandIs(1), "; expected matrices of ", order, side == 'L' ? " rows" : " columns",
      " and 32-bit sizes");
  checker.Operand(1, kDTypeOf<T>, {m, n});
  checker.Result(0, kDTypeOf<T>, {m, n});
  if (has_factor) {
    checker.Expect(call.operands[2].rank() == 0 && call.operands[2].dtype == kDTypeOf<T>,
                   checker.OperandIs(2), "; expected the factor alpha, a number");
  }
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(const auto lapack, library::BlockedFactor<T>::Find(options.blas));
  const double work = static_cast<double>(m) * static_cast<double>(n) * order;
  return LapackStep::Make(checker, work, {}, [=](const CallArrays& arrays, std::byte*) {
    T* const x = arrays.CopiedResult<T>(0, 1, m * n);
    if (has_factor) {
      const T factor = *static_cast<const T*>(arrays.operands[2]);
      if (factor != T(1)) std::for_each(x, x + m * n, [factor](T& value) { value *= factor; });
    }
    const T* const a = arrays.Operand<T>(0, int64_t{order} * order);
    if (order <= kSmallOrder && std::max(m, n) <= kSmallOrder) {
      library::SolveColumnMajor(side, uplo, trans, diag, m, n, a, order, x, m);
      return;
    }
    const int rows = static_cast<int>(m), cols = static_cast<int>(n);
    const int lda = LeadingDimension(order), ldb = LeadingDimension(rows);
    lapack.Solve(arrays.pool, side, uplo, trans, diag, rows, cols, a, lda, x, ldb);
  });
}

// a -> lu, pivots, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGetrf(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 1, 3);
  const auto [m, n] = checker.Matrices(0, kDTypeOf<T>);
  const int least = std::min(m, n);
  checker.Result(0, kDTypeOf<T>, {m, n});
  checker.Result(1, DType::kS32, {least});
  checker.Result(2, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(const auto lapack, library::BlockedFactor<T>::Find(options.blas));
  return LapackStep::Make(
      checker, static_cast<double>(m) * n * least, {},
      [=, m = m, n = n](const CallArrays& arrays, std::byte*) {
        T* const a = arrays.CopiedResult<T>(0, 0, int64_t{m} * n);
        if (std::max(m, n) <= kSmallOrder) {
          *arrays.Info(2) = library::FactorLu(a, m, n, m, arrays.Result<int>(1, least));
          return;
        }
        const int lda = LeadingDimension(m);
        *arrays.Info(2) = lapack.Lu(arrays.pool, m, n, a, lda, arrays.Result<int>(1, least));
      });
}

// lower, diagonal, upper, b -> the same four overwritten, x last, and info. The lower diagonal
// starts with an element that belongs to no column.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGtsv(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 4, 5);
  const auto [n, columns] = checker.Matrices(3, kDTypeOf<T>);
  for (size_t i = 0; i < 3; ++i) {
    checker.Operand(i, kDTypeOf<T>, {n});
    checker.Result(i, kDTypeOf<T>, {n});
  }
  checker.Result(3, kDTypeOf<T>, {n, columns});
  checker.Result(4, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const gtsv,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGtsv));
  // LAPACK's real routines write a first column even if there is none.
  WorkLayout layout;
  layout.Add<T>(columns == 0 ? n : 0);
  return LapackStep::Make(checker, 10.0 * n * (columns + 1), layout,
                          [=, n = n, columns = columns](const CallArrays& arrays, std::byte* work) {
                            T* diagonals[3];
                            for (size_t i = 0; i < 3; ++i) {
                              diagonals[i] = arrays.CopiedResult<T>(i, i, n);
                            }
                            T* x = arrays.CopiedResult<T>(3, 3, int64_t{n} * columns);
                            if (columns == 0) {
                              x = reinterpret_cast<T*>(work);
                              std::fill_n(x, n, T(0));
                            }
                            const int ldb = LeadingDimension(n), num_columns = std::max(columns, 1);
                            if (n == 0) {
                              *arrays.Info(4) = 0;
                              return;
                            }
                            gtsv(&n, &num_columns, diagonals[0] + 1, diagonals[1], diagonals[2], x,
                                 &ldb, arrays.Info(4));
                          });
}

// lower, diagonal, upper, b -> x, by elimination with partial pivoting in which a pivot that is
// (nearly) zero becomes epsilon times the largest element: finite for a singular matrix too.
template <typename T>
void SolvePerturbed(int64_t n, int64_t columns, const T* lower, const T* diagonal, const T* upper,
                    T* x, T* work) {
  using Real = typename library::RealOf<T>::Type;
  // Row i of the factor: its diagonal and the two elements behind.
  T* const pivot = work;
  T* const next = work + n;
  T* const second = work + 2 * n;
  Real largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    pivot[i] = diagonal[i];
    next[i] = i + 1 < n ? upper[i] : T(0);
    second[i] = T(0);
    largest = std::max({largest, std::abs(diagonal[i]), std::abs(next[i])});
    if (i > 0) largest = std::max(largest, std::abs(lower[i]));
  }
  const Real least =
      std::max(largest * std::numeric_limits<Real>::epsilon(), std::numeric_limits<Real>::min());
  auto perturb = [least](T& value) {
    if (std::abs(value) < least) value = std::real(value) < 0 ? T(-least) : T(least);
  };
  for (int64_t i = 0; i + 1 < n; ++i) {
    T below = lower[i + 1];
    if (std::abs(below) > std::abs(pivot[i])) {
      std::swap(below, pivot[i]);
      std::swap(next[i], pivot[i + 1]);
      std::swap(second[i], next[i + 1]);
      for (int64_t j = 0; j < columns; ++j) std::swap(x[j * n + i], x[j * n + i + 1]);
    }
    perturb(pivot[i]);
    const T factor = below / pivot[i];
    pivot[i + 1] -= factor * next[i];
    next[i + 1] -= factor * second[i];
    for (int64_t j = 0; j < columns; ++j) x[j * n + i + 1] -= factor * x[j * n + i];
  }
  if (n > 0) perturb(pivot[n - 1]);
  for (int64_t j = 0; j < columns; ++j) {
    T* const column = x + j * n;
    for (int64_t i = n; i-- > 0;) {
      if (i + 1 < n) column[i] -= next[i] * column[i + 1];
      if (i + 2 < n) column[i] -= second[i] * column[i + 2];
      column[i] /= pivot[i];
    }
  }
}

template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PreparePerturbed(const backend::CustomCall& call) {
  CallChecker checker(call, 4, 1);
  const auto [n, columns] = checker.Matrices(3, kDTypeOf<T>);
  for (size_t i = 0; i < 3; ++i) checker.Operand(i, kDTypeOf<T>, {n});
  checker.Result(0, kDTypeOf<T>, {n, columns});
  WorkLayout layout;
  layout.Add<T>(3 * int64_t{n});
  return LapackStep::Make(checker, 20.0 * n * (columns + 1), layout,
                          [n = n, columns = columns](const CallArrays& arrays, std::byte* work) {
                            T* const x = arrays.CopiedResult<T>(0, 3, int64_t{n} * columns);
                            SolvePerturbed(n, columns, arrays.Operand<T>(0, n),
                                           arrays.Operand<T>(1, n), arrays.Operand<T>(2, n), x,
                                           reinterpret_cast<T*>(work));
                          });
}

Expected<std::unique_ptr<backend::PreparedStep>> PreparePerturbedOfAnyType(
    const backend::CustomCall& call, const library::LibraryOptions&) {
  return library::ForLapackType(call.operands.empty() ? DType::kInvalid : call.operands[0].dtype,
                                [&]<typename T>() { return PreparePerturbed<T>(call); });
}

constexpr LapackRow kSolverRows[] = {
    PLINTH_LAPACK_ROWS("potrf", "potrf", PreparePotrf),
    PLINTH_LAPACK_ROWS("trsm", "trsm", PrepareTrsm),
    PLINTH_LAPACK_ROWS("getrf", "getrf", PrepareGetrf),
    PLINTH_LAPACK_ROWS("gtsv", "gtsv", PrepareGtsv),
    {"tridiagonal_solve_perturbed_ffi", PreparePerturbedOfAnyType},
};

}  // namespace

std::span<const LapackRow> LapackSolverRows() { return kSolverRows; }

}  // namespace plinth::cpu::lapack
