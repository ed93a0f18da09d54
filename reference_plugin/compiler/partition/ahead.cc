// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/ahead.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/partition/local_op.h"
#include "reference_plugin/compiler/partition/split_constants.h"

namespace plinth::compiler::partition {
namespace {

// How far the walk goes; what lies beyond counts neither way.
constexpr size_t kMostSteps = 256;

}  // namespace

// Goes on from a value that is spread along the axis to all that could then be, too.
class Ahead::Walk {
 public:
  Walk(Ahead& ahead, const Axis& axis, const MeshRef& mesh)
      : ahead_(ahead), axis_(axis), mesh_(mesh), steps_(ahead.steps_) {}
  ~Walk() {
    for (const auto& [value, dim] : steps_) ahead_.seen_[static_cast<size_t>(value->id)] = 0;
    steps_.clear();
  }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  void From(const Value* value, size_t dim) {
    Push(value, dim);
    for (size_t i = 0; i < steps_.size(); ++i) {
      const auto [at, along] = steps_[i];
      for (const Use& use : ahead_.uses_.Of(at)) Visit(at, along, use);
    }
  }

  // How many times as much is saved as what it costs.
  double Gain() const {
    if (saved_ == 0) return 0;
    const double share = 1 - 1.0 / static_cast<double>(axis_.size);
    return saved_ * share / (moved_ * share + num_meetings_ * ahead_.costs_.meeting_bytes);
  }

 private:
  // Whether what lies so may be spread by the axis along a dimension; somebody may have asked for
  // it.
  enum class Along : uint8_t { kNo, kAsked, kMay };

  void Push(const Value* value, size_t dim) {
    uint64_t& seen = ahead_.seen_[static_cast<size_t>(value->id)];
    const uint64_t bit = uint64_t{1} << (dim % 64);
    if (steps_.size() == kMostSteps || (seen & bit) != 0) return;
    seen |= bit;
    steps_.emplace_back(value, dim);
  }

  // All of the value is needed, or it lies otherwise along the axis.
  void Move(const Value* value) {
    if (std::find(is_moved_.begin(), is_moved_.end(), value) != is_moved_.end()) return;
    is_moved_.push_back(value);
    moved_ += LocalBytes(value);
    ++num_meetings_;
  }
  double LocalBytes(const Value* value) const {
    double& bytes = ahead_.bytes_[static_cast<size_t>(value->id)];
    if (bytes == kUnknown) {
      bytes = static_cast<double>(partition::LocalBytes(value->type, ahead_.wanted_.Of(value)));
    }
    return bytes;
  }

  void Visit(const Value* value, size_t dim, const Use& use) {
    const Op& op = *use.op;
    switch (ahead_.CourseOf(op)) {
      case Course::kElementwise:
        return VisitElementwise(value, dim, op);
      case Course::kByRule:
        return VisitByRule(value, dim, use);
      case Course::kBarrier:
        return Push(op.results[static_cast<size_t>(use.operand)], dim);
      case Course::kConstraint: {
        const AxisList& wanted = ahead_.wanted_.Of(op.result()).Of(dim);
        if (wanted.empty() || !(wanted[0] == axis_)) Move(value);
        return;
      }
      default:
        return Move(value);
    }
  }

  void VisitByRule(const Value* value, size_t dim, const Use& use) {
    const Op& op = *use.op;
    const OpRules::Local known = ahead_.rules_.LocalOf(op);
    if (known.rule.empty()) return Move(value);
    const TensorFactors& tensor = known.rule.operands[static_cast<size_t>(use.operand)];
    const size_t factor = static_cast<size_t>(tensor[dim][0]);
    if (!known.spreadable[factor] || known.rule.factors[factor].size % axis_.size != 0) {
      return Move(value);
    }
    if (known.rule.factors[factor].kind == FactorKind::kReduction) {
      return VisitReduction(value, op, known.rule, factor);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!PassesTo(op.results[i], known.rule.results[i], factor)) return Move(value);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      const size_t into = DimOf(known.rule.results[i], factor);
      GoOn(op, op.results[i], into, AlongOf(op.results[i], into));
    }
  }

  // The same without a rule: each dimension is a factor. Most ops are such.
  void VisitElementwise(const Value* value, size_t dim, const Op& op) {
    if (value->type.dims[dim] % axis_.size != 0) return Move(value);
    const Along along = AlongOf(op.result(), dim);
    if (along == Along::kNo) return Move(value);
    GoOn(op, op.result(), dim, along);
  }

  void GoOn(const Op& op, const Value* result, size_t dim, Along along) {
    if (along == Along::kAsked) return;
    saved_ += LocalBytes(result) * WorkOf(op);
    Push(result, dim);
  }

