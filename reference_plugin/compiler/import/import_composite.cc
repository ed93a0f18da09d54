// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/import_table.h"
#include "reference_plugin/compiler/ir/builder.h"
#include "reference_plugin/compiler/ir/op_checks.h"

// A composite is an op by name that has a function beside it which says the same in smaller ops.
// Some have regions, too; the function does without them.
namespace plinth::compiler::importer {
namespace {

using POp = program::Op;

// What combines two elements in any order, and of which result nothing else is made.
Opcode CombinerOf(const program::Region& body) {
  if (!body.has_block || body.argument_types.size() != 2 || body.operations.size() != 2 ||
      body.argument_types[0] != body.argument_types[1] || body.operations[1].op != POp::kReturn) {
    return Opcode::kReturn;
  }
  const program::Operation& combine = body.operations[0];
  const program::Operation& end = body.operations[1];
  const program::ValueId x = body.first_argument, carry = x + 1, result = combine.first_result;
  const auto has_operands = [](const program::Operation& op, program::ValueId a,
                               program::ValueId b) {
    return op.operands.size() == 2 && op.operands[0] == a && op.operands[1] == b;
  };
  if (!(has_operands(combine, x, carry) || has_operands(combine, carry, x)) ||
      !has_operands(end, result, result) || combine.result_types.size() != 1 ||
      combine.result_types[0] != body.argument_types[0]) {
    return Opcode::kReturn;
  }
  switch (combine.op) {
    case POp::kAdd:
      return Opcode::kAdd;
    case POp::kAnd:
      return Opcode::kAnd;
    case POp::kMaximum:
      return Opcode::kMaximum;
    case POp::kMinimum:
      return Opcode::kMinimum;
    case POp::kMultiply:
      return Opcode::kMultiply;
    case POp::kOr:
      return Opcode::kOr;
    case POp::kXor:
      return Opcode::kXor;
    default:
      return Opcode::kReturn;
  }
}

// The scalar of which all elements of an array are copies, or null.
Value* ScalarOf(Builder& builder, Value* array) {
  const Op* const op = array->op;
  if (array->type.IsScalar()) return array;
  if (op == nullptr) return nullptr;
  if (op->opcode == Opcode::kBroadcastInDim && op->operands[0]->type.IsScalar()) {
    return op->operands[0];
  }
  if (op->opcode != Opcode::kConstant) return nullptr;
  const auto& constant = op->Get<ConstantAttributes>();
  if (!constant.is_splat) return nullptr;
  return builder.Add(Opcode::kConstant, {}, Type::Tensor(array->type.dtype, {}),
                     SplatAttributes(constant.bytes));
}

// chlo.scan goes along a dimension with a carry: of the slices of its operands and the carry, a
// region makes slices of its results and the next carry. Where that is one op of one array, every
// result combines all elements so far. The second result is the last carry.
Expected<bool> ImportScan(Importer& importer, const program::Operation& operation) {
  const std::span<Value* const> operands = importer.operands();
  const std::span<const Type> results = importer.result_types();
  const program::AttributeRef attributes = operation.Find("composite_attributes");
  const program::AttributeRef dimension =
      attributes == nullptr ? nullptr : attributes->Find("dimension");
  if (operation.regions.size() != 1 || operands.size() != 2 || results.size() != 2 ||
      operation.regions[0].argument_types.size() != 2 ||
      operation.regions[0].argument_types[0] != operation.result_types[1] || dimension == nullptr ||
      !dimension->Is(program::AttributeKind::kInteger)) {
    return false;
  }
  const Type& type = operands[0]->type;
  DimensionAttributes scan;
  scan.dimension = dimension->integer();
  if (scan.dimension < 0 || scan.dimension >= type.rank()) return false;
  const auto axis = static_cast<size_t>(scan.dimension);
  const program::AttributeRef reverse = attributes->Find("is_reverse");
  scan.reverse = reverse != nullptr && reverse->integer() != 0;
  Type carry = type;
  carry.dims.erase(carry.dims.begin() + axis);
  const Opcode combiner = CombinerOf(operation.regions[0]);
  if (combiner == Opcode::kReturn || type.dims[axis] <= 0 || !(operands[1]->type == carry) ||
      !(results[0] == type) || !(results[1] == carry)) {
    return false;
  }
  Builder builder(importer.module(), importer.ops(), importer.location());
  Value* const initial = ScalarOf(builder, operands[1]);
  if (initial == nullptr) return false;

  Module& module = importer.module();
  const Type scalar = Type::Tensor(type.dtype, {});
  Value* const arguments[] = {operands[0], initial};
  Op* const op = module.NewOp(Opcode::kCumulativeReduce, arguments, {&type, 1},
                              MakeAttributes(scan), importer.location());
  Block* const block = module.NewBlock();
  op->blocks.push_back(block);
  Value* const left = module.NewArgument(block, scalar);
  Value* const right = module.NewArgument(block, scalar);
  Builder inner(module, block->ops, importer.location());
  Value* const combined = inner.Binary(combiner, left, right);
  block->ops.push_back(module.NewOp(Opcode::kReturn, {&combined, 1}, std::span<const Type>(),
                                    nullptr, importer.location()));
  PLINTH_RETURN_IF_ERROR(CheckOp(*combined->op));
  PLINTH_RETURN_IF_ERROR(CheckOp(*op));
  importer.ops().push_back(op);
  PLINTH_RETURN_IF_ERROR(importer.Define(0, op->results[0]));

  SliceAttributes slice{Dims(type.dims.size(), 0), type.dims, Dims(type.dims.size(), 1)};
  if (scan.reverse) {
    slice.limit[axis] = 1;
  } else {
    slice.start[axis] = type.dims[axis] - 1;
  }
  Type last = type;
  last.dims[axis] = 1;
  PLINTH_ASSIGN_OR_RETURN(
      Value* const row,
      importer.AppendOne(Opcode::kSlice, {op->results[0]}, last, MakeAttributes(std::move(slice))));
  PLINTH_ASSIGN_OR_RETURN(Value* const end, importer.AppendOne(Opcode::kReshape, {row}, carry));
  PLINTH_RETURN_IF_ERROR(importer.Define(1, end));
  return true;
}

}  // namespace

Status ImportComposite(Importer& importer, const program::Operation& operation) {
  if (operation.Text("name") == "chlo.scan") {
    PLINTH_ASSIGN_OR_RETURN(const bool is_done, ImportScan(importer, operation));
    if (is_done) return Status();
  }
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          ConvertComposite({operation, importer.operands(), importer.result_types(),
                                            importer.owner()}));
  PLINTH_ASSIGN_OR_RETURN(Op* const op,
                          importer.Append(Opcode::kComposite, importer.operands(),
                                          importer.result_types(), std::move(attributes)));
  PLINTH_RETURN_IF_ERROR(importer.CheckCallee(*op));
  return importer.Define(std::span<Value* const>(op->results));
}

}  // namespace plinth::compiler::importer
