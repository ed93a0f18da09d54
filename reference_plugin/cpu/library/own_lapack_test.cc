// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/own_lapack.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/blocked_factor.h"
#include "reference_plugin/cpu/library/lapack.h"

namespace plinth::cpu::library {
namespace {

const BlasOptions kNone{"none"};

template <typename T>
using Real = typename RealOf<T>::Type;

template <typename T>
constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

template <typename T>
T Conjugate(T value) {
  if constexpr (kIsComplex<T>) {
    return std::conj(value);
  } else {
    return value;
  }
}

// A column-major matrix whose columns lie `rows` + 3 apart; what lies between must stay as it is.
template <typename T>
struct Matrix {
  static constexpr int kGap = 3;
  Matrix(int m, int n)
      : rows(m), columns(n), lda(m + kGap), elements(static_cast<size_t>(lda) * n, T(77)) {
    for (int j = 0; j < n; ++j) std::fill_n(data() + int64_t{j} * lda, m, T(0));
  }
  static Matrix Random(int m, int n, int seed = 1) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> part(-1, 1);
    Matrix a(m, n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m; ++i) {
        if constexpr (kIsComplex<T>) {
          const auto re = static_cast<Real<T>>(part(random));
          a(i, j) = T(re, static_cast<Real<T>>(part(random)));
        } else {
          a(i, j) = static_cast<T>(part(random));
        }
      }
    }
    return a;
  }

  T* data() { return elements.data(); }
  T& operator()(int i, int j) { return elements[i + static_cast<size_t>(j) * lda]; }
  const T& operator()(int i, int j) const { return elements[i + static_cast<size_t>(j) * lda]; }
  Matrix Adjoint() const {
    Matrix result(columns, rows);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) result(j, i) = Conjugate((*this)(i, j));
    }
    return result;
  }
  bool GapsAreUntouched() const {
    for (int j = 0; j < columns; ++j) {
      for (int i = rows; i < lda; ++i) {
        if ((*this)(i, j) != T(77)) return false;
      }
    }
    return true;
  }

  int rows, columns, lda;
  std::vector<T> elements;
};

template <typename T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> c(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j) {
    for (int k = 0; k < a.columns; ++k) {
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

// The largest difference, in roundings of the largest element and per term of a sum.
template <typename T>
double Difference(const Matrix<T>& a, const Matrix<T>& b, int terms) {
  double most = 0, largest = 1;
  for (int j = 0; j < a.columns; ++j) {
    for (int i = 0; i < a.rows; ++i) {
      largest = std::max<double>(largest, std::abs(b(i, j)));
      const double difference = std::abs(a(i, j) - b(i, j));
      most = std::max(most, std::isnan(difference) ? 1e300 : difference);
    }
  }
  return most / largest / std::numeric_limits<Real<T>>::epsilon() / std::max(terms, 1);
}

template <typename T>
Matrix<T> Triangle(const Matrix<T>& a, bool lower, bool unit_diagonal = false) {
  Matrix<T> result(a.rows, a.columns);
  for (int j = 0; j < a.columns; ++j) {
    for (int i = 0; i < a.rows; ++i) {
      if (lower ? i >= j : i <= j) result(i, j) = i == j && unit_diagonal ? T(1) : a(i, j);
    }
  }
  return result;
}

template <typename T>
Matrix<T> Identity(int m, int n) {
  Matrix<T> result(m, n);
  for (int i = 0; i < std::min(m, n); ++i) result(i, i) = T(1);
  return result;
}

// Positive definite where it counts; the other triangle is not to be looked at.
template <typename T>
Matrix<T> Positive(int n, char uplo) {
  const Matrix<T> seed = Matrix<T>::Random(n, n, 3);
  Matrix<T> a = seed * seed.Adjoint();
  for (int j = 0; j < n; ++j) {
    a(j, j) += Real<T>(1);
    for (int i = 0; i < n; ++i) {
      if (uplo == 'L' ? i < j : i > j) a(i, j) = T(99);
    }
  }
  return a;
}

template <typename T>
class OwnLapackTest : public ::testing::Test {
 protected:
  using L = Lapack<T>;
  template <typename Signature>
  static Signature* Find(const LapackRoutine<Signature>& routine) {
    const auto found = FindLapack<T>(kNone, routine);
    return found.ok() ? *found : nullptr;
  }
};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(OwnLapackTest, Types);

constexpr int kSizes[] = {0, 1, 2, 3, 7, 8, 17, 40};

TYPED_TEST(OwnLapackTest, Cholesky) {
  using T = TypeParam;
  const auto potrf = this->Find(Lapack<T>::kPotrf);
  ASSERT_NE(potrf, nullptr);
  for (char uplo : {'L', 'U'}) {
    for (int n : kSizes) {
      Matrix<T> a = Positive<T>(n, uplo), factor = a;
      int info = -1;
      potrf(&uplo, &n, factor.data(), &factor.lda, &info, 1);
      EXPECT_EQ(info, 0);
      EXPECT_TRUE(factor.GapsAreUntouched());
      const Matrix<T> triangle = Triangle(factor, uplo == 'L');
      const Matrix<T> product =
          uplo == 'L' ? triangle * triangle.Adjoint() : triangle.Adjoint() * triangle;
      EXPECT_LE(Difference(Triangle(product, uplo == 'L'), Triangle(a, uplo == 'L'), n), 4)
          << uplo << n;
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i < n; ++i) {
          const bool is_other = uplo == 'L' ? i < j : i > j;
          EXPECT_TRUE(!is_other || factor(i, j) == T(99));
        }
      }
    }
  }
}

