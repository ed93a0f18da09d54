// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include "reference_plugin/cpu/library/library.h"
#include "reference_plugin/cpu/library/line_fft.h"
#include "reference_plugin/cpu/library/work_blocks.h"

namespace plinth::cpu::library {
namespace {

using compiler::FftAttributes;
using compiler::FftType;

enum class PassKind : uint8_t {
  kForward,
  kInverse,
  kRealPairs,  // real to complex, an even number of elements
  kRealOdd,
  kToRealPairs,  // complex to real
  kToRealOdd,
};

// Transforms along one dimension of an array.
template <typename T>
struct Pass {
  PassKind kind = PassKind::kForward;
  int64_t length = 0;     // elements of the (complex or real) side that fft_length counts
  int64_t lines = 1;      // how many transforms
  int64_t inner = 1;      // elements between neighbours of a line
  int64_t out_inner = 1;  // the same of what is written
  int64_t in_extent = 0;  // complex numbers of a line; pairs where it is real and even
  int64_t out_extent = 0;
  T scale = 1;
  int64_t s = 1;  // transforms side by side
  std::unique_ptr<LineFft<T>> line_fft;
  std::unique_ptr<T[]> table;     // kRealPairs, kToRealPairs
  std::unique_ptr<T[]> twiddles;  // [2][length][inner], after the transforms; else null
  bool to_scratch = false;
  WorkBlocks blocks;  // planes: four for each group of transforms side by side

  // Once the rest is known; the scratch memory before `offset` is another one's.
  void LayOut(int64_t offset) {
    blocks = WorkBlocks(4 * PlaneStride() * static_cast<int64_t>(sizeof(T)), NumGroups(), offset);
  }
  Status Run(const void* from, void* to, const backend::RunContext& context) const;

 private:
  int64_t InBase(int64_t line) const { return line / inner * in_extent * inner + line % inner; }
  int64_t OutBase(int64_t line) const {
    return line / out_inner * out_extent * out_inner + line % out_inner;
  }
  void Transform(int64_t line, FftPlanes<T>& planes) const;
  void Read(const T* from, int64_t line, int64_t count, const FftPlanes<T>& planes) const;
  void Write(const FftPlanes<T>& planes, int64_t line, int64_t count, T* to) const;
  int64_t PlaneSize() const {
    return std::max(line_fft->work_size(), (std::max(in_extent, out_extent) + 1) * s) + 16;
  }
  // Whole cache lines. Planes of pages and more lie at different places of their pages: a load that
  // seems to be from where a store in flight goes to, by its last twelve bits, waits for it.
  int64_t PlaneStride() const {
    constexpr int64_t kPage = 4096 / sizeof(T), kShift = (1024 + 64) / sizeof(T);
    const int64_t size = (PlaneSize() + 15) / 16 * 16;
    return size < kPage ? size : (size - kShift + kPage - 1) / kPage * kPage + kShift;
  }
  int64_t NumGroups() const { return (lines + s - 1) / s; }
};

template <typename T>
void Pass<T>::Read(const T* from, int64_t line, int64_t count, const FftPlanes<T>& planes) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  if (kind == PassKind::kRealOdd) {
    for (int64_t q = 0; q < s; ++q) {
      const T* row = from + (line + std::min(q, count - 1)) * length;
      for (int64_t i = 0; i < length; ++i) {
        planes.re[i * s + q] = row[i];
        planes.im[i * s + q] = 0;
      }
    }
    return;
  }
  const T* base = from + 2 * InBase(line);
  if (s == 1 && inner == 1) return kernels.split(in_extent, base, planes.re, planes.im);
  if (s == kernels.lanes && line % inner + s <= inner) {
    return kernels.split_lanes(in_extent, inner, base, planes.re, planes.im);
  }
  if (s == kernels.lanes && inner == 1) {
    return kernels.split_lines(in_extent, 2 * in_extent, count, base, planes.re, planes.im);
  }
  // Lanes without a line of their own repeat the last one.
  const T* rows[kMaxFftLanes];
  for (int64_t q = 0; q < s; ++q) rows[q] = from + 2 * InBase(line + std::min(q, count - 1));
  for (int64_t i = 0; i < in_extent; ++i) {
    for (int64_t q = 0; q < s; ++q) {
      planes.re[i * s + q] = rows[q][2 * i * inner];
      planes.im[i * s + q] = rows[q][2 * i * inner + 1];
    }
  }
}

template <typename T>
void Pass<T>::Write(const FftPlanes<T>& planes, int64_t line, int64_t count, T* to) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  if (kind == PassKind::kToRealOdd) {
    for (int64_t q = 0; q < count; ++q) {
      T* row = to + (line + q) * length;
      for (int64_t i = 0; i < length; ++i) row[i] = scale * planes.re[i * s + q];
    }
    return;
  }
  T* base = to + 2 * OutBase(line);
  if (s == 1 && out_inner == 1) return kernels.join(out_extent, scale, planes.re, planes.im, base);
  if (s == kernels.lanes && line % out_inner + s <= out_inner) {
    return kernels.join_lanes(out_extent, out_inner, scale, planes.re, planes.im, base);
  }
  if (s == kernels.lanes && out_inner == 1) {
    return kernels.join_lines(out_extent, 2 * out_extent, count, scale, planes.re, planes.im, base);
  }
  T* rows[kMaxFftLanes];
  for (int64_t q = 0; q < count; ++q) rows[q] = to + 2 * OutBase(line + q);
  for (int64_t i = 0; i < out_extent; ++i) {
    for (int64_t q = 0; q < count; ++q) {
      rows[q][2 * i * out_inner] = scale * planes.re[i * s + q];
      rows[q][2 * i * out_inner + 1] = scale * planes.im[i * s + q];
    }
  }
}

