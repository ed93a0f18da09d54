// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/recognize.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"
#include "reference_plugin/compiler/passes/expand_batch_norm.h"
#include "reference_plugin/compiler/passes/expand_narrow.h"
#include "reference_plugin/compiler/passes/neutral_padding.h"
#include "reference_plugin/compiler/passes/one_index.h"
#include "reference_plugin/compiler/passes/predicate_sums.h"
#include "reference_plugin/compiler/passes/reduce_broadcast.h"
#include "reference_plugin/compiler/passes/reduce_concatenate.h"
#include "reference_plugin/compiler/passes/short_reduce.h"

namespace plinth::compiler::passes {
namespace {

// Whether every window position covers all elements up to its own along one dimension, and nothing
// else; which dimension, and from which end.
bool IsCumulative(const Window& window, const Dims& dims, DimensionAttributes* cumulative) {
  int64_t found = -1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (window.strides[d] != 1 || window.base_dilation[d] != 1 || window.window_dilation[d] != 1) {
      return false;
    }
    const int64_t low = window.padding_low[d];
    const int64_t high = window.padding_high[d];
    if (window.sizes[d] == 1 && low == 0 && high == 0) continue;
    const int64_t before = dims[d] - 1;
    const bool forward = low == before && high == 0;
    const bool backward = low == 0 && high == before;
    if (found >= 0 || window.sizes[d] != dims[d] || !(forward || backward)) return false;
    found = static_cast<int64_t>(d);
    cumulative->reverse = backward;
  }
  cumulative->dimension = found;
  return found >= 0;
}

// Complex numbers are ordered by their real parts and, where those are equal, their imaginary
// parts.
Value* LargerComplex(Builder& b, Value* x, Value* y) {
  const auto greater = [&](Value* left, Value* right) {
    return b.Compare(ComparisonDirection::kGt, left, right);
  };
  const auto part = [&](Opcode opcode, Value* of) {
    return b.Add(opcode, {of}, Type::Tensor(RealTypeOf(of->type.dtype), of->type.dims));
  };
  Value* const x_real = part(Opcode::kReal, x);
  Value* const y_real = part(Opcode::kReal, y);
  return b.Select(b.Compare(ComparisonDirection::kEq, x_real, y_real),
                  greater(part(Opcode::kImag, x), part(Opcode::kImag, y)), greater(x_real, y_real));
}

// maximum, minimum or clamp (low, x, high) of complex numbers; null for other types.
Value* ExpandComplexOrder(Builder& b, const Op& op) {
  if (!IsComplex(op.type().dtype)) return nullptr;
  const auto max = [&](Value* x, Value* y) { return b.Select(LargerComplex(b, x, y), x, y); };
  const auto min = [&](Value* x, Value* y) { return b.Select(LargerComplex(b, y, x), x, y); };
  if (op.opcode == Opcode::kMaximum) return max(op.operands[0], op.operands[1]);
  if (op.opcode == Opcode::kMinimum) return min(op.operands[0], op.operands[1]);
  return min(max(op.operands[1], op.operands[0]), op.operands[2]);
}

class Recognizer {
 public:
  Recognizer(Module& module, const Target& target) : module_(module), target_(target) {}

  bool Run(Block& body) {
    Visit(body);
    replacements_.Apply(body);
    return changed_;
  }

 private:
  void Visit(Block& block, bool is_scalar_code = false) {
    const std::vector<Op*> ops = std::exchange(block.ops, {});
    block.ops.reserve(ops.size());
    for (Op* op : ops) {
      replacements_.FindAll({op->operands.data(), op->operands.size()});
      for (Block* inner : op->blocks) {
        Visit(*inner, is_scalar_code || HasScalarRegions(op->opcode));
      }
      if (HasScalarRegions(op->opcode)) {
        for (Block* inner : op->blocks) SinkConstants(*inner);
      }
      std::vector<Value*> results;
      if (VisitOp(*op, block.ops, &results) ||
          (is_scalar_code && Branches(*op, block.ops, &results))) {
        changed_ = true;
        for (size_t i = 0; i < results.size(); ++i) {
          replacements_.Replace(op->results[i], results[i]);
        }
      } else {
        block.ops.push_back(op);
      }
    }
  }

