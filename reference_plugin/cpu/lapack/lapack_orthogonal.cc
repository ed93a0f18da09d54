// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/thread_scratch.h"
#include "reference_plugin/cpu/lapack/families.h"
#include "reference_plugin/cpu/lapack/lapack_call.h"

// QR factors and what is made of elementary reflectors: their products, Hessenberg and tridiagonal
// forms.
namespace plinth::cpu::lapack {
namespace {

template <typename T>
using Geqrf = typename decltype(library::Lapack<T>::kGeqrf)::Function;
template <typename T>
using Orgqr = typename decltype(library::Lapack<T>::kOrgqr)::Function;

template <typename T>
Expected<int> GeqrfWork(Geqrf<T>* geqrf, int m, int n) {
  T answer(1), tau(0), a(0);
  const int lda = LeadingDimension(m), ask = -1;
  int info = 0;
  geqrf(&m, &n, &a, &lda, &tau, &answer, &ask, &info);
  return WorkSize(answer);
}

template <typename T>
Expected<int> OrgqrWork(Orgqr<T>* orgqr, int m, int n, int k) {
  T answer(1), tau(0), a(0);
  const int lda = LeadingDimension(m), ask = -1;
  int info = 0;
  orgqr(&m, &n, &k, &a, &lda, &tau, &answer, &ask, &info);
  return WorkSize(answer);
}

// a -> a, tau.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGeqrf(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 1, 2);
  const auto [m, n] = checker.Matrices(0, kDTypeOf<T>);
  const int k = std::min(m, n);
  checker.Result(0, kDTypeOf<T>, {m, n});
  checker.Result(1, kDTypeOf<T>, {k});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const geqrf,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGeqrf));
  PLINTH_ASSIGN_OR_RETURN(const int lwork, GeqrfWork<T>(geqrf, m, n));
  WorkLayout layout;
  layout.Add<T>(lwork);
  return LapackStep::Make(checker, 2.0 * m * n * k, layout,
                          [=, m = m, n = n](const CallArrays& arrays, std::byte* work) {
                            T* const a = arrays.CopiedResult<T>(0, 0, int64_t{m} * n);
                            const int lda = LeadingDimension(m);
                            int info = 0;
                            geqrf(&m, &n, a, &lda, arrays.Result<T>(1, k),
                                  reinterpret_cast<T*>(work), &lwork, &info);
                          });
}

// a, tau -> q.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareOrgqr(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 2, 1);
  const auto [m, n] = checker.Matrices(0, kDTypeOf<T>);
  const int64_t k = checker.LastOf(1);
  checker.Operand(1, kDTypeOf<T>, {k});
  checker.Result(0, kDTypeOf<T>, {m, n});
  checker.Expect(m >= n && n >= k, "there are ", k, " reflectors for matrices of ", m, " rows and ",
                 n,
                 " columns; expected no more of them than columns, and no more columns than rows");
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const orgqr,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kOrgqr));
  const int reflectors = static_cast<int>(k);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, OrgqrWork<T>(orgqr, m, n, reflectors));
  WorkLayout layout;
  layout.Add<T>(lwork);
  return LapackStep::Make(checker, 2.0 * m * n * reflectors, layout,
                          [=, m = m, n = n](const CallArrays& arrays, std::byte* work) {
                            T* const a = arrays.CopiedResult<T>(0, 0, int64_t{m} * n);
                            const int lda = LeadingDimension(m);
                            int info = 0;
                            orgqr(&m, &n, &reflectors, a, &lda, arrays.Operand<T>(1, reflectors),
                                  reinterpret_cast<T*>(work), &lwork, &info);
                          });
}

