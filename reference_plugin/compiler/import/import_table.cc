// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/import_table.h"

#include <array>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::importer {
namespace {

using POp = program::Op;
using program::Operation;

// A scalar as an array of these dimensions.
Expected<Value*> BroadcastScalar(Importer& importer, Value* scalar, const Dims& dims) {
  if (!scalar->type.IsScalar() || dims.empty()) return scalar;
  return importer.AppendOne(Opcode::kBroadcastInDim, {scalar},
                            Type::Tensor(scalar->type.dtype, dims),
                            MakeAttributes(DimensionsAttributes{}));
}

// `shaped` is the operand whose shape the others take.
Status BuildWithBroadcasts(Importer& importer, Opcode opcode, size_t shaped) {
  SmallVector<Value*, 3> operands(importer.operands());
  if (operands.size() != 3) {
    return InvalidArgument("there are ", operands.size(), " operands; expected 3");
  }
  for (Value*& operand : operands) {
    PLINTH_ASSIGN_OR_RETURN(operand,
                            BroadcastScalar(importer, operand, operands[shaped]->type.dims));
  }
  PLINTH_ASSIGN_OR_RETURN(Op* const op, importer.Append(opcode, operands, importer.result_types()));
  return importer.Define(0, op->results[0]);
}

// The predicate alone may be a scalar among arrays; bounds may.
Status BuildSelect(Importer& importer, const Operation&) {
  return BuildWithBroadcasts(importer, Opcode::kSelect, 1);
}
Status BuildClamp(Importer& importer, const Operation&) {
  return BuildWithBroadcasts(importer, Opcode::kClamp, 1);
}

// Operands of different element types are converted to the result's type, or one to the other's,
// if that loses nothing.
template <Opcode opcode, AttributeConverter convert>
Status BuildProduct(Importer& importer, const Operation& operation) {
  SmallVector<Value*, 2> operands(importer.operands());
  const std::span<const Type> results = importer.result_types();
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          convert({operation, importer.operands(), results, importer.owner()}));
  if (operands.size() == 2 && results.size() == 1 &&
      operands[0]->type.dtype != operands[1]->type.dtype) {
    const DType types[] = {results[0].dtype, operands[0]->type.dtype, operands[1]->type.dtype};
    const auto widens = [](DType from, DType to) {
      return from == to || (InfoOf(from).bits < InfoOf(to).bits &&
                            ((IsInteger(from) && IsInteger(to)) || (IsFloat(from) && IsFloat(to)) ||
                             (IsInteger(from) && IsFloat(to))));
    };
    // Without a sign, integers are right for results that wrap alone.
    const auto keeps_sign = [&](DType from, DType to) {
      return IsInteger(results[0].dtype) || InfoOf(to).kind != DTypeClass::kUnsigned ||
             InfoOf(from).kind != DTypeClass::kSigned;
    };
    for (const DType wide : types) {
      if (!widens(types[1], wide) || !widens(types[2], wide)) continue;
      if (!keeps_sign(types[1], wide) || !keeps_sign(types[2], wide)) continue;
      for (Value*& operand : operands) {
        if (operand->type.dtype == wide) continue;
        PLINTH_ASSIGN_OR_RETURN(operand,
                                importer.AppendOne(Opcode::kConvert, {operand},
                                                   Type::Tensor(wide, operand->type.dims)));
      }
      break;
    }
  }
  PLINTH_ASSIGN_OR_RETURN(Op* const op,
                          importer.Append(opcode, operands, results, std::move(attributes)));
  return importer.Define(0, op->results[0]);
}

