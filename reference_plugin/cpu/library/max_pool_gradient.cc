// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/library/max_pool_gradient.h"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "reference_plugin/cpu/library/element.h"
#include "reference_plugin/cpu/library/pair_combiner.h"
#include "reference_plugin/cpu/library/strided_walk.h"

namespace plinth::cpu::library {
namespace {

using compiler::ComparisonDirection;
using compiler::Dims;
using compiler::Opcode;

// Neighbours in memory that are handled together.
constexpr int64_t kLanes = 64;

// The part of a task: elements of one group and one run of lanes.
struct Part {
  const std::byte* operand;
  const std::byte* source;
  std::byte* result;
  int64_t group, first_lane, lanes;
};

class MaxPoolGradientStep final : public backend::PreparedStep {
 public:
  using RunPart = void (*)(const MaxPoolGradientStep& step, const Part& part,
                           const std::byte* initial);

  MaxPoolGradientStep(const compiler::plan::PlanStep& step, RunPart run, bool smallest)
      : run_(run), smallest_(smallest) {
    const auto& window = std::get_if<compiler::WindowAttributes>(step.attributes.get())->window;
    const Dims& dims = step.operands[0].type.dims;
    const size_t rank = dims.size();
    auto is_fixed = [&](size_t d) {
      return window.sizes[d] == 1 && window.strides[d] == 1 && window.padding_low[d] == 0 &&
             window.padding_high[d] == 0;
    };
    source_extents_ = step.operands[1].type.dims;
    if (rank > 0 && is_fixed(rank - 1)) {
      lanes_ = dims[rank - 1];
      source_extents_[rank - 1] = 1;
    }
    const Dims strides = DenseStrides(dims, 1);
    size_t moving = 0;
    for (; moving + 1 < rank && is_fixed(moving); ++moving) groups_ *= dims[moving];
    const int64_t sources = Product(source_extents_);
    sources_per_group_ = groups_ == 0 ? 0 : sources / groups_;
    elements_per_group_ = groups_ == 0 ? 0 : Product(dims) / groups_;
    for (size_t d = moving; d < rank; ++d) {
      dims_.push_back(
          {window.strides[d], window.padding_low[d], dims[d], window.sizes[d], strides[d]});
    }
    source_extents_ = Dims(source_extents_.begin() + moving, source_extents_.end());
    Dims zeros(dims_.size());
    const Dims no_strides[1] = {zeros};
    const Dims sizes(window.sizes.begin() + moving, window.sizes.end());
    StridedWalk<1> walk(sizes, no_strides);
    for (int64_t w = Product(sizes); w > 0; --w, walk.Next()) {
      int64_t offset = 0;
      for (size_t d = 0; d < dims_.size(); ++d) {
        coordinates_.push_back(walk.position(d));
        offset += walk.position(d) * dims_[d].stride;
      }
      offsets_.push_back(offset);
    }
  }

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    const int64_t blocks = (lanes_ + kLanes - 1) / kLanes;
    const int64_t work = std::max<int64_t>(elements_per_group_, 1);
    backend::ParallelFor(
        context.pool, groups_ * blocks, (16 << 10) * blocks / work + 1,
        [&](int64_t begin, int64_t end) {
          for (int64_t t = begin; t < end; ++t) {
            const int64_t first = t % blocks * kLanes;
            run_(*this,
                 {static_cast<std::byte*>(operands[0]), static_cast<std::byte*>(operands[1]),
                  static_cast<std::byte*>(results[0]), t / blocks, first,
                  std::min(kLanes, lanes_ - first)},
                 static_cast<std::byte*>(operands[2]));
          }
        });
    return Status();
  }

  template <typename T>
  static void RunTyped(const MaxPoolGradientStep& step, const Part& part,
                       const std::byte* initial) {
    const int64_t base = part.group * step.elements_per_group_ + part.first_lane;
    const T* operand = reinterpret_cast<const T*>(part.operand) + base;
    const T* source = reinterpret_cast<const T*>(part.source) +
                      part.group * step.sources_per_group_ * step.lanes_ + part.first_lane;
    T* result = reinterpret_cast<T*>(part.result) + base;
    const T first = *reinterpret_cast<const T*>(initial);
    if (part.lanes == step.lanes_) {
      std::fill_n(result, step.elements_per_group_, first);
    } else {
      for (int64_t i = 0; i < step.elements_per_group_; i += step.lanes_) {
        std::fill_n(result + i, part.lanes, first);
      }
    }
    if (step.sources_per_group_ == 0) return;
    Dims zeros(step.dims_.size());
    const Dims no_strides[1] = {zeros};
    StridedWalk<1> walk(step.source_extents_, no_strides);
    std::vector<int64_t> present(step.offsets_.size());
    for (int64_t s = 0; s < step.sources_per_group_; ++s, walk.Next(), source += step.lanes_) {
      int64_t at;
      const int64_t count = step.WindowAt(walk, present.data(), &at);
      const int64_t* offsets = count < 0 ? step.offsets_.data() : present.data();
      const size_t size = count < 0 ? step.offsets_.size() : static_cast<size_t>(count);
      if (size == 0) continue;  // a window wholly in the padding
      if (part.lanes == 1) {
        step.AddToSelected<T, 1>({offsets, size}, operand + at, source, result + at, 1);
      } else {
        step.AddToSelected<T, kLanes>({offsets, size}, operand + at, source, result + at,
                                      part.lanes);
      }
    }
  }

