// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/ir.h"

#include "plinth/support/str_cat.h"

namespace plinth::compiler {

bool Type::IsStatic() const {
  for (int64_t dim : dims) {
    if (dim == kDynamicSize) return false;
  }
  for (const Type& element : elements) {
    if (!element.IsStatic()) return false;
  }
  return true;
}

int64_t Type::NumElements() const {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

std::string Type::ToString() const {
  switch (kind) {
    case Kind::kToken:
      return "token";
    case Kind::kTuple: {
      std::string text = "(";
      for (const Type& element : elements) {
        if (text.size() > 1) text += ", ";
        text += element.ToString();
      }
      return text + ")";
    }
    case Kind::kTensor:
      break;
  }
  std::string text = StrCat(Name(dtype), "[");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += dims[i] == kDynamicSize ? std::string("?") : StrCat(dims[i]);
  }
  return text + "]";
}

Effect OwnEffectOf(const Op& op) {
  if (op.opcode == Opcode::kCustomCall && !op.Get<CustomCallAttributes>().has_side_effect) {
    return Effect::kPure;
  }
  return InfoOf(op.opcode).effect;
}

Effect EffectOf(const Op& op) {
  if (const Effect own = OwnEffectOf(op); own != Effect::kPure) return own;
  for (const Block* block : op.blocks) {
    for (const Op* inner : block->ops) {
      if (EffectOf(*inner) != Effect::kPure) return Effect::kSideEffect;
    }
  }
  return Effect::kPure;
}

Value* Module::NewArgument(Block* block, Type type) {
  Value& value = values_.emplace_back();
  value.type = std::move(type);
  value.block = block;
  value.index = static_cast<int32_t>(block->arguments.size());
  value.id = num_values() - 1;
  block->arguments.push_back(&value);
  return &value;
}

Op* Module::NewOp(Opcode opcode, std::span<Value* const> operands,
                  std::span<const Type> result_types, std::shared_ptr<const Attributes> attributes,
                  Location location) {
  Op& op = ops_.emplace_back();
  op.opcode = opcode;
  op.operands.assign(operands.begin(), operands.end());
  op.attributes = std::move(attributes);
  op.location = std::move(location);
  op.id = num_ops() - 1;
  op.results.reserve(result_types.size());
  for (const Type& type : result_types) {
    Value& value = values_.emplace_back();
    value.type = type;
    value.op = &op;
    value.index = static_cast<int32_t>(op.results.size());
    value.id = num_values() - 1;
    op.results.push_back(&value);
  }
  return &op;
}

Op* Module::NewOp(Opcode opcode, std::initializer_list<Value*> operands, Type result_type,
                  std::shared_ptr<const Attributes> attributes, Location location) {
  return NewOp(opcode, std::span<Value* const>(operands.begin(), operands.size()),
               std::span<const Type>(&result_type, 1), std::move(attributes), std::move(location));
}

std::string Describe(const Op& op) {
  std::string text(Name(op.opcode));
  if (op.location != nullptr && !op.location->empty()) text += StrCat(" at ", *op.location);
  return text;
}

Dims DenseStrides(std::span<const int64_t> dims, int64_t unit) {
  Dims strides(dims.size());
  for (size_t dim = dims.size(); dim-- > 0; unit *= dims[dim]) strides[dim] = unit;
  return strides;
}

}  // namespace plinth::compiler
