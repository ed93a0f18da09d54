// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/legalize.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/lower_class.h"
#include "reference_plugin/compiler/ir/op_checks.h"
#include "reference_plugin/compiler/ir/rewrite.h"

namespace plinth::compiler::passes {
namespace {

// UNIMPLEMENTED, beginning with `what`, unless arrays of the type can be computed with.
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

bool IsDilated(const Window& window) {
  return std::any_of(window.base_dilation.begin(), window.base_dilation.end(),
                     [](int64_t dilation) { return dilation > 1; });
}

class Legalizer {
 public:
  Legalizer(Module& module, const Target& target) : module_(module), target_(target) {}

  Status Run(Block& body) {
    PLINTH_RETURN_IF_ERROR(VisitBlock(body));
    replacements_.Apply(body);
    return Status();
  }

 private:
  Status VisitBlock(Block& block) {
    const std::vector<Op*> ops = std::exchange(block.ops, {});
    block.ops.reserve(ops.size() + 4);
    for (Op* op : ops) {
      replacements_.FindAll({op->operands.data(), op->operands.size()});
      PLINTH_RETURN_IF_ERROR(VisitOp(*op, block.ops));
    }
    return Status();
  }

  Status VisitOp(Op& op, std::vector<Op*>& out) {
    PLINTH_RETURN_IF_ERROR(CheckTypes(op));
    switch (op.opcode) {
      case Opcode::kGetDimensionSize:
        return DimensionSize(op, out);
      case Opcode::kReduce:
        if (ReduceOfOneElement(op, out)) return Status();
        break;
      case Opcode::kReduceWindow:
        if (IsDilated(op.Get<WindowAttributes>().window)) return DilatedWindow(op, out);
        break;
      case Opcode::kOptimizationBarrier:
        Barrier(op);
        break;
      case Opcode::kShardingConstraint:
      case Opcode::kReshard:
        for (size_t i = 0; i < op.results.size(); ++i) {
          replacements_.Replace(op.results[i], op.operands[i]);
        }
        return Status();
      case Opcode::kAfterAll:
        if (op.operands.empty()) break;
        replacements_.Replace(op.results[0], op.operands[0]);
        return Status();
      case Opcode::kGetTupleElement:
        return TupleElement(op);
      case Opcode::kReshape:
      case Opcode::kBitcastConvert: {
        const Type& source = op.operands[0]->type;
        if (source.SizeInBytes() != op.type().SizeInBytes()) {
          return Unimplemented(Describe(op), ": ", source.ToString(), " to ", op.type().ToString(),
                               " does not keep the bytes in memory");
        }
        break;
      }
      default:
        PLINTH_RETURN_IF_ERROR(CheckOffered(op));
        if (HasScalarRegions(op.opcode)) break;
        for (Block* block : op.blocks) PLINTH_RETURN_IF_ERROR(VisitBlock(*block));
        break;
    }
    out.push_back(&op);
    return Status();
  }

  Status CheckOffered(const Op& op) const {
    if (InfoOf(op.opcode).category == Category::kControl &&
        InfoOf(op.opcode).effect == Effect::kOrdered) {
      return Unimplemented(Describe(op), ": the op ", Name(op.opcode),
                           " exchanges data with the host while the program runs, for which "
                           "PJRT has no other end here; use arguments, results or callbacks");
    }
    const LowerClass lower_class = target_.ClassOf(op.opcode);
    if (lower_class != LowerClass::kRefused) return Status();
    if (LowerClassOf(op.opcode) == LowerClass::kLibrary) {
      return Unimplemented(Describe(op), ": the op ", Name(op.opcode),
                           " is not implemented on the target ", target_.name);
    }
    return Unimplemented(Describe(op), ": the op ", Name(op.opcode),
                         " is not implemented by this compiler");
  }

  // Static, as all dimensions are.
  Status DimensionSize(const Op& op, std::vector<Op*>& out) {
    const int64_t dim = op.Get<DimensionAttributes>().dimension;
    Builder builder(module_, out, op.location);
    replacements_.Replace(
        op.result(),
        builder.Add(
            Opcode::kConstant, {}, op.type(),
            SplatAttributes(op.type().dtype, static_cast<double>(op.operands[0]->type.dims[dim]))));
    return Status();
  }

