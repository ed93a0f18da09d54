#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_

#include <cmath>
#include <complex>
#include <cstdint>

#include "reference_plugin/cpu/library/lapack.h"

// Triangular systems and Cholesky factors of small matrices, or of all where there is no LAPACK.
namespace plinth::cpu {

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
                   int64_t b_row, int64_t columns) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    T* const row = b + i * b_row;
    const int64_t first = lower ? 0 : i + 1, end = lower ? i : n;
    for (int64_t k = first; k < end; ++k) {
      const T factor = a(i, k);
      const T* const known = b + k * b_row;
      for (int64_t j = 0; j < columns; ++j) row[j] -= Product(factor, known[j]);
    }
    if (unit_diagonal) continue;
    const T diagonal = a(i, i);
    for (int64_t j = 0; j < columns; ++j) row[j] /= diagonal;
  }
}

// x of x a = b for `rows` rows of b, in place.
template <typename T>
void SolveFromRight(const MatrixView<T>& a, int64_t n, bool lower, bool unit_diagonal, T* b,
                    int64_t b_row, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    T* const x = b + r * b_row;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t j = lower ? n - 1 - step : step;
      if (!unit_diagonal) x[j] /= a(j, j);
      const T known = x[j];
      const int64_t first = lower ? 0 : j + 1, end = lower ? j : n;
      for (int64_t k = first; k < end; ++k) x[k] -= Product(known, a(j, k));
    }
  }
}

// The lower triangle of the Hermitian a (n by n, row major, rows `row` apart) becomes l of
// a = l l^H; the upper one is not looked at. False, with l undefined, where a is not positive
// definite.
template <typename T>
bool FactorCholesky(T* a, int64_t n, int64_t row) {
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
      T sum = l[j];
      for (int64_t k = 0; k < j; ++k) sum -= Product(l[k], conjugate(other[k]));
      if (j < i) {
        l[j] = sum / std::real(other[j]);
        continue;
      }
      const Real pivot = std::real(sum);
      if (!(pivot > 0)) return false;
      l[j] = std::sqrt(pivot);
    }
  }
  return true;
}

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_TRIANGULAR_H_
