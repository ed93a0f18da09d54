// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/partition/dynamic_slices.h"
#include "reference_plugin/compiler/partition/moves.h"
#include "reference_plugin/compiler/partition/partials.h"
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {
namespace {

// Places of elements are counted in s32.
constexpr int64_t kMostIndex = int64_t{1} << 30;

}  // namespace

bool Partitioner::MapMoves(Op& op, const Rule& rule) {
  const Moves moves(op, rule);
  if (!moves.any()) return false;
  SpreadWish wish = WishOf(op, moves.rule());
  moves.Allow(wish);
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (waiting_.contains(op.operands[i])) {
      wish.operands[i] = wish.WithoutTerms(LocalOf(op.operands[i]->op->operands[0]).layout);
    }
  }
  if (!TermsThatPass(op, wish).empty()) return false;
  partition::Spread spread = ChooseSpread(wish);
  for (size_t i = 0; i < moves.num_sources() && spread.mesh == nullptr; ++i) {
    spread = {wish.operands[i]->mesh, std::vector<AxisList>(rule.factors.size())};
  }
  if (spread.mesh == nullptr) return false;
  const OpLayouts layouts = LayoutsOf(moves.rule(), spread);
  std::vector<Moves::Source> sources;
  SmallVector<Value*, 8> others;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Value* from = op.operands[i];
    if (i >= moves.num_sources()) {
      others.push_back(As(from, layouts.operands[i]));
      continue;
    }
    Moves::Source& source = sources.emplace_back();
    if (waiting_.contains(from)) {
      source.start = from->op->Get<SliceAttributes>().start;
      from = from->op->operands[0];
    }
    source.local.layout = Reduced(LocalOf(from).layout);
    source.local.value = As(from, source.local.layout);
  }
  std::optional<Moves::Moved> moved =
      moves.Make(emitter_, sources, {others.data(), others.size()}, layouts);
  if (!moved.has_value()) return false;
  if (moved->result != nullptr) {
    Set(op.result(), {moved->result, Reduced(layouts.results[0])});
    return true;
  }
  std::vector<Type> types;
  for (size_t i = 0; i < op.results.size(); ++i) {
    types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
  }
  Op* const made =
      Emit(op, {moved->operands.data(), moved->operands.size()}, types, moved->attributes);
  for (size_t i = 0; i < op.results.size(); ++i) {
    LocalValue local = {made->results[i], layouts.results[i]};
    if (!local.layout.unreduced.empty()) local = Combine(op, std::move(local), *TermsOf(op), {});
    Set(op.results[i], local);
  }
  return true;
}

bool Partitioner::CanWait(const Op& op) {
  if (op.opcode != Opcode::kSlice || has_calls_of_manual_ || is_made_.contains(&op)) return false;
  const auto& slice = op.Get<SliceAttributes>();
  const auto& uses = uses_->Of(op.result());
  const bool is_joined =
      !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
        return use.op->opcode == Opcode::kConcatenate && BlockOf(*use.op) == BlockOf(op);
      });
  if (!is_joined || std::any_of(slice.stride.begin(), slice.stride.end(),
                                [](int64_t stride) { return stride != 1; })) {
    return false;
  }
  waiting_.insert(op.result());
  return true;
}

Status Partitioner::MakeWaiting(const Op& op) {
  for (Value* operand : op.operands) {
    if (waiting_.erase(operand) == 0) continue;
    is_made_.insert(operand->op);
    PLINTH_RETURN_IF_ERROR(MapOpWithin(*operand->op));
  }
  return Status();
}

