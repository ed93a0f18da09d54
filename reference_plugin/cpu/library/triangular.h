// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>

#include "reference_plugin/cpu/library/lapack.h"

// Triangular systems and Cholesky factors of small matrices, or of all where there is no LAPACK.
namespace plinth::cpu::library {

// Element (i, j) of a matrix at data[i * row + j * column], conjugated if asked for.
template <typename T>
struct MatrixView {
  const T* data;
  int64_t row, column;
  bool conjugate = false;

  T operator()(int64_t i, int64_t j) const {
    const T value = data[i * row + j * column];
    if constexpr (std::is_same_v<T, typename RealOf<T>::Type>) {
      return value;
    } else {
      return conjugate ? std::conj(value) : value;
    }
  }
  MatrixView Transposed() const { return {data, column, row, conjugate}; }
};

// Without the checks for infinities of operator*, which a product in a sum does not need.
template <typename T>
inline T Product(T a, T b) {
  return a * b;
}
template <typename T>
inline std::complex<T> Product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

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

// x of a x = b for b's `columns` contiguous columns, in place; a is n by n, lower or upper
// triangular, with a diagonal of ones or its own.
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

// x of x a = b for kRows rows of b at once, in place: element j of row r at x[j * kRows + r].
template <int64_t kRows, typename T>
void SolveRowsFromRight(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* x) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t j = lower ? n - 1 - step : step;
    T* const known = x + j * kRows;
    if (!unit_diagonal) {
      const T diagonal = a(j, j);
      for (int64_t r = 0; r < kRows; ++r) known[r] /= diagonal;
    }
    const int64_t first = lower ? 0 : j + 1, end = lower ? j : n;
    for (int64_t k = first; k < end; ++k) {
      const T factor = a(j, k);
      T* const row = x + k * kRows;
      for (int64_t r = 0; r < kRows; ++r) row[r] -= Product(known[r], factor);
    }
  }
}

// x of x a = b for `rows` rows of b, in place. Each element of a row waits for the one before it;
// so several rows are solved side by side, where they fit into a small array.
template <typename T>
void SolveFromRight(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                    int64_t b_row, int64_t rows) {
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

// The lower triangle of the Hermitian a (n by n, element (i, j) at [i * row + j * column]) becomes
// l of a = l l^H; the upper one is not looked at. 0, or the number (from 1 on) of the first row
// that shows that a is not positive definite, l then being undefined.
template <typename T>
int FactorCholesky(T* a, int64_t n, int64_t row, int64_t column) {
  using Real = typename RealOf<T>::Type;
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

// x of op(a) x = b, or x op(a) = b for the side 'R', in place of b (m by n), all column-major and
// named by BLAS's letters.
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

// A column-major matrix becomes its factors l and u, rows exchanged: pivots[i] is the row (from 1
// on) that came to row i. 0, or the number of the first column without a pivot. As LAPACK's getrf.
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
    for (int k = j + 1; k < n; ++k) {
      T* const other = a + k * lda;
      const T factor = other[j];
      for (int i = j + 1; i < m; ++i) other[i] -= Product(column[i], factor);
    }
  }
  return info;
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_
