// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/import_table.h"
#include "reference_plugin/compiler/ir/op_checks.h"

// @ApproxTopK: operands are arrays and as many initial values; a comparator says which elements
// come first. An exact answer is an approximation too: sorted, and the first taken.
namespace plinth::compiler::importer {
namespace {

using program::AttributeKind;

// A block of two scalars of each array that returns what the comparator does.
Expected<Block*> MakeComparator(Importer& importer, std::span<Value* const> arrays,
                                std::string_view callee) {
  Module& module = importer.module();
  Block* const block = module.NewBlock();
  SmallVector<Value*, 8> arguments;
  for (const Value* array : arrays) {
    for (int side = 0; side < 2; ++side) {
      arguments.push_back(module.NewArgument(block, Type::Tensor(array->type.dtype, {})));
    }
  }
  CallAttributes call;
  call.callee = std::string(callee);
  const Type predicate = Type::Tensor(DType::kPred, {});
  Op* const op = module.NewOp(Opcode::kCall, {arguments.data(), arguments.size()},
                              std::span<const Type>(&predicate, 1), MakeAttributes(std::move(call)),
                              importer.location());
  PLINTH_RETURN_IF_ERROR(importer.CheckCallee(*op));
  block->ops.push_back(op);
  block->ops.push_back(module.NewOp(Opcode::kReturn, std::span<Value* const>(&op->results[0], 1),
                                    std::span<const Type>(), nullptr, importer.location()));
  return block;
}

}  // namespace

Status ImportApproxTopK(Importer& importer, const program::Operation& operation) {
  program::AttributeRef config = operation.Find("mhlo.backend_config");
  if (config == nullptr) config = operation.Find("backend_config");
  const program::AttributeRef dimension =
      config == nullptr ? nullptr : config->Find("reduction_dim");
  const program::AttributeRef callees = operation.Find("called_computations");
  if (dimension == nullptr || !dimension->Is(AttributeKind::kInteger) || callees == nullptr ||
      callees->elements().size() != 1) {
    return InvalidArgument(
        "expected an integer reduction_dim in mhlo.backend_config and one computation in "
        "called_computations");
  }
  const size_t count = importer.operands().size() / 2;
  const std::span<const Type> results = importer.result_types();
  if (count == 0 || importer.operands().size() % 2 != 0 || results.size() != count) {
    return InvalidArgument("there are ", importer.operands().size(), " operands and ",
                           results.size(), " results; expected arrays and as many initial values");
  }
  const SmallVector<Value*, 8> arrays(importer.operands().first(count));
  DimensionAttributes sort;
  sort.dimension = dimension->integer();
  sort.is_stable = true;
  std::vector<Type> types;
  for (size_t i = 0; i < count; ++i) types.push_back(arrays[i]->type);
  Op* const op = importer.module().NewOp(Opcode::kSort, {arrays.data(), count}, types,
                                         MakeAttributes(sort), importer.location());
  PLINTH_ASSIGN_OR_RETURN(Block* const block, MakeComparator(importer, {arrays.data(), count},
                                                             callees->elements()[0]->text()));
  op->blocks.push_back(block);
  PLINTH_RETURN_IF_ERROR(CheckOp(*op));
  importer.ops().push_back(op);
  for (size_t i = 0; i < count; ++i) {
    const Dims& dims = types[i].dims;
    SliceAttributes slice{Dims(dims.size(), 0), results[i].dims, Dims(dims.size(), 1)};
    PLINTH_ASSIGN_OR_RETURN(Value* const first,
                            importer.AppendOne(Opcode::kSlice, {op->results[i]}, results[i],
                                               MakeAttributes(std::move(slice))));
    PLINTH_RETURN_IF_ERROR(importer.Define(i, first));
  }
  return Status();
}

}  // namespace plinth::compiler::importer
