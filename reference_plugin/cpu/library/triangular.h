// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_

#include <complex>
#include <cstdint>
#include <type_traits>

#include "reference_plugin/cpu/library/lapack.h"

// Triangular systems, Cholesky and LU factors of small matrices, or of all where there is no
// LAPACK. For the types of LAPACK.
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

// x of a x = b for b's `columns` contiguous columns, in place; a is n by n, lower or upper
// triangular, with a diagonal of ones or its own.
template <typename T>
void SolveFromLeft(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                   int64_t b_row, int64_t columns);

// x of x a = b for `rows` rows of b, in place.
template <typename T>
void SolveFromRight(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                    int64_t b_row, int64_t rows);

// The lower triangle of the Hermitian a (n by n, element (i, j) at [i * row + j * column]) becomes
// l of a = l l^H; the upper one is not looked at. 0, or the number (from 1 on) of the first row
// that shows that a is not positive definite, l then being undefined.
template <typename T>
int FactorCholesky(T* a, int64_t n, int64_t row, int64_t column);

// x of op(a) x = b, or x op(a) = b for the side 'R', in place of b (m by n), all column-major and
// named by BLAS's letters.
template <typename T>
void SolveColumnMajor(char side, char uplo, char trans, char diag, int64_t m, int64_t n, const T* a,
                      int64_t lda, T* b, int64_t ldb);

// A column-major matrix becomes its factors l and u, rows exchanged: pivots[i] is the row (from 1
// on) that came to row i. 0, or the number of the first column without a pivot. As LAPACK's getrf.
template <typename T>
int FactorLu(T* a, int m, int n, int64_t lda, int* pivots);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_
