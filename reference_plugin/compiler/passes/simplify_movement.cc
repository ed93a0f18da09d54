// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

// Movements that move nothing, that can be one, or that are a cheaper one.
namespace plinth::compiler::passes {
namespace {

using Context = SimplifyContext;

const Op* DefinedBy(const Value* x, Opcode opcode) {
  return x->op != nullptr && x->op->opcode == opcode ? x->op : nullptr;
}

size_t At(int64_t index) { return static_cast<size_t>(index); }

// Any arrangement of equal elements is the same elements.
Value* SplatOfOperand(Context& c, Op& op) {
  const Value* const x = op.operands[0];
  const ConstantAttributes* constant = ConstantOf(x);
  const std::span<const std::byte> element = SplatOf(x);
  if (element.empty()) return nullptr;
  return c.EmitSplat(op, op.type(),
                     constant->is_splat ? x->op->attributes : SplatAttributes(element));
}

Value* Reshape(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (x->type == op.type()) return x;
  if (Value* const splat = SplatOfOperand(c, op)) return splat;
  if (ConstantOf(x) != nullptr) {
    return c.Emit(op, Opcode::kConstant, {}, op.type(), x->op->attributes);
  }
  if (const Op* const inner = DefinedBy(x, Opcode::kReshape)) {
    return c.EmitReshape(op, inner->operands[0], op.type());
  }
  // A scalar in all places, or one element in its only place, in another shape.
  if (const Op* const inner = DefinedBy(x, Opcode::kBroadcastInDim)) {
    if (inner->operands[0]->type.IsScalar()) {
      return c.Emit(op, Opcode::kBroadcastInDim, {inner->operands[0]}, op.type(),
                    inner->attributes);
    }
  }
  return nullptr;
}

Value* BroadcastInDim(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (Value* const splat = SplatOfOperand(c, op)) return splat;
  const Dims& dims = op.Get<DimensionsAttributes>().dimensions;
  const bool ascending = std::is_sorted(dims.begin(), dims.end());
  if (ascending && x->type.NumElements() == op.type().NumElements() &&
      op.type().NumElements() > 0) {
    return c.EmitReshape(op, x, op.type());
  }
  if (const Op* const inner = DefinedBy(x, Opcode::kBroadcastInDim)) {
    DimensionsAttributes composed;
    for (int64_t dim : inner->Get<DimensionsAttributes>().dimensions) {
      composed.dimensions.push_back(dims[At(dim)]);
    }
    return c.Emit(op, Opcode::kBroadcastInDim, {inner->operands[0]}, op.type(),
                  MakeAttributes(std::move(composed)));
  }
  // One element that was given dimensions of extent 1 first.
  if (x->type.NumElements() == 1 && x->type.rank() > 0) {
    Value* const scalar = c.EmitReshape(op, x, Type::Tensor(x->type.dtype, {}));
    return c.Emit(op, Opcode::kBroadcastInDim, {scalar}, op.type(),
                  MakeAttributes(DimensionsAttributes{}));
  }
  return nullptr;
}

Value* Transpose(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (Value* const splat = SplatOfOperand(c, op)) return splat;
  const Dims& permutation = op.Get<DimensionsAttributes>().dimensions;
  // Only the order of the dimensions with more than one entry matters.
  int64_t last = -1;
  bool moves = false;
  for (int64_t dim : permutation) {
    if (x->type.dims[At(dim)] == 1) continue;
    moves = moves || dim < last;
    last = dim;
  }
  if (!moves) return c.EmitReshape(op, x, op.type());
  if (const Op* const inner = DefinedBy(x, Opcode::kTranspose)) {
    DimensionsAttributes composed;
    const Dims& first = inner->Get<DimensionsAttributes>().dimensions;
    for (int64_t dim : permutation) composed.dimensions.push_back(first[At(dim)]);
    return c.Emit(op, Opcode::kTranspose, {inner->operands[0]}, op.type(),
                  MakeAttributes(std::move(composed)));
  }
  if (const Op* const inner = DefinedBy(x, Opcode::kBroadcastInDim)) {
    // Result dimension i is dimension permutation[i] of the broadcast.
    Dims where(permutation.size(), 0);
    for (size_t i = 0; i < permutation.size(); ++i) {
      where[At(permutation[i])] = static_cast<int64_t>(i);
    }
    DimensionsAttributes composed;
    for (int64_t dim : inner->Get<DimensionsAttributes>().dimensions) {
      composed.dimensions.push_back(where[At(dim)]);
    }
    return c.Emit(op, Opcode::kBroadcastInDim, {inner->operands[0]}, op.type(),
                  MakeAttributes(std::move(composed)));
  }
  return nullptr;
}

// All of it lies in one operand.
Value* SliceOfConcatenate(Context& c, const Op& op, const Op& concatenate) {
  const size_t dimension = At(concatenate.Get<DimensionAttributes>().dimension);
  SliceAttributes slice = op.Get<SliceAttributes>();
  const int64_t count = op.type().dims[dimension];
  if (count == 0) return nullptr;
  const int64_t first = slice.start[dimension];
  const int64_t last = first + (count - 1) * slice.stride[dimension];
  int64_t begin = 0;
  for (Value* operand : concatenate.operands) {
    const int64_t end = begin + operand->type.dims[dimension];
    if (first >= begin && last < end) {
      slice.start[dimension] = first - begin;
      slice.limit[dimension] = last - begin + 1;
      return c.Emit(op, Opcode::kSlice, {operand}, op.type(), MakeAttributes(std::move(slice)));
    }
    begin = end;
  }
  return nullptr;
}

Value* Slice(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (x->type == op.type()) return x;
  if (Value* const splat = SplatOfOperand(c, op)) return splat;
  const auto& outer = op.Get<SliceAttributes>();
  if (const Op* const inner = DefinedBy(x, Opcode::kSlice)) {
    const auto& first = inner->Get<SliceAttributes>();
    SliceAttributes composed;
    for (size_t i = 0; i < outer.start.size(); ++i) {
      // With elements to take, all numbers lie within the operand; else they could overflow.
      const int64_t count = op.type().dims[i];
      const int64_t start = count == 0 ? 0 : first.start[i] + outer.start[i] * first.stride[i];
      const int64_t stride = count < 2 ? 1 : outer.stride[i] * first.stride[i];
      composed.start.push_back(start);
      composed.limit.push_back(count == 0 ? 0 : start + (count - 1) * stride + 1);
      composed.stride.push_back(stride);
    }
    return c.Emit(op, Opcode::kSlice, {inner->operands[0]}, op.type(),
                  MakeAttributes(std::move(composed)));
  }
  // A part of a broadcast scalar.
  if (const Op* const inner = DefinedBy(x, Opcode::kBroadcastInDim)) {
    if (inner->operands[0]->type.IsScalar()) {
      return c.Emit(op, Opcode::kBroadcastInDim, {inner->operands[0]}, op.type(),
                    inner->attributes);
    }
  }
  if (const Op* const inner = DefinedBy(x, Opcode::kConcatenate)) {
    return SliceOfConcatenate(c, op, *inner);
  }
  return nullptr;
}

Value* Reverse(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (Value* const splat = SplatOfOperand(c, op)) return splat;
  DimensionsAttributes needed;
  const Dims& dims = op.Get<DimensionsAttributes>().dimensions;
  for (int64_t dim : dims) {
    if (x->type.dims[At(dim)] > 1) needed.dimensions.push_back(dim);
  }
  if (needed.dimensions.empty()) return x;
  if (const Op* const inner = DefinedBy(x, Opcode::kReverse)) {
    if (inner->Get<DimensionsAttributes>().dimensions == dims) return inner->operands[0];
  }
  if (needed.dimensions.size() == dims.size()) return nullptr;
  return c.Emit(op, Opcode::kReverse, {x}, op.type(), MakeAttributes(std::move(needed)));
}

// Parts of parts are parts: JAX joins more than 16 arrays in groups of 16.
Value* Concatenate(Context& c, Op& op) {
  constexpr size_t kMostOperands = 256;  // the same part may be there many times
  const size_t dimension = At(op.Get<DimensionAttributes>().dimension);
  SmallVector<Value*, 4> kept;
  for (Value* operand : op.operands) {
    if (operand->type.dims[dimension] == 0) continue;
    const Op* const inner = DefinedBy(operand, Opcode::kConcatenate);
    if (inner != nullptr && At(inner->Get<DimensionAttributes>().dimension) == dimension &&
        kept.size() + inner->operands.size() <= kMostOperands) {
      for (Value* part : inner->operands) kept.push_back(part);
    } else {
      kept.push_back(operand);
    }
  }
  if (kept.empty()) return op.operands[0];
  if (kept.size() == 1) return kept[0];
  if (!std::equal(kept.begin(), kept.end(), op.operands.begin(), op.operands.end())) {
    op.operands.assign(kept.begin(), kept.end());
    c.SetChanged();
  }
  return nullptr;
}

Value* Pad(Context&, Op& op) {
  const auto& pad = op.Get<PadAttributes>();
  const auto none = [](const Dims& dims) {
    return std::all_of(dims.begin(), dims.end(), [](int64_t value) { return value == 0; });
  };
  return none(pad.low) && none(pad.high) && none(pad.interior) ? op.operands[0] : nullptr;
}

// The integer of a constant scalar index, clamped as a dynamic index is. False if not constant.
bool ConstantIndex(const Value* index, int64_t most, int64_t* clamped) {
  const std::span<const std::byte> element = SplatOf(index);
  if (element.empty()) return false;
  const int64_t value = ReadInteger(index->type.dtype, element.data());
  const bool huge = index->type.dtype == DType::kU64 && value < 0;
  *clamped = huge ? most : std::clamp<int64_t>(value, 0, most);
  return true;
}

Value* DynamicSlice(Context& c, Op& op) {
  Value* const x = op.operands[0];
  if (x->type == op.type()) return x;
  SliceAttributes slice;
  for (size_t i = 0; i < x->type.dims.size(); ++i) {
    const int64_t size = op.type().dims[i];
    int64_t start = 0;
    if (!ConstantIndex(op.operands[i + 1], x->type.dims[i] - size, &start)) return nullptr;
    slice.start.push_back(start);
    slice.limit.push_back(start + size);
    slice.stride.push_back(1);
  }
  return c.Emit(op, Opcode::kSlice, {x}, op.type(), MakeAttributes(std::move(slice)));
}

Value* DynamicUpdateSlice(Context&, Op& op) {
  if (op.operands[1]->type == op.type()) return op.operands[1];
  return op.operands[1]->type.NumElements() == 0 ? op.operands[0] : nullptr;
}

// Counting to one.
Value* Iota(Context& c, Op& op) {
  if (op.type().dims[At(op.Get<DimensionAttributes>().dimension)] != 1) return nullptr;
  return c.EmitSplat(op, op.type(), SplatAttributes(op.type().dtype, 0));
}

Value* GetDimensionSize(Context& c, Op& op) {
  const int64_t size = op.operands[0]->type.dims[At(op.Get<DimensionAttributes>().dimension)];
  if (size > INT32_MAX) return nullptr;
  return c.EmitSplat(op, op.type(), SplatAttributes(DType::kS32, static_cast<double>(size)));
}

Value* GetTupleElement(Context&, Op& op) {
  const Op* const tuple = DefinedBy(op.operands[0], Opcode::kTuple);
  return tuple == nullptr ? nullptr : tuple->operands[At(op.Get<TupleIndexAttributes>().index)];
}

constexpr SimplifyRow kMovementRows[] = {
    {Opcode::kBroadcastInDim, BroadcastInDim},
    {Opcode::kConcatenate, Concatenate},
    {Opcode::kDynamicSlice, DynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
    {Opcode::kGetDimensionSize, GetDimensionSize},
    {Opcode::kGetTupleElement, GetTupleElement},
    {Opcode::kIota, Iota},
    {Opcode::kPad, Pad},
    {Opcode::kReshape, Reshape},
    {Opcode::kReverse, Reverse},
    {Opcode::kSlice, Slice},
    {Opcode::kTranspose, Transpose},
};
constexpr SimplifyRules kMovementRules = RulesByOpcode(kMovementRows);

}  // namespace

SimplifyRule MovementRuleOf(Opcode opcode) { return kMovementRules[static_cast<size_t>(opcode)]; }

}  // namespace plinth::compiler::passes