// a, tau, c -> q c and its like.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareOrmqr(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 3, 1);
  const auto [m, n] = checker.Matrices(2, kDTypeOf<T>);
  const int64_t k = checker.LastOf(1);
  const bool left = checker.Integer("left") != 0, transpose = checker.Integer("transpose") != 0;
  const int rows = left ? m : n;
  checker.Operand(1, kDTypeOf<T>, {k});
  checker.Operand(0, kDTypeOf<T>, {rows, checker.LastOf(0)});
  checker.Result(0, kDTypeOf<T>, {m, n});
  checker.Expect(k <= rows && k <= checker.LastOf(0), "there are ", k,
                 " reflectors; operand 0 has ", checker.LastOf(0), " columns of ", rows,
                 " rows: expected no more than either");
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const ormqr,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kOrmqr));
  const int reflectors = static_cast<int>(k), lda = LeadingDimension(rows);
  const int ldc = LeadingDimension(m);
  const char side = left ? 'L' : 'R';
  const char trans = !transpose ? 'N' : kIsReal<T> ? 'T' : 'C';
  T answer(1), none(0);
  int info = 0;
  const int ask = -1;
  ormqr(&side, &trans, &m, &n, &reflectors, &none, &lda, &none, &none, &ldc, &answer, &ask, &info,
        1, 1);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  const int64_t a_size = int64_t{rows} * checker.LastOf(0);
  WorkLayout layout;
  const int64_t work_at = layout.Add<T>(lwork);
  // LAPACK writes into the reflectors while it works, and restores them.
  const int64_t own_size = int64_t{rows} * reflectors, own_at = layout.Add<T>(own_size);
  return LapackStep::Make(
      checker, 2.0 * m * n * reflectors, layout,
      [=, m = m, n = n](const CallArrays& arrays, std::byte* memory) {
        T* const own = reinterpret_cast<T*>(memory + own_at);
        std::copy_n(arrays.Operand<T>(0, a_size), own_size, own);
        T* const c = arrays.CopiedResult<T>(0, 2, int64_t{m} * n);
        int result_info = 0;
        ormqr(&side, &trans, &m, &n, &reflectors, own, &lda, arrays.Operand<T>(1, reflectors), c,
              &ldc, reinterpret_cast<T*>(memory + work_at), &lwork, &result_info, 1, 1);
      });
}

// a, pivots -> a, pivots, tau.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGeqp3(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 2, 3);
  const auto [m, n] = checker.Matrices(0, kDTypeOf<T>);
  const int k = std::min(m, n);
  checker.Operand(1, DType::kS32, {n});
  checker.Result(0, kDTypeOf<T>, {m, n});
  checker.Result(1, DType::kS32, {n});
  checker.Result(2, kDTypeOf<T>, {k});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const geqp3,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGeqp3));
  WorkLayout layout;
  const int64_t rwork_at =
      layout.Add<typename library::RealOf<T>::Type>(kIsReal<T> ? 0 : 2 * int64_t{n});
  auto factor = [=, m = m, n = n](T* a, int* pivots, T* tau, T* work, int lwork,
                                  std::byte* memory) {
    const int lda = LeadingDimension(m);
    int info = 0;
    if constexpr (kIsReal<T>) {
      geqp3(&m, &n, a, &lda, pivots, tau, work, &lwork, &info);
    } else {
      auto* const rwork = reinterpret_cast<typename library::RealOf<T>::Type*>(memory + rwork_at);
      geqp3(&m, &n, a, &lda, pivots, tau, work, &lwork, rwork, &info);
    }
  };
  T answer(1), none(0);
  typename library::RealOf<T>::Type no_rwork = 0;
  int no_pivots = 0;
  factor(&none, &no_pivots, &none, &answer, -1, reinterpret_cast<std::byte*>(&no_rwork) - rwork_at);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  const int64_t work_at = layout.Add<T>(lwork);
  return LapackStep::Make(checker, 4.0 * m * n * k, layout,
                          [=, m = m, n = n](const CallArrays& arrays, std::byte* memory) {
                            T* const a = arrays.CopiedResult<T>(0, 0, int64_t{m} * n);
                            int* const pivots = arrays.CopiedResult<int>(1, 1, n);
                            factor(a, pivots, arrays.Result<T>(2, k),
                                   reinterpret_cast<T*>(memory + work_at), lwork, memory);
                          });
}

// a -> a, tau, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareGehrd(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  CallChecker checker(call, 1, 3);
  const int n = checker.SquareMatrices(0, kDTypeOf<T>);
  const int reflectors = std::max(n - 1, 0);
  const int64_t low = checker.Integer("low"), high = checker.Integer("high");
  checker.Expect(n == 0 ? low == 1 && high == 0 : 1 <= low && low <= high && high <= n,
                 "the attributes \"low\" and \"high\" are ", low, " and ", high,
                 "; expected rows of matrices of order ", n, ", counted from 1, low first");
  checker.Result(0, kDTypeOf<T>, {n, n});
  checker.Result(1, kDTypeOf<T>, {reflectors});
  checker.Result(2, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const gehrd,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kGehrd));
  const int first = static_cast<int>(low), last = static_cast<int>(high);
  const int lda = LeadingDimension(n), ask = -1;
  T answer(1), none(0);
  int no_info = 0;
  gehrd(&n, &first, &last, &none, &lda, &none, &answer, &ask, &no_info);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  WorkLayout layout;
  layout.Add<T>(lwork);
  return LapackStep::Make(checker, 3 * std::pow(n, 3), layout,
                          [=](const CallArrays& arrays, std::byte* work) {
                            T* const a = arrays.CopiedResult<T>(0, 0, int64_t{n} * n);
                            gehrd(&n, &first, &last, a, &lda, arrays.Result<T>(1, reflectors),
                                  reinterpret_cast<T*>(work), &lwork, arrays.Info(2));
                          });
}

