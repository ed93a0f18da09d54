#include "reference_plugin/cpu/library/lapack.h"

#include <type_traits>

#include "gtest/gtest.h"

namespace plinth::cpu {
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

TEST(Lapack, MissingLibraryNamesThePackages) {
  const auto found = FindLapack<double>({"none"}, Lapack<double>::kGesdd);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.status().code(), StatusCode::kFailedPrecondition);
  for (const char* word : {"dgesdd_", "libopenblas0", "scipy-openblas32", "PLINTH_BLAS"}) {
    EXPECT_NE(found.status().message().find(word), std::string::npos) << word;
  }
}

TEST(Lapack, MissingSymbolNamesTheLibrary) {
  const auto blas = OpenBlas({});
  ASSERT_TRUE(blas.ok()) << blas.status().message();
  const auto found = FindLapackSymbol({}, "dnothing_");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.status().message().find((*blas)->path), std::string::npos);
}

}  // namespace
}  // namespace plinth::cpu
