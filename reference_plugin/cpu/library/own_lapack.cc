// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/own_lapack.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "reference_plugin/cpu/library/lapack.h"
#include "reference_plugin/cpu/library/triangular.h"

namespace plinth::cpu::library {
namespace {

template <typename T>
using RealPart = typename RealOf<T>::Type;

template <typename T>
constexpr bool kIsComplex = !std::is_same_v<T, RealPart<T>>;

template <typename T>
T Conjugate(T value) {
  if constexpr (kIsComplex<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}

// Column j of a column-major matrix, from row i on.
template <typename T>
T* At(T* a, int lda, int64_t i, int64_t j) {
  return a + i + j * lda;
}

template <typename T>
void Scale(int64_t n, T factor, T* x) {
  if (factor == T(0)) {
    std::fill_n(x, n, T(0));  // NaN too
  } else if (factor != T(1)) {
    for (int64_t i = 0; i < n; ++i) x[i] = Product(factor, x[i]);
  }
}

// y += factor x
template <typename T>
void AddScaled(int64_t n, T factor, const T* x, T* y) {
  for (int64_t i = 0; i < n; ++i) y[i] += Product(factor, x[i]);
}

// Of term(i) for i < n, in `Sum`. A fixed number of partial sums, so that the compiler may use
// vectors.
template <typename Sum, typename Term>
Sum SumOf(int64_t n, const Term& term) {
  constexpr int64_t kSums = 8;
  Sum sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int64_t lane = 0; lane < kSums; ++lane) sums[lane] += term(i + lane);
  }
  for (; i < n; ++i) sums[i % kSums] += term(i);
  Sum sum(0);
  for (const Sum& part : sums) sum += part;
  return sum;
}

// x^H y, or x^T y.
template <typename T>
T Dot(int64_t n, const T* x, const T* y, bool conjugates = true) {
  if (kIsComplex<T> && conjugates) {
    return SumOf<T>(n, [=](int64_t i) { return Product(Conjugate(x[i]), y[i]); });
  }
  return SumOf<T>(n, [=](int64_t i) { return Product(x[i], y[i]); });
}

// The Euclidean norm of x, where its squares overflow or underflow too.
template <typename T>
RealPart<T> Norm(int64_t n, const T* x) {
  using Real = RealPart<T>;
  const Real* const parts = reinterpret_cast<const Real*>(x);
  const int64_t count = n * (kIsComplex<T> ? 2 : 1);
  const double squares = SumOf<double>(count, [=](int64_t i) {
    const double part = static_cast<double>(parts[i]);
    return part * part;
  });
  // Every square of an f32 is a normal f64. Below, tiny squares would have lost bits.
  if (squares != squares || std::is_same_v<Real, float> ||
      (squares > 1e-280 && squares <= std::numeric_limits<double>::max())) {
    return static_cast<Real>(std::sqrt(squares));
  }
  Real largest = 0;
  for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::abs(parts[i]));
  if (largest == 0 || std::isinf(largest)) return largest;
  return largest * std::sqrt(SumOf<Real>(count, [=](int64_t i) {
           const Real part = parts[i] / largest;
           return part * part;
         }));
}

template <typename T>
void Potrf(const char* uplo, const int* order, T* a, const int* lda, int* info, size_t) {
  const int n = *order;
  for (int j = 0; j < n; ++j) {
    T* const column = At(a, *lda, 0, j);
    if (*uplo == 'L') {
      for (int k = 0; k < j; ++k) {
        const T* const done = At(a, *lda, j, k);
        AddScaled(n - j, -Conjugate(done[0]), done, column + j);
      }
    } else {
      for (int i = 0; i < j; ++i) {
        const T* const done = At(a, *lda, 0, i);
        column[i] = (column[i] - Dot(i, done, column)) / std::real(done[i]);
      }
      column[j] -= Dot(j, column, column);
    }
    const RealPart<T> pivot = std::real(column[j]);
    column[j] = pivot;
    if (!(pivot > 0)) {
      *info = j + 1;
      return;
    }
    const RealPart<T> root = std::sqrt(pivot);
    column[j] = root;
    for (int i = j + 1; i < n && *uplo == 'L'; ++i) column[i] /= root;
  }
  *info = 0;
}

