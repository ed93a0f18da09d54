// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/lapack.h"

#include <cmath>
#include <random>
#include <type_traits>
#include <vector>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/blocked_factor.h"
#include "reference_plugin/cpu/library/own_lapack.h"
#include "reference_plugin/cpu/library/symmetric_eigen.h"

namespace plinth::cpu::library {
namespace {

template <typename T>
class LapackTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(LapackTest, Types);

TYPED_TEST(LapackTest, EveryRoutineIsThere) {
  using Routines = Lapack<TypeParam>;
  ASSERT_TRUE(OpenBlas({}).ok()) << OpenBlas({}).status().message();
  auto expect = [](const auto& routine) {
    const auto found = FindLapack<TypeParam>({}, routine);
    EXPECT_TRUE(found.ok()) << found.status().message();
  };
  expect(Routines::kPotrf);
  expect(Routines::kTrsm);
  expect(Routines::kGeqrf);
  expect(Routines::kOrgqr);
  expect(Routines::kOrmqr);
  expect(Routines::kGeqp3);
  expect(Routines::kGetrf);
  expect(Routines::kGesdd);
  expect(Routines::kGesvd);
  expect(Routines::kSyevd);
  expect(Routines::kGeev);
  expect(Routines::kGees);
  expect(Routines::kGehrd);
  expect(Routines::kSytrd);
  expect(Routines::kGtsv);
  expect(Routines::kLaswp);
  expect(Routines::kGemm);
  expect(Routines::kHerk);
}

TYPED_TEST(LapackTest, CholeskyOfOneMatrix) {
  ASSERT_TRUE(OpenBlas({}).ok()) << OpenBlas({}).status().message();
  const auto potrf = FindLapack<TypeParam>({}, Lapack<TypeParam>::kPotrf);
  ASSERT_TRUE(potrf.ok());
  TypeParam a[] = {4, 2, 0, 5};
  const int n = 2;
  int info = -1;
  (*potrf)("L", &n, a, &n, &info, 1);
  EXPECT_EQ(info, 0);
  EXPECT_EQ(a[0], TypeParam(2));
  EXPECT_EQ(a[1], TypeParam(1));
  EXPECT_EQ(a[3], TypeParam(2));
}

template <typename T>
std::vector<T> RandomMatrix(int m, int n) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> part(-1, 1);
  std::vector<T> a(static_cast<size_t>(m) * n);
  for (T& x : a) {
    if constexpr (std::is_same_v<T, typename RealOf<T>::Type>) {
      x = static_cast<T>(part(random));
    } else {
      x = T(static_cast<typename RealOf<T>::Type>(part(random)),
            static_cast<typename RealOf<T>::Type>(part(random)));
    }
  }
  return a;
}

// `growth`: how many times more than a rounding two right ways may differ.
template <typename T>
void ExpectNear(const std::vector<T>& a, const std::vector<T>& b, int growth = 2000) {
  using Real = typename RealOf<T>::Type;
  Real most = 0, difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(b[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  EXPECT_LE(difference, growth * std::numeric_limits<Real>::epsilon() * most);
}

TYPED_TEST(LapackTest, CholeskyByBlocks) {
  using T = TypeParam;
  const auto factor = BlockedFactor<T>::Find({});
  ASSERT_TRUE(factor.ok()) << factor.status().message();
  const auto potrf = *FindLapack<T>({}, Lapack<T>::kPotrf);
  const int n = 500;
  backend::ThreadPool pool(3);
  for (char uplo : {'L', 'U'}) {
    for (int bad : {-1, 0, 431}) {
      // Not Hermitian: neither factorization may look at the other triangle.
      std::vector<T> expected = RandomMatrix<T>(n, n);
      for (int i = 0; i < n; ++i) expected[i * (n + 1)] = i == bad ? T(-1) : T(400);
      std::vector<T> one = expected, several = expected;
      int info = 0;
      potrf(&uplo, &n, expected.data(), &n, &info, 1);
      EXPECT_EQ(info, bad + 1);
      EXPECT_EQ(factor->Cholesky(nullptr, uplo, n, one.data(), n), info);
      EXPECT_EQ(factor->Cholesky(&pool, uplo, n, several.data(), n), info);
      EXPECT_EQ(one, several);
      if (info == 0) ExpectNear(one, expected);
    }
  }
}

TYPED_TEST(LapackTest, LuByBlocks) {
  using T = TypeParam;
  const auto factor = BlockedFactor<T>::Find({});
  ASSERT_TRUE(factor.ok()) << factor.status().message();
  const auto getrf = *FindLapack<T>({}, Lapack<T>::kGetrf);
  backend::ThreadPool pool(3);
  for (auto [m, n] : {std::pair(450, 600), std::pair(600, 450), std::pair(500, 500)}) {
    for (int zero : {-1, 0, 420}) {  // a column that has no pivot
      std::vector<T> expected = RandomMatrix<T>(m, n);
      for (int i = 0; zero >= 0 && i < m; ++i) expected[i + static_cast<size_t>(zero) * m] = T(0);
      std::vector<T> one = expected, several = expected;
      std::vector<int> pivots(std::min(m, n)), one_pivots = pivots, several_pivots = pivots;
      int info = 0;
      getrf(&m, &n, expected.data(), &m, pivots.data(), &info);
      EXPECT_EQ(info, zero + 1);
      EXPECT_EQ(factor->Lu(nullptr, m, n, one.data(), m, one_pivots.data()), info);
      EXPECT_EQ(factor->Lu(&pool, m, n, several.data(), m, several_pivots.data()), info);
      EXPECT_EQ(one_pivots, pivots);
      EXPECT_EQ(one, several);
      EXPECT_EQ(one_pivots, several_pivots);
      ExpectNear(one, expected, 50'000);
    }
  }
}

TYPED_TEST(LapackTest, SolutionsByBlocks) {
  using T = TypeParam;
  const auto factor = BlockedFactor<T>::Find({});
  ASSERT_TRUE(factor.ok()) << factor.status().message();
  const auto trsm = *FindLapack<T>({}, Lapack<T>::kTrsm);
  const int order = 400, sides = 450;
  std::vector<T> a = RandomMatrix<T>(order, order);
  for (int i = 0; i < order; ++i) a[i * (order + 1)] = T(400);
  const T unit(1);
  backend::ThreadPool pool(3);
  for (char side : {'L', 'R'}) {
    const int m = side == 'L' ? order : sides, n = side == 'L' ? sides : order;
    std::vector<T> expected = RandomMatrix<T>(m, n), one = expected, several = expected;
    trsm(&side, "U", "C", "N", &m, &n, &unit, a.data(), &order, expected.data(), &m, 1, 1, 1, 1);
    factor->Solve(nullptr, side, 'U', 'C', 'N', m, n, a.data(), order, one.data(), m);
    factor->Solve(&pool, side, 'U', 'C', 'N', m, n, a.data(), order, several.data(), m);
    EXPECT_EQ(one, several);
    ExpectNear(one, expected);
  }
}

// In parts of unlike sizes, by one thread and by several; the other triangle is nobody's.
template <typename T>
void ExpectEigen(char uplo, int n) {
  const auto eigen = SymmetricEigen<T>::Find({});
  ASSERT_TRUE(eigen.ok()) << eigen.status().message();
  const std::vector<T> random = RandomMatrix<T>(n, n);
  std::vector<T> whole = random, triangle = random;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const bool is_given = uplo == 'L' ? i >= j : i <= j;
      whole[i + j * n] = is_given ? random[i + j * n] : random[j + i * n];
      if (!is_given) triangle[i + j * n] = 77;
    }
  }
  ASSERT_TRUE(eigen->Serves(uplo, n, triangle.data()));
  std::vector<T> work(1 + 6 * n + 2 * n * n), values(n), one = triangle, several = triangle;
  std::vector<int> integers(3 + 5 * n);
  backend::ThreadPool pool(3);
  EXPECT_EQ(eigen->Solve(nullptr, uplo, n, one.data(), values.data(), work, integers), 0);
  EXPECT_EQ(eigen->Solve(&pool, uplo, n, several.data(), values.data(), work, integers), 0);
  EXPECT_EQ(one, several);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));

