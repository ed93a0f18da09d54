// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "reference_plugin/cpu/lapack/families.h"
#include "reference_plugin/cpu/lapack/lapack_call.h"
#include "reference_plugin/cpu/library/symmetric_eigen.h"

// Singular values and eigenvalues. A matrix that is not finite is not given to LAPACK, which may
// not come back: its info is -4, as LAPACK itself says for gesdd. Programs turn that into NaN.
namespace plinth::cpu::lapack {
namespace {

constexpr int kNotFinite = -4;

// a -> a (overwritten), s, u, vt, info. mode: A all, S as many as there are singular values, N only
// those.
template <typename T>
struct SvdCall {
  using Real = typename library::RealOf<T>::Type;
  int m = 0, n = 0, least = 0;
  char mode = 'N';
  int u_columns = 0, vt_rows = 0;
};

template <typename T>
Expected<SvdCall<T>> CheckSvd(const backend::CustomCall& call, CallChecker& checker) {
  using Real = typename library::RealOf<T>::Type;
  SvdCall<T> svd;
  std::tie(svd.m, svd.n) = checker.Matrices(0, kDTypeOf<T>);
  svd.least = std::min(svd.m, svd.n);
  svd.mode = checker.Letter("mode", "ASN");
  PLINTH_RETURN_IF_ERROR(checker.status());
  checker.Result(0, kDTypeOf<T>, {svd.m, svd.n});
  checker.Result(1, kDTypeOf<Real>, {svd.least});
  // Without vectors, either size of u and vt may be written in the program.
  const compiler::Dims& u = call.results[2].dims;
  const compiler::Dims& vt = call.results[3].dims;
  const int64_t u_columns = u.empty() ? -1 : u.back();
  const int64_t vt_rows = vt.size() < 2 ? -1 : vt[vt.size() - 2];
  svd.u_columns = static_cast<int>(u_columns);
  svd.vt_rows = static_cast<int>(vt_rows);
  const bool full = u_columns == svd.m && vt_rows == svd.n;
  const bool thin = u_columns == svd.least && vt_rows == svd.least;
  checker.Expect(svd.mode == 'A'   ? full
                 : svd.mode == 'S' ? thin
                                   : full || thin,
                 checker.ResultIs(2), ", ", checker.ResultIs(3), "; expected ",
                 svd.mode == 'A'   ? "square matrices"
                 : svd.mode == 'S' ? "as many columns, rows as singular values"
                                   : "square matrices, or as many columns, rows as singular values",
                 " in mode ", std::string_view(&svd.mode, 1));
  checker.Result(2, kDTypeOf<T>, {svd.m, u_columns});
  checker.Result(3, kDTypeOf<T>, {vt_rows, svd.n});
  checker.Result(4, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  return svd;
}

// Gives body(a, s, u, ldu, vt, ldvt, info, work) a finite matrix.
template <typename T, typename Body>
Expected<std::unique_ptr<backend::PreparedStep>> MakeSvdStep(const CallChecker& checker,
                                                             const SvdCall<T>& svd,
                                                             const WorkLayout& layout, Body body) {
  using Real = typename library::RealOf<T>::Type;
  const double work = 20.0 * svd.m * svd.n * svd.least;
  return LapackStep::Make(checker, work, layout, [=](const CallArrays& arrays, std::byte* memory) {
    const int64_t size = int64_t{svd.m} * svd.n;
    const int64_t u_size = int64_t{svd.m} * svd.u_columns, vt_size = int64_t{svd.vt_rows} * svd.n;
    T* const u = arrays.Result<T>(2, u_size);
    T* const vt = arrays.Result<T>(3, vt_size);
    Real* const s = arrays.Result<Real>(1, svd.least);
    const bool finite = AllFinite(arrays.Operand<T>(0, size), size);
    T* const a = arrays.CopiedResult<T>(0, 0, size);
    if (svd.mode == 'N' || !finite || svd.least == 0) {
      std::fill_n(u, u_size, T(0));
      std::fill_n(vt, vt_size, T(0));
    }
    if (svd.least == 0) {
      // LAPACK returns without a look at u and vt. Any orthonormal ones will do; these are what
      // NumPy and JAX give.
      for (int64_t i = 0; svd.mode == 'A' && i < svd.m; ++i) u[i * svd.m + i] = T(1);
      for (int64_t i = 0; svd.mode == 'A' && i < svd.n; ++i) vt[i * svd.n + i] = T(1);
      *arrays.Info(4) = 0;
      return;
    }
    if (!finite) {
      std::fill_n(s, svd.least, std::numeric_limits<Real>::quiet_NaN());
      *arrays.Info(4) = kNotFinite;
      return;
    }
    body(a, s, u, LeadingDimension(svd.m), vt, LeadingDimension(svd.vt_rows), arrays.Info(4),
         memory);
  });
}

template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGesdd(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  using Real = typename library::RealOf<T>::Type;
  CallChecker checker(call, 1, 5);
  PLINTH_ASSIGN_OR_RETURN(const SvdCall<T> svd, CheckSvd<T>(call, checker));
  PLINTH_ASSIGN_OR_RETURN(auto* const gesdd,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGesdd));
  const int64_t least = svd.least, most = std::max(svd.m, svd.n);
  WorkLayout layout;
  const int64_t iwork_at = layout.Add<int>(8 * least);
  int64_t num_real = 0;
  if (!kIsReal<T>) {
    num_real =
        svd.mode == 'N' ? 7 * least : least * std::max(5 * least + 7, 2 * most + 2 * least + 1);
  }
  const int64_t rwork_at = layout.Add<Real>(num_real);
  auto run = [=](T* a, Real* s, T* u, int ldu, T* vt, int ldvt, int* info, T* work, int lwork,
                 Real* rwork, int* iwork) {
    const int lda = LeadingDimension(svd.m);
    if constexpr (kIsReal<T>) {
      gesdd(&svd.mode, &svd.m, &svd.n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, iwork, info,
            1);
    } else {
      gesdd(&svd.mode, &svd.m, &svd.n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork, rwork, iwork,
            info, 1);
    }
  };
  T answer(1), none(0);
  Real no_real = 0;
  int no_info = 0, no_iwork = 0;
  run(&none, &no_real, &none, LeadingDimension(svd.m), &none, LeadingDimension(svd.vt_rows),
      &no_info, &answer, -1, &no_real, &no_iwork);
  const double side = svd.mode == 'N' ? 0 : static_cast<double>(least);
  PLINTH_ASSIGN_OR_RETURN(const int lwork,
                          WorkSize(answer, (4 * side + 7) * side + static_cast<double>(most)));
  const int64_t work_at = layout.Add<T>(lwork);
  return MakeSvdStep<T>(
      checker, svd, layout,
      [=](T* a, Real* s, T* u, int ldu, T* vt, int ldvt, int* info, std::byte* memory) {
        run(a, s, u, ldu, vt, ldvt, info, reinterpret_cast<T*>(memory + work_at), lwork,
            reinterpret_cast<Real*>(memory + rwork_at), reinterpret_cast<int*>(memory + iwork_at));
      });
}

template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGesvd(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  using Real = typename library::RealOf<T>::Type;
  CallChecker checker(call, 1, 5);
  PLINTH_ASSIGN_OR_RETURN(const SvdCall<T> svd, CheckSvd<T>(call, checker));
  PLINTH_ASSIGN_OR_RETURN(auto* const gesvd,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGesvd));
  WorkLayout layout;
  const int64_t rwork_at = layout.Add<Real>(kIsReal<T> ? 0 : 5 * int64_t{svd.least});
  auto run = [=](T* a, Real* s, T* u, int ldu, T* vt, int ldvt, int* info, T* work, int lwork,
                 Real* rwork) {
    const int lda = LeadingDimension(svd.m);
    if constexpr (kIsReal<T>) {
      gesvd(&svd.mode, &svd.mode, &svd.m, &svd.n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork,
            info, 1, 1);
    } else {
      gesvd(&svd.mode, &svd.mode, &svd.m, &svd.n, a, &lda, s, u, &ldu, vt, &ldvt, work, &lwork,
            rwork, info, 1, 1);
    }
  };
  T answer(1), none(0);
  Real no_real = 0;
  int no_info = 0;
  run(&none, &no_real, &none, LeadingDimension(svd.m), &none, LeadingDimension(svd.vt_rows),
      &no_info, &answer, -1, &no_real);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  const int64_t work_at = layout.Add<T>(lwork);
  return MakeSvdStep<T>(
      checker, svd, layout,
      [=](T* a, Real* s, T* u, int ldu, T* vt, int ldvt, int* info, std::byte* memory) {
        run(a, s, u, ldu, vt, ldvt, info, reinterpret_cast<T*>(memory + work_at), lwork,
            reinterpret_cast<Real*>(memory + rwork_at));
      });
}

// Of the triangle that counts: the other may hold anything.
template <typename T>
bool TriangleIsFinite(const T* a, int64_t n, char uplo) {
  for (int64_t j = 0; j < n; ++j) {
    const int64_t begin = uplo == 'L' ? j : 0, end = uplo == 'L' ? n : j + 1;
    if (!AllFinite(a + j * n + begin, end - begin)) return false;
  }
  return true;
}

// a -> vectors, values, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareSyevd(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  using Real = typename library::RealOf<T>::Type;
  CallChecker checker(call, 1, 3);
  const int n = checker.SquareMatrices(0, kDTypeOf<T>);
  const char mode = checker.Letter("mode", "VN"), uplo = checker.Letter("uplo", "LU");
  checker.Result(0, kDTypeOf<T>, {n, n});
  checker.Result(1, kDTypeOf<Real>, {n});
  checker.Result(2, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const syevd,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kSyevd));
  std::optional<library::SymmetricEigen<Real>> parallel;
  if constexpr (kIsReal<T>) {
    PLINTH_ASSIGN_OR_RETURN(parallel, library::SymmetricEigen<T>::Find(options.blas));
  }
  auto run = [=](T* a, Real* w, int* info, T* work, int lwork, Real* rwork, int lrwork, int* iwork,
                 int liwork) {
    const int lda = LeadingDimension(n);
    if constexpr (kIsReal<T>) {
      syevd(&mode, &uplo, &n, a, &lda, w, work, &lwork, iwork, &liwork, info, 1, 1);
    } else {
      syevd(&mode, &uplo, &n, a, &lda, w, work, &lwork, rwork, &lrwork, iwork, &liwork, info, 1, 1);
    }
  };
  T answer(1), none(0);
  Real real_answer = 1, no_real = 0;
  int liwork = 1, no_info = 0;
  run(&none, &no_real, &no_info, &answer, -1, &real_answer, -1, &liwork, -1);
  const double order = n;
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer, 1 + (6 + 2 * order) * order));
  PLINTH_ASSIGN_OR_RETURN(const int lrwork, WorkSize(real_answer, 1 + (5 + 2 * order) * order));
  liwork = std::max(liwork, 1);
  WorkLayout layout;
  const int64_t work_at = layout.Add<T>(lwork);
  const int64_t rwork_at = layout.Add<Real>(lrwork);
  const int64_t iwork_at = layout.Add<int>(liwork);
  return LapackStep::Make(
      checker, 9 * std::pow(n, 3), layout, [=](const CallArrays& arrays, std::byte* memory) {
        const int64_t size = int64_t{n} * n;
        T* const a = arrays.CopiedResult<T>(0, 0, size);
        Real* const w = arrays.Result<Real>(1, n);
        if (!TriangleIsFinite(a, n, uplo)) {
          std::fill_n(w, n, std::numeric_limits<Real>::quiet_NaN());
          *arrays.Info(2) = kNotFinite;
          return;
        }
        T* const work = reinterpret_cast<T*>(memory + work_at);
        int* const iwork = reinterpret_cast<int*>(memory + iwork_at);
        if constexpr (kIsReal<T>) {
          if (mode == 'V' && parallel->Serves(uplo, n, a)) {
            *arrays.Info(2) =
                parallel->Solve(arrays.pool, uplo, n, a, w, {work, static_cast<size_t>(lwork)},
                                {iwork, static_cast<size_t>(liwork)});
            return;
          }
        }
        run(a, w, arrays.Info(2), work, lwork, reinterpret_cast<Real*>(memory + rwork_at), lrwork,
            iwork, liwork);
      });
}

