// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {
namespace {

// What is wanted as terms is not reduced.
void KeepTerms(const Layout& terms, const Layout& wanted, Layout& reduced) {
  if (!SameDevices(terms.mesh, wanted.mesh) || terms.reduction != wanted.reduction) return;
  AxisList kept;
  for (const Axis& axis : terms.unreduced) {
    if (std::any_of(wanted.unreduced.begin(), wanted.unreduced.end(),
                    [&](const Axis& all) { return Contains(all, axis); })) {
      kept.push_back(axis);
    }
  }
  if (kept.empty()) return;
  if (reduced.IsReplicated()) {
    reduced.mesh = terms.mesh;
    reduced.dims.resize(terms.dims.size());
  }
  reduced.unreduced = std::move(kept);
  reduced.reduction = terms.reduction;
}

// Whether each dimension of `a` begins as that of `b`.
bool IsFurther(const Layout& a, const Layout& b) {
  if (a.IsReplicated() || !a.unreduced.empty()) return false;
  if (b.IsReplicated()) return true;
  if (!SameDevices(a.mesh, b.mesh)) return false;
  for (size_t i = 0; i < a.dims.size(); ++i) {
    if (!IsListPrefixOf(b.dims[i], a.dims[i])) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> Partitioner::TermsThatPass(const Op& op, SpreadWish& wish) const {
  if (op.results.size() != 1 || wish.results[0]->unreduced.empty() ||
      wish.results[0]->reduction != ReductionOp::kSum) {
    return {};
  }
  AxisList passing;
  std::vector<bool> has_terms;
  for (const Value* operand : op.operands) {
    const Layout& layout = LocalOf(operand).layout;
    const bool may_pass =
        SameDevices(layout.mesh, wish.results[0]->mesh) && layout.reduction == ReductionOp::kSum;
    has_terms.push_back(!layout.unreduced.empty());
    for (const Axis& axis : layout.unreduced) {
      const bool is_wanted =
          std::any_of(wish.results[0]->unreduced.begin(), wish.results[0]->unreduced.end(),
                      [&](const Axis& wanted) { return Contains(wanted, axis); });
      if (may_pass && is_wanted && !Overlap(axis, passing)) passing.push_back(axis);
    }
  }
  if (passing.empty()) return {};
  SortAndMerge(passing);
  std::vector<bool> are_terms = TermOperands(op, has_terms);
  if (!are_terms.empty()) wish.taken = std::move(passing);
  return are_terms;
}

void Partitioner::AddTerms(Layout& layout, const Value* value, const SpreadWish& wish) {
  if (layout.IsReplicated()) {
    layout.mesh = wish.results[0]->mesh;
    layout.dims.resize(static_cast<size_t>(value->type.rank()));
  }
  for (const Axis& axis : wish.taken) layout.unreduced.push_back(axis);
  SortAndMerge(layout.unreduced);
}

LocalValue Partitioner::Combine(const Op& op, LocalValue terms, const Terms& how,
                                const LocalValue& init) {
  Layout reduced = Reduced(terms.layout);
  const Layout& wanted = WantedOf(op.result());
  if (how.combiner == Opcode::kAdd || how.combiner == Opcode::kMaximum ||
      how.combiner == Opcode::kMinimum) {
    terms.layout.reduction = how.combiner == Opcode::kMaximum   ? ReductionOp::kMax
                             : how.combiner == Opcode::kMinimum ? ReductionOp::kMin
                                                                : ReductionOp::kSum;
    // Spread further where that is wanted, a device needs a part of the sum only.
    if (Layout all = Reduced(wanted); IsFurther(all, reduced)) reduced = std::move(all);
    if (init.value == nullptr) KeepTerms(terms.layout, wanted, reduced);
    SpreadSums(op, terms.layout, reduced);
    terms.value = emitter_.Reshard(terms.value, terms.layout, op.result()->type, reduced);
    terms.layout = std::move(reduced);
  } else {
    terms = {
        emitter_.AllReduce(terms.value, how.combiner, *terms.layout.mesh, terms.layout.unreduced),
        reduced};
  }
  if (init.value == nullptr) return terms;
  // The initial value of a scatter is an array as the result.
  const Type& whole = op.operands[how.init]->type;
  const bool is_array = whole.dims == op.type().dims;
  Value* all = emitter_.Reshard(init.value, init.layout, whole, is_array ? terms.layout : Layout());
  Builder build = emitter_.builder();
  if (!is_array) all = build.Broadcast(all, terms.value->type.dims, {});
  terms.value = build.Binary(how.combiner, terms.value, all);
  return terms;
}

void Partitioner::SpreadSums(const Op& op, const Layout& terms, Layout& reduced) {
  for (const Axis& axis : terms.unreduced) {
    if (reduced.Uses(axis)) continue;
    const std::optional<size_t> dim = ahead_->DimToSpread(op.result(), reduced, terms.mesh, axis);
    if (!dim.has_value()) continue;
    if (reduced.IsReplicated()) {
      reduced.mesh = terms.mesh;
      reduced.dims.resize(terms.dims.size());
    }
    reduced.dims[*dim] = {axis};
  }
}

}  // namespace plinth::compiler::partition
