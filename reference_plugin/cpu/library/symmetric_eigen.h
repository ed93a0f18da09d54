// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SYMMETRIC_EIGEN_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SYMMETRIC_EIGEN_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/cpu/library/lapack.h"

namespace plinth::cpu::library {

// Eigenvalues and eigenvectors of one large real symmetric matrix (float, double) as syevd computes
// them, but that several threads turn the vectors of the tridiagonal matrix into those of `a`. What
// a thread turns depends on the order only, so the number of threads changes no bit. Any thread.
template <typename T>
class SymmetricEigen {
 public:
  static Expected<SymmetricEigen> Find(const BlasOptions& blas) {
    SymmetricEigen found;
    PLINTH_ASSIGN_OR_RETURN(found.sytrd_, FindLapack<T>(blas, Lapack<T>::kSytrd));
    PLINTH_ASSIGN_OR_RETURN(found.stedc_, FindLapack<T>(blas, Lapack<T>::kStedc));
    PLINTH_ASSIGN_OR_RETURN(found.ormtr_, FindLapack<T>(blas, Lapack<T>::kOrmtr));
    return found;
  }

  // Whether Solve serves: in an order that is worth threads, for elements (of the triangle `uplo`,
  // column-major, all finite) that syevd would not scale.
  static bool Serves(char uplo, int n, const T* a) {
    if (n < kLeastOrder) return false;
    T largest = 0;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t begin = uplo == 'L' ? j : 0, end = uplo == 'L' ? n : j + 1;
      for (int64_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(a[i + j * n]));
    }
    using Limits = std::numeric_limits<T>;
    const T least = std::sqrt(Limits::min() / Limits::epsilon());
    return largest == 0 || (largest >= least && largest <= 1 / least);
  }

  // The vectors over `a`, the values in ascending order, and syevd's info. The work arrays are as
  // long as syevd asks for.
  int Solve(backend::ThreadPool* pool, char uplo, int n, T* a, T* values, std::span<T> work,
            std::span<int> integers) const;

 private:
  static constexpr int kLeastOrder = 384;
  static constexpr int kPart = 256;  // vectors of a task, about: fewer cost more each

  typename decltype(Lapack<T>::kSytrd)::Function* sytrd_ = nullptr;
  typename decltype(Lapack<T>::kStedc)::Function* stedc_ = nullptr;
  typename decltype(Lapack<T>::kOrmtr)::Function* ormtr_ = nullptr;
};

template <typename T>
int SymmetricEigen<T>::Solve(backend::ThreadPool* pool, char uplo, int n, T* a, T* values,
                             std::span<T> work, std::span<int> integers) const {
  const auto order = static_cast<size_t>(n);
  auto take = [&work](size_t count) {
    const std::span<T> taken = work.first(count);
    work = work.subspan(count);
    return taken.data();
  };
  T *const off_diagonal = take(order), *const factors = take(order);
  T* const vectors = take(order * order);
  const int size = static_cast<int>(work.size()), num_integers = static_cast<int>(integers.size());
  int info = 0;
  sytrd_(&uplo, &n, a, &n, values, off_diagonal, factors, work.data(), &size, &info, 1);
  stedc_("I", &n, values, off_diagonal, vectors, &n, work.data(), &size, integers.data(),
         &num_integers, &info, 1);
  if (info != 0) return info;
  const int parts = (n + kPart - 1) / kPart, part_size = size / parts;
  backend::ParallelFor(pool, parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      const int64_t first = p * n / parts;
      const int columns = static_cast<int>((p + 1) * n / parts - first);
      int none = 0;  // It only tells of arguments.
      ormtr_("L", &uplo, "N", &n, &columns, a, &n, factors, vectors + first * n, &n,
             work.data() + p * part_size, &part_size, &none, 1, 1, 1);
    }
  });
  std::copy_n(vectors, order * order, a);
  return 0;
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SYMMETRIC_EIGEN_H_
