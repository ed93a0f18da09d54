// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/verifier.h"

#include <unordered_map>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_checks.h"

namespace plinth::compiler {
namespace {

std::vector<Type> TypesOf(std::span<Value* const> values) {
  std::vector<Type> types;
  for (const Value* value : values) types.push_back(value->type);
  return types;
}

class Verifier {
 public:
  explicit Verifier(const Module& module)
      : module_(module), visible_(static_cast<size_t>(module.num_values()), false) {}

  Status Run() {
    for (const MeshRef& mesh : module_.meshes) PLINTH_RETURN_IF_ERROR(CheckMesh(*mesh));
    for (const Function& function : module_.functions) {
      if (function.body == nullptr) return Internal("function @", function.name, " has no body");
      if (!functions_.emplace(function.name, &function).second) {
        return Internal("there are two functions @", function.name);
      }
      PLINTH_RETURN_IF_ERROR(CheckTerminator(*function.body));
    }
    for (const Function& function : module_.functions) {
      Status status = VerifyBlock(*function.body);
      if (status.ok()) status = CheckShardings(function);
      if (!status.ok()) return status.WithContext(StrCat("in @", function.name));
    }
    return VerifyEntry();
  }

 private:
  static Status CheckTerminator(const Block& block) {
    if (block.ops.empty() || block.terminator()->opcode != Opcode::kReturn) {
      return Internal("a block does not end in return");
    }
    return Status();
  }

  Status VerifyEntry() {
    if (module_.entry == nullptr) return Internal("the module has no entry function");
    if (module_.entry < module_.functions.data() ||
        module_.entry >= module_.functions.data() + module_.functions.size()) {
      return Internal("the entry is not one of the module's functions");
    }
    const int64_t parameters = static_cast<int64_t>(module_.entry->body->arguments.size());
    const int64_t outputs =
        static_cast<int64_t>(module_.entry->body->terminator()->operands.size());
    for (const Donation& donation : module_.donations) {
      if (donation.argument < 0 || donation.argument >= parameters || donation.output < -1 ||
          donation.output >= outputs) {
        return Internal("argument ", donation.argument, " is donated to output ", donation.output,
                        "; there are ", parameters, " and ", outputs);
      }
    }
    const auto fits = [](const std::vector<std::string>& list, int64_t count) {
      return list.empty() || static_cast<int64_t>(list.size()) == count;
    };
    if (!fits(module_.parameter_shardings, parameters) ||
        !fits(module_.parameter_memory_kinds, parameters) ||
        !fits(module_.output_shardings, outputs) || !fits(module_.output_memory_kinds, outputs)) {
      return Internal("shardings or memory kinds are not one per parameter or output");
    }
    return Status();
  }

  Status VerifyBlock(const Block& block) {
    PLINTH_RETURN_IF_ERROR(CheckTerminator(block));
    for (size_t i = 0; i < block.arguments.size(); ++i) {
      const Value& argument = *block.arguments[i];
      if (argument.block != &block || argument.op != nullptr ||
          argument.index != static_cast<int32_t>(i)) {
        return Internal("argument ", i, " of a block does not know its place");
      }
      PLINTH_RETURN_IF_ERROR(CheckType(argument.type));
      visible_[static_cast<size_t>(argument.id)] = true;
    }
    for (const Op* op : block.ops) {
      Status status = VerifyOp(*op, op == block.terminator());
      if (!status.ok()) {
        return Internal(Name(op->opcode), op->location == nullptr ? "" : " at ",
                        op->location == nullptr ? "" : *op->location, ": ", status.message());
      }
    }
    // What a block defines is not seen outside of it.
    for (const Value* argument : block.arguments) {
      visible_[static_cast<size_t>(argument->id)] = false;
    }
    for (const Op* op : block.ops) {
      for (const Value* result : op->results) visible_[static_cast<size_t>(result->id)] = false;
    }
    return Status();
  }

  Status VerifyOp(const Op& op, bool is_last) {
    if ((op.opcode == Opcode::kReturn) != is_last) {
      return Internal("return stands elsewhere than at the end of a block");
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const Value* operand = op.operands[i];
      if (operand == nullptr || operand->id < 0 || operand->id >= module_.num_values() ||
          !visible_[static_cast<size_t>(operand->id)]) {
        return Internal("operand ", i, " is not a value that is visible here");
      }
    }
    for (const Block* block : op.blocks) PLINTH_RETURN_IF_ERROR(VerifyBlock(*block));
    for (size_t i = 0; i < op.results.size(); ++i) {
      const Value& result = *op.results[i];
      if (result.op != &op || result.block != nullptr || result.index != static_cast<int32_t>(i)) {
        return Internal("result ", i, " does not know its place");
      }
      PLINTH_RETURN_IF_ERROR(CheckType(result.type));
    }
    PLINTH_RETURN_IF_ERROR(CheckOp(op));
    PLINTH_RETURN_IF_ERROR(CheckShardings(op));
    if (op.opcode == Opcode::kCall || op.opcode == Opcode::kComposite) {
      const auto callee = functions_.find(op.Get<CallAttributes>().callee);
      if (callee == functions_.end()) return Internal("the callee does not exist");
      const Block& body = *callee->second->body;
      PLINTH_RETURN_IF_ERROR(CheckCall(
          op, TypesOf(body.arguments),
          TypesOf({body.terminator()->operands.data(), body.terminator()->operands.size()})));
    }
    for (const Value* result : op.results) {
      if (visible_[static_cast<size_t>(result->id)]) return Internal("the op stands in two places");
      visible_[static_cast<size_t>(result->id)] = true;
    }
    return Status();
  }

  const Module& module_;
  std::vector<bool> visible_;  // By value id.
  std::unordered_map<std::string_view, const Function*> functions_;
};

}  // namespace

Status Verify(const Module& module) { return Verifier(module).Run(); }

}  // namespace plinth::compiler