// (low, high, shape): the shape is that of the result.
template <Opcode opcode, AttributeConverter convert>
Status BuildRng(Importer& importer, const Operation& operation) {
  const std::span<Value* const> operands = importer.operands();
  const std::span<const Type> results = importer.result_types();
  if (operands.size() != 3 || results.size() != 1) {
    return InvalidArgument("there are ", operands.size(), " operands; expected 3");
  }
  PLINTH_RETURN_IF_ERROR(CheckShapeOperand(importer, 2));
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          convert({operation, operands, results, importer.owner()}));
  PLINTH_ASSIGN_OR_RETURN(
      Op* const op, importer.Append(opcode, operands.first(2), results, std::move(attributes)));
  return importer.Define(0, op->results[0]);
}

// Annotations for the partitioner that change no values.
Status BuildIdentity(Importer& importer, const Operation&) {
  return importer.Define(importer.operands());
}
Status BuildShardingGroup(Importer& importer, const Operation& operation) {
  return importer.ImportShardingGroup(operation.Find("group_id")->integer());
}
Status BuildPropagationBarrier(Importer& importer, const Operation& operation) {
  return importer.ImportPropagationBarrier(operation.Find("allowed_direction")->integer());
}

Status BuildNamedComputation(Importer& importer, const Operation& operation) {
  if (operation.regions.size() != 1) {
    return InvalidArgument("there are ", operation.regions.size(), " regions; expected 1");
  }
  const SmallVector<Value*, 8> operands(importer.operands());
  PLINTH_ASSIGN_OR_RETURN(const std::vector<Value*> results,
                          importer.ImportInline(operation.regions[0], operands));
  return importer.Define(results);
}

// What is begun is over at once, so that a future is its value; of several values, their tuple.
Status BuildAsyncStart(Importer& importer, const Operation& operation) {
  if (operation.regions.size() != 1) {
    return InvalidArgument("there are ", operation.regions.size(), " regions; expected 1");
  }
  const SmallVector<Value*, 8> operands(importer.operands());
  PLINTH_ASSIGN_OR_RETURN(const std::vector<Value*> results,
                          importer.ImportInline(operation.regions[0], operands));
  if (results.size() == 1) return importer.Define(results);
  Type tuple;
  tuple.kind = Type::Kind::kTuple;
  for (const Value* result : results) tuple.elements.push_back(result->type);
  PLINTH_ASSIGN_OR_RETURN(Op* const op, importer.Append(Opcode::kTuple, results, {&tuple, 1}));
  return importer.Define(0, op->results[0]);
}

Status BuildAsyncDone(Importer& importer, const Operation&) {
  Value* const future = importer.operands()[0];
  if (future->type.kind != Type::Kind::kTuple) return importer.Define(importer.operands());
  if (future->op == nullptr || future->op->opcode != Opcode::kTuple) {
    return Unimplemented("its operand is not the future of an async_start of the same region");
  }
  return importer.Define({future->op->operands.data(), future->op->operands.size()});
}

struct Entry {
  POp op;
  ImportRow row;
};

constexpr Entry Same(POp op, Opcode opcode, AttributeConverter attributes = nullptr) {
  return {op, {ImportRow::How::kOp, opcode, attributes, nullptr}};
}
constexpr Entry Build(POp op, Status (*build)(Importer&, const Operation&)) {
  return {op, {ImportRow::How::kBuild, Opcode::kReturn, nullptr, build}};
}
constexpr Entry Return(POp op) {
  return {op, {ImportRow::How::kReturn, Opcode::kReturn, nullptr, nullptr}};
}

// What has no row is refused.
constexpr Entry kEntries[] = {
#include "reference_plugin/ops/import_rows.inc"
};

constexpr std::array<ImportRow, program::kNumOps> RowsByOp() {
  std::array<ImportRow, program::kNumOps> rows{};
  for (const Entry& entry : kEntries) rows[static_cast<size_t>(entry.op)] = entry.row;
  return rows;
}
constexpr std::array<ImportRow, program::kNumOps> kImportRows = RowsByOp();

}  // namespace

const ImportRow& ImportRowOf(program::Op op) { return kImportRows[static_cast<size_t>(op)]; }

}  // namespace plinth::compiler::importer