  // Each device has one term then.
  void VisitReduction(const Value* value, const Op& op, const Rule& rule, size_t factor) {
    const auto has = [&](const TensorFactors& tensor) {
      return DimOf(tensor, factor) < tensor.size();
    };
    const bool alone = std::count_if(rule.operands.begin(), rule.operands.end(), has) == 1;
    const Layout& layout = ahead_.wanted_.Of(op.results[0]);
    if (!alone || op.results.size() != 1 || layout.Uses(axis_)) return Move(value);
    saved_ += LocalBytes(value);
    Move(op.result());
  }

  static size_t DimOf(const TensorFactors& tensor, size_t factor) {
    size_t dim = 0;
    while (dim < tensor.size() && tensor[dim][0] != static_cast<int32_t>(factor)) ++dim;
    return dim;
  }

  // Whether the result can be spread by the axis along the factor, or is.
  bool PassesTo(const Value* result, const TensorFactors& tensor, size_t factor) {
    const size_t dim = DimOf(tensor, factor);
    return dim < tensor.size() && AlongOf(result, dim) != Along::kNo;
  }

  // The same along a dimension. Few layouts are met, again and again.
  Along AlongOf(const Value* result, size_t dim) {
    const Layout& layout = ahead_.wanted_.Of(result);
    const size_t hash = reinterpret_cast<uintptr_t>(&layout) / sizeof(Layout) + dim;
    Known& known = known_[hash % known_.size()];
    if (known.layout != &layout || known.dim != dim) known = {&layout, dim, AlongOf(layout, dim)};
    return known.along;
  }
  Along AlongOf(const Layout& layout, size_t dim) const {
    if (!layout.IsReplicated() && !SameDevices(layout.mesh, mesh_)) return Along::kNo;
    const AxisList& axes = layout.Of(dim);
    if (!axes.empty()) return axes[0] == axis_ ? Along::kAsked : Along::kNo;
    return layout.Uses(axis_) || !layout.unreduced.empty() ? Along::kNo : Along::kMay;
  }

  double WorkOf(const Op& op) const {
    if (op.opcode != Opcode::kDotGeneral) return 1;
    int64_t terms = 1;
    for (int64_t dim : op.Get<DotAttributes>().lhs_contracting) {
      terms *= op.operands[0]->type.dims[static_cast<size_t>(dim)];
    }
    return static_cast<double>(terms) / static_cast<double>(ahead_.costs_.product_terms) + 1;
  }

  Ahead& ahead_;
  const Axis axis_;
  const MeshRef& mesh_;
  std::vector<std::pair<const Value*, size_t>>& steps_;
  std::vector<const Value*> is_moved_;
  struct Known {
    const Layout* layout = nullptr;
    size_t dim = 0;
    Along along = Along::kNo;
  };
  std::array<Known, 16> known_;  // by a hash
  double saved_ = 0;
  double moved_ = 0;  // bytes of a device
  double num_meetings_ = 0;
};

Ahead::Course Ahead::FindCourse(const Op& op) {
  switch (op.opcode) {
    case Opcode::kReturn:
    case Opcode::kWhile:
    case Opcode::kCase:
    case Opcode::kIf:
    case Opcode::kManualComputation:
    case Opcode::kCustomCall:
      return Course::kEnds;
    default:
      break;
  }
  if (OwnEffectOf(op) != Effect::kPure) return Course::kEnds;
  switch (op.opcode) {
    case Opcode::kOptimizationBarrier:
      return Course::kBarrier;
    case Opcode::kShardingConstraint:
    case Opcode::kReshard:
      return Course::kConstraint;
    default:
      return IsElementwiseOp(op) && op.results.size() == 1 ? Course::kElementwise : Course::kByRule;
  }
}

std::optional<size_t> Ahead::DimToSpread(const Value* value, const Layout& layout,
                                         const MeshRef& mesh, const Axis& axis) {
  const Type local = LocalType(value->type, layout);
  if (least_gain_ > 0 && local.SizeInBytes() < costs_.parted_sum_bytes) return std::nullopt;
  double best = least_gain_;
  std::optional<size_t> found;
  for (size_t dim = 0; dim < local.dims.size(); ++dim) {
    if (!layout.Of(dim).empty() || local.dims[dim] == 0 || local.dims[dim] % axis.size != 0) {
      continue;
    }
    Walk walk(*this, axis, mesh);
    walk.From(value, dim);
    const double gain = walk.Gain();
    if (gain >= best && (!found.has_value() || gain > best)) {
      best = gain;
      found = dim;
    }
  }
  return found;
}

}  // namespace plinth::compiler::partition
