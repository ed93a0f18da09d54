// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/partition/walk.h"

namespace plinth::compiler::partition {
namespace {

constexpr size_t kMostWarnings = 100;

// Whether all that is wanted of an array is so in `layout`, along each dimension.
bool HasAllOf(const Layout& wanted, const Layout& layout) {
  if (wanted.IsReplicated()) return true;
  if (!SameDevices(wanted.mesh, layout.mesh)) return false;
  for (size_t dim = 0; dim < wanted.dims.size(); ++dim) {
    if (!wanted.dims[dim].empty() && !(wanted.dims[dim] == layout.dims[dim])) return false;
  }
  return true;
}

}  // namespace

SpreadWish Partitioner::WishOf(const Op& op, const Rule& rule) {
  SpreadWish wish;
  wish.rule = &rule;
  wish.spreadable = rules_.LocalOf(op).spreadable;
  for (const Value* operand : op.operands) {
    wish.operands.push_back(wish.WithoutTerms(LocalOf(operand).layout));
    wish.operand_sizes.push_back(operand->type.NumElements());
  }
  for (const Value* result : op.results) wish.results.push_back(&WantedOf(result));
  wish.moves_axes = MovesAxes(op);
  return wish;
}

const Layout* Partitioner::LayoutAsItLies(const Op& op, const Layout& wanted) {
  if (!IsElementwise(op.opcode)) {
    const OpRules::Local local = rules_.LocalOf(op);
    SmallVector<const Layout*, 4> operands;
    for (const Value* operand : op.operands) operands.push_back(&LocalOf(operand).layout);
    return RunsOnParts(local.rule, local.spreadable, operands, wanted, as_it_lies_) ? &as_it_lies_
                                                                                    : nullptr;
  }
  const Layout* common = nullptr;
  for (const Value* operand : op.operands) {
    const Layout& layout = LocalOf(operand).layout;
    if (operand->type.IsScalar() && !op.type().IsScalar()) {
      if (!layout.IsReplicated()) return nullptr;
      continue;
    }
    if (common == nullptr) common = &layout;
    if (!(operand->type.dims == op.type().dims) || !(layout == *common)) return nullptr;
  }
  if (common == nullptr) return wanted.IsReplicated() ? &wanted : nullptr;
  return common->unreduced.empty() && HasAllOf(wanted, *common) ? common : nullptr;
}

// What the general way comes to, too; most ops of most programs are such.
bool Partitioner::MapAsItLies(const Op& op) {
  switch (op.opcode) {
    case Opcode::kBroadcastInDim:
    case Opcode::kDotGeneral:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kTranspose:
      break;
    default:
      if (!IsElementwise(op.opcode)) return false;
  }
  if (op.results.size() != 1) return false;
  const Layout& wanted = WantedOf(op.result());
  if (!wanted.unreduced.empty()) return false;
  const Layout* const layout = LayoutAsItLies(op, wanted);
  if (layout == nullptr) return false;
  SmallVector<Value*, 8> operands;
  for (const Value* operand : op.operands) operands.push_back(LocalOf(operand).value);
  const Type type = LocalType(op.type(), *layout);
  Op* const local = Emit(op, {operands.data(), operands.size()}, {&type, 1}, op.attributes);
  if (operands.size() == 1 && !layout->IsReplicated()) {
    emitter_.Remember(op, local->result(), operands[0],
                      LocalOf(op.operands[0]).layout.IsReplicated());
  }
  Set(op.result(), local->result(), *layout);
  return true;
}

Status Partitioner::MapByRule(Op& op, const Rule& rule) {
  if (CanWait(op)) return Status();
  if (MapCumulative(op, rule) || MapMoves(op, rule) || MapDynamicSlice(op, rule) ||
      MapGather(op, rule) || MapPartials(op, rule)) {
    return Status();
  }
  PLINTH_RETURN_IF_ERROR(MakeWaiting(op));
  SpreadWish wish = WishOf(op, rule);
  const std::vector<bool> are_terms = TermsThatPass(op, wish);
  const Indexed indexed = are_terms.empty() ? IndexedScatter(op, wish) : Indexed();
  partition::Spread spread = ChooseSpread(wish);
  if (spread.mesh == nullptr) {
    if (are_terms.empty() && !indexed.any()) return MapWhole(op);
    spread = {wish.results[0]->mesh, std::vector<AxisList>(rule.factors.size())};
  }
  if (indexed.any() && !SameDevices(spread.mesh, indexed.mesh())) {
    spread = {indexed.mesh(), std::vector<AxisList>(rule.factors.size())};
  }
  OpLayouts layouts = LayoutsOf(rule, spread);
  for (size_t i = 0; indexed.any() && i < op.results.size(); ++i) {
    indexed.Stay(layouts.operands[i]);
    indexed.Stay(layouts.results[i]);
  }
  for (size_t i = 0; i < are_terms.size(); ++i) {
    if (are_terms[i]) AddTerms(layouts.operands[i], op.operands[i], wish);
  }
  AxisList unreduced;
  if (!op.results.empty()) unreduced = layouts.results[0].unreduced;
  if (!are_terms.empty()) AddTerms(layouts.results[0], op.results[0], wish);
  const std::optional<Terms> terms = unreduced.empty() ? std::nullopt : TermsOf(op);
  LocalValue init;
  SmallVector<Value*, 8> operands;
  std::vector<Type> operand_types, result_types;
  operand_types.reserve(op.operands.size());
  result_types.reserve(op.results.size());
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (terms.has_value() && terms->counts_init && terms->init == i) {
      init = LocalValueOf(op.operands[i]);
      operands.push_back(
          emitter_.builder().Splat(LocalType(op.operands[i]->type, layouts.operands[i]),
                                   terms->combiner == Opcode::kMultiply ? 1 : 0));
    } else {
      operands.push_back(As(op.operands[i], layouts.operands[i]));
    }
    operand_types.push_back(operands.back()->type);
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    result_types.push_back(LocalType(op.results[i]->type, layouts.results[i]));
  }
  std::shared_ptr<const Attributes> attributes = LocalAttributes(op, operand_types, result_types);
  if (indexed.any()) {
    attributes = indexed.PrepareScatter(emitter_, {operands.data(), operands.size()});
    for (size_t i = 0; i < op.results.size(); ++i) result_types[i] = operands[i]->type;
  }
  Op* const made =
      Emit(op, {operands.data(), operands.size()}, result_types, std::move(attributes));
  if (op.operands.size() == 1 && op.results.size() == 1 && are_terms.empty()) {
    emitter_.Remember(op, made->result(), operands[0], layouts.operands[0].IsReplicated());
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    LocalValue local = {made->results[i], layouts.results[i]};
    if (indexed.any()) {
      local.value = indexed.WithoutMargins(emitter_, local.value, operand_types[i]);
    }
    if (terms.has_value()) local = Combine(op, std::move(local), *terms, init);
    Set(op.results[i], local);
  }
  return Status();
}