// a -> a, diagonal, beside it, tau, info.
template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> PrepareSytrd(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  using Real = typename library::RealOf<T>::Type;
  CallChecker checker(call, 1, 5);
  const int n = checker.SquareMatrices(0, kDTypeOf<T>);
  const int reflectors = std::max(n - 1, 0);
  const char uplo = checker.Letter("uplo", "LU");
  checker.Result(0, kDTypeOf<T>, {n, n});
  checker.Result(1, kDTypeOf<Real>, {n});
  checker.Result(2, kDTypeOf<Real>, {reflectors});
  checker.Result(3, kDTypeOf<T>, {reflectors});
  checker.Result(4, DType::kS32, {});
  PLINTH_RETURN_IF_ERROR(checker.status());
  PLINTH_ASSIGN_OR_RETURN(auto* const sytrd,
                          library::FindLapack<T>(options.blas, library::Lapack<T>::kSytrd));
  const int lda = LeadingDimension(n), ask = -1;
  T answer(1), none(0);
  Real no_real = 0;
  int no_info = 0;
  sytrd(&uplo, &n, &none, &lda, &no_real, &no_real, &none, &answer, &ask, &no_info, 1);
  PLINTH_ASSIGN_OR_RETURN(const int lwork, WorkSize(answer));
  WorkLayout layout;
  layout.Add<T>(lwork);
  return LapackStep::Make(
      checker, 1.4 * std::pow(n, 3), layout, [=](const CallArrays& arrays, std::byte* work) {
        T* const a = arrays.CopiedResult<T>(0, 0, int64_t{n} * n);
        sytrd(&uplo, &n, a, &lda, arrays.Result<Real>(1, n), arrays.Result<Real>(2, reflectors),
              arrays.Result<T>(3, reflectors), reinterpret_cast<T*>(work), &lwork, arrays.Info(4),
              1);
      });
}

template <typename T>
void Transpose(const T* from, int64_t rows, int64_t columns, T* to) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * rows + i] = from[i * columns + j];
  }
}

