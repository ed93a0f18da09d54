// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/partition/local_op.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/partition/projection.h"

namespace plinth::compiler::partition {
namespace {

bool HasFactor(const TensorFactors& tensor, size_t factor) {
  for (const DimFactors& dim : tensor) {
    if (std::find(dim.begin(), dim.end(), static_cast<int32_t>(factor)) != dim.end()) return true;
  }
  return false;
}

// Whether each number of the first type is one of the second, both of floats.
bool IsWidening(DType from, DType to) {
  if (!IsIeeeFloat(from) || !IsIeeeFloat(to)) return false;
  return to == DType::kF64 || from == to ||
         (to == DType::kF32 && (from == DType::kF16 || from == DType::kBF16));
}

void Forbid(FactorSet& spreadable, const DimFactors& dim) {
  for (int32_t factor : dim) spreadable[static_cast<size_t>(factor)] = false;
}

void ForbidAllBut(FactorSet& spreadable, const TensorFactors& tensor, int64_t dim) {
  for (size_t i = 0; i < tensor.size(); ++i) {
    if (static_cast<int64_t>(i) != dim) Forbid(spreadable, tensor[i]);
  }
}

// Groups tie features and batches to one another; without groups, all but the places of windows.
void ForbidOfConvolution(const Op& op, const Rule& rule, FactorSet& spreadable) {
  const auto& conv = op.Get<ConvolutionAttributes>();
  for (int64_t dim : conv.input_spatial) {
    Forbid(spreadable, rule.operands[0][static_cast<size_t>(dim)]);
  }
  for (int64_t dim : conv.kernel_spatial) {
    Forbid(spreadable, rule.operands[1][static_cast<size_t>(dim)]);
  }
  if (conv.feature_group_count == 1 && conv.batch_group_count == 1) return;
  ForbidAllBut(spreadable, rule.operands[1], -1);
  if (conv.batch_group_count > 1) ForbidAllBut(spreadable, rule.operands[0], -1);
}

// Foreign code may be run on parts along the dimensions of which it is said that it computes each
// element of them on its own; a rule alone only says how shardings go through it.
void ForbidOfCall(const Op& op, const Rule& rule, FactorSet& spreadable) {
  const int64_t batch = op.shardings == nullptr ? 0 : op.shardings->num_batch_dims;
  if (op.shardings == nullptr || (op.shardings->call_rule == nullptr && batch == 0)) return;
  const auto forbid = [&](const std::vector<TensorFactors>& tensors) {
    for (const TensorFactors& tensor : tensors) {
      FactorSet passes(rule.factors.size(), false);
      for (size_t dim = 0; dim < tensor.size(); ++dim) {
        for (int32_t factor : tensor[dim]) {
          passes[static_cast<size_t>(factor)] =
              static_cast<int64_t>(dim) < batch && tensor[dim].size() == 1;
        }
      }
      for (size_t i = 0; i < passes.size(); ++i) spreadable[i] = spreadable[i] && passes[i];
    }
  };
  forbid(rule.operands);
  forbid(rule.results);
}

// Whether a factor may have these axes where nothing moves.
bool MayHave(const Rule& rule, const FactorSet& spreadable, size_t factor, const AxisList& axes) {
  return axes.empty() ||
         (spreadable[factor] && rule.factors[factor].kind != FactorKind::kReduction);
}

// Whether all operands have the same axes along each factor. They become `axes`; null: no operand
// has the factor.
bool OperandsAgree(const Rule& rule, const FactorSet& spreadable,
                   std::span<const Layout* const> operands, const MeshRef& mesh, FactorAxes& axes) {
  if (rule.empty()) return false;
  axes = FactorAxes(rule.factors.size(), nullptr);
  for (size_t i = 0; i < operands.size(); ++i) {
    const Layout& layout = *operands[i];
    if (!layout.unreduced.empty() || (!layout.IsReplicated() && !SameDevices(layout.mesh, mesh))) {
      return false;
    }
    for (size_t dim = 0; dim < rule.operands[i].size(); ++dim) {
      const DimFactors& factors = rule.operands[i][dim];
      const size_t factor = static_cast<size_t>(factors[0]);
      const AxisList& own = layout.Of(dim);
      if (factors.size() != 1 || !MayHave(rule, spreadable, factor, own)) return false;
      if (axes[factor] == nullptr) axes[factor] = &own;
      if (!(*axes[factor] == own)) return false;
    }
  }
  return true;
}

class Chooser {
 public:
  explicit Chooser(const SpreadWish& wish) : wish_(wish), rule_(*wish.rule), used_(wish.taken) {}