  std::vector<T> products(n * n), scaled = one, gram(n * n), unit(n * n, T(0));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) scaled[i + j * n] *= values[j];
    unit[j + j * n] = 1;
  }
  const auto gemm = *FindLapack<T>({}, Lapack<T>::kGemm);
  const T plus_one = 1, none = 0;
  gemm("N", "N", &n, &n, &n, &plus_one, whole.data(), &n, one.data(), &n, &none, products.data(),
       &n, 1, 1);
  gemm("T", "N", &n, &n, &n, &plus_one, one.data(), &n, one.data(), &n, &none, gram.data(), &n, 1,
       1);
  ExpectNear(products, scaled);
  ExpectNear(gram, unit);
}

TEST(SymmetricEigen, VectorsAndValues) {
  for (const char uplo : {'L', 'U'}) {
    ExpectEigen<float>(uplo, 385);
    ExpectEigen<double>(uplo, 600);
  }
}

TEST(SymmetricEigen, LeavesSmallOrdersAndWhatIsScaledToLapack) {
  using Eigen = SymmetricEigen<float>;
  const int n = 400;
  std::vector<float> a(n * n, 1.0f);
  EXPECT_TRUE(Eigen::Serves('L', n, a.data()));
  EXPECT_FALSE(Eigen::Serves('L', 100, a.data()));
  a[n - 1] = 1e20f;
  EXPECT_FALSE(Eigen::Serves('L', n, a.data()));
  EXPECT_TRUE(Eigen::Serves('U', n, a.data()));
  std::fill(a.begin(), a.end(), -1e-20f);
  EXPECT_FALSE(Eigen::Serves('L', n, a.data()));
  std::fill(a.begin(), a.end(), 0.0f);
  EXPECT_TRUE(Eigen::Serves('L', n, a.data()));
}

TEST(Lapack, MissingLibraryIsOneLineWithThePackages) {
  const auto found = FindLapack<double>({"none"}, Lapack<double>::kGesdd);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), StatusCode::kFailedPrecondition);
  for (const char* word : {"dgesdd_", "libopenblas0", "scipy-openblas32", "PLINTH_BLAS"}) {
    EXPECT_NE(found.status().message().find(word), std::string::npos) << word;
  }
  EXPECT_EQ(found.status().message().find('\n'), std::string::npos) << found.status().message();
}

TEST(Lapack, OwnRoutinesServeWithoutALibrary) {
  const auto found = FindLapack<double>({"none"}, Lapack<double>::kPotrf);
  ASSERT_TRUE(found.ok()) << found.status().message();
  EXPECT_EQ(reinterpret_cast<void*>(*found), FindOwnLapack("dpotrf_"));
  ASSERT_TRUE(OpenBlas({}).ok()) << OpenBlas({}).status().message();
  const auto theirs = FindLapack<double>({}, Lapack<double>::kPotrf);
  ASSERT_TRUE(theirs.ok());
  EXPECT_NE(*theirs, *found);
}

TEST(Lapack, MissingSymbolNamesTheLibrary) {
  const auto blas = OpenBlas({});
  ASSERT_TRUE(blas.ok()) << blas.status().message();
  const auto found = FindLapackSymbol({}, "dnothing_");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.status().message().find((*blas)->path), std::string::npos);
}

}  // namespace
}  // namespace plinth::cpu::library