 private:
  struct Dim {
    int64_t step, low, extent, size, stride;
  };

  // Where the window of a source position starts, and which of its elements exist: -1 for all, or
  // how many, their offsets in `present`.
  int64_t WindowAt(const StridedWalk<1>& source, int64_t* present, int64_t* start) const {
    bool whole = true;
    *start = 0;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const Dim& dim = dims_[d];
      const int64_t at = source.position(d) * dim.step - dim.low;
      whole &= at >= 0 && at + dim.size <= dim.extent;
      *start += at * dim.stride;
    }
    if (whole) return -1;
    int64_t count = 0;
    for (size_t w = 0; w < offsets_.size(); ++w) {
      bool exists = true;
      for (size_t d = 0; d < dims_.size(); ++d) {
        const int64_t at =
            source.position(d) * dims_[d].step - dims_[d].low + coordinates_[w * dims_.size() + d];
        exists &= at >= 0 && at < dims_[d].extent;
      }
      if (exists) present[count++] = offsets_[w];
    }
    return count;
  }

  // The best value so far and its number in the window, then the sums. Selections are made with
  // masks: loops without branches vectorize.
  template <typename T, int64_t most>
  void AddToSelected(std::span<const int64_t> offsets, const T* operand, const T* source, T* result,
                     int64_t size) const {
    using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
    using Index = std::conditional_t<std::is_same_v<T, double>, int64_t, int32_t>;
    using Bits = std::conditional_t<sizeof(T) == 2, int16_t, Index>;
    const int64_t lanes = most == 1 ? 1 : size;
    const Index sign = smallest_ ? std::numeric_limits<Index>::min() : 0;
    auto value = [sign](T from) {
      return BitsAs<Wide>(BitsAs<Index>(ConvertElement<Wide>(from)) ^ sign);
    };
    Wide best[most];
    Index selected[most];
    for (int64_t l = 0; l < lanes; ++l) {
      best[l] = value(operand[offsets[0] + l]);
      selected[l] = 0;
    }
    for (size_t w = 1; w < offsets.size(); ++w) {
      const T* candidates = operand + offsets[w];
      const Index number = static_cast<Index>(w);
      for (int64_t l = 0; l < lanes; ++l) {
        const Wide candidate = value(candidates[l]);
        const Index keep = -static_cast<Index>(best[l] >= candidate);
        best[l] =
            BitsAs<Wide>((BitsAs<Index>(best[l]) & keep) | (BitsAs<Index>(candidate) & ~keep));
        selected[l] = (selected[l] & keep) | (number & ~keep);
      }
    }
    for (size_t w = 0; w < offsets.size(); ++w) {
      T* to = result + offsets[w];
      const Index number = static_cast<Index>(w);
      for (int64_t l = 0; l < lanes; ++l) {
        const T sum =
            ConvertElement<T>(ConvertElement<Wide>(to[l]) + ConvertElement<Wide>(source[l]));
        const Bits add = static_cast<Bits>(-static_cast<Index>(selected[l] == number));
        to[l] =
            BitsAs<T>(static_cast<Bits>((BitsAs<Bits>(sum) & add) | (BitsAs<Bits>(to[l]) & ~add)));
      }
    }
  }

  RunPart run_;
  const bool smallest_;  // is selected, not the largest
  // Groups never touch each other's part of the result: leading dimensions that windows do not move
  // along. The lanes are the last dimension if windows do not move along that.
  int64_t groups_ = 1, lanes_ = 1, sources_per_group_ = 0, elements_per_group_ = 0;
  std::vector<Dim> dims_;             // from the first that windows move along
  Dims source_extents_;               // the same dimensions, without the lanes
  std::vector<int64_t> offsets_;      // of the elements of a window
  std::vector<int64_t> coordinates_;  // one per element and dimension
};

}  // namespace

std::unique_ptr<backend::PreparedStep> MakeMaxPoolGradient(const compiler::plan::PlanStep& step) {
  // Lists of a window's elements are kept.
  constexpr int64_t kMaxWindow = 1024;
  int64_t window = 1;
  for (int64_t size :
       std::get_if<compiler::WindowAttributes>(step.attributes.get())->window.sizes) {
    if (size > kMaxWindow) return nullptr;
    window *= size;
    if (window > kMaxWindow || window == 0) return nullptr;
  }
  const compiler::Combiner& select = step.combiners[0];
  if (SingleOp(select) != Opcode::kCompare || SingleOp(step.combiners[1]) != Opcode::kAdd) {
    return nullptr;
  }
  const compiler::CompareAttributes& compare = select.nodes[select.results[0]].compare;
  if (compare.type != compiler::ComparisonType::kFloat) return nullptr;
  const bool smallest = compare.direction == ComparisonDirection::kLe;
  if (!smallest && compare.direction != ComparisonDirection::kGe) return nullptr;
  MaxPoolGradientStep::RunPart run = nullptr;
  switch (step.operands[0].type.dtype) {
    case DType::kF32:
      run = MaxPoolGradientStep::RunTyped<float>;
      break;
    case DType::kF64:
      run = MaxPoolGradientStep::RunTyped<double>;
      break;
    case DType::kBF16:
      run = MaxPoolGradientStep::RunTyped<BFloat16>;
      break;
    default:
      break;
  }
  if (run == nullptr) return nullptr;
  return std::make_unique<MaxPoolGradientStep>(step, run, smallest);
}

}  // namespace plinth::cpu::library
