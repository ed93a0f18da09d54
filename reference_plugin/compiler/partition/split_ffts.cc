// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/split_ffts.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/layout.h"

namespace plinth::compiler::partition {
namespace {

// One FFT as several of one dimension each. That dimension is always the last one.
class FftChain {
 public:
  FftChain(Module& module, std::vector<Op*>& ops, const Op& op)
      : build_(module, ops, op.location),
        op_(op),
        value_(op.operands[0]),
        order_(op.operands[0]->type.dims.size()) {
    std::iota(order_.begin(), order_.end(), int64_t{0});
  }

  // Dimensions that are spread come last, where the type of the FFT leaves a choice.
  Value* Make(const std::vector<bool>& is_spread) && {
    const auto& fft = op_.Get<FftAttributes>();
    const int64_t rank = std::ssize(order_), last = rank - 1;
    std::vector<int64_t> dims(fft.length.size());
    std::iota(dims.begin(), dims.end(), rank - std::ssize(dims));
    const bool is_real = fft.type == FftType::kRfft || fft.type == FftType::kIrfft;
    const auto turn_of = [&](int64_t dim) {
      if (is_real && dim == last) return fft.type == FftType::kRfft ? 0 : 3;
      return is_spread[static_cast<size_t>(dim)] ? 2 : 1;
    };
    std::stable_sort(dims.begin(), dims.end(),
                     [&](int64_t a, int64_t b) { return turn_of(a) < turn_of(b); });
    for (int64_t dim : dims) {
      const bool is_complex = !is_real || dim != last;
      const bool is_inverse = fft.type == FftType::kIfft || fft.type == FftType::kIrfft;
      Transform(dim, fft.length[static_cast<size_t>(dim - rank) + fft.length.size()],
                is_complex ? (is_inverse ? FftType::kIfft : FftType::kFft) : fft.type);
    }
    std::vector<int64_t> back(order_.size());
    for (size_t i = 0; i < order_.size(); ++i)
      back[static_cast<size_t>(order_[i])] = static_cast<int64_t>(i);
    Permute(back);
    return value_;
  }

 private:
  void Transform(int64_t dim, int64_t length, FftType type) {
    std::vector<int64_t> to_last(order_.size());
    std::iota(to_last.begin(), to_last.end(), int64_t{0});
    const auto at = std::find(order_.begin(), order_.end(), dim) - order_.begin();
    std::swap(to_last[static_cast<size_t>(at)], to_last.back());
    Permute(to_last);
    Type made = value_->type;
    if (type == FftType::kRfft || type == FftType::kIrfft) {
      made.dtype = op_.type().dtype;
      made.dims.back() = op_.type().dims.back();
    }
    value_ =
        build_.Add(Opcode::kFft, {value_}, made, MakeAttributes(FftAttributes{type, {length}}));
  }

  void Permute(const std::vector<int64_t>& dimensions) {
    if (std::is_sorted(dimensions.begin(), dimensions.end())) return;
    Type type = value_->type;
    DimensionsAttributes attributes;
    std::vector<int64_t> order;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      const size_t from = static_cast<size_t>(dimensions[i]);
      type.dims[i] = value_->type.dims[from];
      attributes.dimensions.push_back(dimensions[i]);
      order.push_back(order_[from]);
    }
    order_ = std::move(order);
    value_ = build_.Add(Opcode::kTranspose, {value_}, type, MakeAttributes(std::move(attributes)));
  }

  Builder build_;
  const Op& op_;
  Value* value_;
  std::vector<int64_t> order_;  // which dimension of the operand stands where
};

class FftSplitter {
 public:
  FftSplitter(Module& module, PropagatedShardings& shardings)
      : module_(module), shardings_(shardings) {}

  void Run() {
    Visit(*module_.entry->body);
    if (!replacements_.empty()) replacements_.Apply(*module_.entry->body);
  }

 private:
  void Visit(Block& block) {
    std::vector<Op*> ops;
    for (Op* op : block.ops) {
      if (!HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) Visit(*inner);
      }
      const std::vector<bool> is_spread = SpreadDims(*op);
      if (std::find(is_spread.begin(), is_spread.end(), true) == is_spread.end()) {
        ops.push_back(op);
        continue;
      }
      Value* const made = FftChain(module_, ops, *op).Make(is_spread);
      shardings_.values.resize(static_cast<size_t>(module_.num_values()));
      shardings_.values[static_cast<size_t>(made->id)] = shardings_.Of(op->result());
      replacements_.Replace(op->result(), made);
    }
    block.ops = std::move(ops);
  }

  // By dimension of the operand; none if the op stays as it is.
  std::vector<bool> SpreadDims(const Op& op) const {
    if (op.opcode != Opcode::kFft || op.type().NumElements() == 0) return {};
    const size_t count = op.Get<FftAttributes>().length.size();
    const Type& type = op.operands[0]->type;
    const Layout layout = LayoutOf(shardings_.Of(op.operands[0]).get(), type);
    if (count < 2 || layout.IsReplicated()) return {};
    std::vector<bool> is_spread(type.dims.size(), false);
    int64_t needed = 1, free = 1;
    for (size_t dim = 0; dim < type.dims.size(); ++dim) {
      const int64_t parts = SizeOf(layout.Of(dim));
      if (dim + count < type.dims.size()) {
        free *= std::gcd(type.dims[dim] / parts, module_.num_partitions);
      } else {
        is_spread[dim] = parts > 1;
        needed *= parts;
      }
    }
    if (free % needed == 0) return {};  // batch dimensions take their axes
    return is_spread;
  }

  Module& module_;
  PropagatedShardings& shardings_;
  Replacements replacements_;
};

}  // namespace

void SplitFfts(Module& module, PropagatedShardings& shardings) {
  FftSplitter(module, shardings).Run();
}

}  // namespace plinth::compiler::partition
