// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/triangular.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <utility>

namespace plinth::cpu::library {
namespace {

// x of a x = b for kColumns contiguous columns of b, in place.
template <int64_t kColumns, typename T>
void SolveColumnsFromLeft(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                          int64_t b_row) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T* const row = b + i * b_row;
    T x[kColumns];  // stays in registers
    std::copy_n(row, kColumns, x);
    const int64_t first = lower ? 0 : i + 1, end = lower ? i : n;
    for (int64_t k = first; k < end; ++k) {
      const T factor = a(i, k);
      const T* const known = b + k * b_row;
      for (int64_t j = 0; j < kColumns; ++j) x[j] -= Product(factor, known[j]);
    }
    if (!unit_diagonal) {
      const T diagonal = a(i, i);
      for (int64_t j = 0; j < kColumns; ++j) x[j] /= diagonal;
    }
    std::copy_n(x, kColumns, row);
  }
}

// x of x a = b for kRows rows of b at once, in place: element j of row r at x[j * kRows + r].
template <int64_t kRows, typename T>
void SolveRowsFromRight(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* x) {
  const auto at = [=](int64_t step) { return lower ? n - 1 - step : step; };
  for (int64_t step = 0; step < n; ++step) {
    const int64_t j = at(step);
    T* const row = x + j * kRows;
    T sums[kRows];  // stays in registers
    std::copy_n(row, kRows, sums);
    for (int64_t done = 0; done < step; ++done) {
      const T factor = a(at(done), j);
      const T* const known = x + at(done) * kRows;
      for (int64_t r = 0; r < kRows; ++r) sums[r] -= Product(known[r], factor);
    }
    if (!unit_diagonal) {
      const T diagonal = a(j, j);
      for (int64_t r = 0; r < kRows; ++r) sums[r] /= diagonal;
    }
    std::copy_n(sums, kRows, row);
  }
}

// The same sums in the same order for reals of an order up to kMostOrder, for several rows of a
// column at once: column k of l is row k of a small array.
constexpr int64_t kMostOrder = 32;
template <typename T>
int FactorSmallCholesky(T* a, int64_t n, int64_t row, int64_t column) {
  constexpr int64_t kLanes = 8;
  T l[kMostOrder * kMostOrder];
  const int64_t end = (n + kLanes - 1) / kLanes * kLanes;
  for (int64_t j = 0; j < n; ++j) {
    T* const to = l + j * kMostOrder;
    std::fill_n(to, end, T(0));
    for (int64_t i = j; i < n; ++i) to[i] = a[i * row + j * column];
  }
  for (int64_t j = 0; j < n; ++j) {
    T* const to = l + j * kMostOrder;
    // What comes before the diagonal, in the same vector, means nothing.
    const int64_t begin = j / kLanes * kLanes;
    for (int64_t i = begin; i < end; i += kLanes) {
      T sums[kLanes];  // stays in registers
      std::copy_n(to + i, kLanes, sums);
      for (int64_t k = 0; k < j; ++k) {
        const T* const done = l + k * kMostOrder;
        const T factor = done[j];
        for (int64_t lane = 0; lane < kLanes; ++lane) sums[lane] -= done[i + lane] * factor;
      }
      std::copy_n(sums, kLanes, to + i);
    }
    const T pivot = to[j];
    if (!(pivot > 0)) return static_cast<int>(j) + 1;
    const T root = std::sqrt(pivot);
    for (int64_t i = begin; i < end; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) to[i + lane] /= root;
    }
    to[j] = root;
  }
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) a[i * row + j * column] = l[j * kMostOrder + i];
  }
  return 0;
}

}  // namespace

template <typename T>
void SolveFromLeft(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                   int64_t b_row, int64_t columns) {
  constexpr int64_t kColumns = 8;
  int64_t j = 0;
  for (; j + kColumns <= columns; j += kColumns) {
    SolveColumnsFromLeft<kColumns>(a, n, lower, unit_diagonal, b + j, b_row);
  }
  for (; j < columns; ++j) SolveColumnsFromLeft<1>(a, n, lower, unit_diagonal, b + j, b_row);
}

