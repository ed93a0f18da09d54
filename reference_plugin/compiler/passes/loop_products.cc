// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/loop_products.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/trip_count.h"
#include "reference_plugin/compiler/passes/walk.h"

namespace plinth::compiler::passes {
namespace {

// Element `index` of `array` along `dim`, which the value does not have.
struct Element {
  Value* array = nullptr;
  int64_t dim = 0;
  Value* index = nullptr;
};

bool IsOneOf(int64_t dim, const Dims& dims) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

Dims Inserted(const Dims& dims, int64_t at, int64_t size) {
  Dims result = dims;
  result.insert(result.begin() + at, size);
  return result;
}

// Numbers of dimensions once there is one more at `at`.
Dims Renumbered(const Dims& dims, int64_t at) {
  Dims result;
  for (int64_t dim : dims) result.push_back(dim + (dim >= at ? 1 : 0));
  return result;
}

std::optional<Element> ElementOf(Value* value) {
  const Op* const reshape = value->op;
  if (reshape == nullptr || reshape->opcode != Opcode::kReshape) return std::nullopt;
  const Op* const slice = reshape->operands[0]->op;
  if (slice == nullptr || slice->opcode != Opcode::kDynamicSlice) return std::nullopt;
  Value* const array = slice->operands[0];
  const Dims& sizes = slice->type().dims;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == array->type.dims[d]) continue;
    const int64_t dim = static_cast<int64_t>(d);
    // All of the other dimensions: their starts are clamped to zero.
    if (sizes[d] != 1 || Inserted(value->type.dims, dim, array->type.dims[d]) != array->type.dims) {
      return std::nullopt;
    }
    return Element{array, dim, slice->operands[d + 1]};
  }
  return std::nullopt;
}

double Flops(const Op& dot) {
  double flops = 2 * static_cast<double>(dot.type().NumElements());
  for (int64_t dim : dot.Get<DotAttributes>().lhs_contracting) {
    flops *= static_cast<double>(dot.operands[0]->type.dims[dim]);
  }
  return flops;
}

// All starts zero but that of one dimension.
std::vector<Value*> StartsAt(Builder& builder, Value* index, int64_t dim, int64_t rank) {
  std::vector<Value*> starts(static_cast<size_t>(rank), index);
  Value* const zero = rank > 1 ? builder.SplatLike(index, 0) : nullptr;
  for (int64_t d = 0; d < rank; ++d) {
    if (d != dim) starts[static_cast<size_t>(d)] = zero;
  }
  return starts;
}

Value* AddDynamicSlice(Builder& builder, const Element& element, const Type& type) {
  const Dims sizes = Inserted(type.dims, element.dim, 1);
  std::vector<Value*> operands = {element.array};
  for (Value* start :
       StartsAt(builder, element.index, element.dim, static_cast<int64_t>(sizes.size()))) {
    operands.push_back(start);
  }
  const Type slice = Type::Tensor(type.dtype, sizes);
  Op* const op = builder.AddOp(Opcode::kDynamicSlice, operands, {&slice, 1},
                               MakeAttributes(DynamicSliceAttributes{sizes}));
  return builder.Add(Opcode::kReshape, {op->result()}, type);
}

// One loop of known turns.
class Loop {
 public:
  Loop(Module& module, const LoopProductLimits& limits, Op& loop, const LoopCounter& counter)
      : module_(module), limits_(limits), loop_(loop), counter_(counter), body_(*loop.blocks[1]) {
    for (const Value* argument : body_.arguments) inside_.insert(argument);
    for (const Op* op : body_.ops) {
      for (const Value* result : op->results) inside_.insert(result);
    }
    for (const Block* block : loop.blocks) CountUses(*block);
  }

