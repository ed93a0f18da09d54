// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>
#include <random>

#include "gtest/gtest.h"
#include "reference_plugin/cpu/library/test_support.h"

namespace plinth::cpu::library {
namespace {

using compiler::CholeskyAttributes;
using compiler::TransposeMode;
using compiler::TriangularSolveAttributes;
using Wide = std::complex<double>;

constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kC64, DType::kC128};

// With BLAS where it is found, and without.
const LibraryOptions kOptions[] = {{}, {{"none"}}};

template <typename A>
std::shared_ptr<const compiler::Attributes> Make(A attributes) {
  return std::make_shared<const compiler::Attributes>(attributes);
}

Wide At(const TestArray& a, int64_t base, int64_t columns, int64_t i, int64_t j) {
  return a.Get<Wide>(base + i * columns + j);
}

TEST(Cholesky, FactorsGiveTheMatrixBack) {
  std::mt19937_64 random(5);
  backend::ThreadPool pool(2);
  for (const LibraryOptions& options : kOptions) {
    for (DType type : kTypes) {
      for (int64_t n : {1, 3, 7, 8, 16, 31, 34}) {
        for (bool lower : {false, true}) {
          TestArray a(type, {3, n, n}), l(type, {3, n, n});
          TestArray seed(type, {3, n, n});
          seed.FillRandom(random);
          for (int64_t b = 0; b < 3; ++b) {
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < n; ++j) {
                Wide sum = i == j ? 1 : 0;
                for (int64_t k = 0; k < n; ++k) {
                  sum += At(seed, b * n * n, n, i, k) * std::conj(At(seed, b * n * n, n, j, k));
                }
                // What is not to be looked at.
                if (lower ? j > i : j < i) sum = 99;
                a.Set(b * n * n + i * n + j, sum);
              }
            }
          }
          const auto step = MakeStep(compiler::Opcode::kCholesky, {a.type}, {l.type},
                                     Make(CholeskyAttributes{lower}));
          ASSERT_TRUE(RunStep(step, {&a}, {&l}, &pool, options).ok());
          double worst = 0;
          for (int64_t b = 0; b < 3; ++b) {
            for (int64_t i = 0; i < n; ++i) {
              for (int64_t j = 0; j < n; ++j) {
                if (lower ? j > i : j < i) {
                  worst = std::max(worst, std::abs(At(l, b * n * n, n, i, j)));
                  continue;
                }
                Wide sum = 0;
                for (int64_t k = 0; k < n; ++k) {
                  sum += lower ? At(l, b * n * n, n, i, k) * std::conj(At(l, b * n * n, n, j, k))
                               : std::conj(At(l, b * n * n, n, k, i)) * At(l, b * n * n, n, k, j);
                }
                worst = std::max(worst, std::abs(sum - At(a, b * n * n, n, i, j)));
              }
            }
          }
          EXPECT_LE(worst, 20 * static_cast<double>(n) * Epsilon(type)) << n << lower;
        }
      }
    }
  }
}

TEST(Cholesky, NotPositiveIsNaN) {
  for (const LibraryOptions& options : kOptions) {
    for (int64_t n : {2, 19, 40}) {
      TestArray a(DType::kF64, {n, n}), l(DType::kF64, {n, n});
      for (int64_t i = 0; i < n; ++i) a.Set(i * n + i, i == 1 ? -1.0 : 1.0);
      const auto step =
          MakeStep(compiler::Opcode::kCholesky, {a.type}, {l.type}, Make(CholeskyAttributes{true}));
      ASSERT_TRUE(RunStep(step, {&a}, {&l}, nullptr, options).ok());
      EXPECT_NE(l.Get<double>(0), l.Get<double>(0));
    }
  }
}

TEST(TriangularSolve, EveryFlag) {
  std::mt19937_64 random(6);
  backend::ThreadPool pool(2);
  for (const LibraryOptions& options : kOptions) {
    for (DType type : kTypes) {
      for (int64_t n : {3, 15, 17}) {
        for (int flags = 0; flags < 24; ++flags) {
          TriangularSolveAttributes how;
          how.left_side = (flags & 1) != 0;
          how.lower = (flags & 2) != 0;
          how.unit_diagonal = (flags & 4) != 0;
          how.transpose_a = static_cast<TransposeMode>(flags / 8);
          const int64_t m = how.left_side ? n : 66, k = how.left_side ? 66 : n;
          TestArray a(type, {2, n, n}), b(type, {2, m, k}), x(type, {2, m, k});
          a.FillRandom(random);
          b.FillRandom(random);
          auto element = [&](int64_t batch, int64_t i, int64_t j) -> Wide {
            if (how.transpose_a != TransposeMode::kNoTranspose) std::swap(i, j);
            if (i == j && how.unit_diagonal) return 1;
            if (how.lower ? j > i : j < i) return 0;
            const Wide value = At(a, batch * n * n, n, i, j);
            return how.transpose_a == TransposeMode::kAdjoint ? std::conj(value) : value;
          };
          for (int64_t i = 0; i < 2 * n * n; ++i) {
            const bool diagonal = i % (n * n) / n == i % n;
            a.Set(i, diagonal ? Wide(2.0) + a.Get<Wide>(i) : a.Get<Wide>(i) / 8.0);
          }
          const auto step =
              MakeStep(compiler::Opcode::kTriangularSolve, {a.type, b.type}, {x.type}, Make(how));
          ASSERT_TRUE(RunStep(step, {&a, &b}, {&x}, &pool, options).ok());
          double worst = 0;
          for (int64_t batch = 0; batch < 2; ++batch) {
            for (int64_t i = 0; i < m; ++i) {
              for (int64_t j = 0; j < k; ++j) {
                Wide sum = 0;
                for (int64_t t = 0; t < n; ++t) {
                  sum += how.left_side ? element(batch, i, t) * At(x, batch * m * k, k, t, j)
                                       : At(x, batch * m * k, k, i, t) * element(batch, t, j);
                }
                worst = std::max(worst, std::abs(sum - At(b, batch * m * k, k, i, j)));
              }
            }
          }
          EXPECT_LE(worst, 100 * static_cast<double>(n) * Epsilon(type))
              << "flags " << flags << " n " << n;
        }
      }
    }
  }
}

TEST(TriangularSolve, NothingToSolve) {
  TestArray a(DType::kF32, {0, 0}), b(DType::kF32, {0, 4}), x = b;
  const auto step = MakeStep(compiler::Opcode::kTriangularSolve, {a.type, b.type}, {x.type},
                             Make(TriangularSolveAttributes{true, true, false, {}}));
  EXPECT_TRUE(RunStep(step, {&a, &b}, {&x}).ok());
}

}  // namespace
}  // namespace plinth::cpu::library