Status Partitioner::MapWhole(Op& op) {
  SmallVector<Value*, 8> operands;
  int64_t gathered = 0;
  for (const Value* operand : op.operands) {
    if (!Reduced(LocalOf(operand).layout).IsReplicated()) {
      gathered += operand->type.SizeInBytes();
    }
    operands.push_back(As(operand, Layout()));
  }
  if (gathered > 0) PLINTH_RETURN_IF_ERROR(CountFallback(op, gathered));
  std::vector<Type> types;
  for (const Value* result : op.results) types.push_back(result->type);
  Op* const made = Emit(op, {operands.data(), operands.size()}, types, op.attributes);
  for (size_t i = 0; i < op.results.size(); ++i) {
    Set(op.results[i], {made->results[i], Layout()});
  }
  return Status();
}

Status Partitioner::CountFallback(const Op& op, int64_t bytes) {
  if (options_.fallback == Fallback::kError) {
    return Unimplemented("it would be computed whole by every device, after ", bytes,
                         " bytes were gathered, and partitioner_fallback is error");
  }
  ++report_.num_fallbacks;
  report_.fallback_bytes += bytes;
  if (options_.fallback == Fallback::kWarn && report_.warnings.size() < kMostWarnings) {
    report_.warnings.push_back(StrCat(Describe(op), " is computed whole by every device, after ",
                                      bytes, " bytes were gathered"));
  }
  return Status();
}

}  // namespace plinth::compiler::partition