  // Products of elements of arrays; what they need goes to `before`.
  bool MoveBefore(std::vector<Op*>& before, Replacements& replacements) {
    bool changed = false;
    const std::vector<Op*> ops = std::exchange(body_.ops, {});
    for (Op* op : ops) {
      replacements.FindAll({op->operands.data(), op->operands.size()});
      Value* const moved = op->opcode == Opcode::kDotGeneral ? Moved(*op, before) : nullptr;
      if (moved == nullptr) {
        body_.ops.push_back(op);
        continue;
      }
      replacements.Replace(op->result(), moved);
      inside_.insert(moved);
      changed = true;
    }
    return changed;
  }

  // Sums of products; what computes them goes to `behind`. The loop that takes the place of this
  // one, or null.
  Op* MoveBehind(std::vector<Op*>& before, std::vector<Op*>& behind, Replacements& replacements) {
    std::vector<Sum> sums;
    for (size_t c = 0; c < loop_.operands.size(); ++c) {
      if (const std::optional<Sum> sum = SumOf(c)) sums.push_back(*sum);
    }
    if (sums.empty()) return nullptr;

    // The stacks that the loop fills are carries.
    std::vector<Value*> operands(loop_.operands.begin(), loop_.operands.end());
    Builder at_start(module_, before, loop_.location);
    Op* const returning = body_.ops.back();
    body_.ops.pop_back();
    Builder in_body(module_, body_.ops, loop_.location);
    for (Stack& stack : stacks_) {
      Value* const value = stack.value;
      const Type type =
          Type::Tensor(value->type.dtype, Inserted(value->type.dims, 0, TurnsAsInteger()));
      stack.carry = operands.size();
      operands.push_back(at_start.Splat(type, 0));
      module_.NewArgument(loop_.blocks[0], type);
      Value* const argument = module_.NewArgument(&body_, type);
      returning->operands.push_back(AddUpdate(in_body, argument, value, stack.index));
    }
    for (const Sum& sum : sums) returning->operands[sum.carry] = body_.arguments[sum.carry];
    body_.ops.push_back(returning);

    std::vector<Type> types;
    types.reserve(operands.size());
    for (const Value* operand : operands) types.push_back(operand->type);
    Op* const loop =
        module_.NewOp(Opcode::kWhile, operands, types, loop_.attributes, loop_.location);
    loop->blocks = loop_.blocks;
    for (size_t i = 0; i < loop_.results.size(); ++i) {
      replacements.Replace(loop_.results[i], loop->results[i]);
    }
    Builder at_end(module_, behind, loop_.location);
    for (const Sum& sum : sums) {
      replacements.Replace(loop->results[sum.carry], Total(at_end, *loop, sum));
    }
    return loop;
  }

 private:
  // What a value is in all turns, in the order of an index.
  struct Stack {
    Value* value = nullptr;
    Value* index = nullptr;
    size_t carry = 0;
  };
  struct Sum {
    size_t carry = 0;
    Op* product = nullptr;
    std::optional<Element> sides[2];  // nothing: in a stack
    Value* index = nullptr;           // of the turn, in all of them
  };

  void CountUses(const Block& block) {
    for (const Op* op : block.ops) {
      for (const Value* operand : op->operands) ++uses_[operand];
      for (const Block* inner : op->blocks) CountUses(*inner);
    }
  }

  const Stack* FindStack(const Value* value, const Value* index) const {
    for (const Stack& stack : stacks_) {
      if (stack.value == value && stack.index == index) return &stack;
    }
    return nullptr;
  }

  bool IsInside(const Value* value) const { return inside_.contains(value); }
  int64_t TurnsAsInteger() const { return static_cast<int64_t>(counter_.turns); }

  // The loop reads the element of an array that does not change in it.
  std::optional<Element> ElementOutside(Value* value) const {
    std::optional<Element> element = ElementOf(value);
    if (!element.has_value() || IsInside(element->array)) return std::nullopt;
    return element;
  }