TYPED_TEST(OwnLapackTest, CholeskySaysWhereItEnds) {
  using T = TypeParam;
  const auto potrf = this->Find(Lapack<T>::kPotrf);
  const T bad[] = {T(-1), T(0), T(std::numeric_limits<Real<T>>::quiet_NaN())};
  for (char uplo : {'L', 'U'}) {
    for (const T& value : bad) {
      for (int at : {0, 2, 4}) {
        const int n = 5;
        Matrix<T> a = Identity<T>(n, n);
        a(at, at) = value;
        int info = -1;
        potrf(&uplo, &n, a.data(), &a.lda, &info, 1);
        EXPECT_EQ(info, at + 1);
      }
    }
  }
}

TYPED_TEST(OwnLapackTest, Lu) {
  using T = TypeParam;
  const auto getrf = this->Find(Lapack<T>::kGetrf);
  ASSERT_NE(getrf, nullptr);
  for (int m : kSizes) {
    for (int n : {0, 1, 5, 8, 40}) {
      const int k = std::min(m, n);
      Matrix<T> a = Matrix<T>::Random(m, n), lu = a;
      std::vector<int> pivots(k);
      int info = -1;
      getrf(&m, &n, lu.data(), &lu.lda, pivots.data(), &info);
      EXPECT_EQ(info, 0);
      EXPECT_TRUE(lu.GapsAreUntouched());
      Matrix<T> l(m, k), u(k, n);
      for (int j = 0; j < k; ++j) {
        l(j, j) = T(1);
        for (int i = j + 1; i < m; ++i) {
          l(i, j) = lu(i, j);
          EXPECT_LE(std::abs(l(i, j)), 1.5);  // was pivoted
        }
      }
      for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= std::min(j, k - 1); ++i) u(i, j) = lu(i, j);
      }
      for (int i = 0; i < k; ++i) {
        ASSERT_GT(pivots[i], i);
        ASSERT_LE(pivots[i], m);
        for (int j = 0; j < n; ++j) std::swap(a(i, j), a(pivots[i] - 1, j));
      }
      EXPECT_LE(Difference(l * u, a, k), 4) << m << 'x' << n;
    }
  }
}

TYPED_TEST(OwnLapackTest, LuGoesOnAfterAColumnWithoutPivot) {
  using T = TypeParam;
  const auto getrf = this->Find(Lapack<T>::kGetrf);
  const int n = 4;
  Matrix<T> a = Matrix<T>::Random(n, n);
  for (int i = 0; i < n; ++i) a(i, 1) = a(i, 3) = T(0);
  std::vector<int> pivots(n);
  int info = -1;
  getrf(&n, &n, a.data(), &a.lda, pivots.data(), &info);
  EXPECT_EQ(info, 2);
  EXPECT_NE(a(2, 2), T(0));
  EXPECT_EQ(pivots[1], 2);
}