// What frameworks write for a platform that they know nothing of: the same on row-major matrices.
// @Qr: a -> a, tau. @ProductOfElementaryHouseholderReflectors: a, tau -> q.
template <typename T>
class RowMajorStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(const backend::CustomCall& call,
                                                               bool is_product,
                                                               const library::BlasOptions& blas) {
    auto step = std::make_unique<RowMajorStep>();
    const backend::CustomCallArray& a = call.operands[0];
    for (const auto& arrays : {call.operands, call.results}) {
      for (const backend::CustomCallArray& array : arrays) {
        if (!array.IsRowMajor() || array.dtype != kDTypeOf<T>) {
          return InvalidArgument("it has ", Describe(call), "; expected one type, row major");
        }
      }
    }
    const backend::CustomCallArray& tau = is_product ? call.operands[1] : call.results[1];
    compiler::Dims tau_dims(a.dims.begin(), a.dims.end() - 1);
    constexpr int64_t kMost = std::numeric_limits<int>::max();
    const int64_t m = a.dims[a.dims.size() - 2], n = a.dims.back();
    const int64_t k = tau.dims.empty() ? -1 : tau.dims.back();
    tau_dims.back() = k;
    if (call.results[0].dims != a.dims || tau.dims != tau_dims || std::max(m, n) > kMost ||
        (is_product ? m < n || k > n : k != std::min(m, n))) {
      return InvalidArgument("it has ", Describe(call), "; expected matrices m x n in one shape, ",
                             is_product ? "n <= m, and at most n" : "and the lesser of m and n",
                             " reflectors, of 32-bit sizes");
    }
    step->m_ = static_cast<int>(m);
    step->n_ = static_cast<int>(n);
    step->k_ = static_cast<int>(k);
    int64_t batch = 1;
    for (size_t d = 0; d + 2 < a.dims.size(); ++d) batch *= a.dims[d];
    if (is_product) {
      PLINTH_ASSIGN_OR_RETURN(step->orgqr_,
                              library::FindLapack<T>(blas, library::Lapack<T>::kOrgqr));
      PLINTH_ASSIGN_OR_RETURN(step->lwork_,
                              OrgqrWork<T>(step->orgqr_, step->m_, step->n_, step->k_));
    } else {
      PLINTH_ASSIGN_OR_RETURN(step->geqrf_,
                              library::FindLapack<T>(blas, library::Lapack<T>::kGeqrf));
      PLINTH_ASSIGN_OR_RETURN(step->lwork_, GeqrfWork<T>(step->geqrf_, step->m_, step->n_));
    }
    if (batch == 0) return std::unique_ptr<backend::PreparedStep>(std::move(step));
    const int64_t elements = m * n + step->lwork_;
    step->blocks_ = library::WorkBlocks(elements * static_cast<int64_t>(sizeof(T)), batch);
    return std::unique_ptr<backend::PreparedStep>(std::move(step));
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const int64_t size = int64_t{m_} * n_;
    if (size == 0 && k_ == 0) return Status();
    const int lda = LeadingDimension(m_);
    return blocks_.ForEach(
        context, GrainOf(2.0 * static_cast<double>(size) * k_),
        [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
          T* const a = reinterpret_cast<T*>(block);
          for (int64_t i = first; i < end; i += stride) {
            if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
            int info = 0;
            Transpose(static_cast<const T*>(operands[0]) + i * size, m_, n_, a);
            if (orgqr_ != nullptr) {
              orgqr_(&m_, &n_, &k_, a, &lda, static_cast<const T*>(operands[1]) + i * k_, a + size,
                     &lwork_, &info);
            } else {
              geqrf_(&m_, &n_, a, &lda, static_cast<T*>(results[1]) + i * k_, a + size, &lwork_,
                     &info);
            }
            Transpose(a, n_, m_, static_cast<T*>(results[0]) + i * size);
          }
        });
  }

  int64_t scratch_bytes() const override { return blocks_.scratch_end(); }

 private:
  Geqrf<T>* geqrf_ = nullptr;
  Orgqr<T>* orgqr_ = nullptr;
  int m_ = 0, n_ = 0, k_ = 0, lwork_ = 1;
  library::WorkBlocks blocks_;  // a column-major matrix and LAPACK's work array
};

Expected<std::unique_ptr<backend::PreparedStep>> PrepareRowMajor(
    const backend::CustomCall& call, bool is_product, const library::LibraryOptions& options) {
  const size_t num_operands = is_product ? 2 : 1;
  if (call.operands.size() != num_operands || call.results.size() != 3 - num_operands ||
      call.operands[0].rank() < 2) {
    return InvalidArgument("it has ", Describe(call), "; expected ", num_operands,
                           " operands, the first of them matrices, and ", 3 - num_operands,
                           " results");
  }
  return library::ForLapackType(call.operands[0].dtype, [&]<typename T>() {
    return RowMajorStep<T>::Make(call, is_product, options.blas);
  });
}

Expected<std::unique_ptr<backend::PreparedStep>> PrepareQr(const backend::CustomCall& call,
                                                           const library::LibraryOptions& options) {
  return PrepareRowMajor(call, false, options);
}
Expected<std::unique_ptr<backend::PreparedStep>> PrepareProduct(
    const backend::CustomCall& call, const library::LibraryOptions& options) {
  return PrepareRowMajor(call, true, options);
}

constexpr LapackRow kOrthogonalRows[] = {
    PLINTH_LAPACK_ROWS("geqrf", "geqrf", PrepareGeqrf),
    PLINTH_LAPACK_ROWS("orgqr", "ungqr", PrepareOrgqr),
    PLINTH_LAPACK_ROWS("ormqr", "unmqr", PrepareOrmqr),
    PLINTH_LAPACK_ROWS("geqp3", "geqp3", PrepareGeqp3),
    PLINTH_LAPACK_ROWS("gehrd", "gehrd", PrepareGehrd),
    PLINTH_LAPACK_ROWS("sytrd", "hetrd", PrepareSytrd),
    {"Qr", PrepareQr},
    {"ProductOfElementaryHouseholderReflectors", PrepareProduct},
};

}  // namespace

std::span<const LapackRow> LapackOrthogonalRows() { return kOrthogonalRows; }

}  // namespace plinth::cpu::lapack
