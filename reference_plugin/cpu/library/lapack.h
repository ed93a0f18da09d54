// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LAPACK_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LAPACK_H_

#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"
#include "reference_plugin/cpu/library/blas.h"

// LAPACK's (and some of BLAS's) routines by their Fortran symbols, from the library that
// OpenBlas() opens, or, where there is none, our own (own_lapack.h), which are few. Column-major;
// every argument by address; the lengths of character arguments follow at the end. Routines check
// their arguments and write to stderr when they are wrong: pass right ones.
namespace plinth::cpu::library {

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};

// 's', 'd', 'c' or 'z'.
template <typename T>
inline constexpr char kLapackPrefix = 0;
template <>
inline constexpr char kLapackPrefix<float> = 's';
template <>
inline constexpr char kLapackPrefix<double> = 'd';
template <>
inline constexpr char kLapackPrefix<std::complex<float>> = 'c';
template <>
inline constexpr char kLapackPrefix<std::complex<double>> = 'z';

// make.operator()<T>() for the element type of that name; INVALID_ARGUMENT for types without
// routines.
template <typename Make>
auto ForLapackType(DType type, Make make) -> decltype(make.template operator()<float>()) {
  if (type == DType::kF32) return make.template operator()<float>();
  if (type == DType::kF64) return make.template operator()<double>();
  if (type == DType::kC64) return make.template operator()<std::complex<float>>();
  if (type == DType::kC128) return make.template operator()<std::complex<double>>();
  return InvalidArgument("elements of type ", Name(type), "; expected f32, f64, c64 or c128");
}

// One routine for one element type: its name for real and for complex elements without the prefix
// of the type, and its signature.
template <typename Signature>
struct LapackRoutine {
  const char* real_name;
  const char* complex_name;
  using Function = Signature;
};

template <typename T, bool kComplex = !std::is_same_v<T, typename RealOf<T>::Type>>
struct Lapack;

// What has the same signature for real and complex elements.
template <typename T>
struct LapackCommon {
  using Real = typename RealOf<T>::Type;
  static constexpr LapackRoutine<void(const char* uplo, const int* n, T* a, const int* lda,
                                      int* info, size_t)>
      kPotrf{"potrf", "potrf"};
  static constexpr LapackRoutine<void(const char* side, const char* uplo, const char* trans,
                                      const char* diag, const int* m, const int* n, const T* alpha,
                                      const T* a, const int* lda, T* b, const int* ldb, size_t,
                                      size_t, size_t, size_t)>
      kTrsm{"trsm", "trsm"};
  static constexpr LapackRoutine<void(const int* m, const int* n, T* a, const int* lda, T* tau,
                                      T* work, const int* lwork, int* info)>
      kGeqrf{"geqrf", "geqrf"};
  static constexpr LapackRoutine<void(const int* m, const int* n, const int* k, T* a,
                                      const int* lda, const T* tau, T* work, const int* lwork,
                                      int* info)>
      kOrgqr{"orgqr", "ungqr"};
  static constexpr LapackRoutine<void(const char* side, const char* trans, const int* m,
                                      const int* n, const int* k, const T* a, const int* lda,
                                      const T* tau, T* c, const int* ldc, T* work, const int* lwork,
                                      int* info, size_t, size_t)>
      kOrmqr{"ormqr", "unmqr"};
  static constexpr LapackRoutine<void(const int* m, const int* n, T* a, const int* lda, int* pivots,
                                      int* info)>
      kGetrf{"getrf", "getrf"};
  static constexpr LapackRoutine<void(const int* n, T* a, const int* lda, const int* first,
                                      const int* last, const int* pivots, const int* step)>
      kLaswp{"laswp", "laswp"};
  static constexpr LapackRoutine<void(const char* trans_a, const char* trans_b, const int* m,
                                      const int* n, const int* k, const T* alpha, const T* a,
                                      const int* lda, const T* b, const int* ldb, const T* beta,
                                      T* c, const int* ldc, size_t, size_t)>
      kGemm{"gemm", "gemm"};
  static constexpr LapackRoutine<void(const char* uplo, const char* trans, const int* n,
                                      const int* k, const Real* alpha, const T* a, const int* lda,
                                      const Real* beta, T* c, const int* ldc, size_t, size_t)>
      kHerk{"syrk", "herk"};
  static constexpr LapackRoutine<void(const int* n, const int* low, const int* high, T* a,
                                      const int* lda, T* tau, T* work, const int* lwork, int* info)>
      kGehrd{"gehrd", "gehrd"};
  static constexpr LapackRoutine<void(const char* uplo, const int* n, T* a, const int* lda, Real* d,
                                      Real* e, T* tau, T* work, const int* lwork, int* info,
                                      size_t)>
      kSytrd{"sytrd", "hetrd"};
  static constexpr LapackRoutine<void(const int* n, const int* columns, T* lower, T* diagonal,
                                      T* upper, T* b, const int* ldb, int* info)>
      kGtsv{"gtsv", "gtsv"};
};