template <typename T>
void Getrf(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info) {
  *info = FactorLu(a, *m, *n, *lda, pivots);
}

template <typename T>
void Laswp(const int* n, T* a, const int* lda, const int* first, const int* last, const int* pivots,
           const int* step) {
  const int count = *step == 0 ? 0 : *last - *first + 1;
  for (int j = 0; j < *n; ++j) {
    T* const column = At(a, *lda, -1, j);  // rows are counted from 1
    for (int i = 0; i < count; ++i) {
      const int row = *step > 0 ? *first + i : *last - i;
      const int pivot = pivots[*first - 1 + int64_t{row - *first} * std::abs(*step)];
      std::swap(column[row], column[pivot]);
    }
  }
}

template <typename T>
void Trsm(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
          const int* n, const T* alpha, const T* a, const int* lda, T* b, const int* ldb, size_t,
          size_t, size_t, size_t) {
  for (int j = 0; j < *n; ++j) Scale(*m, *alpha, At(b, *ldb, 0, j));
  SolveColumnMajor(*side, *uplo, *trans, *diag, *m, *n, a, *lda, b, *ldb);
}

template <typename T>
void Gemm(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
          const T* alpha, const T* a, const int* lda, const T* b, const int* ldb, const T* beta,
          T* c, const int* ldc, size_t, size_t) {
  for (int j = 0; j < *n; ++j) {
    T* const column = At(c, *ldc, 0, j);
    Scale(*m, *beta, column);
    auto factor = [=](int64_t l) {
      if (*trans_b == 'N') return *At(b, *ldb, l, j);
      const T value = *At(b, *ldb, j, l);
      return *trans_b == 'C' ? Conjugate(value) : value;
    };
    if (*trans_a == 'N') {
      for (int l = 0; l < *k; ++l) {
        AddScaled(*m, Product(*alpha, factor(l)), At(a, *lda, 0, l), column);
      }
      continue;
    }
    for (int i = 0; i < *m; ++i) {
      const T* const row = At(a, *lda, 0, i);
      const bool conjugates = *trans_a == 'C';
      const T sum = *trans_b == 'N'
                        ? Dot(*k, row, At(b, *ldb, 0, j), conjugates)
                        : SumOf<T>(*k, [=](int64_t l) {
                            return Product(conjugates ? Conjugate(row[l]) : row[l], factor(l));
                          });
      column[i] += Product(*alpha, sum);
    }
  }
}

// Of a Hermitian matrix (a symmetric one of reals) only the triangle that `uplo` names.
template <typename T>
void Herk(const char* uplo, const char* trans, const int* n, const int* k, const RealPart<T>* alpha,
          const T* a, const int* lda, const RealPart<T>* beta, T* c, const int* ldc, size_t,
          size_t) {
  for (int j = 0; j < *n; ++j) {
    const int first = *uplo == 'L' ? j : 0, end = *uplo == 'L' ? *n : j + 1;
    T* const column = At(c, *ldc, 0, j);
    Scale(end - first, T(*beta), column + first);
    if (*trans == 'N') {
      for (int l = 0; l < *k; ++l) {
        const T* const other = At(a, *lda, 0, l);
        AddScaled(end - first, *alpha * Conjugate(other[j]), other + first, column + first);
      }
    } else {
      for (int i = first; i < end; ++i) {
        column[i] += *alpha * Dot(*k, At(a, *lda, 0, i), At(a, *lda, 0, j));
      }
    }
    column[j] = std::real(column[j]);
  }
}