  Spread Choose() && {
    spread_.mesh = MeshOf();
    if (spread_.mesh == nullptr) return std::move(spread_);
    spread_.axes.resize(rule_.factors.size());
    TakeReductions();
    for (size_t i = 0; i < rule_.results.size(); ++i) Take(rule_.results[i], *wish_.results[i]);
    SmallVector<size_t, 8> order(rule_.operands.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-wish_.operand_sizes[a], a) < std::pair(-wish_.operand_sizes[b], b);
    });
    for (size_t i : order) Take(rule_.operands[i], *wish_.operands[i]);
    if (wish_.moves_axes) {
      for (size_t i : order) MoveAxes(rule_.operands[i], *wish_.operands[i]);
    }
    KeepInOnePiece();
    const bool any = std::any_of(spread_.axes.begin(), spread_.axes.end(),
                                 [](const AxisList& axes) { return !axes.empty(); });
    if (!any) spread_.mesh = nullptr;
    return std::move(spread_);
  }

 private:
  MeshRef MeshOf() const {
    for (const Layout* layout : wish_.results) {
      if (!layout->IsReplicated()) return layout->mesh;
    }
    MeshRef mesh;
    int64_t size = -1;
    for (size_t i = 0; i < wish_.operands.size(); ++i) {
      if (wish_.operands[i]->IsReplicated() || wish_.operand_sizes[i] <= size) continue;
      mesh = wish_.operands[i]->mesh;
      size = wish_.operand_sizes[i];
    }
    return mesh;
  }

  // The axes of each factor of a tensor, null for those that it does not have. Until the next call.
  const FactorAxes& AxesOf(const TensorFactors& tensor, const Layout& layout) {
    axes_.clear();
    axes_.resize(rule_.factors.size(), nullptr);
    for (size_t dim = 0; dim < tensor.size(); ++dim) {
      const AxisList*& axes = axes_[static_cast<size_t>(tensor[dim][0])];
      if (tensor[dim].size() > 1 || layout.dims[dim].size() > 1 || axes != nullptr) {
        return ProjectedAxesOf(tensor, layout);
      }
      axes = &layout.dims[dim];
    }
    return axes_;
  }

  // The same where factors share dimensions and their axes.
  const FactorAxes& ProjectedAxesOf(const TensorFactors& tensor, const Layout& layout) {
    Project(tensor, layout.dims, rule_, projection_);
    for (size_t i = 0; i < axes_.size(); ++i) {
      const FactorSharding& factor = projection_.factors[i];
      axes_[i] = factor.is_there ? &factor.axes : nullptr;
    }
    return axes_;
  }

  // The largest part of the axes that divides the factor and is not used yet.
  AxisList Fitting(const AxisList& axes, int64_t size) const {
    AxisList fitting;
    for (const Axis& axis : axes) {
      if (size % axis.size != 0 || Overlap(axis, used_)) break;
      fitting.push_back(axis);
      size /= axis.size;
    }
    return fitting;
  }

  void Assign(size_t factor, const AxisList& axes) {
    const AxisList fitting = Fitting(axes, rule_.factors[factor].size);
    for (const Axis& axis : fitting) used_.push_back(axis);
    spread_.axes[factor] = fitting;
  }