  // True when `results` stand for those of the op.
  bool VisitOp(Op& op, std::vector<Op*>& out, std::vector<Value*>* results) {
    switch (op.opcode) {
      case Opcode::kReduceWindow:
        return Cumulative(op, out, results) || Expand(ExpandNeutralPadding, op, out, results);
      case Opcode::kDivide:
        return Logistic(op, out, results);
      case Opcode::kMap:
        return InlineMap(op, out, results);
      case Opcode::kConvolution:
      case Opcode::kDotGeneral:
        return ExpandFor(ExpandProduct, op, out, results);
      case Opcode::kCholesky:
      case Opcode::kTriangularSolve:
        return ExpandFor(ExpandNarrowFactor, op, out, results);
      case Opcode::kBitcastConvert:
        return Expand(ExpandNarrowBitcast, op, out, results);
      case Opcode::kClamp:
      case Opcode::kMaximum:
      case Opcode::kMinimum:
        return Expand(ExpandComplexOrder, op, out, results);
      case Opcode::kReduce: {
        if (Expand(ExpandReduceOfBroadcast, op, out, results) ||
            Expand(ExpandReduceOfConcatenate, op, out, results) ||
            ExpandFor(ExpandSumOfPredicates, op, out, results)) {
          return true;
        }
        Builder builder(module_, out, op.location);
        *results = ExpandShortReduce(builder, op);
        return !results->empty();
      }
      case Opcode::kTopK: {
        Builder builder(module_, out, op.location);
        *results = ExpandNarrowTopK(builder, target_, op);
        return !results->empty();
      }
      case Opcode::kDynamicSlice:
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kGather:
      case Opcode::kScatter: {
        Builder builder(module_, out, op.location);
        changed_ |= WidenNarrowIndices(builder, op);
        return op.opcode == Opcode::kGather && Expand(ExpandGatherOfOneIndex, op, out, results);
      }
      case Opcode::kBatchNormGrad:
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormTraining: {
        Builder builder(module_, out, op.location);
        *results = ExpandBatchNorm(builder, op);
        return true;
      }
      default:
        return false;
    }
  }

  bool Expand(Value* (*expand)(Builder&, const Op&), const Op& op, std::vector<Op*>& out,
              std::vector<Value*>* results) {
    Builder builder(module_, out, op.location);
    Value* const value = expand(builder, op);
    if (value != nullptr) results->push_back(value);
    return value != nullptr;
  }

  // The same for expansions that depend on the target.
  bool ExpandFor(Value* (*expand)(Builder&, const Target&, const Op&), const Op& op,
                 std::vector<Op*>& out, std::vector<Value*>* results) {
    Builder builder(module_, out, op.location);
    Value* const value = expand(builder, target_, op);
    if (value != nullptr) results->push_back(value);
    return value != nullptr;
  }

  bool Cumulative(Op& op, std::vector<Op*>& out, std::vector<Value*>* results) {
    DimensionAttributes cumulative;
    if (op.operands.size() != 2 ||
        !IsCumulative(op.Get<WindowAttributes>().window, op.operands[0]->type.dims, &cumulative)) {
      return false;
    }
    const Type type = op.type();
    Op* const recognized = module_.NewOp(Opcode::kCumulativeReduce, op.operands, {&type, 1},
                                         MakeAttributes(cumulative), op.location);
    recognized->blocks = op.blocks;
    out.push_back(recognized);
    results->push_back(recognized->results[0]);
    return true;
  }

  bool Logistic(Op& op, std::vector<Op*>& out, std::vector<Value*>* results) {
    if (!IsIeeeFloat(op.type().dtype) || !IsSplat(op.operands[0], 1)) return false;
    const Op* const sum = op.operands[1]->op;
    if (sum == nullptr || sum->opcode != Opcode::kAdd) return false;
    for (const auto& [x, y] : {std::pair(sum->operands[0], sum->operands[1]),
                               std::pair(sum->operands[1], sum->operands[0])}) {
      if (!IsSplat(y, 1) || x->op == nullptr || x->op->opcode != Opcode::kExponential) continue;
      const Op* const negate = x->op->operands[0]->op;
      if (negate == nullptr || negate->opcode != Opcode::kNegate) continue;
      Builder builder(module_, out, op.location);
      results->push_back(builder.Unary(Opcode::kLogistic, negate->operands[0]));
      return true;
    }
    return false;
  }