bool Partitioner::MapDynamicSlice(const Op& op, const Rule& rule) {
  const bool updates = op.opcode == Opcode::kDynamicUpdateSlice;
  if (!updates && op.opcode != Opcode::kDynamicSlice) return false;
  const Type& global = op.operands[0]->type;
  const Dims& sizes = updates ? op.operands[1]->type.dims : op.type().dims;
  SpreadWish wish = WishOf(op, rule);
  const Layout& operand = *wish.operands[0];
  if (operand.IsReplicated() || op.type().NumElements() == 0) return false;
  std::vector<bool> is_spread;
  AxisList axes;
  for (size_t d = 0; d < sizes.size(); ++d) {
    is_spread.push_back(sizes[d] != global.dims[d] && !operand.Of(d).empty());
    if (is_spread[d] && (sizes[d] == 0 || global.dims[d] > kMostIndex)) return false;
    for (const Axis& axis : operand.Of(d)) {
      if (is_spread[d]) axes.push_back(axis);
    }
  }
  if (axes.empty() || !TermsThatPass(op, wish).empty()) return false;
  wish.taken = axes;
  partition::Spread spread = ChooseSpread(wish);
  if (spread.mesh == nullptr) {
    spread = {operand.mesh, std::vector<AxisList>(rule.factors.size())};
  }
  if (!SameDevices(spread.mesh, operand.mesh)) return false;
  OpLayouts layouts = LayoutsOf(rule, spread);
  const auto stay = [&](Layout& layout) {
    layout.mesh = operand.mesh;
    layout.dims.resize(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (is_spread[d]) layout.dims[d] = operand.Of(d);
    }
  };
  stay(layouts.operands[0]);
  const LocalValue part = {As(op.operands[0], layouts.operands[0]), layouts.operands[0]};
  std::vector<Value*> starts;
  for (size_t i = updates ? 2 : 1; i < op.operands.size(); ++i) {
    starts.push_back(As(op.operands[i], Layout()));
  }
  Layout& result = layouts.results[0];
  if (updates) {
    stay(result);
    Value* const update = As(op.operands[1], layouts.operands[1]);
    Set(op.result(), {UpdatePart(emitter_, part, global, update, starts, is_spread), result});
    return true;
  }
  Value* const term =
      TermOfSlice(emitter_, part, global, starts, LocalType(op.type(), result).dims, is_spread);
  result.mesh = operand.mesh;
  result.dims.resize(sizes.size());
  result.unreduced = axes;
  SortAndMerge(result.unreduced);
  Terms how;
  if (global.dtype == DType::kPred) how.combiner = Opcode::kMaximum;
  Set(op.result(), Combine(op, {term, result}, how, {}));
  return true;
}

bool Partitioner::MapGather(const Op& op, const Rule& rule) {
  if (op.opcode != Opcode::kGather) return false;
  SpreadWish wish = WishOf(op, rule);
  const Indexed indexed(op, *wish.operands[0]);
  if (!indexed.any() || op.type().NumElements() == 0 || !TermsThatPass(op, wish).empty()) {
    return false;
  }
  wish.taken = indexed.axes();
  partition::Spread spread = ChooseSpread(wish);
  if (spread.mesh == nullptr) {
    spread = {indexed.mesh(), std::vector<AxisList>(rule.factors.size())};
  }
  if (!SameDevices(spread.mesh, indexed.mesh())) return false;
  OpLayouts layouts = LayoutsOf(rule, spread);
  // All of the result moves, or else all of what it is taken from.
  const Type type = LocalType(op.type(), layouts.results[0]);
  if (type.NumElements() > LocalType(op.operands[0]->type, layouts.operands[0]).NumElements()) {
    return false;
  }
  indexed.Stay(layouts.operands[0]);
  Value* const part = As(op.operands[0], layouts.operands[0]);
  Value* const indices = As(op.operands[1], layouts.operands[1]);
  Layout result = layouts.results[0];
  Value* const term = indexed.TermOfGather(emitter_, part, indices, type);
  result.mesh = indexed.mesh();
  result.dims.resize(type.dims.size());
  result.unreduced = indexed.axes();
  Terms how;
  if (type.dtype == DType::kPred) how.combiner = Opcode::kMaximum;
  Set(op.result(), Combine(op, {term, result}, how, {}));
  return true;
}