  // Nothing moves if all operands have the same part of what is reduced.
  void TakeReductions() {
    for (size_t factor = 0; factor < rule_.factors.size(); ++factor) {
      if (rule_.factors[factor].kind != FactorKind::kReduction || !wish_.spreadable[factor]) {
        continue;
      }
      bool first = true;
      AxisList common;
      for (size_t i = 0; i < rule_.operands.size(); ++i) {
        if (!HasFactor(rule_.operands[i], factor)) continue;
        AxisList axes;
        if (SameDevices(wish_.operands[i]->mesh, spread_.mesh)) {
          const AxisList* const own = AxesOf(rule_.operands[i], *wish_.operands[i])[factor];
          if (own != nullptr) axes = *own;
        }
        if (first) common = axes;
        if (!(common == axes)) common.clear();
        first = false;
      }
      if (!common.empty()) Assign(factor, common);
    }
  }

  void Take(const TensorFactors& tensor, const Layout& layout) {
    if (!SameDevices(layout.mesh, spread_.mesh) || layout.dims.size() != tensor.size()) return;
    const FactorAxes& axes = AxesOf(tensor, layout);
    for (size_t factor = 0; factor < axes.size(); ++factor) {
      if (axes[factor] != nullptr && !axes[factor]->empty() && wish_.spreadable[factor] &&
          spread_.axes[factor].empty()) {
        Assign(factor, *axes[factor]);
      }
    }
  }

  void MoveAxes(const TensorFactors& tensor, const Layout& layout) {
    if (!SameDevices(layout.mesh, spread_.mesh)) return;
    for (const AxisList& axes : layout.dims) {
      for (size_t i = axes.size(); i-- > 0;) {
        if (!Overlap(axes[i], used_)) MoveAxis(tensor, axes[i]);
      }
    }
  }

  // The minor part of the axis goes where most of it fits, then what is left of it.
  void MoveAxis(const TensorFactors& tensor, Axis axis) {
    while (axis.size > 1) {
      size_t best = rule_.factors.size();
      int64_t most = 1;
      for (size_t factor = 0; factor < rule_.factors.size(); ++factor) {
        const int64_t rest = rule_.factors[factor].size / SizeOf(spread_.axes[factor]);
        if (!wish_.spreadable[factor] || rest <= 1 || !HasFactor(tensor, factor)) continue;
        const int64_t fits = std::gcd(rest, axis.size);
        if (fits > most) {
          best = factor;
          most = fits;
        }
      }
      if (best == rule_.factors.size()) return;
      axis.size /= most;
      const Axis part = {axis.index, axis.end(), most};
      spread_.axes[best].push_back(part);
      used_.push_back(part);
    }
  }

  // A dimension is spread along a factor only if it is along all of each more major one.
  void KeepInOnePiece() {
    bool changed = true;
    const auto keep = [&](const TensorFactors& tensor) {
      for (const DimFactors& dim : tensor) {
        bool is_full = true;
        for (int32_t index : dim) {
          const size_t factor = static_cast<size_t>(index);
          if (!is_full && !spread_.axes[factor].empty()) {
            spread_.axes[factor].clear();
            changed = true;
          }
          is_full &= SizeOf(spread_.axes[factor]) == rule_.factors[factor].size;
        }
      }
    };
    while (changed) {
      changed = false;
      for (const TensorFactors& tensor : rule_.operands) keep(tensor);
      for (const TensorFactors& tensor : rule_.results) keep(tensor);
    }
  }

  const SpreadWish& wish_;
  const Rule& rule_;
  Spread spread_;
  AxisList used_;
  FactorAxes axes_;
  TensorProjection projection_;
};

}  // namespace