// The reflector h = 1 - tau v v^H, v = (1, x'), for which h^H (alpha, x) = (beta, 0), beta real.
// x becomes x' (n elements), alpha beta; tau is the answer.
template <typename T>
T MakeReflector(int64_t n, T* alpha, T* x) {
  using Real = RealPart<T>;
  Real norm = Norm(n, x);
  if (norm == 0 && std::imag(*alpha) == 0) return T(0);
  auto signed_length = [&] {
    // hypot of three arguments loses NaN in libstdc++; that of two needs glibc 2.35.
    const Real length = std::abs(std::complex<Real>(std::abs(*alpha), norm));
    return -std::copysign(length, std::real(*alpha));
  };
  Real beta = signed_length();
  // The inverse of a smaller number is inaccurate or infinite.
  constexpr Real kLeast =
      std::numeric_limits<Real>::min() / (std::numeric_limits<Real>::epsilon() / 2);
  constexpr int kMostScalings = 20;
  int scalings = 0;
  while (std::abs(beta) < kLeast && scalings < kMostScalings) {
    ++scalings;
    Scale(n, T(1 / kLeast), x);
    *alpha *= 1 / kLeast;
    norm = Norm(n, x);
    beta = signed_length();
  }
  const T tau = (beta - *alpha) / beta;
  Scale(n, T(1) / (*alpha - beta), x);
  for (; scalings > 0; --scalings) beta *= kLeast;
  *alpha = beta;
  return tau;
}

// (1 - tau v v^H) a, v = (1, x), for the `columns` columns of a, of 1 + n rows.
template <typename T>
void ApplyReflector(int64_t n, const T* x, T tau, int columns, T* a, int lda) {
  if (tau == T(0)) return;
  for (int j = 0; j < columns; ++j) {
    T* const column = At(a, lda, 0, j);
    const T factor = -Product(tau, column[0] + Dot(n, x, column + 1));
    column[0] += factor;
    AddScaled(n, factor, x, column + 1);
  }
}

// Whether only the size of the work array was asked for: we need none.
template <typename T>
bool AnswersWorkSize(int lwork, T* work, int* info) {
  *info = 0;
  if (lwork == -1) work[0] = T(1);
  return lwork == -1;
}

template <typename T>
void Geqrf(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
           int* info) {
  if (AnswersWorkSize(*lwork, work, info)) return;
  for (int i = 0; i < std::min(*m, *n); ++i) {
    T* const column = At(a, *lda, i, i);
    tau[i] = MakeReflector(*m - i - 1, column, column + 1);
    ApplyReflector(*m - i - 1, column + 1, Conjugate(tau[i]), *n - i - 1, column + *lda, *lda);
  }
}

template <typename T>
void Orgqr(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau, T* work,
           const int* lwork, int* info) {
  if (AnswersWorkSize(*lwork, work, info)) return;
  for (int j = *k; j < *n; ++j) {
    std::fill_n(At(a, *lda, 0, j), *m, T(0));
    *At(a, *lda, j, j) = T(1);
  }
  for (int i = *k; i-- > 0;) {
    T* const column = At(a, *lda, i, i);
    ApplyReflector(*m - i - 1, column + 1, tau[i], *n - i - 1, column + *lda, *lda);
    Scale(*m - i - 1, -tau[i], column + 1);
    column[0] = T(1) - tau[i];
    std::fill_n(At(a, *lda, 0, i), i, T(0));
  }
}

template <typename T>
void* FindOf(std::string_view name) {
  void* found = nullptr;
  // The compiler compares the signatures.
  auto row = [&]<typename Signature>(const LapackRoutine<Signature>& routine, Signature* function) {
    if (name == SymbolName<T>(routine)) found = reinterpret_cast<void*>(function);
  };
  row(Lapack<T>::kPotrf, &Potrf<T>);
  row(Lapack<T>::kGetrf, &Getrf<T>);
  row(Lapack<T>::kLaswp, &Laswp<T>);
  row(Lapack<T>::kTrsm, &Trsm<T>);
  row(Lapack<T>::kGemm, &Gemm<T>);
  row(Lapack<T>::kHerk, &Herk<T>);
  row(Lapack<T>::kGeqrf, &Geqrf<T>);
  row(Lapack<T>::kOrgqr, &Orgqr<T>);
  return found;
}

}  // namespace

void* FindOwnLapack(std::string_view name) {
  if (name.empty()) return nullptr;
  switch (name[0]) {
    case kLapackPrefix<float>:
      return FindOf<float>(name);
    case kLapackPrefix<double>:
      return FindOf<double>(name);
    case kLapackPrefix<std::complex<float>>:
      return FindOf<std::complex<float>>(name);
    case kLapackPrefix<std::complex<double>>:
      return FindOf<std::complex<double>>(name);
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library
