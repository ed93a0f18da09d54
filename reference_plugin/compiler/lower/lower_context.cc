// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower_context.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_checks.h"
#include "reference_plugin/compiler/ir/op_work.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler {
namespace {

int32_t UnitsOf(OpWork work) {
  switch (work) {
    case OpWork::kNone:
      return 0;
    case OpWork::kSimple:
      return 1;
    case OpWork::kDivision:
    case OpWork::kRoot:
    case OpWork::kRemainder:
      return 4;
    case OpWork::kFunction:
      return 12;
  }
  return 1;
}

// What a region may use from outside.
constexpr size_t kMaxCaptures = 32;

Status CheckTypes(const Op& op) {
  auto check = [&](const Value* value, std::string_view what) -> Status {
    // A tuple is a list of values where the op that makes it is at hand.
    if (value->op != nullptr && value->op->opcode == Opcode::kTuple) return Status();
    if (CheckLowerable(value->type, "").ok()) return Status();
    return CheckLowerable(value->type, StrCat(Describe(op), ": ", what));
  };
  for (const Value* value : op.operands) PLINTH_RETURN_IF_ERROR(check(value, "an operand"));
  for (const Value* value : op.results) PLINTH_RETURN_IF_ERROR(check(value, "a result"));
  for (const Block* block : op.blocks) {
    for (const Value* value : block->arguments) {
      PLINTH_RETURN_IF_ERROR(check(value, "an argument of its region"));
    }
  }
  return Status();
}

}  // namespace

Status CheckLowerable(const Type& type, std::string_view what) {
  if (type.kind == Type::Kind::kToken) return Status();
  if (type.kind == Type::Kind::kTuple) {
    return Unimplemented(what, " is the tuple ", type.ToString(),
                         "; pass its elements as separate values");
  }
  if (!type.IsStatic()) {
    return Unimplemented(what, " has the dynamic shape ", type.ToString(),
                         "; all dimensions must be known when the program is compiled");
  }
  return Status();
}

int32_t CostOf(const Op& op) {
  if (op.opcode == Opcode::kMap) {
    int32_t cost = 0;
    for (const Op* inner : op.blocks[0]->ops) cost += CostOf(inner->opcode);
    return std::max(cost, 1);
  }
  // Integer division is no cheaper than a transcendental.
  if ((op.opcode == Opcode::kDivide || op.opcode == Opcode::kRemainder) &&
      InfoOf(op.type().dtype).kind != DTypeClass::kFloat) {
    return 12;
  }
  return CostOf(op.opcode);
}

int32_t CostOf(Opcode opcode) { return UnitsOf(WorkOf(opcode)); }

std::string Describe(const Op& op) {
  std::string text(Name(op.opcode));
  if (op.location != nullptr && !op.location->empty()) text += StrCat(" at ", *op.location);
  return text;
}

bool IsScalarConstant(const Op* op) {
  if (op == nullptr || op->opcode != Opcode::kConstant) return false;
  return op->Get<ConstantAttributes>().is_splat || op->type().NumElements() == 1;
}

ScalarBits ConstantBits(const Op& op) {
  std::span<const std::byte> bytes = op.Get<ConstantAttributes>().bytes;
  ScalarBits bits;
  size_t size = std::min<size_t>(bytes.size(), static_cast<size_t>(ByteSize(op.type().dtype)));
  std::memcpy(&bits.low, bytes.data(), std::min<size_t>(size, 8));
  if (size > 8) std::memcpy(&bits.high, bytes.data() + 8, std::min<size_t>(size - 8, 8));
  return bits;
}

size_t NumOwnOperands(const Op& op) {
  switch (op.opcode) {
    case Opcode::kMap:
      return op.blocks[0]->arguments.size();
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kCumulativeReduce:
      return 2 * op.results.size();
    case Opcode::kScatter:
      return 2 * op.results.size() + 1;
    case Opcode::kSort:
      return op.results.size();
    case Opcode::kSelectAndScatter:
      return 3;
    default:
      return op.operands.size();
  }
}

LowerContext::LowerContext(const Module& module, const LowerOptions& options)
    : module_(module), options_(options), num_ops_(module.num_ops()) {
  values_.resize(static_cast<size_t>(module.num_values()));
  fusion_infos_.resize(values_.size());
  positions_.resize(static_cast<size_t>(num_ops_), -1);
  schedule_.name = module.name;
  schedule_.donations = module.donations;
}

Op* LowerContext::NewOp(const Op& like) {
  Op& op = new_ops_.emplace_back(like);
  op.id = num_ops_++;
  positions_.push_back(-1);
  return &op;
}

Value* LowerContext::NewValue(Op* op, Type type) {
  Value& value = new_values_.emplace_back();
  value.type = std::move(type);
  value.op = op;
  value.id = num_values();
  values_.emplace_back();
  fusion_infos_.emplace_back();
  return &value;
}