template <typename T>
void SolveFromRight(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                    int64_t b_row, int64_t rows) {
  // Each element of a row waits for the one before it. So several rows are solved side by side,
  // where they fit into a small array.
  constexpr int64_t kRows = 8, kMostColumns = 32;
  T side_by_side[kMostColumns * kRows];
  int64_t r = 0;
  while (n <= kMostColumns && rows - r > 1) {
    const int64_t count = std::min(kRows, rows - r);
    std::fill_n(side_by_side, n * kRows, T(0));
    T* const from = b + r * b_row;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < n; ++j) side_by_side[j * kRows + i] = from[i * b_row + j];
    }
    SolveRowsFromRight<kRows>(a, n, lower, unit_diagonal, side_by_side);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t j = 0; j < n; ++j) from[i * b_row + j] = side_by_side[j * kRows + i];
    }
    r += count;
  }
  for (; r < rows; ++r) SolveRowsFromRight<1>(a, n, lower, unit_diagonal, b + r * b_row);
}

template <typename T>
int FactorCholesky(T* a, int64_t n, int64_t row, int64_t column) {
  using Real = typename RealOf<T>::Type;
  if constexpr (std::is_same_v<T, Real>) {
    if (n <= kMostOrder) return FactorSmallCholesky(a, n, row, column);
  }
  auto conjugate = [](T value) {
    if constexpr (std::is_same_v<T, Real>) {
      return value;
    } else {
      return std::conj(value);
    }
  };
  for (int64_t i = 0; i < n; ++i) {
    T* const l = a + i * row;
    for (int64_t j = 0; j <= i; ++j) {
      const T* const other = a + j * row;
      T sum = l[j * column];
      for (int64_t k = 0; k < j; ++k) {
        sum -= Product(l[k * column], conjugate(other[k * column]));
      }
      if (j < i) {
        l[j * column] = sum / std::real(other[j * column]);
        continue;
      }
      const Real pivot = std::real(sum);
      if (!(pivot > 0)) return static_cast<int>(i) + 1;
      l[j * column] = std::sqrt(pivot);
    }
  }
  return 0;
}

template <typename T>
void SolveColumnMajor(char side, char uplo, char trans, char diag, int64_t m, int64_t n, const T* a,
                      int64_t lda, T* b, int64_t ldb) {
  // Columns are rows of the transposed equation.
  MatrixView<T> view{a, lda, 1, trans == 'C'};
  if (trans != 'N') view = view.Transposed();
  const bool lower = (uplo == 'L') == (trans != 'N');
  if (side == 'L') {
    SolveFromRight(view, m, lower, diag == 'U', b, ldb, n);
  } else {
    SolveFromLeft(view, n, lower, diag == 'U', b, ldb, m);
  }
}

template <typename T>
int FactorLu(T* a, int m, int n, int64_t lda, int* pivots) {
  int info = 0;
  auto size = [](T value) { return std::abs(std::real(value)) + std::abs(std::imag(value)); };
  for (int j = 0; j < std::min(m, n); ++j) {
    T* const column = a + j * lda;
    int best = j;
    for (int i = j + 1; i < m; ++i) {
      if (size(column[i]) > size(column[best])) best = i;
    }
    pivots[j] = best + 1;
    if (column[best] == T(0)) {
      if (info == 0) info = j + 1;
      continue;
    }
    for (int k = 0; k < n && best != j; ++k) {
      std::swap(a[k * lda + j], a[k * lda + best]);
    }
    const T pivot = column[j];
    for (int i = j + 1; i < m; ++i) column[i] /= pivot;
    const T* __restrict const done = column;
    for (int k = j + 1; k < n; ++k) {
      T* __restrict const other = a + k * lda;
      const T factor = other[j];
      for (int i = j + 1; i < m; ++i) other[i] -= Product(done[i], factor);
    }
  }
  return info;
}

#define PLINTH_SMALL_MATRICES(T)                                                                  \
  template void SolveFromLeft(const MatrixView<T>&, int64_t, bool, bool, T*, int64_t, int64_t);   \
  template void SolveFromRight(const MatrixView<T>&, int64_t, bool, bool, T*, int64_t, int64_t);  \
  template int FactorCholesky(T*, int64_t, int64_t, int64_t);                                     \
  template void SolveColumnMajor(char, char, char, char, int64_t, int64_t, const T*, int64_t, T*, \
                                 int64_t);                                                        \
  template int FactorLu(T*, int, int, int64_t, int*);
PLINTH_SMALL_MATRICES(float)
PLINTH_SMALL_MATRICES(double)
PLINTH_SMALL_MATRICES(std::complex<float>)
PLINTH_SMALL_MATRICES(std::complex<double>)
#undef PLINTH_SMALL_MATRICES

}  // namespace plinth::cpu::library
