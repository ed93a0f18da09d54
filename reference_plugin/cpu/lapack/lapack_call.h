// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LAPACK_LAPACK_CALL_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LAPACK_LAPACK_CALL_H_

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "reference_plugin/backend/calls/table.h"
#include "reference_plugin/cpu/library/lapack.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/work_blocks.h"

// What the calls of LAPACK routines on batches of column-major matrices share.
namespace plinth::cpu::lapack {

template <typename T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <>
inline constexpr DType kDTypeOf<float> = DType::kF32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kF64;
template <>
inline constexpr DType kDTypeOf<std::complex<float>> = DType::kC64;
template <>
inline constexpr DType kDTypeOf<std::complex<double>> = DType::kC128;

template <typename T>
inline constexpr bool kIsReal = std::is_same_v<T, typename library::RealOf<T>::Type>;

// A target and what prepares it.
struct LapackRow {
  std::string_view target;
  Expected<std::unique_ptr<backend::PreparedStep>> (*prepare)(
      const backend::CustomCall& call, const library::LibraryOptions& options);
};

// Rows of the table for the four types: target "lapack_" + type's letter + name + "_ffi".
#define PLINTH_LAPACK_ROWS(real_name, complex_name, prepare)                                     \
  {"lapack_s" real_name "_ffi", prepare<float>}, {"lapack_d" real_name "_ffi", prepare<double>}, \
      {"lapack_c" complex_name "_ffi", prepare<std::complex<float>>}, {                          \
    "lapack_z" complex_name "_ffi", prepare<std::complex<double>>                                \
  }

// Checks a call; the first thing that is wrong stays.
class CallChecker {
 public:
  CallChecker(const backend::CustomCall& call, size_t num_operands, size_t num_results);

  const Status& status() const { return status_; }

  // Operand i is a batch of matrices, whose memory is read column by column; its leading dimensions
  // are those of all others.
  // The numbers of rows and columns.
  std::pair<int, int> Matrices(size_t i, DType dtype);
  // The same of square ones; their order.
  int SquareMatrices(size_t i, DType dtype);
  // Arrays of the same batch with these further dimensions: two are a matrix, as above.
  void Operand(size_t i, DType dtype, const compiler::Dims& tail);
  void Result(size_t i, DType dtype, const compiler::Dims& tail);
  // The last dimension of operand i.
  int64_t LastOf(size_t i) const;
  // INVALID_ARGUMENT unless it is true, from pieces that say what was found and what is expected.
  template <typename... Pieces>
  void Expect(bool is_true, const Pieces&... pieces) {
    if (!is_true) Fail(InvalidArgument(pieces...));
  }
  // "operand 0 is tensor<3x4xf32>"
  std::string OperandIs(size_t i) const;
  std::string ResultIs(size_t i) const;
  // An attribute that is one of these letters, as its ASCII code.
  char Letter(std::string_view name, std::string_view letters);
  int64_t Integer(std::string_view name);

  // How many matrices there are to work on: none if there is nothing to write.
  int64_t batch() const;

 private:
  void Array(std::string_view what, size_t i, const backend::CustomCallArray& array, DType dtype,
             const compiler::Dims& tail);
  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }

  const backend::CustomCall& call_;
  Status status_;
  compiler::Dims batch_dims_;
  int64_t batch_ = 1;
};

// Memory of one call of a routine, laid out when the step is prepared.
class WorkLayout {
 public:
  // The offset of `count` elements, at least one.
  template <typename T>
  int64_t Add(int64_t count) {
    const int64_t offset = bytes_;
    bytes_ += (std::max<int64_t>(count, 1) * static_cast<int64_t>(sizeof(T)) + 63) / 64 * 64;
    return offset;
  }
  int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

// The arrays of a run, and the part of each that belongs to one matrix of the batch.
struct CallArrays {
  std::span<void*const> operands, results;
  int64_t matrix;
  backend::ThreadPool* pool;  // may be null; other matrices may be in work on it

  template <typename T>
  const T* Operand(size_t i, int64_t size) const {
    return static_cast<const T*>(operands[i]) + matrix * size;
  }
  template <typename T>
  T* Result(size_t i, int64_t size) const {
    return static_cast<T*>(results[i]) + matrix * size;
  }
  int* Info(size_t i) const { return Result<int>(i, 1); }
  // Result `result`, holding what operand `operand` does.
  template <typename T>
  T* CopiedResult(size_t result, size_t operand, int64_t size) const {
    T* const to = Result<T>(result, size);
    const T* const from = Operand<T>(operand, size);
    if (to != from && size > 0) std::memcpy(to, from, sizeof(T) * static_cast<size_t>(size));
    return to;
  }
};

// Calls body(arrays, work) for every matrix, in parallel where there is work for it.
class LapackStep final : public backend::PreparedStep {
 public:
  using Body = std::function<void(const CallArrays& arrays, std::byte* work)>;

  // `work` of one matrix in floating-point operations.
  static Expected<std::unique_ptr<backend::PreparedStep>> Make(const CallChecker& checker,
                                                               double work,
                                                               const WorkLayout& layout, Body body);

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override;
  int64_t scratch_bytes() const override { return blocks_.scratch_end(); }

 private:
  int64_t grain_ = 1;
  library::WorkBlocks blocks_;
  Body body_;
};

// What a routine answered when it was asked for the size of its work array. `least`: what its
// documentation asks for at least, where that grows with the square of the order: LAPACK computes
// the answer in 32 bits, which may have wrapped around.
template <typename T>
Expected<int> WorkSize(T answer, double least = 0) {
  // Large numbers were rounded to the type.
  const double size = std::ceil(static_cast<double>(std::real(answer)) * (1 + 1e-6));
  if (!(std::max(size, least) < std::numeric_limits<int>::max()) || size < 0) {
    return ResourceExhausted("matrices too large for LAPACK's 32-bit sizes");
  }
  return std::max(static_cast<int>(size), 1);
}

// Routines that iterate may not come back from NaN or infinity.
template <typename T>
bool AllFinite(const T* values, int64_t count) {
  using Real = typename library::RealOf<T>::Type;
  const Real* parts = reinterpret_cast<const Real*>(values);
  const int64_t num_parts = count * static_cast<int64_t>(sizeof(T) / sizeof(Real));
  Real sum = 0;
  for (int64_t i = 0; i < num_parts; ++i) sum += parts[i] * 0;
  return sum == 0;
}

// "operands tensor<2x3xf32>, results tensor<2x3xf32>, tensor<2xf32>"
std::string Describe(const backend::CustomCall& call);

// Matrices that are worth a thread, each `work` floating-point operations.
inline int64_t GrainOf(double work) { return 1 + static_cast<int64_t>(100e3 / (work + 500)); }

// LAPACK's leading dimensions are at least one.
inline int LeadingDimension(int rows) { return std::max(rows, 1); }

}  // namespace plinth::cpu::lapack

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LAPACK_LAPACK_CALL_H_