Status LowerContext::Prepare(const Block& block, int32_t block_number,
                             std::vector<const Op*>& ops) {
  for (const Value* argument : block.arguments) values_[argument->id].block = block_number;
  ops.reserve(block.ops.size() + 4);
  for (const Op* op : block.ops) PLINTH_RETURN_IF_ERROR(PrepareOp(*op, block_number, ops));
  for (size_t i = 0; i < ops.size(); ++i) Position(ops[i]) = static_cast<int32_t>(i);
  return Status();
}

// The op with the scalars that its regions use from outside as further operands.
const Op& LowerContext::WithCaptures(const Op& op) {
  if (!HasScalarRegions(op.opcode) || NumOwnOperands(op) != op.operands.size()) return op;
  SmallVector<Value*, 4> captures;
  auto use = [&](Value* value) {
    const Value* resolved = Resolve(value);
    const bool is_outside = values_[resolved->id].block >= 0;  // Regions are not prepared.
    if (!is_outside || resolved->type.kind != Type::Kind::kTensor ||
        resolved->type.NumElements() != 1 || IsScalarConstant(resolved->op)) {
      return;
    }
    if (captures.size() < kMaxCaptures &&
        std::find(captures.begin(), captures.end(), value) == captures.end()) {
      captures.push_back(value);
    }
  };
  for (const Block* block : op.blocks) {
    for (const Op* inner : block->ops) {
      for (Value* operand : inner->operands) use(operand);
    }
  }
  if (captures.empty()) return op;
  Op* with_captures = NewOp(op);
  for (Value* capture : captures) with_captures->operands.push_back(capture);
  return *with_captures;
}