std::optional<Rule> OtherLocalRule(const Op& op, const Rule& propagated) {
  if (op.opcode != Opcode::kSelectAndScatter || propagated.empty()) return std::nullopt;
  Rule rule = propagated;
  // Windows side by side, which fill the operand.
  const Window& window = op.Get<WindowAttributes>().window;
  const Dims &operand = op.operands[0]->type.dims, &source = op.operands[1]->type.dims;
  for (size_t d = 0; d < operand.size(); ++d) {
    if (rule.operands[1][d] == rule.results[0][d] || window.padding_low[d] != 0 ||
        window.padding_high[d] != 0 || window.sizes[d] > window.strides[d] ||
        operand[d] != source[d] * window.strides[d]) {
      continue;
    }
    Factor& factor = rule.factors[static_cast<size_t>(rule.results[0][d][0])];
    factor = {source[d], FactorKind::kPassThrough, false};
    rule.operands[1][d] = rule.results[0][d];
  }
  return rule;
}

bool MovesAxes(const Op& op) {
  switch (op.opcode) {
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kFft:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve:
    case Opcode::kCustomCall:
    case Opcode::kCumulativeReduce:
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
      return true;
    default:
      return false;
  }
}

bool IsNeutral(const Value* init, Opcode combiner) {
  while (init->op != nullptr && (init->op->opcode == Opcode::kBroadcastInDim ||
                                 init->op->opcode == Opcode::kShardingConstraint)) {
    init = init->op->operands[0];
  }
  switch (combiner) {
    case Opcode::kAdd:
      return IsSplat(init, 0);
    case Opcode::kMultiply:
      return IsSplat(init, 1);
    default:
      return true;  // it may count many times
  }
}

FactorSet SpreadableFactors(const Op& op, const Rule& rule) {
  const bool has_terms = TermsOf(op).has_value();
  FactorSet spreadable(rule.factors.size());
  for (size_t i = 0; i < rule.factors.size(); ++i) {
    const FactorKind kind = rule.factors[i].kind;
    spreadable[i] =
        kind == FactorKind::kPassThrough || (kind == FactorKind::kReduction && has_terms);
  }
  const auto forbid_where = [&](auto moves) {
    for (size_t dim = 0; dim < rule.operands[0].size(); ++dim) {
      if (moves(dim)) Forbid(spreadable, rule.operands[0][dim]);
    }
  };
  switch (op.opcode) {
    case Opcode::kPad: {
      // The extent may stay the same where the elements move.
      const auto& pad = op.Get<PadAttributes>();
      forbid_where([&](size_t dim) {
        return pad.low[dim] != 0 || pad.high[dim] != 0 || pad.interior[dim] != 0;
      });
      break;
    }
    case Opcode::kDynamicUpdateSlice:
      for (size_t dim = 0; dim < rule.operands[0].size(); ++dim) {
        if (op.operands[1]->type.dims[dim] == op.operands[0]->type.dims[dim]) continue;
        Forbid(spreadable, rule.operands[0][dim]);
        Forbid(spreadable, rule.operands[1][dim]);
      }
      break;
    case Opcode::kReshape:
      // What one side alone has is cut elsewhere by the other.
      for (size_t i = 0; i < spreadable.size(); ++i) {
        spreadable[i] = HasFactor(rule.operands[0], i) && HasFactor(rule.results[0], i);
      }
      break;
    case Opcode::kScatter: {
      // Indices say where in the whole of a dimension an update goes.
      const TensorFactors& updates = rule.operands[op.results.size() + 1];
      for (size_t i = 0; i < spreadable.size(); ++i) {
        if (HasFactor(rule.operands[0], i) && !HasFactor(updates, i)) spreadable[i] = false;
      }
      break;
    }
    case Opcode::kConvolution:
      ForbidOfConvolution(op, rule, spreadable);
      break;
    case Opcode::kCustomCall:
      ForbidOfCall(op, rule, spreadable);
      break;
    case Opcode::kTopK:
      // The extent may stay the same where the elements move.
      Forbid(spreadable, rule.operands[0].back());
      break;
    case Opcode::kTriangularSolve: {
      // Right-hand sides are solved each on its own.
      const size_t rank = rule.operands[1].size();
      const size_t other = op.Get<TriangularSolveAttributes>().left_side ? rank - 1 : rank - 2;
      for (int32_t factor : rule.operands[1][other]) spreadable[static_cast<size_t>(factor)] = true;
      break;
    }
    case Opcode::kRngBitGenerator:
      for (size_t i = 0; i < spreadable.size(); ++i) {
        // Of the bits, not of the state; where a part begins is counted in s32.
        spreadable[i] = HasFactor(rule.results[1], i) &&
                        rule.factors[i].size <= std::numeric_limits<int32_t>::max();
      }
      break;
    default:
      break;
  }
  return spreadable;
}

