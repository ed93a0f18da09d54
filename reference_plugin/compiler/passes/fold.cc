// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>
#include <optional>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/fold_element.h"
#include "reference_plugin/compiler/passes/simplify_rules.h"

namespace plinth::compiler::passes {
namespace {

// Larger constants are computed at run time: compiling stays fast and the executable small.
constexpr int64_t kMaxElements = 1024;

struct Elements {
  std::shared_ptr<std::vector<std::byte>> bytes;
  Value* Emit(SimplifyContext& context, const Op& op, bool is_splat) const {
    const size_t size = static_cast<size_t>(ByteSize(op.type().dtype));
    if (!is_splat && bytes->size() == size) is_splat = true;
    return context.Emit(
        op, Opcode::kConstant, {}, op.type(),
        MakeAttributes(ConstantAttributes{std::span<const std::byte>(*bytes), is_splat, bytes}));
  }
};

Elements Allocate(DType dtype, int64_t count) {
  return {std::make_shared<std::vector<std::byte>>(static_cast<size_t>(count * ByteSize(dtype)))};
}

Value* FoldElementwise(SimplifyContext& context, Op& op) {
  bool all_splats = true;
  for (const Value* operand : op.operands) {
    if (ConstantOf(operand) == nullptr) return nullptr;
    all_splats = all_splats && !SplatOf(operand).empty();
  }
  if (op.opcode == Opcode::kBitcastConvert && op.operands[0]->type.dims != op.type().dims) {
    return nullptr;
  }
  const int64_t count = all_splats ? 1 : op.type().NumElements();
  if (count > kMaxElements || count == 0) return nullptr;
  const Elements result = Allocate(op.type().dtype, count);
  const int64_t result_size = ByteSize(op.type().dtype);
  for (int64_t i = 0; i < count; ++i) {
    const std::byte* elements[3] = {};
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const bool splat = !SplatOf(op.operands[k]).empty();
      elements[k] = ConstantOf(op.operands[k])->bytes.data() +
                    (splat ? 0 : i * ByteSize(op.operands[k]->type.dtype));
    }
    if (!FoldElement(op, elements, result.bytes->data() + i * result_size)) return nullptr;
  }
  return result.Emit(context, op, all_splats);
}

// Copies elements: `source_of` gives for each result index (row major, as dims) the operand's flat
// index.
template <typename SourceOf>
Value* FoldMovement(SimplifyContext& context, Op& op, const SourceOf& source_of) {
  const Value* const x = op.operands[0];
  const ConstantAttributes* const constant = ConstantOf(x);
  if (constant == nullptr || constant->is_splat) return nullptr;
  const Type& type = op.type();
  if (type.NumElements() > kMaxElements || type.NumElements() == 0) return nullptr;
  const int64_t size = ByteSize(type.dtype);
  const Elements result = Allocate(type.dtype, type.NumElements());
  Dims index(type.dims.size(), 0);
  for (int64_t i = 0; i < type.NumElements(); ++i) {
    const std::byte* const from = constant->bytes.data() + source_of(index) * size;
    std::copy(from, from + size, result.bytes->data() + i * size);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < type.dims[d]) break;
      index[d] = 0;
    }
  }
  return result.Emit(context, op, false);
}

Dims StridesOf(const Type& type) {
  Dims strides(type.dims.size(), 1);
  for (size_t d = type.dims.size(); d-- > 1;) strides[d - 1] = strides[d] * type.dims[d];
  return strides;
}

Value* FoldTranspose(SimplifyContext& context, Op& op) {
  const Dims strides = StridesOf(op.operands[0]->type);
  const Dims& permutation = op.Get<DimensionsAttributes>().dimensions;
  return FoldMovement(context, op, [&](const Dims& index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      at += index[d] * strides[static_cast<size_t>(permutation[d])];
    }
    return at;
  });
}

Value* FoldSlice(SimplifyContext& context, Op& op) {
  const Dims strides = StridesOf(op.operands[0]->type);
  const auto& slice = op.Get<SliceAttributes>();
  return FoldMovement(context, op, [&](const Dims& index) {
    int64_t at = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      at += (slice.start[d] + index[d] * slice.stride[d]) * strides[d];
    }
    return at;
  });
}

Value* FoldConcatenate(SimplifyContext& context, Op& op) {
  const Type& type = op.type();
  if (type.NumElements() > kMaxElements || type.NumElements() == 0) return nullptr;
  for (const Value* operand : op.operands) {
    if (ConstantOf(operand) == nullptr) return nullptr;
  }
  const size_t dimension = static_cast<size_t>(op.Get<DimensionAttributes>().dimension);
  int64_t outer = 1;
  for (size_t d = 0; d < dimension; ++d) outer *= type.dims[d];
  int64_t inner = ByteSize(type.dtype);
  for (size_t d = dimension + 1; d < type.dims.size(); ++d) inner *= type.dims[d];
  const Elements result = Allocate(type.dtype, type.NumElements());
  std::byte* to = result.bytes->data();
  for (int64_t row = 0; row < outer; ++row) {
    for (const Value* operand : op.operands) {
      const std::span<const std::byte> bytes = ConstantOf(operand)->bytes;
      const int64_t run = operand->type.dims[dimension] * inner;
      for (int64_t i = 0; i < run; ++i) {
        const size_t at = static_cast<size_t>(row * run + i);
        *to++ = ConstantOf(operand)->is_splat ? bytes[at % bytes.size()] : bytes[at];
      }
    }
  }
  return result.Emit(context, op, false);
}

}  // namespace

Value* FoldConstants(SimplifyContext& context, Op& op) {
  if (op.operands.empty() || ConstantOf(op.operands[0]) == nullptr) return nullptr;
  if (IsElementwise(op.opcode)) return FoldElementwise(context, op);
  switch (op.opcode) {
    case Opcode::kTranspose:
      return FoldTranspose(context, op);
    case Opcode::kSlice:
      return FoldSlice(context, op);
    case Opcode::kConcatenate:
      return FoldConcatenate(context, op);
    default:
      return nullptr;
  }
}

}  // namespace plinth::compiler::passes