TYPED_TEST(OwnLapackTest, RowsAreExchangedInEitherOrder) {
  using T = TypeParam;
  const auto laswp = this->Find(Lapack<T>::kLaswp);
  ASSERT_NE(laswp, nullptr);
  const Matrix<T> original = Matrix<T>::Random(6, 3);
  Matrix<T> a = original;
  const int pivots[] = {0, 5, 3, 6}, first = 2, last = 4, forward = 1, back = -1, n = 3;
  laswp(&n, a.data(), &a.lda, &first, &last, pivots, &forward);
  EXPECT_EQ(a(1, 2), original(4, 2));
  EXPECT_EQ(a(0, 0), original(0, 0));
  EXPECT_EQ(a(3, 2), original(5, 2));
  laswp(&n, a.data(), &a.lda, &first, &last, pivots, &back);
  EXPECT_EQ(a.elements, original.elements);
}

TYPED_TEST(OwnLapackTest, TriangularSystems) {
  using T = TypeParam;
  const auto trsm = this->Find(Lapack<T>::kTrsm);
  ASSERT_NE(trsm, nullptr);
  const T alpha(2);
  for (char side : {'L', 'R'}) {
    for (char uplo : {'L', 'U'}) {
      for (char trans : {'N', 'T', 'C'}) {
        for (char diag : {'N', 'U'}) {
          for (auto [order, sides] : {std::pair(0, 3), {3, 0}, {1, 1}, {7, 5}, {20, 33}}) {
            const int m = side == 'L' ? order : sides, n = side == 'L' ? sides : order;
            Matrix<T> a = Matrix<T>::Random(order, order);
            for (int i = 0; i < order; ++i) {
              for (int j = 0; j < order; ++j) a(i, j) *= Real<T>(1) / static_cast<Real<T>>(order);
              a(i, i) += Real<T>(2);
            }
            Matrix<T> b = Matrix<T>::Random(m, n, 2), x = b;
            trsm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &a.lda, x.data(), &x.lda, 1,
                 1, 1, 1);
            EXPECT_TRUE(x.GapsAreUntouched());
            Matrix<T> op = Triangle(a, uplo == 'L', diag == 'U');
            if (trans != 'N') op = op.Adjoint();
            for (T& value : op.elements) value = trans == 'T' ? Conjugate(value) : value;
            for (T& value : b.elements) value *= alpha;
            EXPECT_LE(Difference(side == 'L' ? op * x : x * op, b, order), 8)
                << side << uplo << trans << diag << order;
          }
        }
      }
    }
  }
}

TYPED_TEST(OwnLapackTest, Products) {
  using T = TypeParam;
  const auto gemm = this->Find(Lapack<T>::kGemm);
  ASSERT_NE(gemm, nullptr);
  const T alpha(3);
  for (char ta : {'N', 'T', 'C'}) {
    for (char tb : {'N', 'T', 'C'}) {
      for (const T& beta : {T(0), T(1), T(2)}) {
        const int m = 9, n = 4, k = 11;
        auto stored = [](char t, int rows, int columns, int seed) {
          return t == 'N' ? Matrix<T>::Random(rows, columns, seed)
                          : Matrix<T>::Random(columns, rows, seed);
        };
        auto op = [](char t, const Matrix<T>& x) {
          Matrix<T> result = t == 'N' ? x : x.Adjoint();
          for (T& value : result.elements) value = t == 'T' ? Conjugate(value) : value;
          return result;
        };
        Matrix<T> a = stored(ta, m, k, 1), b = stored(tb, k, n, 2), c = Matrix<T>::Random(m, n, 3);
        Matrix<T> expected = op(ta, a) * op(tb, b);
        for (int j = 0; j < n; ++j) {
          for (int i = 0; i < m; ++i) expected(i, j) = alpha * expected(i, j) + beta * c(i, j);
        }
        if (beta == T(0)) c(1, 1) = T(std::numeric_limits<Real<T>>::quiet_NaN());
        gemm(&ta, &tb, &m, &n, &k, &alpha, a.data(), &a.lda, b.data(), &b.lda, &beta, c.data(),
             &c.lda, 1, 1);
        EXPECT_TRUE(c.GapsAreUntouched());
        EXPECT_LE(Difference(c, expected, k), 4) << ta << tb;
      }
    }
  }
}