// LAPACK writes the vectors of a conjugate pair as real and imaginary parts side by side.
template <typename Real>
void UnpackPairs(int64_t n, const Real* w_im, const Real* packed, std::complex<Real>* vectors) {
  for (int64_t j = 0; j < n; ++j) {
    const Real* const re = packed + j * n;
    std::complex<Real>* const to = vectors + j * n;
    if (w_im[j] == 0 || j + 1 == n) {
      for (int64_t i = 0; i < n; ++i) to[i] = re[i];
      continue;
    }
    for (int64_t i = 0; i < n; ++i) {
      to[i] = {re[i], re[n + i]};
      to[n + i] = {re[i], -re[n + i]};
    }
    ++j;
  }
}

// a -> values (real and imaginary parts of real matrices), left vectors, right vectors, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGeev(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  using Real = typename library::RealOf<T>::Type;
  using Complex = std::complex<Real>;
  constexpr size_t kVectors = kIsReal<T> ? 2 : 1;  // the first result that holds vectors
  CallChecker checker(call, 1, kVectors + 3);
  const int n = checker.SquareMatrices(0, kDTypeOf<T>);
  const char left = checker.Letter("compute_left", "VN");
  const char right = checker.Letter("compute_right", "VN");
  for (size_t i = 0; i < kVectors; ++i) checker.Result(i, kDTypeOf<T>, {n});
  checker.Result(kVectors, kDTypeOf<Complex>, {n, n});
  checker.Result(kVectors + 1, kDTypeOf<Complex>, {n, n});
  checker.Result(kVectors + 2, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const geev,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGeev));
  const int64_t size = int64_t{n} * n;
  WorkLayout layout;
  const int64_t a_at = layout.Add<T>(size);
  const int64_t left_at = layout.Add<T>(kIsReal<T> && left == 'V' ? size : 0);
  const int64_t right_at = layout.Add<T>(kIsReal<T> && right == 'V' ? size : 0);
  const int64_t rwork_at = layout.Add<Real>(kIsReal<T> ? 0 : 2 * int64_t{n});
  auto run = [=](T* a, T* w, T* w_im, T* vl, T* vr, int* info, T* work, int lwork, Real* rwork) {
    const int lda = LeadingDimension(n);
    if constexpr (kIsReal<T>) {
      geev(&left, &right, &n, a, &lda, w, w_im, vl, &lda, vr, &lda, work, &lwork, info, 1, 1);
    } else {
      geev(&left, &right, &n, a, &lda, w, vl, &lda, vr, &lda, work, &lwork, rwork, info, 1, 1);
    }
  };
  T answer(1), none(0);
  Real no_real = 0;
  int no_info = 0;
  run(&none, &none, &none, &none, &none, &no_info, &answer, -1, &no_real);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  const int64_t work_at = layout.Add<T>(lwork);
  return LapackStep::Make(checker, 25 * std::pow(n, 3), layout,
                          [=](const CallArrays& arrays, std::byte* memory) {
                            T* const a = reinterpret_cast<T*>(memory + a_at);
                            T* const w = arrays.Result<T>(0, n);
                            T* const w_im = arrays.Result<T>(kVectors - 1, n);
                            Complex* const vl = arrays.Result<Complex>(kVectors, size);
                            Complex* const vr = arrays.Result<Complex>(kVectors + 1, size);
                            int* const info = arrays.Info(kVectors + 2);
                            const T* const from = arrays.Operand<T>(0, size);
                            const bool finite = AllFinite(from, size);
                            if (left == 'N' || !finite) std::fill_n(vl, size, Complex(0));
                            if (right == 'N' || !finite) std::fill_n(vr, size, Complex(0));
                            if (!finite) {
                              std::fill_n(w, n, T(std::numeric_limits<Real>::quiet_NaN()));
                              std::fill_n(w_im, n, T(std::numeric_limits<Real>::quiet_NaN()));
                              *info = kNotFinite;
                              return;
                            }
                            std::copy_n(from, size, a);
                            T* const work = reinterpret_cast<T*>(memory + work_at);
                            Real* const rwork = reinterpret_cast<Real*>(memory + rwork_at);
                            if constexpr (kIsReal<T>) {
                              T* const packed_left = reinterpret_cast<T*>(memory + left_at);
                              T* const packed_right = reinterpret_cast<T*>(memory + right_at);
                              run(a, w, w_im, packed_left, packed_right, info, work, lwork, rwork);
                              if (left == 'V') UnpackPairs(n, w_im, packed_left, vl);
                              if (right == 'V') UnpackPairs(n, w_im, packed_right, vr);
                            } else {
                              run(a, w, nullptr, vl, vr, info, work, lwork, rwork);
                            }
                          });
}

