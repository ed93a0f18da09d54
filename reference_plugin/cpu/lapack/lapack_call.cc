// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/lapack/lapack_call.h"

#include <atomic>

#include "plinth/support/str_cat.h"

namespace plinth::cpu::lapack {
namespace {

std::string DescribeArray(const backend::CustomCallArray& array) {
  return compiler::Type::Tensor(array.dtype, array.dims).ToString();
}

std::string DescribeArrays(std::span<const backend::CustomCallArray> arrays) {
  std::string text;
  for (const backend::CustomCallArray& array : arrays)
    text += (text.empty() ? "" : ", ") + DescribeArray(array);
  return text.empty() ? "none" : text;
}

}  // namespace

std::string Describe(const backend::CustomCall& call) {
  return StrCat("operands ", DescribeArrays(call.operands), ", results ",
                DescribeArrays(call.results));
}

CallChecker::CallChecker(const backend::CustomCall& call, size_t num_operands, size_t num_results)
    : call_(call) {
  if (call.operands.size() != num_operands || call.results.size() != num_results) {
    Fail(InvalidArgument("it has ", call.operands.size(), " operands and ", call.results.size(),
                         " results; expected ", num_operands, " and ", num_results));
  }
}

std::pair<int, int> CallChecker::Matrices(size_t i, DType dtype) {
  if (!status_.ok()) return {0, 0};
  const backend::CustomCallArray& array = call_.operands[i];
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  if (array.rank() < 2 || array.dims[array.rank() - 1] > kMost ||
      array.dims[array.rank() - 2] > kMost) {
    Fail(InvalidArgument(OperandIs(i), "; expected matrices of 32-bit sizes"));
    return {0, 0};
  }
  const size_t batch_rank = array.dims.size() - 2;
  for (size_t d = 0; d < batch_rank; ++d) {
    batch_dims_.push_back(array.dims[d]);
    batch_ *= array.dims[d];
  }
  const int64_t rows = array.dims[batch_rank], columns = array.dims[batch_rank + 1];
  Operand(i, dtype, {rows, columns});
  return {static_cast<int>(rows), static_cast<int>(columns)};
}

int CallChecker::SquareMatrices(size_t i, DType dtype) {
  const auto [rows, columns] = Matrices(i, dtype);
  if (rows != columns) Fail(InvalidArgument(OperandIs(i), "; expected square matrices"));
  return rows;
}

void CallChecker::Operand(size_t i, DType dtype, const compiler::Dims& tail) {
  if (status_.ok()) Array("operand ", i, call_.operands[i], dtype, tail);
}

void CallChecker::Result(size_t i, DType dtype, const compiler::Dims& tail) {
  if (status_.ok()) Array("result ", i, call_.results[i], dtype, tail);
}

void CallChecker::Array(std::string_view what, size_t i, const backend::CustomCallArray& array,
                        DType dtype, const compiler::Dims& tail) {
  compiler::Dims expected = batch_dims_;
  for (int64_t dim : tail) expected.push_back(dim);
  if (array.dtype != dtype || array.dims != expected) {
    return Fail(InvalidArgument(what, i, " is ", DescribeArray(array), "; expected ",
                                compiler::Type::Tensor(dtype, expected).ToString()));
  }
  // A call without layouts is given its matrices row by row. jaxlib's handlers read any memory as
  // columns, so that what comes out is the same here.
  const bool is_matrix = tail.size() == 2;
  if (!array.IsRowMajor() && !(is_matrix && array.IsColumnMajorMatrices())) {
    Fail(InvalidArgument(what, i, " is ", DescribeArray(array), " in the layout {",
                         StrJoin(array.minor_to_major, ","), "}; expected ",
                         is_matrix ? "column-major matrices" : "row major"));
  }
}

int64_t CallChecker::LastOf(size_t i) const {
  if (!status_.ok() || call_.operands[i].rank() == 0) return 0;
  return call_.operands[i].dims.back();
}

std::string CallChecker::OperandIs(size_t i) const {
  return StrCat("operand ", i, " is ", DescribeArray(call_.operands[i]));
}

std::string CallChecker::ResultIs(size_t i) const {
  return StrCat("result ", i, " is ", DescribeArray(call_.results[i]));
}

char CallChecker::Letter(std::string_view name, std::string_view letters) {
  const int64_t code = Integer(name);
  if (!status_.ok()) return letters[0];
  if (code <= 0 || code > 127 || letters.find(static_cast<char>(code)) == std::string_view::npos) {
    Fail(InvalidArgument("the attribute \"", name, "\" is ", code,
                         "; expected the code of one of the letters ", letters));
  }
  return static_cast<char>(code);
}

int64_t CallChecker::Integer(std::string_view name) {
  const Expected<int64_t> value = call_.Integer(name);
  if (!value.ok()) Fail(value.status());
  return value.ok() ? *value : 0;
}

int64_t CallChecker::batch() const {
  const bool writes =
      std::any_of(call_.results.begin(), call_.results.end(),
                  [](const backend::CustomCallArray& r) { return r.SizeInBytes() > 0; });
  return writes ? batch_ : 0;
}

Expected<std::unique_ptr<backend::PreparedStep>> LapackStep::Make(const CallChecker& checker,
                                                                  double work,
                                                                  const WorkLayout& layout,
                                                                  Body body) {
  PLINTH_RETURN_IF_ERROR(checker.status());
  auto step = std::make_unique<LapackStep>();
  step->grain_ = GrainOf(work);
  step->blocks_ = library::WorkBlocks(layout.bytes(), checker.batch());
  step->body_ = std::move(body);
  return std::unique_ptr<backend::PreparedStep>(std::move(step));
}

backend::Outcome LapackStep::Run(std::span<void* const> operands, std::span<void* const> results,
                                 const backend::RunContext& context) const {
  return blocks_.ForEach(
      context, grain_, [&](int64_t first, int64_t end, int64_t stride, std::byte* work) {
        for (int64_t i = first; i < end; i += stride) {
          if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
          body_({operands, results, i, context.pool}, work);
        }
      });
}

}  // namespace plinth::cpu::lapack
