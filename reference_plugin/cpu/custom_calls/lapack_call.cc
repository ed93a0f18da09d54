#include "reference_plugin/cpu/custom_calls/lapack_call.h"

#include <atomic>

#include "plinth/support/str_cat.h"
#include "reference_plugin/cpu/library/thread_scratch.h"

namespace plinth::cpu {
namespace {

std::string Describe(const CustomCallArray& array) {
  return compiler::Type::Tensor(array.dtype, array.dims).ToString();
}

}  // namespace

CallChecker::CallChecker(const CustomCall& call, size_t num_operands, size_t num_results)
    : call_(call) {
  if (call.operands.size() != num_operands || call.results.size() != num_results) {
    Fail(InvalidArgument("it has ", call.operands.size(), " operands and ", call.results.size(),
                         " results; expected ", num_operands, " and ", num_results));
  }
}

std::pair<int, int> CallChecker::Matrices(size_t i, DType dtype) {
  if (!status_.ok()) return {0, 0};
  const CustomCallArray& array = call_.operands[i];
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  if (array.rank() < 2 || array.dims[array.rank() - 1] > kMost ||
      array.dims[array.rank() - 2] > kMost) {
    Fail(InvalidArgument("operand ", i, " is ", Describe(array),
                         "; expected matrices of 32-bit sizes"));
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

void CallChecker::Operand(size_t i, DType dtype, const compiler::Dims& tail) {
  if (status_.ok()) Array("operand ", i, call_.operands[i], dtype, tail);
}

void CallChecker::Result(size_t i, DType dtype, const compiler::Dims& tail) {
  if (status_.ok()) Array("result ", i, call_.results[i], dtype, tail);
}

void CallChecker::Array(std::string_view what, size_t i, const CustomCallArray& array, DType dtype,
                        const compiler::Dims& tail) {
  compiler::Dims expected = batch_dims_;
  for (int64_t dim : tail) expected.push_back(dim);
  if (array.dtype != dtype || array.dims != expected) {
    return Fail(InvalidArgument(what, i, " is ", Describe(array), "; expected ",
                                compiler::Type::Tensor(dtype, expected).ToString()));
  }
  if (tail.size() == 2 ? !array.IsColumnMajorMatrices() : !array.IsRowMajor()) {
    Fail(InvalidArgument(what, i, " is ", Describe(array), " in the layout {",
                         StrJoin(array.minor_to_major, ","), "}; expected ",
                         tail.size() == 2 ? "column-major matrices" : "row major"));
  }
}

int64_t CallChecker::LastOf(size_t i) const {
  if (!status_.ok() || call_.operands[i].rank() == 0) return 0;
  return call_.operands[i].dims.back();
}

void CallChecker::Expect(bool is_true, std::string_view what) {
  if (!is_true) Fail(InvalidArgument(what));
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
  const bool writes = std::any_of(call_.results.begin(), call_.results.end(),
                                  [](const CustomCallArray& r) { return r.SizeInBytes() > 0; });
  return writes ? batch_ : 0;
}

Expected<std::unique_ptr<PreparedStep>> LapackStep::Make(const CallChecker& checker, double work,
                                                         const WorkLayout& layout, Body body) {
  PLINTH_RETURN_IF_ERROR(checker.status());
  constexpr double kGrainWork = 100e3;
  auto step = std::make_unique<LapackStep>();
  step->batch_ = checker.batch();
  step->grain_ = 1 + static_cast<int64_t>(kGrainWork / (work + 500));
  step->work_bytes_ = layout.bytes();
  step->body_ = std::move(body);
  return std::unique_ptr<PreparedStep>(std::move(step));
}

Status LapackStep::Run(std::span<void* const> operands, std::span<void* const> results,
                       const RunContext& context) const {
  std::atomic<bool> no_memory{false};
  ParallelFor(context.pool, batch_, grain_, [&](int64_t begin, int64_t end) {
    TaskMemory memory;
    std::byte* work = nullptr;
    if (work_bytes_ > 0) work = memory.Get(work_bytes_);
    if (work_bytes_ > 0 && work == nullptr) {
      no_memory = true;
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      if (context.stop != nullptr && context.stop->load(std::memory_order_relaxed)) return;
      body_({operands, results, i}, work);
    }
  });
  if (no_memory) return ResourceExhausted("the system gave no ", work_bytes_, " bytes for LAPACK");
  return Status();
}

}  // namespace plinth::cpu