  // What stands for the product in a turn, or null.
  Value* Moved(const Op& dot, std::vector<Op*>& before) {
    const auto& attributes = dot.Get<DotAttributes>();
    if (!attributes.lhs_batch.empty() || Flops(dot) > limits_.flops) return nullptr;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const std::optional<Element> element = ElementOutside(dot.operands[side]);
      Value* const other = dot.operands[1 - side];
      if (!element.has_value() || IsInside(other) ||
          other->type.SizeInBytes() <= limits_.cached_bytes) {
        continue;
      }
      const Dims& contracting = side == 0 ? attributes.lhs_contracting : attributes.rhs_contracting;
      // The array becomes the left operand. The order of the result's dimensions does not change if
      // a right operand has none in it.
      const size_t rank = dot.operands[side]->type.dims.size();
      if (side == 1 && contracting.size() != rank) continue;
      const int64_t extent = element->array->type.dims[element->dim];
      // Not for elements that no turn asks for.
      if (static_cast<double>(extent) > counter_.turns ||
          dot.type().SizeInBytes() > limits_.bytes / extent) {
        continue;
      }
      DotAttributes all = attributes;
      if (side == 1) std::swap(all.lhs_contracting, all.rhs_contracting);
      all.lhs_contracting = Renumbered(all.lhs_contracting, element->dim);
      int64_t position = 0;  // of the new dimension in the result
      for (int64_t d = 0; d < element->dim; ++d) position += !IsOneOf(d, all.lhs_contracting);
      Builder outside(module_, before, dot.location);
      Value* const product =
          outside.Add(Opcode::kDotGeneral, {element->array, other},
                      Type::Tensor(dot.type().dtype, Inserted(dot.type().dims, position, extent)),
                      MakeAttributes(std::move(all)));
      Builder in_body(module_, body_.ops, dot.location);
      return AddDynamicSlice(in_body, {product, position, element->index}, dot.type());
    }
    return nullptr;
  }

  // Carry `c` is only there for the sum of a product over all turns.
  std::optional<Sum> SumOf(size_t c) {
    Value* const carry = body_.arguments[c];
    Value* const next = body_.terminator()->operands[c];
    const Op* const add = next->op;
    // A sum of narrow floats would be rounded less often than the program says.
    const DType type = carry->type.dtype;
    if (add == nullptr || add->opcode != Opcode::kAdd ||
        (type != DType::kF32 && type != DType::kF64) || !IsInside(next) || uses_[next] != 1 ||
        uses_[carry] != 1 || uses_[loop_.blocks[0]->arguments[c]] != 0) {
      return std::nullopt;
    }
    Value* const term = add->operands[add->operands[0] == carry ? 1 : 0];
    if (add->operands[0] != carry && add->operands[1] != carry) return std::nullopt;
    Op* const product = term->op;
    if (product == nullptr || product->opcode != Opcode::kDotGeneral || !IsInside(term) ||
        uses_[term] != 1 || product->operands[0]->type.dtype != type ||
        product->operands[1]->type.dtype != type || Flops(*product) > limits_.flops) {
      return std::nullopt;
    }
    Sum sum{c, product, {}, nullptr};
    for (size_t side = 0; side < 2; ++side) {
      Value* const operand = product->operands[side];
      if (!IsInside(operand)) return std::nullopt;
      const std::optional<Element> element = ElementOutside(operand);
      if (!element.has_value() || (sum.index != nullptr && sum.index != element->index) ||
          !CountsThrough(element->index, loop_, counter_,
                         element->array->type.dims[element->dim])) {
        continue;
      }
      sum.sides[side] = element;
      sum.index = element->index;
    }
    if (sum.index == nullptr) sum.index = body_.arguments[counter_.carry];
    if (!CountsThrough(sum.index, loop_, counter_, TurnsAsInteger())) return std::nullopt;
    // Stacks are written and read once, the carry is so in every turn.
    int64_t bytes = 0;
    for (size_t side = 0; side < 2; ++side) {
      Value* const operand = product->operands[side];
      if (sum.sides[side].has_value() || FindStack(operand, sum.index) != nullptr) continue;
      if (operand->type.SizeInBytes() > limits_.bytes / TurnsAsInteger()) return std::nullopt;
      bytes += operand->type.SizeInBytes();
    }
    if (bytes > carry->type.SizeInBytes()) return std::nullopt;
    for (size_t side = 0; side < 2; ++side) {
      Value* const operand = product->operands[side];
      if (sum.sides[side].has_value() || FindStack(operand, sum.index) != nullptr) continue;
      stacks_.push_back({operand, sum.index, 0});
    }
    return sum;
  }

  static Value* AddUpdate(Builder& builder, Value* stack, Value* value, Value* index) {
    Value* const row = builder.Reshape(value, Inserted(value->type.dims, 0, 1));
    std::vector<Value*> operands = {stack, row};
    for (Value* start : StartsAt(builder, index, 0, stack->type.rank())) operands.push_back(start);
    return builder.AddOp(Opcode::kDynamicUpdateSlice, operands, {&stack->type, 1})->result();
  }

  // Behind the loop: what the carry would be.
  Value* Total(Builder& builder, const Op& loop, const Sum& sum) {
    DotAttributes attributes = sum.product->Get<DotAttributes>();
    Value* arrays[2];
    int64_t dims[2] = {0, 0};
    for (size_t side = 0; side < 2; ++side) {
      if (sum.sides[side].has_value()) {
        arrays[side] = sum.sides[side]->array;
        dims[side] = sum.sides[side]->dim;
      } else {
        arrays[side] = loop.results[FindStack(sum.product->operands[side], sum.index)->carry];
      }
    }
    const auto renumber = [&](Dims& batch, Dims& contracting, int64_t dim) {
      batch = Renumbered(batch, dim);
      contracting = Inserted(Renumbered(contracting, dim), 0, dim);
    };
    renumber(attributes.lhs_batch, attributes.lhs_contracting, dims[0]);
    renumber(attributes.rhs_batch, attributes.rhs_contracting, dims[1]);
    Value* const product = builder.Add(Opcode::kDotGeneral, {arrays[0], arrays[1]},
                                       sum.product->type(), MakeAttributes(std::move(attributes)));
    Value* const initial = loop.operands[sum.carry];
    return IsSplat(initial, 0) ? product : builder.Binary(Opcode::kAdd, initial, product);
  }

  Module& module_;
  const LoopProductLimits& limits_;
  Op& loop_;
  const LoopCounter counter_;
  Block& body_;
  std::unordered_set<const Value*> inside_;
  std::unordered_map<const Value*, int> uses_;
  std::vector<Stack> stacks_;
};