template <typename T>
void Pass<T>::Transform(int64_t line, FftPlanes<T>& planes) const {
  const FftKernels<T>& kernels = FftKernelsFor<T>();
  auto exchange = [&planes] {
    std::swap(planes.re, planes.other_re);
    std::swap(planes.im, planes.other_im);
  };
  auto conjugate = [&planes] {
    std::swap(planes.re, planes.im);
    std::swap(planes.other_re, planes.other_im);
  };
  if (kind == PassKind::kToRealPairs) {
    kernels.real_before(in_extent - 1, s, table.get(), planes);
    exchange();
  } else if (kind == PassKind::kToRealOdd) {
    for (int64_t q = 0; q < s; ++q) planes.im[q] = 0;
    for (int64_t k = in_extent; k < length; ++k) {
      for (int64_t q = 0; q < s; ++q) {
        planes.re[k * s + q] = planes.re[(length - k) * s + q];
        planes.im[k * s + q] = -planes.im[(length - k) * s + q];
      }
    }
  }
  const bool forward =
      kind == PassKind::kForward || kind == PassKind::kRealPairs || kind == PassKind::kRealOdd;
  if (!forward) conjugate();
  line_fft->Run(planes);
  if (twiddles != nullptr) {
    const T* re = twiddles.get() + line % inner;
    const T* im = re + length * inner;
    for (int64_t k = 0; k < length; ++k, re += inner, im += inner) {
      kernels.multiply(s, 1, re, im, planes.re + k * s, planes.im + k * s);
    }
  }
  if (!forward) conjugate();
  if (kind == PassKind::kRealPairs) {
    kernels.real_after(in_extent, s, table.get(), planes);
    exchange();
  }
}

template <typename T>
Status Pass<T>::Run(const void* from, void* to, const backend::RunContext& context) const {
  const int64_t size = PlaneStride();
  constexpr int64_t kGrainElements = 8 << 10;
  const Status status =
      blocks.ForEach(context, kGrainElements / (length * s) + 1,
                     [&](int64_t first, int64_t end, int64_t stride, std::byte* block) {
                       T* const at = reinterpret_cast<T*>(block);
                       for (int64_t group = first; group < end; group += stride) {
                         FftPlanes<T> four{at, at + size, at + 2 * size, at + 3 * size};
                         const int64_t line = group * s, count = std::min(s, lines - line);
                         Read(static_cast<const T*>(from), line, count, four);
                         Transform(line, four);
                         Write(four, line, count, static_cast<T*>(to));
                       }
                     });
  return status.ok() ? status : status.WithContext(StrCat("a transform of length ", length));
}

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
  Status AddPass(PassKind kind, const compiler::Dims& dims, size_t axis, int64_t length);
  Status AddLongLines(PassKind kind, int64_t lines, int64_t length, int64_t inner);

  std::vector<Pass<T>> passes_;
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

