// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/passes/inline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_checks.h"
#include "reference_plugin/compiler/ir/rewrite.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::passes {
namespace {

// Each function may call others twice, so the result can be exponentially larger than the program.
constexpr int64_t kMaxOps = 500'000;
constexpr int kMaxCallDepth = 500;
constexpr int kMaxNesting = 200;

std::string PlaceOf(const Op& op) {
  return op.location == nullptr ? std::string("unknown") : *op.location;
}

int64_t IntegerAttribute(const CallAttributes& call, std::string_view name, int64_t absent) {
  for (const auto& [key, value] : call.integer_attributes) {
    if (key == name) return value;
  }
  return absent;
}

// The op that a composite is by name, or null: then its decomposition says what it is.
Op* OpOfComposite(Module& module, const Op& composite) {
  const auto& call = composite.Get<CallAttributes>();
  if (composite.operands.size() != 1) return nullptr;
  Value* const operand = composite.operands[0];
  std::vector<Type> types;
  for (const Value* result : composite.results) types.push_back(result->type);
  Opcode opcode = Opcode::kErf;
  std::shared_ptr<const Attributes> attributes;
  if (call.composite_name == "chlo.top_k") {
    if (IntegerAttribute(call, "largest", 1) == 0) return nullptr;
    DimensionAttributes top;
    top.dimension = operand->type.rank() - 1;
    top.count = IntegerAttribute(call, "k", -1);
    opcode = Opcode::kTopK;
    attributes = MakeAttributes(top);
  } else if (call.composite_name != "chlo.erf" || !IsIeeeFloat(operand->type.dtype)) {
    return nullptr;
  }
  Op* const op = module.NewOp(opcode, {composite.operands.data(), 1}, types, std::move(attributes),
                              composite.location);
  return CheckOp(*op).ok() ? op : nullptr;
}

class Inliner {
 public:
  explicit Inliner(Module& module) : module_(module), cloner_(module) {
    for (Function& function : module.functions) states_[function.name].function = &function;
  }

  Status Run() {
    PLINTH_RETURN_IF_ERROR(Process(states_[module_.entry->name], 0));
    if (module_.entry != module_.functions.data()) {
      std::swap(module_.functions.front(), *module_.entry);
      module_.entry = module_.functions.data();
    }
    module_.functions.erase(module_.functions.begin() + 1, module_.functions.end());
    replacements_.Apply(*module_.entry->body);
    return Status();
  }

 private:
  struct State {
    Function* function = nullptr;
    bool begun = false;
    bool done = false;
    int height = 0;  // How deep its blocks nest.
  };

  Status Process(State& state, int call_depth) {
    if (call_depth > kMaxCallDepth) {
      return ResourceExhausted("functions call each other more than ", kMaxCallDepth, " deep");
    }
    state.begun = true;
    PLINTH_RETURN_IF_ERROR(ProcessBlock(*state.function->body, 0, call_depth, &state.height));
    // Callees are cloned from here on: their operands must be final.
    replacements_.Apply(*state.function->body);
    state.done = true;
    return Status();
  }

  // `*height` becomes the deepest nesting met.
  Status ProcessBlock(Block& block, int depth, int call_depth, int* height) {
    *height = std::max(*height, depth);
    if (depth > kMaxNesting) {
      return ResourceExhausted("inlined regions nest more than ", kMaxNesting, " deep");
    }
    const std::vector<Op*> ops = std::exchange(block.ops, {});
    block.ops.reserve(ops.size());
    for (Op* op : ops) {
      for (Block* inner : op->blocks) {
        PLINTH_RETURN_IF_ERROR(ProcessBlock(*inner, depth + 1, call_depth, height));
      }
      if (op->opcode == Opcode::kCall || op->opcode == Opcode::kComposite) {
        PLINTH_RETURN_IF_ERROR(ProcessCall(block, *op, depth, call_depth, height));
      } else if (op->opcode == Opcode::kManualComputation && IsWholeOnOneDevice(*op)) {
        InlineManualComputation(block, *op);
      } else {
        block.ops.push_back(op);
      }
    }
    return Status();
  }

  Status ProcessCall(Block& block, Op& op, int depth, int call_depth, int* height) {
    if (op.opcode == Opcode::kComposite) {
      if (Op* const known = OpOfComposite(module_, op)) {
        block.ops.push_back(known);
        for (size_t i = 0; i < op.results.size(); ++i) {
          replacements_.Replace(op.results[i], known->results[i]);
        }
        return Status();
      }
    }
    const auto& call = op.Get<CallAttributes>();
    State& callee = states_[call.callee];
    if (callee.function == nullptr) return Internal("there is no function @", call.callee);
    if (!callee.done) {
      if (callee.begun) {
        return Unimplemented(Name(op.opcode), " at ", PlaceOf(op), ": @", call.callee,
                             " calls itself; recursion is not supported");
      }
      PLINTH_RETURN_IF_ERROR(Process(callee, call_depth + 1));
    }
    *height = std::max(*height, depth + callee.height);
    if (*height > kMaxNesting) {
      return ResourceExhausted("inlined regions nest more than ", kMaxNesting, " deep");
    }
    const Block& body = *callee.function->body;
    for (size_t i = 0; i < body.arguments.size(); ++i) {
      cloner_.Map(body.arguments[i], replacements_.Find(op.operands[i]));
    }
    for (const Op* inner : body.ops) {
      if (inner->opcode == Opcode::kReturn) break;
      block.ops.push_back(cloner_.Clone(*inner));
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      replacements_.Replace(op.results[i], cloner_.Find(body.terminator()->operands[i]));
    }
    if (cloner_.num_cloned() + ++num_calls_ > kMaxOps) {
      return ResourceExhausted("the program has more than ", kMaxOps, " ops when @", call.callee,
                               " is inlined at ", PlaceOf(op));
    }
    return Status();
  }

  bool IsWholeOnOneDevice(const Op& op) const {
    if (module_.num_replicas != 1 || module_.num_partitions != 1) return false;
    const Block& body = *op.blocks[0];
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!(body.arguments[i]->type == op.operands[i]->type)) return false;
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!(body.terminator()->operands[i]->type == op.results[i]->type)) return false;
    }
    return true;
  }

  void InlineManualComputation(Block& block, Op& op) {
    Block& body = *op.blocks[0];
    for (size_t i = 0; i < op.operands.size(); ++i) {
      replacements_.Replace(body.arguments[i], op.operands[i]);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      replacements_.Replace(op.results[i], body.terminator()->operands[i]);
    }
    block.ops.insert(block.ops.end(), body.ops.begin(), body.ops.end() - 1);
  }

  Module& module_;
  std::unordered_map<std::string_view, State> states_;
  Replacements replacements_;
  // One for all calls: whatever a body maps is mapped anew by the next copy of that body.
  Cloner cloner_;
  int64_t num_calls_ = 0;
};

}  // namespace

Status Inline(Module& module) { return Inliner(module).Run(); }

}  // namespace plinth::compiler::passes
