// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include "reference_plugin/cpu/library/fft_pass.h"
#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/line_fft.h"

namespace plinth::cpu::library {
namespace {

using compiler::FftAttributes;
using compiler::FftType;

template <typename T>
class FftStep final : public backend::PreparedStep {
 public:
  static Expected<std::unique_ptr<backend::PreparedStep>> Prepare(
      const compiler::plan::PlanStep& step);

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const void* from = operands[0];
    for (size_t i = 0; i < passes_.size(); ++i) {
      void* const to = passes_[i].to_scratch ? context.scratch.data() : results[0];
      PLINTH_RETURN_IF_ERROR(passes_[i].Run(from, to, context));
      from = to;
    }
    return Status();
  }

  int64_t scratch_bytes() const override { return scratch_bytes_; }

 private:
  Status AddPass(FftPassKind kind, const compiler::Dims& dims, size_t axis, int64_t length);
  Status AddLongLines(FftPassKind kind, int64_t lines, int64_t length, int64_t inner);

  std::vector<FftPass<T>> passes_;
  bool is_irfft_ = false;
  int64_t scratch_bytes_ = 0;  // one complex array and the planes of a pass
};

// A length whose planes do not fit into a core's cache.
template <typename T>
constexpr int64_t kLongLine = (int64_t{256} << 10) / static_cast<int64_t>(sizeof(T));

// The rows of a long line as a matrix: as square as it gets, and vectors full. 0: none fits.
template <typename T>
int64_t RowLength(int64_t length) {
  const int64_t lanes = FftKernelsFor<T>().lanes;
  const int64_t most = static_cast<int64_t>(std::sqrt(static_cast<double>(length)));
  for (int64_t inner = most; inner >= 64; --inner) {
    if (length % inner == 0 && inner % lanes == 0 && length / inner < 64 * inner) return inner;
  }
  return 0;
}

Status NoTables(int64_t length) {
  return ResourceExhausted("no memory for the tables of a transform of length ", length);
}

// `dims` are those of the pass's complex side.
template <typename T>
Status FftStep<T>::AddPass(FftPassKind kind, const compiler::Dims& dims, size_t axis,
                           int64_t length) {
  FftPass<T> pass;
  pass.kind = kind;
  pass.length = length;
  int64_t inner = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d != axis) pass.lines *= dims[d];
    if (d > axis) inner *= dims[d];
  }
  const bool is_complex = kind == FftPassKind::kForward || kind == FftPassKind::kInverse;
  if (is_complex && inner == 1 && length > kLongLine<T> && length <= kMaxFftLength && !is_irfft_) {
    if (const int64_t row = RowLength<T>(length); row > 0) {
      return AddLongLines(kind, pass.lines, length, row);
    }
  }
  const int64_t half = length / 2;
  const bool pairs = kind == FftPassKind::kRealPairs || kind == FftPassKind::kToRealPairs;
  int64_t transform_length = pairs ? half : length;
  const bool from_real = kind == FftPassKind::kRealPairs || kind == FftPassKind::kRealOdd;
  const bool to_real = kind == FftPassKind::kToRealPairs || kind == FftPassKind::kToRealOdd;
  pass.in_extent = from_real ? transform_length : to_real ? half + 1 : length;
  pass.out_extent = to_real ? transform_length : from_real ? half + 1 : length;
  pass.columns = inner == 1 ? pass.lines : inner;
  auto places = [&](int64_t extent) {
    return FftPlaces{inner, inner == 1 ? extent : 1, extent * inner};
  };
  pass.in = places(pass.in_extent);
  pass.out = places(pass.out_extent);
  const int64_t lanes = FftKernelsFor<T>().lanes;
  constexpr int64_t kLeastLine = 256;  // shorter ones are better off side by side
  // Up to here also those that alone would use a part of each vector: the planes still fit into a
  // core's second-level cache.
  constexpr int64_t kMostSideBySide = 2048;
  const bool odd = kind == FftPassKind::kRealOdd || kind == FftPassKind::kToRealOdd;
  const bool part_of_vectors = pass.lines >= lanes && transform_length <= kMostSideBySide &&
                               !LineFft<T>::FillsVectors(transform_length);
  const bool alone =
      pass.lines <= lanes / 4 || (inner == 1 && transform_length >= kLeastLine && !odd &&
                                  !part_of_vectors && LineFft<T>::IsGoodLine(transform_length));
  pass.s = alone ? 1 : lanes;
  PLINTH_ASSIGN_OR_RETURN(pass.line_fft, LineFft<T>::Make(transform_length, pass.s));
  if (pairs) {
    pass.table = MakeRootTable<T>(length, half);
    if (pass.table == nullptr) return NoTables(length);
  }
  passes_.push_back(std::move(pass));
  return Status();
}

