// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLOCKED_FACTOR_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLOCKED_FACTOR_H_

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/cpu/library/lapack.h"

namespace plinth::cpu::library {

// Factors of one large column-major matrix by several threads: LAPACK and BLAS, which run on one
// thread, serve for the blocks. Blocks depend on the order only, so the number of threads changes
// no bit. Small matrices are LAPACK's as a whole. Arguments and info are LAPACK's; any thread.
template <typename T>
class BlockedFactor {
 public:
  static Expected<BlockedFactor> Find(const BlasOptions& blas) {
    BlockedFactor found;
    PLINTH_ASSIGN_OR_RETURN(found.potrf_, FindLapack<T>(blas, Lapack<T>::kPotrf));
    PLINTH_ASSIGN_OR_RETURN(found.getrf_, FindLapack<T>(blas, Lapack<T>::kGetrf));
    PLINTH_ASSIGN_OR_RETURN(found.laswp_, FindLapack<T>(blas, Lapack<T>::kLaswp));
    PLINTH_ASSIGN_OR_RETURN(found.trsm_, FindLapack<T>(blas, Lapack<T>::kTrsm));
    PLINTH_ASSIGN_OR_RETURN(found.gemm_, FindLapack<T>(blas, Lapack<T>::kGemm));
    PLINTH_ASSIGN_OR_RETURN(found.herk_, FindLapack<T>(blas, Lapack<T>::kHerk));
    return found;
  }

  // potrf; the other triangle is not touched.
  int Cholesky(backend::ThreadPool* pool, char uplo, int n, T* a, int lda) const;
  // getrf.
  int Lu(backend::ThreadPool* pool, int m, int n, T* a, int lda, int* pivots) const;
  // trsm with a factor of one: x becomes the solution.
  void Solve(backend::ThreadPool* pool, char side, char uplo, char trans, char diag, int m, int n,
             const T* a, int lda, T* x, int ldx) const;

 private:
  using Real = typename RealOf<T>::Type;
  static constexpr int kLeastOrder = 384;  // below, threads cost more than they bring
  static constexpr int kPanel = 96;        // columns (rows) that one thread factors at a time
  static constexpr int kTile = 192;        // rows and columns of a task

  static int Tiles(int size) { return (size + kTile - 1) / kTile; }