Status LowerContext::PrepareOp(const Op& original, int32_t block_number,
                               std::vector<const Op*>& ops) {
  PLINTH_RETURN_IF_ERROR(CheckTypes(original));
  const Op& op = WithCaptures(original);
  for (const Value* result : op.results) {
    values_[result->id].block = block_number;
    values_[result->id].producer = &op;
  }
  auto alias = [&](size_t result, const Value* target) {
    values_[op.results[result]->id].alias = Resolve(target);
  };
  switch (op.opcode) {
    case Opcode::kGetDimensionSize: {
      // Static, as all dimensions are.
      int64_t dim = op.Get<DimensionAttributes>().dimension;
      auto size = std::make_shared<int32_t>(static_cast<int32_t>(op.operands[0]->type.dims[dim]));
      ConstantAttributes constant;
      constant.bytes = std::as_bytes(std::span<const int32_t>(size.get(), 1));
      constant.owner = size;
      Op* replacement = NewOp(op);
      replacement->opcode = Opcode::kConstant;
      replacement->operands.clear();
      replacement->attributes = MakeAttributes(std::move(constant));
      values_[op.result()->id].producer = replacement;
      ops.push_back(replacement);
      return Status();
    }
    case Opcode::kReduce: {
      const Value* source = op.operands[0];
      if (op.results.size() != 1 || source->type.NumElements() != op.type().NumElements() ||
          source->type.NumElements() == 0) {
        break;
      }
      // One element each: the region once, elementwise, on the initial value and the element.
      auto add = [&](Opcode opcode, Value* operand, DimensionsAttributes attributes) {
        Op* added = NewOp(op);
        added->opcode = opcode;
        added->operands = {operand};
        added->blocks.clear();
        added->attributes = MakeAttributes(std::move(attributes));
        Value* value = NewValue(added, op.type());
        added->results = {value};
        values_[value->id].block = block_number;
        values_[value->id].producer = added;
        ops.push_back(added);
        return value;
      };
      Value* element = add(Opcode::kReshape, op.operands[0], {});
      values_[element->id].base = Base(Operand(op, 0));
      Value* initial = add(Opcode::kBroadcastInDim, op.operands[1], {});
      Op* map = NewOp(op);
      map->opcode = Opcode::kMap;
      map->operands[0] = initial;
      map->operands[1] = element;
      values_[op.result()->id].producer = map;
      ops.push_back(map);
      return Status();
    }
    case Opcode::kReduceWindow: {
      const Window& window = op.Get<WindowAttributes>().window;
      bool dilated = false;
      for (int64_t dilation : window.base_dilation) dilated |= dilation > 1;
      if (!dilated) break;
      // Holes between the elements of the input are padding: write them as such. What negative
      // padding cuts off is not written.
      WindowAttributes plain{window};
      PadAttributes pad;
      Dims dilated_dims = op.operands[0]->type.dims;
      for (size_t dim = 0; dim < window.sizes.size(); ++dim) {
        int64_t& size = dilated_dims[dim];
        pad.interior.push_back(window.base_dilation[dim] - 1);
        if (size > 0) size += (size - 1) * pad.interior[dim];
        plain.window.base_dilation[dim] = 1;
        pad.low.push_back(std::clamp<int64_t>(window.padding_low[dim], -size, 0));
        size += pad.low[dim];
        pad.high.push_back(std::clamp<int64_t>(window.padding_high[dim], -size, 0));
        size += pad.high[dim];
        plain.window.padding_low[dim] -= pad.low[dim];
        plain.window.padding_high[dim] -= pad.high[dim];
      }
      Op* reduce = NewOp(op);
      reduce->attributes = MakeAttributes(std::move(plain));
      auto pad_attributes = MakeAttributes(pad);
      size_t count = op.results.size();
      for (size_t i = 0; i < count; ++i) {
        Type type = op.operands[i]->type;
        type.dims = dilated_dims;
        PLINTH_RETURN_IF_ERROR(CheckType(type));
        Op* padding = NewOp(op);
        padding->opcode = Opcode::kPad;
        padding->operands = {op.operands[i], op.operands[count + i]};
        padding->blocks.clear();
        padding->attributes = pad_attributes;
        Value* padded = NewValue(padding, std::move(type));
        padding->results = {padded};
        values_[padded->id].block = block_number;
        values_[padded->id].producer = padding;
        reduce->operands[i] = padded;
        ops.push_back(padding);
        values_[op.results[i]->id].producer = reduce;
      }
      ops.push_back(reduce);
      return Status();
    }
    case Opcode::kOptimizationBarrier:
      for (size_t i = 0; i < op.results.size(); ++i) {
        const Value* source = Operand(op, i);
        if (source->type.kind == Type::Kind::kTensor) {
          values_[op.results[i]->id].base = Base(source);
        } else {
          alias(i, source);
        }
      }
      break;
    case Opcode::kShardingConstraint:
    case Opcode::kReshard:
      for (size_t i = 0; i < op.results.size(); ++i) alias(i, op.operands[i]);
      return Status();
    case Opcode::kAfterAll:
      if (!op.operands.empty()) alias(0, op.operands[0]);
      return Status();
    case Opcode::kTuple:
      return Status();
    case Opcode::kGetTupleElement: {
      const Value* tuple = Resolve(op.operands[0]);
      if (tuple->op == nullptr || tuple->op->opcode != Opcode::kTuple) {
        return Unimplemented(Describe(op), ": its operand is not made by a tuple op");
      }
      alias(0, tuple->op->operands[static_cast<size_t>(op.Get<TupleIndexAttributes>().index)]);
      return Status();
    }
    case Opcode::kReshape:
    case Opcode::kBitcastConvert: {
      const Value* source = Operand(op, 0);
      if (source->type.SizeInBytes() != op.type().SizeInBytes()) {
        return Unimplemented(Describe(op), ": ", source->type.ToString(), " to ",
                             op.type().ToString(), " does not keep the bytes in memory");
      }
      values_[op.result()->id].base = Base(source);
      break;
    }
    default:
      if (InfoOf(op.opcode).category == Category::kControl &&
          InfoOf(op.opcode).effect == Effect::kOrdered) {
        return Unimplemented(Describe(op), ": the op ", Name(op.opcode),
                             " exchanges data with the host while the program runs, for which "
                             "PJRT has no other end here; use arguments, results or callbacks");
      }
      if (ClassOf(op) == LowerClass::kRefused) {
        return Unimplemented(Describe(op), ": the op ", Name(op.opcode),
                             " is not implemented by this compiler");
      }
      break;
  }
  ops.push_back(&op);
  return Status();
}

int32_t LowerContext::NewArray(const Type& type) {
  ArrayValue& array = schedule_.values.emplace_back();
  array.type = type;
  return static_cast<int32_t>(schedule_.values.size()) - 1;
}

int32_t LowerContext::Number(const Value* value) {
  value = Resolve(value);
  int32_t& number = values_[value->id].number;
  if (number >= 0) return number;
  if (const Value* base = Base(value); base != value) {
    int32_t source = Number(base);
    if (source < 0) return -1;
    number = NewArray(value->type);
    schedule_.values[number].view_of = source;
    return number;
  }
  const Op* op = Producer(value);
  if (value->type.kind == Type::Kind::kToken) {
    number = NewArray(value->type);
    schedule_.values[number].constant = MakeAttributes(ConstantAttributes{});
  } else if (op != nullptr && op->opcode == Opcode::kConstant) {
    number = NewArray(value->type);
    schedule_.values[number].constant = op->attributes;
  }
  return number;
}

int32_t LowerContext::TrueConstant() {
  if (true_constant_ >= 0) return true_constant_;
  static constexpr std::byte kTrue[1] = {std::byte{1}};
  ConstantAttributes constant;
  constant.bytes = kTrue;
  true_constant_ = NewArray(Type::Tensor(DType::kPred, {}));
  schedule_.values[true_constant_].constant = MakeAttributes(std::move(constant));
  return true_constant_;
}

}  // namespace plinth::compiler