TYPED_TEST(OwnLapackTest, HermitianProducts) {
  using T = TypeParam;
  const auto herk = this->Find(Lapack<T>::kHerk);
  ASSERT_NE(herk, nullptr);
  const Real<T> alpha = -1, beta = 2;
  for (char uplo : {'L', 'U'}) {
    for (char trans : {'N', 'C'}) {
      const int n = 9, k = 5;
      Matrix<T> a = trans == 'N' ? Matrix<T>::Random(n, k) : Matrix<T>::Random(k, n);
      Matrix<T> c = Matrix<T>::Random(n, n, 2);
      Matrix<T> expected = trans == 'N' ? a * a.Adjoint() : a.Adjoint() * a;
      for (int j = 0; j < n; ++j) {
        c(j, j) = std::real(c(j, j));
        for (int i = 0; i < n; ++i) {
          const bool is_in = uplo == 'L' ? i >= j : i <= j;
          expected(i, j) = is_in ? alpha * expected(i, j) + beta * c(i, j) : c(i, j);
        }
      }
      herk(&uplo, &trans, &n, &k, &alpha, a.data(), &a.lda, &beta, c.data(), &c.lda, 1, 1);
      EXPECT_TRUE(c.GapsAreUntouched());
      EXPECT_LE(Difference(c, expected, k), 4) << uplo << trans;
      for (int j = 0; j < n; ++j) EXPECT_EQ(std::imag(c(j, j)), 0);
    }
  }
}

template <typename T>
class QrTest : public OwnLapackTest<T> {
 protected:
  // The factor r and, in place of a, q of `columns` columns.
  Matrix<T> Factor(Matrix<T>& a, int columns) {
    const auto geqrf = this->Find(Lapack<T>::kGeqrf);
    const auto orgqr = this->Find(Lapack<T>::kOrgqr);
    const int m = a.rows, n = a.columns, k = std::min(m, n), ask = -1;
    std::vector<T> tau(k);
    T size(0);
    int info = -1;
    geqrf(&m, &n, a.data(), &a.lda, tau.data(), &size, &ask, &info);
    EXPECT_EQ(info, 0);
    int lwork = static_cast<int>(std::real(size));
    std::vector<T> work(lwork);
    info = -1;
    geqrf(&m, &n, a.data(), &a.lda, tau.data(), work.data(), &lwork, &info);
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(a.GapsAreUntouched());
    Matrix<T> r(columns, n);
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i <= std::min(j, std::min(m, columns) - 1); ++i) r(i, j) = a(i, j);
    }
    for (int i = 0; i < k; ++i) EXPECT_EQ(std::imag(r(i, i)), 0);
    Matrix<T> q(m, columns);
    for (int j = 0; j < std::min(k, columns); ++j) {
      for (int i = 0; i < m; ++i) q(i, j) = a(i, j);
    }
    const int reflectors = std::min(k, columns);
    orgqr(&m, &columns, &reflectors, q.data(), &q.lda, tau.data(), &size, &ask, &info);
    lwork = static_cast<int>(std::real(size));
    work.resize(lwork);
    info = -1;
    orgqr(&m, &columns, &reflectors, q.data(), &q.lda, tau.data(), work.data(), &lwork, &info);
    EXPECT_EQ(info, 0);
    EXPECT_TRUE(q.GapsAreUntouched());
    a = q;
    return r;
  }
};
TYPED_TEST_SUITE(QrTest, Types);

TYPED_TEST(QrTest, FactorsGiveTheMatrixBack) {
  using T = TypeParam;
  for (int m : kSizes) {
    for (int n : {0, 1, 5, 17}) {
      for (int columns : {std::min(m, n), m}) {
        const Matrix<T> a = Matrix<T>::Random(m, n);
        Matrix<T> q = a;
        const Matrix<T> r = this->Factor(q, columns);
        EXPECT_LE(Difference(q * r, a, m), 8) << m << 'x' << n;
        EXPECT_LE(Difference(q.Adjoint() * q, Identity<T>(columns, columns), m), 8);
      }
    }
  }
}