// `dims` are those of the pass's complex side.
template <typename T>
Status FftStep<T>::AddPass(PassKind kind, const compiler::Dims& dims, size_t axis, int64_t length) {
  Pass<T> pass;
  pass.kind = kind;
  pass.length = length;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d != axis) pass.lines *= dims[d];
    if (d > axis) pass.inner *= dims[d];
  }
  pass.out_inner = pass.inner;
  const bool is_complex = kind == PassKind::kForward || kind == PassKind::kInverse;
  if (is_complex && pass.inner == 1 && length > kLongLine<T> && length <= kMaxFftLength &&
      !is_irfft_) {
    if (const int64_t inner = RowLength<T>(length); inner > 0) {
      return AddLongLines(kind, pass.lines, length, inner);
    }
  }
  const int64_t half = length / 2;
  const bool pairs = kind == PassKind::kRealPairs || kind == PassKind::kToRealPairs;
  int64_t transform_length = pairs ? half : length;
  const bool from_real = kind == PassKind::kRealPairs || kind == PassKind::kRealOdd;
  const bool to_real = kind == PassKind::kToRealPairs || kind == PassKind::kToRealOdd;
  pass.in_extent = from_real ? transform_length : to_real ? half + 1 : length;
  pass.out_extent = to_real ? transform_length : from_real ? half + 1 : length;
  const int64_t lanes = FftKernelsFor<T>().lanes;
  constexpr int64_t kLeastLine = 256;  // shorter ones are better off side by side
  // Up to here also those that alone would use a part of each vector: the planes still fit into a
  // core's second-level cache.
  constexpr int64_t kMostSideBySide = 2048;
  const bool odd = kind == PassKind::kRealOdd || kind == PassKind::kToRealOdd;
  const bool part_of_vectors = pass.lines >= lanes && transform_length <= kMostSideBySide &&
                               !LineFft<T>::FillsVectors(transform_length);
  const bool alone =
      pass.lines <= lanes / 4 || (pass.inner == 1 && transform_length >= kLeastLine && !odd &&
                                  !part_of_vectors && LineFft<T>::IsGoodLine(transform_length));
  pass.s = alone ? 1 : lanes;
  PLINTH_ASSIGN_OR_RETURN(pass.line_fft, LineFft<T>::Make(transform_length, pass.s));
  if (pairs) {
    pass.table = MakeRootTable<T>(length, half);
    if (pass.table == nullptr) {
      return ResourceExhausted("no memory for the tables of a transform of length ", length);
    }
  }
  passes_.push_back(std::move(pass));
  return Status();
}

// Long lines as matrices with rows of `inner` elements: columns, twiddles, then rows. The first
// pass writes its results transposed, so that the second finds and leaves them in order.
template <typename T>
Status FftStep<T>::AddLongLines(PassKind kind, int64_t lines, int64_t length, int64_t inner) {
  const int64_t columns = length / inner;
  Pass<T> first, second;
  first.length = first.in_extent = first.out_extent = second.inner = second.out_inner = columns;
  second.length = second.in_extent = second.out_extent = first.inner = inner;
  first.lines = lines * inner;
  second.lines = lines * columns;
  first.to_scratch = true;
  first.twiddles = MakeTwiddleMatrix<T>(columns, inner);
  if (first.twiddles == nullptr) {
    return ResourceExhausted("no memory for the tables of a transform of length ", length);
  }
  for (Pass<T>* pass : {&first, &second}) {
    pass->kind = kind;
    pass->s = FftKernelsFor<T>().lanes;
    PLINTH_ASSIGN_OR_RETURN(pass->line_fft, LineFft<T>::Make(pass->length, pass->s));
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
  const PassKind kind = inverse ? PassKind::kInverse : PassKind::kForward;
  const bool even = fft.length.back() % 2 == 0;
  auto add_last = [&]() -> Status {
    PassKind last_kind = kind;
    if (from_real) last_kind = even ? PassKind::kRealPairs : PassKind::kRealOdd;
    if (to_real) last_kind = even ? PassKind::kToRealPairs : PassKind::kToRealOdd;
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
  for (const Pass<T>& pass : prepared->passes_) {
    if (pass.to_scratch) array_bytes = std::max(operand.SizeInBytes(), result.SizeInBytes());
  }
  prepared->scratch_bytes_ = array_bytes;
  for (Pass<T>& pass : prepared->passes_) {
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
