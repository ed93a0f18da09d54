// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

// Comparisons and selections whose result is plain logic on predicates, as they remain of the index
// of the first true one of a few (jnp.select, argmax). Scalars stay: combiners are recognized as
// frameworks write them.
namespace plinth::compiler::passes {
namespace {

using Context = SimplifyContext;

bool IsPredicate(const Value* x) { return x->type.dtype == DType::kPred; }

Value* MadeBy(const Value* x, Opcode opcode) {
  return x->op != nullptr && x->op->opcode == opcode ? x->op->operands[0] : nullptr;
}

std::optional<bool> Truth(const Value* x) {
  const std::span<const std::byte> element = SplatOf(x);
  if (element.empty()) return std::nullopt;
  return element[0] != std::byte{0};
}

// What a value of whole numbers lies between; the limits are among its elements or may be.
struct Range {
  int64_t least, most;
};

// Of constants, of predicates as numbers, and of what selects from such. `steps` bounds the search.
std::optional<Range> RangeOf(const Value* x, int* steps) {
  const DType dtype = x->type.dtype;
  if ((!IsInteger(dtype) && dtype != DType::kPred) || dtype == DType::kU64 || --*steps < 0) {
    return std::nullopt;
  }
  if (const std::span<const std::byte> element = SplatOf(x); !element.empty()) {
    const int64_t number = IsPredicate(x) ? *Truth(x) : ReadInteger(dtype, element.data());
    return Range{number, number};
  }
  if (dtype == DType::kPred) return Range{0, 1};
  if (const Value* const number = MadeBy(x, Opcode::kConvert); number != nullptr) {
    // A type of two bits has no 1 if it has a sign, and nobody asks.
    if (IsPredicate(number) && InfoOf(dtype).bits >= 8) return Range{0, 1};
    return std::nullopt;
  }
  if (MadeBy(x, Opcode::kSelect) == nullptr) return std::nullopt;
  const std::optional<Range> a = RangeOf(x->op->operands[1], steps);
  if (!a.has_value()) return std::nullopt;
  const std::optional<Range> b = RangeOf(x->op->operands[2], steps);
  if (!b.has_value()) return std::nullopt;
  return Range{std::min(a->least, b->least), std::max(a->most, b->most)};
}

// Whether all elements of one compare so with all of the other; nothing: some do, some may not.
std::optional<bool> Holds(ComparisonDirection direction, Range a, Range b) {
  const auto decide = [](bool always, bool never) -> std::optional<bool> {
    if (always) return true;
    if (never) return false;
    return std::nullopt;
  };
  const bool is_less = a.most<b.least, is_greater = a.least> b.most;
  const bool is_at_most = a.most <= b.least, is_at_least = a.least >= b.most;
  const bool is_same = is_at_most && is_at_least, differs = is_less || is_greater;
  switch (direction) {
    case ComparisonDirection::kEq:
      return decide(is_same, differs);
    case ComparisonDirection::kNe:
      return decide(differs, is_same);
    case ComparisonDirection::kLt:
      return decide(is_less, is_at_least);
    case ComparisonDirection::kLe:
      return decide(is_at_most, is_greater);
    case ComparisonDirection::kGt:
      return decide(is_greater, is_at_most);
    case ComparisonDirection::kGe:
      return decide(is_at_least, is_less);
  }
  return std::nullopt;
}

Value* Known(Context& c, const Op& op, bool truth) {
  return c.EmitSplat(op, op.type(), SplatAttributes(DType::kPred, truth ? 1 : 0));
}

// `predicate` where it is the result for true operands and for false ones.
Value* OfOne(Context& c, const Op& op, Value* predicate, bool if_true, bool if_false) {
  if (if_true == if_false) return Known(c, op, if_true);
  if (if_true) return predicate;
  return c.Emit(op, Opcode::kNot, {predicate}, op.type());
}

Value* CompareKnown(Context& c, Op& op) {
  constexpr int kMostSteps = 32;
  const ComparisonDirection direction = op.Get<CompareAttributes>().direction;
  if (op.type().IsScalar()) return nullptr;
  const auto holds = [&](const Value* a, const Value* b) -> std::optional<bool> {
    int steps = kMostSteps;
    const std::optional<Range> left = RangeOf(a, &steps), right = RangeOf(b, &steps);
    if (!left.has_value() || !right.has_value()) return std::nullopt;
    return Holds(direction, *left, *right);
  };
  Value* const a = op.operands[0];
  Value* const b = op.operands[1];
  if (const std::optional<bool> known = holds(a, b)) return Known(c, op, *known);
  // A predicate compared with a known one, and one of two numbers with one that decides.
  for (const bool is_left : {true, false}) {
    Value* const x = is_left ? a : b;
    Value* const other = is_left ? b : a;
    if (SplatOf(other).empty()) continue;
    std::optional<bool> if_true, if_false;
    Value* predicate = x;
    if (IsPredicate(x)) {
      const int64_t limit = *Truth(other);
      const auto with = [&](int64_t number) {
        const Range one{number, number}, known{limit, limit};
        return is_left ? Holds(direction, one, known) : Holds(direction, known, one);
      };
      if_true = with(1);
      if_false = with(0);
    } else if (MadeBy(x, Opcode::kSelect) != nullptr) {
      const auto with = [&](Value* chosen) {
        return is_left ? holds(chosen, other) : holds(other, chosen);
      };
      predicate = x->op->operands[0];
      if_true = with(x->op->operands[1]);
      if_false = with(x->op->operands[2]);
    }
    if (if_true.has_value() && if_false.has_value()) {
      return OfOne(c, op, predicate, *if_true, *if_false);
    }
  }
  return nullptr;
}

// The comparison that makes the value; null if none does, or one in total order.
const Op* ComparisonOf(const Value* x) {
  if (x->op == nullptr || x->op->opcode != Opcode::kCompare) return nullptr;
  return x->op->Get<CompareAttributes>().type == ComparisonType::kTotalOrder ? nullptr : x->op;
}

// Of two predicates, of which one is chosen.
Value* SelectPredicate(Context& c, Op& op) {
  Value* const p = op.operands[0];
  Value* const a = op.operands[1];
  Value* const b = op.operands[2];
  if (!IsPredicate(a) || op.type().IsScalar()) return nullptr;
  const auto emit = [&](Opcode opcode, Value* left, Value* right) {
    return c.Emit(op, opcode, {left, right}, op.type());
  };
  const auto inverted = [&] { return c.Emit(op, Opcode::kNot, {p}, op.type()); };
  const std::optional<bool> first = Truth(a), second = Truth(b);
  if (p == a || first == true) return emit(Opcode::kOr, p, b);
  if (p == b || second == false) return emit(Opcode::kAnd, p, a);
  if (first == false) return emit(Opcode::kAnd, inverted(), b);
  if (second == true) return emit(Opcode::kOr, inverted(), a);
  // The larger or the smaller one.
  const Op* const compare = ComparisonOf(p);
  if (compare == nullptr) return nullptr;
  const bool is_same = compare->operands[0] == a && compare->operands[1] == b;
  const bool is_swapped = compare->operands[0] == b && compare->operands[1] == a;
  if (!is_same && !is_swapped) return nullptr;
  switch (compare->Get<CompareAttributes>().direction) {
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe:
      return emit(is_same ? Opcode::kOr : Opcode::kAnd, a, b);
    case ComparisonDirection::kLt:
    case ComparisonDirection::kLe:
      return emit(is_same ? Opcode::kAnd : Opcode::kOr, a, b);
    default:
      return nullptr;
  }
}

// The comparison by order where the operands are one and one for (in)equality of the same values.
const Op* OrderBeside(const Op& op, ComparisonDirection equality) {
  const Op* ordered = ComparisonOf(op.operands[0]);
  const Op* equal = ComparisonOf(op.operands[1]);
  if (ordered == nullptr || equal == nullptr || op.type().IsScalar()) return nullptr;
  if (ordered->Get<CompareAttributes>().direction == equality) std::swap(ordered, equal);
  const bool is_same =
      ordered->operands[0] == equal->operands[0] && ordered->operands[1] == equal->operands[1];
  return is_same && equal->Get<CompareAttributes>().direction == equality ? ordered : nullptr;
}

Value* InDirection(Context& c, const Op& op, const Op& like, ComparisonDirection direction) {
  CompareAttributes compare = like.Get<CompareAttributes>();
  compare.direction = direction;
  return c.Emit(op, Opcode::kCompare, {like.operands[0], like.operands[1]}, op.type(),
                MakeAttributes(compare));
}

// a > b or a == b is a >= b, also of NaNs.
Value* OrOfComparisons(Context& c, Op& op) {
  const Op* const ordered = OrderBeside(op, ComparisonDirection::kEq);
  if (ordered == nullptr) return nullptr;
  switch (ordered->Get<CompareAttributes>().direction) {
    case ComparisonDirection::kGt:
      return InDirection(c, op, *ordered, ComparisonDirection::kGe);
    case ComparisonDirection::kLt:
      return InDirection(c, op, *ordered, ComparisonDirection::kLe);
    default:
      return nullptr;
  }
}

// a > b and a != b is a > b (jnp.mod), a >= b and a != b too.
Value* AndOfComparisons(Context& c, Op& op) {
  const Op* const ordered = OrderBeside(op, ComparisonDirection::kNe);
  if (ordered == nullptr) return nullptr;
  switch (ordered->Get<CompareAttributes>().direction) {
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe:
      return InDirection(c, op, *ordered, ComparisonDirection::kGt);
    case ComparisonDirection::kLt:
    case ComparisonDirection::kLe:
      return InDirection(c, op, *ordered, ComparisonDirection::kLt);
    default:
      return nullptr;
  }
}

constexpr SimplifyRow kPredicateRows[] = {{Opcode::kAnd, AndOfComparisons},
                                          {Opcode::kCompare, CompareKnown},
                                          {Opcode::kOr, OrOfComparisons},
                                          {Opcode::kSelect, SelectPredicate}};
constexpr SimplifyRules kPredicateRules = RulesByOpcode(kPredicateRows);

}  // namespace

SimplifyRule PredicateRuleOf(Opcode opcode) { return kPredicateRules[static_cast<size_t>(opcode)]; }

}  // namespace plinth::compiler::passes