std::optional<Terms> TermsOf(const Op& op) {
  if (op.opcode == Opcode::kDotGeneral || op.opcode == Opcode::kConvolution) return Terms();
  const bool is_scatter = op.opcode == Opcode::kScatter;
  if ((!is_scatter && op.opcode != Opcode::kReduce) || op.results.size() != 1) return std::nullopt;
  const std::optional<Opcode> combiner = OnlyOpOf(*op.blocks[0]);
  if (!combiner.has_value()) return std::nullopt;
  const size_t init = is_scatter ? 0 : 1;
  switch (*combiner) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return Terms{*combiner, !IsNeutral(op.operands[init], *combiner), init};
    default:
      return std::nullopt;
  }
}

std::vector<bool> TermOperands(const Op& op, const std::vector<bool>& has_terms) {
  const size_t count = op.operands.size();
  std::vector<bool> linear(count, false);
  const auto only = [&](std::initializer_list<size_t> operands) {
    for (size_t i : operands) linear[i] = true;
    return linear;
  };
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kNegate:
    case Opcode::kTranspose:
    case Opcode::kReshape:
    case Opcode::kBroadcastInDim:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kReal:
    case Opcode::kImag:
      return std::vector<bool>(count, true);
    case Opcode::kConvert:
      // Each term is exactly what it was.
      return IsWidening(op.operands[0]->type.dtype, op.type().dtype) ? only({0})
                                                                     : std::vector<bool>();
    case Opcode::kReduce: {
      const std::optional<Terms> terms = TermsOf(op);
      if (!terms.has_value() || terms->combiner != Opcode::kAdd || terms->counts_init) return {};
      return only({0});
    }
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
      return only({0});
    case Opcode::kDynamicUpdateSlice:
      return only({0, 1});
    case Opcode::kSelect:
      return only({1, 2});
    case Opcode::kDivide:
      return IsInteger(op.type().dtype) || has_terms[1] ? std::vector<bool>() : only({0});
    case Opcode::kMultiply:
    case Opcode::kDotGeneral:
    case Opcode::kConvolution:
      // A product of two sums is no sum of products of their terms.
      return std::count(has_terms.begin(), has_terms.end(), true) == 1 ? has_terms
                                                                       : std::vector<bool>();
    default:
      return {};
  }
}

bool RunsOnParts(const Rule& rule, const FactorSet& spreadable,
                 std::span<const Layout* const> operands, const Layout& result, FactorAxes& axes) {
  if (!OperandsAgree(rule, spreadable, operands, result.mesh, axes)) return false;
  if (!result.unreduced.empty()) return false;
  for (size_t dim = 0; dim < rule.results[0].size(); ++dim) {
    const DimFactors& factors = rule.results[0][dim];
    const size_t factor = static_cast<size_t>(factors[0]);
    const AxisList& own = result.Of(dim);
    if (factors.size() != 1 || !MayHave(rule, spreadable, factor, own)) return false;
    if (axes[factor] == nullptr) axes[factor] = &own;
    if (!(*axes[factor] == own)) return false;
  }
  return true;
}

