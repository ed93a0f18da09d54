// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"

namespace plinth::compiler {
namespace {

std::vector<Type> ResultTypes(const Op& op) {
  std::vector<Type> types;
  for (const Value* result : op.results) types.push_back(result->type);
  return types;
}

// The branches take nothing and return what the op results in.
Status CheckBranches(const Op& op) {
  const std::vector<Type> types = ResultTypes(op);
  for (size_t i = 0; i < op.blocks.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(ExpectRegion(op, i, {}, types));
  }
  return Status();
}

Status ExpectToken(std::string_view what, const Type& found) {
  if (found.kind == Type::Kind::kToken) return Status();
  return InvalidArgument(what, " is ", found.ToString(), "; expected a token");
}

}  // namespace

Status CheckCase(const Op& op) {
  PLINTH_RETURN_IF_ERROR(ExpectOperand(op, 0, Type::Tensor(DType::kS32, {}), "the branch index"));
  return CheckBranches(op);
}

Status CheckIf(const Op& op) {
  PLINTH_RETURN_IF_ERROR(ExpectOperand(op, 0, Type::Tensor(DType::kPred, {}), "the predicate"));
  return CheckBranches(op);
}

Status CheckWhile(const Op& op) {
  const std::vector<Type> types = ResultTypes(op);
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of results", types.size(),
                                     static_cast<int64_t>(op.operands.size()), "one per operand"));
  for (size_t i = 0; i < types.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(ExpectOperand(op, i, types[i], "the type of its result"));
  }
  const Type predicate = Type::Tensor(DType::kPred, {});
  PLINTH_RETURN_IF_ERROR(ExpectRegion(op, 0, types, {&predicate, 1}));
  return ExpectRegion(op, 1, types, types);
}

Status CheckOptimizationBarrier(const Op& op) {
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of results", op.results.size(),
                                     static_cast<int64_t>(op.operands.size()), "one per operand"));
  for (size_t i = 0; i < op.results.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(ExpectResult(op, i, op.operands[i]->type, "the type of its operand"));
  }
  return Status();
}

Status CheckTuple(const Op& op) {
  Type expected;
  expected.kind = Type::Kind::kTuple;
  for (const Value* operand : op.operands) expected.elements.push_back(operand->type);
  return ExpectResult(op, 0, expected, "the operands");
}

Status CheckGetTupleElement(const Op& op) {
  const Type& tuple = op.operands[0]->type;
  const int64_t index = op.Get<TupleIndexAttributes>().index;
  if (tuple.kind != Type::Kind::kTuple) {
    return InvalidArgument("operand 0 is ", tuple.ToString(), "; expected a tuple");
  }
  PLINTH_RETURN_IF_ERROR(
      ExpectInRange("index", index, 0, static_cast<int64_t>(tuple.elements.size()) - 1));
  return ExpectResult(op, 0, tuple.elements[static_cast<size_t>(index)], "that element");
}

Status CheckTokens(const Op& op) {
  if (op.opcode == Opcode::kAfterAll) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(ExpectToken(StrCat("operand ", i), op.operands[i]->type));
    }
  } else if (!op.operands.empty()) {
    PLINTH_RETURN_IF_ERROR(ExpectToken("the last operand", op.operands.back()->type));
  }
  return ExpectToken("the last result", op.results.back()->type);
}

Status CheckIdentity(const Op& op) {
  return ExpectResult(op, 0, op.operands[0]->type, "the type of operand 0");
}

Status CheckManualComputation(const Op& op) {
  const Block& body = *op.blocks[0];
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of region arguments", body.arguments.size(),
                                     static_cast<int64_t>(op.operands.size()), "one per operand"));
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of returned values",
                                     body.terminator()->operands.size(),
                                     static_cast<int64_t>(op.results.size()), "one per result"));
  // The region works on one device's part: same elements, same number of dimensions.
  const auto expect_part = [](std::string_view what, const Type& part, const Type& whole) {
    if (part.kind == whole.kind && part.dtype == whole.dtype && part.rank() == whole.rank()) {
      return Status();
    }
    return InvalidArgument(what, " is ", part.ToString(), "; expected a part of ",
                           whole.ToString());
  };
  for (size_t i = 0; i < op.operands.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(expect_part(StrCat("argument ", i, " of the region"),
                                       body.arguments[i]->type, op.operands[i]->type));
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    PLINTH_RETURN_IF_ERROR(expect_part(StrCat("value ", i, " returned by the region"),
                                       body.terminator()->operands[i]->type, op.results[i]->type));
  }
  return Status();
}

Status CheckId(const Op& op) {
  return ExpectResult(op, 0, Type::Tensor(DType::kU32, {}), "a device number");
}

Status CheckCall(const Op& op, std::span<const Type> parameters, std::span<const Type> results) {
  const std::string& callee = op.Get<CallAttributes>().callee;
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of operands", op.operands.size(),
                                     static_cast<int64_t>(parameters.size()),
                                     StrCat("what @", callee, " takes")));
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (op.operands[i]->type == parameters[i]) continue;
    return ExpectOperand(op, i, parameters[i], StrCat("what @", callee, " takes"));
  }
  PLINTH_RETURN_IF_ERROR(ExpectCount("the list of results", op.results.size(),
                                     static_cast<int64_t>(results.size()),
                                     StrCat("what @", callee, " returns")));
  for (size_t i = 0; i < results.size(); ++i) {
    if (op.results[i]->type == results[i]) continue;
    return ExpectResult(op, i, results[i], StrCat("what @", callee, " returns"));
  }
  return Status();
}

}  // namespace plinth::compiler