class ProductMover {
 public:
  ProductMover(Module& module, const LoopProductLimits& limits)
      : module_(module), limits_(limits) {}
  bool changed() const { return changed_; }

  void Run(Block& body) {
    RewriteLoops(body, replacements_,
                 [&](Op& loop, std::vector<Op*>& out) { VisitLoop(loop, out); });
    replacements_.Apply(body);
  }

 private:
  void VisitLoop(Op& loop, std::vector<Op*>& out) {
    const std::optional<LoopCounter> counter = CounterOf(loop);
    std::vector<Op*> behind;
    Op* moved = nullptr;
    // Of two turns, one product is as good as two.
    if (counter.has_value() && counter->turns > 2 && counter->turns < 0x1p31) {
      changed_ |= Loop(module_, limits_, loop, *counter).MoveBefore(out, replacements_);
      moved = Loop(module_, limits_, loop, *counter).MoveBehind(out, behind, replacements_);
    }
    changed_ |= moved != nullptr;
    out.push_back(moved != nullptr ? moved : &loop);
    out.insert(out.end(), behind.begin(), behind.end());
  }

  Module& module_;
  const LoopProductLimits& limits_;
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool MoveProductsOutOfLoops(Module& module, const Target& target) {
  if (target.loop_products.flops == 0) return false;
  ProductMover mover(module, target.loop_products);
  for (Function& function : module.functions) mover.Run(*function.body);
  return mover.changed();
}

}  // namespace plinth::compiler::passes