Indexed Partitioner::IndexedScatter(const Op& op, SpreadWish& wish) const {
  if (op.opcode != Opcode::kScatter || op.type().NumElements() == 0) return {};
  Indexed indexed(op, Reduced(*wish.results[0]));
  if (!indexed.any()) indexed = Indexed(op, *wish.operands[0]);
  if (!indexed.any()) return {};
  // All updates go to each device along these axes. Or each device has some updates, and its
  // terms of the result move.
  const size_t updates = op.results.size() + 1;
  const Layout& layout = *wish.operands[updates];
  const AxisList axes = layout.AllAxes();
  const bool conflict = std::any_of(
      axes.begin(), axes.end(), [&](const Axis& axis) { return Overlap(axis, indexed.axes()); });
  if (conflict && wish.operand_sizes[updates] > wish.operand_sizes[0] && TermsOf(op)) return {};
  if (!layout.IsReplicated() && !SameDevices(layout.mesh, indexed.mesh())) return {};
  wish.taken = indexed.axes();
  return indexed;
}

bool Partitioner::MapPartials(const Op& op, const Rule& rule) {
  if (op.opcode != Opcode::kReduce || TermsOf(op).has_value() || !MayCountInitsAgain(op)) {
    return false;
  }
  SpreadWish wish = WishOf(op, rule);
  for (size_t i = 0; i < rule.factors.size(); ++i) {
    if (rule.factors[i].kind == FactorKind::kReduction) wish.spreadable[i] = true;
  }
  const partition::Spread spread = ChooseSpread(wish);
  if (spread.mesh == nullptr) return false;
  const OpLayouts layouts = LayoutsOf(rule, spread);
  const AxisList axes = layouts.results[0].unreduced;
  if (axes.empty()) return false;
  SmallVector<Value*, 8> operands, results(op.results.size());
  std::vector<Type> types;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    operands.push_back(As(op.operands[i], layouts.operands[i]));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
  }
  const Op* const local = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
  CombinePartials(emitter_, *local, *spread.mesh, axes, {results.data(), results.size()});
  for (size_t i = 0; i < op.results.size(); ++i) {
    Set(op.results[i], {results[i], Reduced(layouts.results[i])});
  }
  return true;
}

bool Partitioner::MapCumulative(const Op& op, const Rule& rule) {
  const std::optional<Cumulative> how = CumulativeOf(op);
  if (!how.has_value()) return false;
  SpreadWish wish = WishOf(op, rule);
  const Layout& operand = *wish.operands[0];
  const AxisList axes = operand.Of(how->dim);
  if (axes.empty()) return false;
  wish.taken = axes;
  partition::Spread spread = ChooseSpread(wish);
  if (spread.mesh == nullptr) {
    spread = {operand.mesh, std::vector<AxisList>(rule.factors.size())};
  }
  if (!SameDevices(spread.mesh, operand.mesh)) return false;
  Layout layout = LayoutsOf(rule, spread).results[0];
  layout.mesh = operand.mesh;
  layout.dims.resize(operand.dims.size());
  layout.dims[how->dim] = axes;
  Value* const operands[] = {As(op.operands[0], layout), As(op.operands[1], Layout())};
  const Type& type = operands[0]->type;
  WindowAttributes window = op.Get<WindowAttributes>();
  window.window.sizes[how->dim] = type.dims[how->dim];
  (how->is_reverse ? window.window.padding_high : window.window.padding_low)[how->dim] =
      type.dims[how->dim] - 1;
  const Op* const local = Emit(op, operands, {&type, 1}, MakeAttributes(std::move(window)));
  Set(op.result(),
      {WithTotalsBefore(emitter_, *how, local->result(), operands[1], *operand.mesh, axes),
       layout});
  return true;
}

}  // namespace plinth::compiler::partition