  // A map of elementwise ops is those ops on whole arrays.
  bool InlineMap(Op& op, std::vector<Op*>& out, std::vector<Value*>* results) {
    const Block& region = *op.blocks[0];
    for (const Op* inner : region.ops) {
      const bool fits = inner == region.terminator() || inner->opcode == Opcode::kConstant ||
                        (IsElementwise(inner->opcode) && inner->type().IsScalar());
      if (!fits) return false;
    }
    const Dims& dims = op.type().dims;
    Builder builder(module_, out, op.location);
    std::unordered_map<const Value*, Value*> arrays;
    for (size_t i = 0; i < region.arguments.size(); ++i) {
      arrays[region.arguments[i]] = op.operands[i];
    }
    const auto array_of = [&](Value* scalar) {
      Value*& array = arrays[scalar];
      // From around the map.
      if (array == nullptr) {
        array = dims.empty() ? scalar : builder.Broadcast(scalar, dims, {});
      }
      return array;
    };
    for (const Op* inner : region.ops) {
      if (inner == region.terminator()) break;
      SmallVector<Value*, 3> operands;
      for (Value* operand : inner->operands) operands.push_back(array_of(operand));
      std::shared_ptr<const Attributes> attributes = inner->attributes;
      const Type type = Type::Tensor(inner->type().dtype, dims);
      if (inner->opcode == Opcode::kConstant) {
        attributes = SplatAttributes(inner->Get<ConstantAttributes>().bytes);
      }
      arrays[inner->result()] =
          builder.AddOp(inner->opcode, operands, {&type, 1}, std::move(attributes))->result();
    }
    results->push_back(array_of(region.terminator()->operands[0]));
    return true;
  }

  // Branches within scalar code are all computed, and the one that is taken selected: such code is
  // a kernel on many elements at a time.
  bool Branches(Op& op, std::vector<Op*>& out, std::vector<Value*>* results) {
    if (op.opcode != Opcode::kCase && op.opcode != Opcode::kIf) return false;
    for (const Block* branch : op.blocks) {
      if (!branch->arguments.empty()) return false;
      for (const Op* inner : branch->ops) {
        if (inner != branch->terminator() && EffectOf(*inner) != Effect::kPure) return false;
      }
    }
    Builder builder(module_, out, op.location);
    for (Block* branch : op.blocks) {
      for (Op* inner : branch->ops) {
        if (inner != branch->terminator()) out.push_back(inner);
      }
    }
    Value* const index = op.operands[0];
    // The last branch of a case is also that of an index out of range.
    for (size_t i = 0; i < op.results.size(); ++i) {
      results->push_back(replacements_.Find(op.blocks.back()->terminator()->operands[i]));
    }
    for (size_t b = op.blocks.size() - 1; b-- > 0;) {
      Value* const taken = op.opcode == Opcode::kIf
                               ? index
                               : builder.Compare(ComparisonDirection::kEq, index,
                                                 builder.SplatLike(index, static_cast<double>(b)));
      for (size_t i = 0; i < op.results.size(); ++i) {
        Value* const value = replacements_.Find(op.blocks[b]->terminator()->operands[i]);
        (*results)[i] = builder.Select(taken, value, (*results)[i]);
      }
    }
    return true;
  }

  // Regions of scalar code that need nothing from outside are kernels of their own.
  void SinkConstants(Block& region) {
    std::vector<Op*> sunk;
    std::unordered_map<const Value*, Value*> copies;
    for (const Op* op : region.ops) {
      if (op->opcode == Opcode::kConstant) copies[op->results[0]] = op->results[0];
    }
    for (Op* op : region.ops) {
      for (Value*& operand : op->operands) {
        if (ConstantOf(operand) == nullptr || !operand->type.IsScalar()) continue;
        Value*& copy = copies[operand];
        if (copy == nullptr) {
          Op* const constant = module_.NewOp(Opcode::kConstant, {}, operand->type,
                                             operand->op->attributes, operand->op->location);
          sunk.push_back(constant);
          copy = constant->results[0];
          changed_ = true;
        }
        operand = copy;
      }
    }
    region.ops.insert(region.ops.begin(), sunk.begin(), sunk.end());
  }

  Module& module_;
  const Target& target_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool Recognize(Module& module, const Target& target) {
  bool changed = false;
  for (Function& function : module.functions) {
    changed = Recognizer(module, target).Run(*function.body) || changed;
  }
  return changed;
}

}  // namespace plinth::compiler::passes
