// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_H_

#include <string>

#include "plinth/support/status.h"

// OpenBLAS, opened when the first large matrix product needs it. The plugin does not link it.
namespace plinth::cpu::library {

struct BlasOptions {
  // A library to open, and no other. "none": open none, our own matrix product serves. Empty: the
  // environment variable PLINTH_BLAS says the same (privileged processes ignore it); where that is
  // empty too, the places that OpenBlas() lists are tried in order.
  std::string path;
};

// The functions of one opened library, with its thread count set to one. Row-major CBLAS with
// 32-bit sizes; safe to call from any number of threads. Lives until the process ends.
struct Blas {
  enum Transpose : int { kNoTranspose = 111, kTranspose = 112 };
  static constexpr int kRowMajor = 101;

  void (*sgemm)(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
  void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                const double* a, int lda, const double* b, int ldb, double beta, double* c,
                int ldc);
  void (*cgemm)(int order, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
                const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
  void (*zgemm)(int order, int trans_a, int trans_b, int m, int n, int k, const void* alpha,
                const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
  // What OpenBLAS has chosen for this processor are loops for AVX-512, or it does not say.
  bool has_avx512 = true;
  std::string path;         // of the file
  void* handle = nullptr;   // for LAPACK's symbols: see FindSymbol
  std::string name_prefix;  // "scipy_" or empty, in front of every symbol

  // The address of `name` ("dpotrf_") in this library, or null.
  void* FindSymbol(const std::string& name) const;
};

// The library for these options: opened once, kept for ever. Tried: the file that the options or
// PLINTH_BLAS name and no other, else the places of blas_places.h in order. What SciPy brings for
// itself is opened as a private copy; any other file that the host process has already loaded is
// not used: its thread count is not ours to set. NOT_FOUND says in one line why none serves; the
// log (PLINTH_LOG, with "debug:" in front) has every file and why it did not serve. A child of
// fork() has the libraries of its parent, and none if a thread of the parent was searching just
// then. Any thread.
Expected<const Blas*> OpenBlas(const BlasOptions& options);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_H_