  // One element each: the region once, elementwise, on the initial value and the element.
  bool ReduceOfOneElement(const Op& op, std::vector<Op*>& out) {
    Value* const source = op.operands[0];
    const int64_t elements = source->type.NumElements();
    if (op.results.size() != 1 || elements != op.type().NumElements() || elements == 0) {
      return false;
    }
    Builder builder(module_, out, op.location);
    Value* const element = builder.Add(Opcode::kReshape, {source}, op.type());
    Value* const initial = builder.Broadcast(op.operands[1], op.type().dims, {});
    DimensionsAttributes all;
    for (int64_t dim = 0; dim < op.type().rank(); ++dim) all.dimensions.push_back(dim);
    Value* const operands[] = {initial, element};
    Op* const map = builder.AddOp(Opcode::kMap, operands, std::span<const Type>(&op.type(), 1),
                                  MakeAttributes(std::move(all)));
    map->blocks = op.blocks;
    replacements_.Replace(op.result(), map->result());
    return true;
  }

  // Holes between the elements of the input are padding: written as such. What negative padding
  // cuts off is not written.
  Status DilatedWindow(const Op& op, std::vector<Op*>& out) {
    WindowAttributes plain = op.Get<WindowAttributes>();
    Window& window = plain.window;
    PadAttributes pad;
    Dims dims = op.operands[0]->type.dims;
    for (size_t dim = 0; dim < dims.size(); ++dim) {
      int64_t& size = dims[dim];
      pad.interior.push_back(window.base_dilation[dim] - 1);
      if (size > 0) size += (size - 1) * pad.interior[dim];
      window.base_dilation[dim] = 1;
      pad.low.push_back(std::clamp<int64_t>(window.padding_low[dim], -size, 0));
      size += pad.low[dim];
      pad.high.push_back(std::clamp<int64_t>(window.padding_high[dim], -size, 0));
      size += pad.high[dim];
      window.padding_low[dim] -= pad.low[dim];
      window.padding_high[dim] -= pad.high[dim];
    }
    Builder builder(module_, out, op.location);
    const auto pad_attributes = MakeAttributes(std::move(pad));
    const size_t count = op.results.size();
    SmallVector<Value*, 4> operands(op.operands.begin(), op.operands.end());
    std::vector<Type> types;
    for (size_t i = 0; i < count; ++i) {
      const Type type = Type::Tensor(operands[i]->type.dtype, dims);
      PLINTH_RETURN_IF_ERROR(CheckType(type));
      operands[i] =
          builder.Add(Opcode::kPad, {operands[i], operands[count + i]}, type, pad_attributes);
      types.push_back(op.results[i]->type);
    }
    Op* const reduce =
        builder.AddOp(Opcode::kReduceWindow, operands, types, MakeAttributes(std::move(plain)));
    reduce->blocks = op.blocks;
    for (size_t i = 0; i < count; ++i) replacements_.Replace(op.results[i], reduce->results[i]);
    return Status();
  }

  // Only arrays have bytes of their own.
  void Barrier(Op& op) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (op.operands[i]->type.kind == Type::Kind::kTensor) continue;
      replacements_.Replace(op.results[i], op.operands[i]);
    }
  }

  Status TupleElement(const Op& op) {
    const Op* const tuple = op.operands[0]->op;
    if (tuple == nullptr || tuple->opcode != Opcode::kTuple) {
      return Unimplemented(Describe(op), ": its operand is not made by a tuple op");
    }
    const int64_t index = op.Get<TupleIndexAttributes>().index;
    replacements_.Replace(op.result(), tuple->operands[static_cast<size_t>(index)]);
    return Status();
  }

  Module& module_;
  const Target& target_;
  Replacements replacements_;
};

}  // namespace

Status Legalize(Module& module, const Target& target) {
  if (module.entry == nullptr || module.entry->body == nullptr) {
    return InvalidArgument("the module has no entry function to compile");
  }
  const std::vector<Value*>& arguments = module.entry->body->arguments;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type& type = arguments[i]->type;
    PLINTH_RETURN_IF_ERROR(
        CheckLowerable(type, StrCat("entry argument ", i, " (", type.ToString(), ")")));
  }
  for (Function& function : module.functions) {
    PLINTH_RETURN_IF_ERROR(Legalizer(module, target).Run(*function.body));
  }
  return Status();
}

}  // namespace plinth::compiler::passes