bool RunsOnParts(const Rule& rule, const FactorSet& spreadable,
                 std::span<const Layout* const> operands, const Layout& wanted, Layout& result) {
  result.dims.clear();
  result.unreduced.clear();
  result.reduction = ReductionOp::kSum;
  result.mesh = wanted.mesh;
  for (const Layout* operand : operands) {
    if (result.mesh == nullptr) result.mesh = operand->mesh;
  }
  FactorAxes axes;
  if (!OperandsAgree(rule, spreadable, operands, result.mesh, axes)) return false;
  result.dims.reserve(rule.results[0].size());
  for (size_t dim = 0; dim < rule.results[0].size(); ++dim) {
    const DimFactors& factors = rule.results[0][dim];
    const size_t factor = static_cast<size_t>(factors[0]);
    const AxisList& own = wanted.Of(dim);
    if (factors.size() != 1 || !MayHave(rule, spreadable, factor, own)) return false;
    // What is wanted counts where the operands have nothing to say.
    const AxisList& all = axes[factor] == nullptr ? own : *axes[factor];
    if (!own.empty() && !(own == all)) return false;
    if (std::any_of(all.begin(), all.end(), [&](const Axis& axis) { return result.Uses(axis); })) {
      return false;
    }
    result.dims.push_back(all);
  }
  result.Normalize();
  return true;
}

OpLayouts LayoutsOf(const Rule& rule, const Spread& spread) {
  OpLayouts layouts;
  const auto make = [&](const TensorFactors& tensor) {
    Layout layout;
    layout.mesh = spread.mesh;
    layout.dims.reserve(tensor.size());
    for (const DimFactors& dim : tensor) {
      AxisList& of_dim = layout.dims.emplace_back();
      for (int32_t factor : dim) {
        for (const Axis& axis : spread.axes[static_cast<size_t>(factor)]) {
          AddOrMerge(of_dim, axis);
        }
      }
    }
    return layout;
  };
  layouts.operands.reserve(rule.operands.size());
  layouts.results.reserve(rule.results.size());
  for (const TensorFactors& tensor : rule.operands) {
    layouts.operands.push_back(make(tensor));
    layouts.operands.back().Normalize();
  }
  AxisList unreduced;
  for (size_t i = 0; i < rule.factors.size(); ++i) {
    if (rule.factors[i].kind != FactorKind::kReduction) continue;
    for (const Axis& axis : spread.axes[i]) unreduced.push_back(axis);
  }
  SortAndMerge(unreduced);
  for (const TensorFactors& tensor : rule.results) {
    layouts.results.push_back(make(tensor));
    layouts.results.back().unreduced = unreduced;
    layouts.results.back().Normalize();
  }
  return layouts;
}

const Layout* SpreadWish::WithoutTerms(const Layout& layout) {
  const bool any = std::any_of(layout.dims.begin(), layout.dims.end(),
                               [](const AxisList& dim) { return !dim.empty(); });
  if (layout.unreduced.empty() && (any || layout.IsReplicated())) return &layout;
  return &made.emplace_front(Reduced(layout));
}

Spread ChooseSpread(const SpreadWish& wish) { return Chooser(wish).Choose(); }

std::shared_ptr<const Attributes> LocalAttributes(const Op& op, std::span<const Type> operands,
                                                  std::span<const Type> results) {
  switch (op.opcode) {
    case Opcode::kSlice: {
      SliceAttributes slice = op.Get<SliceAttributes>();
      for (size_t dim = 0; dim < slice.limit.size(); ++dim) {
        if (operands[0].dims[dim] == op.operands[0]->type.dims[dim]) continue;
        slice.limit[dim] = operands[0].dims[dim];
      }
      return MakeAttributes(std::move(slice));
    }
    case Opcode::kDynamicSlice:
      return MakeAttributes(DynamicSliceAttributes{results[0].dims});
    case Opcode::kGather: {
      GatherAttributes gather = op.Get<GatherAttributes>();
      for (size_t dim = 0; dim < gather.slice_sizes.size(); ++dim) {
        if (gather.slice_sizes[dim] == op.operands[0]->type.dims[dim]) {
          gather.slice_sizes[dim] = operands[0].dims[dim];
        }
      }
      return MakeAttributes(std::move(gather));
    }
    default:
      return op.attributes;
  }
}

}  // namespace plinth::compiler::partition