// Squares of the elements overflow, are zero, or lose their bits.
TYPED_TEST(QrTest, OfEverySize) {
  using T = TypeParam;
  using R = Real<T>;
  const R largest = std::numeric_limits<R>::max(), least = std::numeric_limits<R>::min();
  for (R scale : {largest / 64, std::sqrt(largest), std::sqrt(least), least * 8, least / 4, R(0)}) {
    Matrix<T> a = Matrix<T>::Random(9, 4), unscaled = a;
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 9; ++i) a(i, j) *= scale;
    }
    const Matrix<T> given = a;
    const Matrix<T> r = this->Factor(a, 4);
    EXPECT_LE(Difference(a.Adjoint() * a, Identity<T>(4, 4), 9), 8) << scale;
    Matrix<T> product = a * r, expected = given;
    for (int j = 0; j < 4 && scale != 0; ++j) {
      for (int i = 0; i < 9; ++i) {
        product(i, j) /= scale;
        expected(i, j) /= scale;
      }
    }
    // Elements of a quarter of the least normal number have two bits less.
    EXPECT_LE(Difference(product, expected, 9), 64) << scale;
  }
}

TYPED_TEST(QrTest, KeepsNan) {
  using T = TypeParam;
  Matrix<T> a = Matrix<T>::Random(2, 1);
  a(0, 0) = T(0);
  a(1, 0) = T(std::numeric_limits<Real<T>>::quiet_NaN());
  const auto geqrf = this->Find(Lapack<T>::kGeqrf);
  T tau, work[64];
  const int lwork = 64;
  int info = -1;
  geqrf(&a.rows, &a.columns, a.data(), &a.lda, &tau, work, &lwork, &info);
  EXPECT_EQ(info, 0);
  EXPECT_TRUE(std::isnan(std::real(a(0, 0))));
}

// Many panels and tiles, in the blocks in which several threads work.
TYPED_TEST(OwnLapackTest, LargeMatricesByBlocks) {
  using T = TypeParam;
  const auto factor = BlockedFactor<T>::Find(kNone);
  ASSERT_TRUE(factor.ok()) << factor.status().message();
  backend::ThreadPool pool(2);
  const int n = 400;
  Matrix<T> a = Matrix<T>::Random(n, n);
  for (int i = 0; i < n; ++i) a(i, i) += Real<T>(30);
  Matrix<T> lu = a, x = Matrix<T>::Random(n, 3, 2);
  const Matrix<T> b = x;
  std::vector<int> pivots(n);
  EXPECT_EQ(factor->Lu(&pool, n, n, lu.data(), lu.lda, pivots.data()), 0);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 3; ++j) std::swap(x(i, j), x(pivots[i] - 1, j));
  }
  factor->Solve(&pool, 'L', 'L', 'N', 'U', n, 3, lu.data(), lu.lda, x.data(), x.lda);
  factor->Solve(&pool, 'L', 'U', 'N', 'N', n, 3, lu.data(), lu.lda, x.data(), x.lda);
  EXPECT_LE(Difference(a * x, b, n), 8);

  Matrix<T> positive = a;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) positive(i, j) = i == j ? T(400) : a(i, j);
  }
  Matrix<T> one = positive;
  EXPECT_EQ(factor->Cholesky(&pool, 'L', n, positive.data(), positive.lda), 0);
  EXPECT_EQ(factor->Cholesky(nullptr, 'L', n, one.data(), one.lda), 0);
  EXPECT_EQ(positive.elements, one.elements);
}

TEST(OwnLapack, KnowsNoOtherNames) {
  EXPECT_NE(FindOwnLapack("dpotrf_"), nullptr);
  EXPECT_NE(FindOwnLapack("ssyrk_"), nullptr);
  EXPECT_NE(FindOwnLapack("zherk_"), nullptr);
  EXPECT_NE(FindOwnLapack("cungqr_"), nullptr);
  for (const char* name : {"", "dgesdd_", "dpotrf", "potrf_", "qpotrf_", "dungqr_", "zsyrk_"}) {
    EXPECT_EQ(FindOwnLapack(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace plinth::cpu::library