template <typename T>
struct Lapack<T, false> : LapackCommon<T> {
  static constexpr LapackRoutine<void(const int* m, const int* n, T* a, const int* lda, int* pivots,
                                      T* tau, T* work, const int* lwork, int* info)>
      kGeqp3{"geqp3", "geqp3"};
  static constexpr LapackRoutine<void(
      const char* job, const int* m, const int* n, T* a, const int* lda, T* s, T* u, const int* ldu,
      T* vt, const int* ldvt, T* work, const int* lwork, int* iwork, int* info, size_t)>
      kGesdd{"gesdd", "gesdd"};
  static constexpr LapackRoutine<void(const char* job_u, const char* job_vt, const int* m,
                                      const int* n, T* a, const int* lda, T* s, T* u,
                                      const int* ldu, T* vt, const int* ldvt, T* work,
                                      const int* lwork, int* info, size_t, size_t)>
      kGesvd{"gesvd", "gesvd"};
  static constexpr LapackRoutine<void(const char* job, const char* uplo, const int* n, T* a,
                                      const int* lda, T* w, T* work, const int* lwork, int* iwork,
                                      const int* liwork, int* info, size_t, size_t)>
      kSyevd{"syevd", "heevd"};
  static constexpr LapackRoutine<void(const char* job, const int* n, T* d, T* e, T* z,
                                      const int* ldz, T* work, const int* lwork, int* iwork,
                                      const int* liwork, int* info, size_t)>
      kStedc{"stedc", "stedc"};
  static constexpr LapackRoutine<void(const char* side, const char* uplo, const char* trans,
                                      const int* m, const int* n, const T* a, const int* lda,
                                      const T* tau, T* c, const int* ldc, T* work, const int* lwork,
                                      int* info, size_t, size_t, size_t)>
      kOrmtr{"ormtr", "unmtr"};
  static constexpr LapackRoutine<void(const char* left, const char* right, const int* n, T* a,
                                      const int* lda, T* w_re, T* w_im, T* vl, const int* ldvl,
                                      T* vr, const int* ldvr, T* work, const int* lwork, int* info,
                                      size_t, size_t)>
      kGeev{"geev", "geev"};
  static constexpr LapackRoutine<void(const char* job, const char* sort, int (*select)(T*, T*),
                                      const int* n, T* a, const int* lda, int* sdim, T* w_re,
                                      T* w_im, T* vs, const int* ldvs, T* work, const int* lwork,
                                      int* bwork, int* info, size_t, size_t)>
      kGees{"gees", "gees"};
};

template <typename T>
struct Lapack<T, true> : LapackCommon<T> {
  using Real = typename RealOf<T>::Type;
  static constexpr LapackRoutine<void(const int* m, const int* n, T* a, const int* lda, int* pivots,
                                      T* tau, T* work, const int* lwork, Real* rwork, int* info)>
      kGeqp3{"geqp3", "geqp3"};
  static constexpr LapackRoutine<void(const char* job, const int* m, const int* n, T* a,
                                      const int* lda, Real* s, T* u, const int* ldu, T* vt,
                                      const int* ldvt, T* work, const int* lwork, Real* rwork,
                                      int* iwork, int* info, size_t)>
      kGesdd{"gesdd", "gesdd"};
  static constexpr LapackRoutine<void(const char* job_u, const char* job_vt, const int* m,
                                      const int* n, T* a, const int* lda, Real* s, T* u,
                                      const int* ldu, T* vt, const int* ldvt, T* work,
                                      const int* lwork, Real* rwork, int* info, size_t, size_t)>
      kGesvd{"gesvd", "gesvd"};
  static constexpr LapackRoutine<void(const char* job, const char* uplo, const int* n, T* a,
                                      const int* lda, Real* w, T* work, const int* lwork,
                                      Real* rwork, const int* lrwork, int* iwork, const int* liwork,
                                      int* info, size_t, size_t)>
      kSyevd{"syevd", "heevd"};
  static constexpr LapackRoutine<void(const char* left, const char* right, const int* n, T* a,
                                      const int* lda, T* w, T* vl, const int* ldvl, T* vr,
                                      const int* ldvr, T* work, const int* lwork, Real* rwork,
                                      int* info, size_t, size_t)>
      kGeev{"geev", "geev"};
  static constexpr LapackRoutine<void(const char* job, const char* sort, int (*select)(T*),
                                      const int* n, T* a, const int* lda, int* sdim, T* w, T* vs,
                                      const int* ldvs, T* work, const int* lwork, Real* rwork,
                                      int* bwork, int* info, size_t, size_t)>
      kGees{"gees", "gees"};
};

// The address of a Fortran symbol ("dpotrf_"). FAILED_PRECONDITION says in one line which package
// to install, and why no library served.
Expected<void*> FindLapackSymbol(const BlasOptions& options, const std::string& name);

// "dpotrf_"
template <typename T, typename Signature>
std::string SymbolName(const LapackRoutine<Signature>& routine) {
  constexpr bool kIsReal = std::is_same_v<T, typename RealOf<T>::Type>;
  return kLapackPrefix<T> + std::string(kIsReal ? routine.real_name : routine.complex_name) + "_";
}

template <typename T, typename Signature>
Expected<Signature*> FindLapack(const BlasOptions& options,
                                const LapackRoutine<Signature>& routine) {
  PLINTH_ASSIGN_OR_RETURN(void* const symbol, FindLapackSymbol(options, SymbolName<T>(routine)));
  return reinterpret_cast<Signature*>(symbol);
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_LAPACK_H_
