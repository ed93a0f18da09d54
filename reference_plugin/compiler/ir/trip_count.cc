// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/trip_count.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Nothing where a double would round it.
std::optional<double> IntegerOf(const Value* value) {
  const DTypeClass kind = InfoOf(value->type.dtype).kind;
  const std::span<const std::byte> element = SplatOf(value);
  if (element.empty() || element.size() > 8) return std::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  double integer = static_cast<double>(bits);
  if (kind == DTypeClass::kSigned) {
    const size_t unused = 64 - 8 * element.size();
    integer = static_cast<double>(static_cast<int64_t>(bits << unused) >> unused);
  } else if (kind != DTypeClass::kUnsigned) {
    return std::nullopt;
  }
  return std::abs(integer) < 0x1p53 ? std::optional(integer) : std::nullopt;
}

// What a turn adds to the carry `before`, if `after` is what it becomes.
std::optional<double> StepOf(const Value* before, const Value* after) {
  if (after->op == nullptr || after->op->operands.size() != 2) return std::nullopt;
  const Value* left = after->op->operands[0];
  const Value* right = after->op->operands[1];
  if (after->op->opcode == Opcode::kAdd) {
    if (right == before) std::swap(left, right);
    return left == before ? IntegerOf(right) : std::nullopt;
  }
  if (after->op->opcode != Opcode::kSubtract || left != before) return std::nullopt;
  const std::optional<double> step = IntegerOf(right);
  return step.has_value() ? std::optional(-*step) : std::nullopt;
}

ComparisonDirection Mirrored(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kLt:
      return ComparisonDirection::kGt;
    case ComparisonDirection::kLe:
      return ComparisonDirection::kGe;
    case ComparisonDirection::kGt:
      return ComparisonDirection::kLt;
    case ComparisonDirection::kGe:
      return ComparisonDirection::kLe;
    default:
      return direction;
  }
}

// Turns until start + turns * step no longer compares so with limit.
double Turns(double start, double step, ComparisonDirection direction, double limit) {
  if (step < 0) {  // the same, counted upwards
    start = -start, step = -step, limit = -limit;
    direction = Mirrored(direction);
  }
  if (step == 0) return kUnknown;
  const double distance = (limit - start) / step;
  switch (direction) {
    case ComparisonDirection::kLt:
      return std::max(0.0, std::ceil(distance));
    case ComparisonDirection::kLe:
      return std::max(0.0, std::floor(distance) + 1);
    case ComparisonDirection::kNe:
      return distance >= 0 && distance == std::floor(distance) ? distance : kUnknown;
    default:
      return kUnknown;
  }
}

bool Holds(DType type, double value) {
  const bool is_signed = InfoOf(type).kind == DTypeClass::kSigned;
  // Doubles are exact that far.
  const int bits = std::min(InfoOf(type).bits - (is_signed ? 1 : 0), 53);
  const double end = std::ldexp(1.0, bits);
  return value < end && value >= (is_signed ? -end : 0);
}

// The value in a turn is slope * counter + offset.
struct Affine {
  double slope = 0, offset = 0;
};

std::optional<Affine> AffineOf(const Value* value, const Value* counter) {
  // Each op on the way adds or subtracts a constant.
  constexpr int kMostOps = 8;
  Affine outer{1, 0};  // of what has been passed, as a function of `value`
  for (int i = 0; i <= kMostOps; ++i) {
    if (value == counter) return outer;
    const Op* const op = value->op;
    if (op == nullptr || (op->opcode != Opcode::kAdd && op->opcode != Opcode::kSubtract)) break;
    const double sign = op->opcode == Opcode::kSubtract ? -1 : 1;
    if (const std::optional<double> right = IntegerOf(op->operands[1])) {
      outer.offset += outer.slope * sign * *right;
      value = op->operands[0];
    } else if (const std::optional<double> left = IntegerOf(op->operands[0])) {
      outer.offset += outer.slope * *left;
      outer.slope *= sign;
      value = op->operands[1];
    } else {
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<LoopCounter> CounterOf(const Op& loop) {
  const Block& condition = *loop.blocks[0];
  const Block& body = *loop.blocks[1];
  const Op* const compare = condition.terminator()->operands[0]->op;
  if (compare == nullptr || compare->opcode != Opcode::kCompare) return std::nullopt;
  const Value* counter = compare->operands[0];
  const Value* bound = compare->operands[1];
  ComparisonDirection direction = compare->Get<CompareAttributes>().direction;
  if (counter->block != &condition) {
    std::swap(counter, bound);
    direction = Mirrored(direction);
  }
  if (counter->block != &condition) return std::nullopt;
  const int32_t carry = counter->index;
  const std::optional<double> start = IntegerOf(loop.operands[carry]), limit = IntegerOf(bound),
                              step =
                                  StepOf(body.arguments[carry], body.terminator()->operands[carry]);
  if (!start.has_value() || !limit.has_value() || !step.has_value()) return std::nullopt;
  const double turns = Turns(*start, *step, direction, *limit);
  // A counter that wraps around goes on.
  if (turns == kUnknown || !Holds(counter->type.dtype, *start + turns * *step)) return std::nullopt;
  return LoopCounter{carry, *start, *step, turns};
}

double TripCount(const Op& loop) {
  const std::optional<LoopCounter> counter = CounterOf(loop);
  return counter.has_value() ? counter->turns : kUnknown;
}

bool CountsThrough(const Value* index, const Op& loop, const LoopCounter& counter, int64_t extent) {
  if (static_cast<double>(extent) != counter.turns || extent == 0) return false;
  const std::optional<Affine> affine = AffineOf(index, loop.blocks[1]->arguments[counter.carry]);
  if (!affine.has_value() || std::abs(affine->slope * counter.step) != 1) return false;
  const double first = affine->slope * counter.start + affine->offset;
  const double last = first + affine->slope * counter.step * (counter.turns - 1);
  // Sums of integers that wrap around on the way are right in the end.
  return std::min(first, last) == 0 && Holds(index->type.dtype, std::max(first, last));
}

}  // namespace plinth::compiler