  typename decltype(Lapack<T>::kPotrf)::Function* potrf_ = nullptr;
  typename decltype(Lapack<T>::kGetrf)::Function* getrf_ = nullptr;
  typename decltype(Lapack<T>::kLaswp)::Function* laswp_ = nullptr;
  typename decltype(Lapack<T>::kTrsm)::Function* trsm_ = nullptr;
  typename decltype(Lapack<T>::kGemm)::Function* gemm_ = nullptr;
  typename decltype(Lapack<T>::kHerk)::Function* herk_ = nullptr;
};

template <typename T>
int BlockedFactor<T>::Cholesky(backend::ThreadPool* pool, char uplo, int n, T* a, int lda) const {
  int info = 0;
  if (n < kLeastOrder) {
    potrf_(&uplo, &n, a, &lda, &info, 1);
    return info;
  }
  const bool lower = uplo == 'L';
  // Element (i, j) of the lower triangle, or its mirror image in the upper one.
  auto at = [=](int64_t i, int64_t j) { return lower ? a + i + j * lda : a + j + i * lda; };
  const T one(1), minus_one(-1);
  const Real real_one = 1, real_minus_one = -1;
  for (int k = 0; k < n; k += kPanel) {
    const int panel = std::min(kPanel, n - k);
    potrf_(&uplo, &panel, at(k, k), &lda, &info, 1);
    if (info != 0) return k + info;
    const int first = k + panel, tiles = Tiles(n - first);
    auto size = [=](int tile) { return std::min(kTile, n - first - tile * kTile); };
    backend::ParallelFor(pool, tiles, 1, [&](int64_t begin, int64_t end) {
      for (int t = static_cast<int>(begin); t < end; ++t) {
        const int rows = size(t);
        trsm_(lower ? "R" : "L", &uplo, "C", "N", lower ? &rows : &panel, lower ? &panel : &rows,
              &one, at(k, k), &lda, at(first + t * kTile, k), &lda, 1, 1, 1, 1);
      }
    });
    // Tile (i, j), j <= i, is task i (i + 1) / 2 + j.
    backend::ParallelFor(
        pool, int64_t{tiles} * (tiles + 1) / 2, 1, [&](int64_t begin, int64_t end) {
          int i = 0;
          while (int64_t{i + 1} * (i + 2) / 2 <= begin) ++i;
          for (int j = static_cast<int>(begin - int64_t{i} * (i + 1) / 2); begin < end; ++begin) {
            const int rows = size(i), columns = size(j);
            const int row = first + i * kTile, column = first + j * kTile;
            if (i == j) {
              herk_(&uplo, lower ? "N" : "C", &rows, &panel, &real_minus_one, at(row, k), &lda,
                    &real_one, at(row, row), &lda, 1, 1);
            } else if (lower) {
              gemm_("N", "C", &rows, &columns, &panel, &minus_one, at(row, k), &lda, at(column, k),
                    &lda, &one, at(row, column), &lda, 1, 1);
            } else {
              gemm_("C", "N", &columns, &rows, &panel, &minus_one, at(column, k), &lda, at(row, k),
                    &lda, &one, at(row, column), &lda, 1, 1);
            }
            if (++j > i) {
              ++i;
              j = 0;
            }
          }
        });
  }
  return 0;
}

template <typename T>
int BlockedFactor<T>::Lu(backend::ThreadPool* pool, int m, int n, T* a, int lda,
                         int* pivots) const {
  int info = 0;
  const int order = std::min(m, n);
  if (order < kLeastOrder) {
    getrf_(&m, &n, a, &lda, pivots, &info);
    return info;
  }
  const T one(1), minus_one(-1);
  const int step = 1;
  for (int k = 0; k < order; k += kPanel) {
    const int panel = std::min(kPanel, order - k), rows = m - k, below = rows - panel;
    T* const left = a + k + int64_t{k} * lda;
    int panel_info = 0;
    getrf_(&rows, &panel, left, &lda, pivots + k, &panel_info);
    if (info == 0 && panel_info > 0) info = k + panel_info;
    // Exchanges of rows in the columns before; those and the update in the columns behind. A pivot
    // counts from the panel's first row until all columns have been exchanged.
    const int behind = n - k - panel, tiles_before = Tiles(k);
    backend::ParallelFor(pool, tiles_before + Tiles(behind), 1, [&](int64_t begin, int64_t end) {
      for (int t = static_cast<int>(begin); t < end; ++t) {
        const bool is_before = t < tiles_before;
        const int first = is_before ? t * kTile : k + panel + (t - tiles_before) * kTile;
        const int columns = std::min(kTile, (is_before ? k : n) - first);
        T* const top = a + k + int64_t{first} * lda;
        laswp_(&columns, top, &lda, &step, &panel, pivots + k, &step);
        if (is_before) continue;
        trsm_("L", "L", "N", "U", &panel, &columns, &one, left, &lda, top, &lda, 1, 1, 1, 1);
        if (below > 0) {
          gemm_("N", "N", &below, &columns, &panel, &minus_one, left + panel, &lda, top, &lda, &one,
                top + panel, &lda, 1, 1);
        }
      }
    });
    for (int i = k; i < k + panel; ++i) pivots[i] += k;
  }
  return info;
}

template <typename T>
void BlockedFactor<T>::Solve(backend::ThreadPool* pool, char side, char uplo, char trans, char diag,
                             int m, int n, const T* a, int lda, T* x, int ldx) const {
  const T one(1);
  const bool is_left = side == 'L';
  const int order = is_left ? m : n, sides = is_left ? n : m;
  const int tile = order < kLeastOrder ? std::max(sides, 1) : kTile;
  backend::ParallelFor(
      pool, (int64_t{sides} + tile - 1) / tile, 1, [&](int64_t begin, int64_t end) {
        for (int t = static_cast<int>(begin); t < end; ++t) {
          const int count = std::min(tile, sides - t * tile);
          trsm_(&side, &uplo, &trans, &diag, is_left ? &m : &count, is_left ? &count : &n, &one, a,
                &lda, x + int64_t{t} * tile * (is_left ? ldx : 1), &ldx, 1, 1, 1, 1);
        }
      });
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLOCKED_FACTOR_H_