// a -> schur form, vectors, values (two parts of real matrices), number selected, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGees(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  using Real = typename library::RealOf<T>::Type;
  constexpr size_t kParts = kIsReal<T> ? 2 : 1;
  CallChecker checker(call, 1, kParts + 4);
  const int n = checker.SquareMatrices(0, kDTypeOf<T>);
  const char mode = checker.Letter("mode", "VN");
  // There is no function that could select.
  const char sort = checker.Letter("sort", "N");
  checker.Result(0, kDTypeOf<T>, {n, n});
  checker.Result(1, kDTypeOf<T>, {n, n});
  for (size_t i = 0; i < kParts; ++i) checker.Result(2 + i, kDTypeOf<T>, {n});
  checker.Result(2 + kParts, DType::kS32, {});
  checker.Result(3 + kParts, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const gees,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGees));
  WorkLayout layout;
  const int64_t rwork_at = layout.Add<Real>(n);
  const int64_t bwork_at = layout.Add<int>(n);
  auto run = [=](T* a, int* selected, T* w, T* w_im, T* vs, int* info, T* work, int lwork,
                 Real* rwork, int* bwork) {
    const int lda = LeadingDimension(n);
    if constexpr (kIsReal<T>) {
      gees(&mode, &sort, nullptr, &n, a, &lda, selected, w, w_im, vs, &lda, work, &lwork, bwork,
           info, 1, 1);
    } else {
      gees(&mode, &sort, nullptr, &n, a, &lda, selected, w, vs, &lda, work, &lwork, rwork, bwork,
           info, 1, 1);
    }
  };
  T answer(1), none(0);
  Real no_real = 0;
  int no_info = 0, no_count = 0, no_bwork = 0;
  run(&none, &no_count, &none, &none, &none, &no_info, &answer, -1, &no_real, &no_bwork);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  const int64_t work_at = layout.Add<T>(lwork);
  return LapackStep::Make(
      checker, 25 * std::pow(n, 3), layout, [=](const CallArrays& arrays, std::byte* memory) {
        const int64_t size = int64_t{n} * n;
        T* const a = arrays.CopiedResult<T>(0, 0, size);
        T* const vs = arrays.Result<T>(1, size);
        T* const w = arrays.Result<T>(2, n);
        T* const w_im = arrays.Result<T>(1 + kParts, n);
        int* const selected = arrays.Info(2 + kParts);
        int* const info = arrays.Info(3 + kParts);
        *selected = 0;
        const bool finite = AllFinite(a, size);
        if (mode == 'N' || !finite) std::fill_n(vs, size, T(0));
        if (!finite) {
          std::fill_n(w, n, T(std::numeric_limits<Real>::quiet_NaN()));
          std::fill_n(w_im, n, T(std::numeric_limits<Real>::quiet_NaN()));
          *info = kNotFinite;
          return;
        }
        run(a, selected, w, w_im, vs, info, reinterpret_cast<T*>(memory + work_at), lwork,
            reinterpret_cast<Real*>(memory + rwork_at), reinterpret_cast<int*>(memory + bwork_at));
      });
}

constexpr LapackRow kSpectralRows[] = {
    PLINTH_LAPACK_ROWS("gesdd", "gesdd", PrepareGesdd),
    PLINTH_LAPACK_ROWS("gesvd", "gesvd", PrepareGesvd),
    PLINTH_LAPACK_ROWS("syevd", "heevd", PrepareSyevd),
    PLINTH_LAPACK_ROWS("geev", "geev", PrepareGeev),
    PLINTH_LAPACK_ROWS("gees", "gees", PrepareGees),
};

}  // namespace

std::span<const LapackRow> LapackSpectralRows() { return kSpectralRows; }

}  // namespace plinth::cpu::lapack