// Long lines as matrices with rows of `inner` elements: columns, turns, then rows. The first pass
// writes its results transposed, so that the second finds and leaves them in order.
template <typename T>
Status FftStep<T>::AddLongLines(FftPassKind kind, int64_t lines, int64_t length, int64_t inner) {
  const int64_t outer = length / inner, lanes = FftKernelsFor<T>().lanes;
  FftPass<T> first, second;
  first.length = outer;
  first.columns = inner;
  first.in = {inner, 1, length};
  first.out = {1, outer, length};
  first.to_scratch = true;
  first.turns = MakeTurns<T>(length, inner / lanes, lanes, outer);
  first.fine_turns = MakeTurns<T>(length, 1, 1, outer, lanes);
  if (first.turns == nullptr || first.fine_turns == nullptr) return NoTables(length);
  second.length = inner;
  second.columns = outer;
  second.in = second.out = {outer, 1, length};
  for (FftPass<T>* pass : {&first, &second}) {
    pass->kind = kind;
    pass->s = lanes;
    pass->lines = lines * pass->columns;
    pass->in_extent = pass->out_extent = pass->length;
    PLINTH_ASSIGN_OR_RETURN(pass->line_fft, LineFft<T>::Make(pass->length, lanes));
  }
  passes_.push_back(std::move(first));
  passes_.push_back(std::move(second));
  return Status();
}

template <typename T>
Expected<std::unique_ptr<backend::PreparedStep>> FftStep<T>::Prepare(
    const compiler::plan::PlanStep& step) {
  const auto& fft = *std::get_if<FftAttributes>(step.attributes.get());
  auto prepared = std::make_unique<FftStep>();
  const compiler::Type& operand = step.operands[0].type;
  const compiler::Type& result = step.results[0].type;
  if (operand.NumElements() == 0 || result.NumElements() == 0) {
    return std::unique_ptr<backend::PreparedStep>(std::move(prepared));
  }
  const size_t count = fft.length.size();
  prepared->is_irfft_ = fft.type == FftType::kIrfft;
  const bool to_real = prepared->is_irfft_, from_real = fft.type == FftType::kRfft;
  const compiler::Dims& dims = from_real ? result.dims : operand.dims;
  const size_t first = dims.size() - count, last = dims.size() - 1;
  const bool inverse = to_real || fft.type == FftType::kIfft;
  const FftPassKind kind = inverse ? FftPassKind::kInverse : FftPassKind::kForward;
  const bool even = fft.length.back() % 2 == 0;
  auto add_last = [&]() -> Status {
    FftPassKind last_kind = kind;
    if (from_real) last_kind = even ? FftPassKind::kRealPairs : FftPassKind::kRealOdd;
    if (to_real) last_kind = even ? FftPassKind::kToRealPairs : FftPassKind::kToRealOdd;
    return prepared->AddPass(last_kind, dims, last, fft.length.back());
  };
  if (!to_real) PLINTH_RETURN_IF_ERROR(add_last());
  for (size_t axis = last; axis-- > first;) {
    PLINTH_RETURN_IF_ERROR(prepared->AddPass(kind, dims, axis, fft.length[axis - first]));
  }
  if (to_real) PLINTH_RETURN_IF_ERROR(add_last());
  if (inverse) {
    double elements = 1;
    for (int64_t length : fft.length) elements *= static_cast<double>(length);
    prepared->passes_.back().scale = static_cast<T>(1 / elements);
  }
  for (size_t i = 0; to_real && i + 1 < prepared->passes_.size(); ++i) {
    prepared->passes_[i].to_scratch = true;
  }
  int64_t array_bytes = 0;
  for (const FftPass<T>& pass : prepared->passes_) {
    if (pass.to_scratch) array_bytes = std::max(operand.SizeInBytes(), result.SizeInBytes());
  }
  prepared->scratch_bytes_ = array_bytes;
  for (FftPass<T>& pass : prepared->passes_) {
    pass.LayOut(array_bytes);
    prepared->scratch_bytes_ = std::max(prepared->scratch_bytes_, pass.blocks.scratch_end());
  }
  return std::unique_ptr<backend::PreparedStep>(std::move(prepared));
}

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PrepareFft(const compiler::plan::PlanStep& step,
                                                            const LibraryOptions&) {
  const DType type = step.operands[0].type.dtype;
  if (type == DType::kF32 || type == DType::kC64) return FftStep<float>::Prepare(step);
  if (type == DType::kF64 || type == DType::kC128) return FftStep<double>::Prepare(step);
  return Unimplemented("a transform of elements of type ", Name(type));
}

}  // namespace plinth::cpu::library
