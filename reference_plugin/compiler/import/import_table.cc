// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/import_table.h"

#include <array>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler {
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

// Factors and solutions of narrow floats are computed as f32 and rounded once.
template <Opcode opcode, AttributeConverter convert>
Status BuildWide(Importer& importer, const Operation& operation) {
  SmallVector<Value*, 2> operands(importer.operands());
  const std::span<const Type> results = importer.result_types();
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          convert({operation, importer.operands(), results, importer.owner()}));
  const DType narrow = results.size() == 1 ? results[0].dtype : DType::kF32;
  bool is_narrow = IsFloat(narrow) && InfoOf(narrow).bits < 32;
  for (const Value* operand : operands) is_narrow = is_narrow && operand->type.dtype == narrow;
  if (!is_narrow) {
    PLINTH_ASSIGN_OR_RETURN(Op* const op,
                            importer.Append(opcode, operands, results, std::move(attributes)));
    return importer.Define(0, op->results[0]);
  }
  for (Value*& operand : operands) {
    PLINTH_ASSIGN_OR_RETURN(operand,
                            importer.AppendOne(Opcode::kConvert, {operand},
                                               Type::Tensor(DType::kF32, operand->type.dims)));
  }
  const Type wide = Type::Tensor(DType::kF32, results[0].dims);
  PLINTH_ASSIGN_OR_RETURN(
      Op* const op,
      importer.Append(opcode, operands, std::span<const Type>(&wide, 1), std::move(attributes)));
  PLINTH_ASSIGN_OR_RETURN(Value* const rounded,
                          importer.AppendOne(Opcode::kConvert, {op->results[0]}, results[0]));
  return importer.Define(0, rounded);
}

// (low, high, shape): the shape is that of the result.
Status BuildRng(Importer& importer, const Operation& operation) {
  const std::span<Value* const> operands = importer.operands();
  const std::span<const Type> results = importer.result_types();
  if (operands.size() != 3 || results.size() != 1) {
    return InvalidArgument("there are ", operands.size(), " operands; expected 3");
  }
  const Type& shape = operands[2]->type;
  if (shape.rank() != 1 || !IsInteger(shape.dtype) || shape.dims[0] != results[0].rank()) {
    return InvalidArgument("operand 2 is ", shape.ToString(), "; expected the dimensions of ",
                           results[0].ToString());
  }
  PLINTH_ASSIGN_OR_RETURN(AttributesRef attributes,
                          ConvertRng({operation, operands, results, importer.owner()}));
  PLINTH_ASSIGN_OR_RETURN(Op* const op, importer.Append(Opcode::kRng, operands.first(2), results,
                                                        std::move(attributes)));
  return importer.Define(0, op->results[0]);
}

// Annotations for the partitioner that change no values.
Status BuildIdentity(Importer& importer, const Operation&) {
  return importer.Define(importer.operands());
}
Status BuildNothing(Importer&, const Operation&) { return Status(); }

Status BuildNamedComputation(Importer& importer, const Operation& operation) {
  if (operation.regions.size() != 1) {
    return InvalidArgument("there are ", operation.regions.size(), " regions; expected 1");
  }
  const SmallVector<Value*, 8> operands(importer.operands());
  PLINTH_ASSIGN_OR_RETURN(const std::vector<Value*> results,
                          importer.ImportInline(operation.regions[0], operands));
  return importer.Define(results);
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
    Same(POp::kAbs, Opcode::kAbs),
    Same(POp::kAdd, Opcode::kAdd),
    Same(POp::kAfterAll, Opcode::kAfterAll),
    Same(POp::kAllGather, Opcode::kAllGather, ConvertCollective),
    Same(POp::kAllReduce, Opcode::kAllReduce, ConvertCollective),
    Same(POp::kAllToAll, Opcode::kAllToAll, ConvertCollective),
    Same(POp::kAnd, Opcode::kAnd),
    Same(POp::kAtan2, Opcode::kAtan2),
    Same(POp::kBatchNormGrad, Opcode::kBatchNormGrad, ConvertBatchNorm),
    Same(POp::kBatchNormInference, Opcode::kBatchNormInference, ConvertBatchNorm),
    Same(POp::kBatchNormTraining, Opcode::kBatchNormTraining, ConvertBatchNorm),
    Same(POp::kBitcastConvert, Opcode::kBitcastConvert),
    Same(POp::kBroadcast, Opcode::kBroadcastInDim, ConvertBroadcast),
    Same(POp::kBroadcastInDim, Opcode::kBroadcastInDim, ConvertBroadcastInDim),
    Same(POp::kCall, Opcode::kCall, ConvertCall),
    Same(POp::kCase, Opcode::kCase),
    Same(POp::kCbrt, Opcode::kCbrt),
    Same(POp::kCeil, Opcode::kCeil),
    Build(POp::kCholesky, BuildWide<Opcode::kCholesky, ConvertCholesky>),
    Build(POp::kClamp, BuildClamp),
    Same(POp::kCollectiveBroadcast, Opcode::kCollectiveBroadcast, ConvertCollective),
    Same(POp::kCollectivePermute, Opcode::kCollectivePermute, ConvertCollective),
    Same(POp::kCompare, Opcode::kCompare, ConvertCompare),
    Same(POp::kComplex, Opcode::kComplex),
    Build(POp::kComposite, ImportComposite),
    Same(POp::kConcatenate, Opcode::kConcatenate, ConvertDimension),
    Same(POp::kConstant, Opcode::kConstant, ConvertConstant),
    Same(POp::kConvert, Opcode::kConvert),
    Build(POp::kConvolution, BuildProduct<Opcode::kConvolution, ConvertConvolution>),
    Same(POp::kCosine, Opcode::kCosine),
    Same(POp::kCountLeadingZeros, Opcode::kCountLeadingZeros),
    Same(POp::kCreateToken, Opcode::kCreateToken),
    Build(POp::kCustomCall, ImportCustomCall),
    Build(POp::kDataFlowEdge, BuildIdentity),
    Same(POp::kDivide, Opcode::kDivide),
    Build(POp::kDot, BuildProduct<Opcode::kDotGeneral, ConvertDot>),
    Build(POp::kDotGeneral, BuildProduct<Opcode::kDotGeneral, ConvertDotGeneral>),
    Build(POp::kDynamicBroadcastInDim, ImportDynamicBroadcast),
    Build(POp::kDynamicConv, ImportDynamicConvolution),
    Build(POp::kDynamicGather, ImportDynamicGather),
    Build(POp::kDynamicIota, ImportDynamicIota),
    Build(POp::kDynamicPad, ImportDynamicPad),
    Build(POp::kDynamicReshape, ImportDynamicReshape),
    Same(POp::kDynamicSlice, Opcode::kDynamicSlice, ConvertDynamicSlice),
    Same(POp::kDynamicUpdateSlice, Opcode::kDynamicUpdateSlice),
    Same(POp::kExponential, Opcode::kExponential),
    Same(POp::kExponentialMinusOne, Opcode::kExponentialMinusOne),
    Same(POp::kFft, Opcode::kFft, ConvertFft),
    Same(POp::kFloor, Opcode::kFloor),
    Return(POp::kFuncReturn),
    Same(POp::kGather, Opcode::kGather, ConvertGather),
    Same(POp::kGetDimensionSize, Opcode::kGetDimensionSize, ConvertDimension),
    Same(POp::kGetTupleElement, Opcode::kGetTupleElement, ConvertTupleIndex),
    Same(POp::kIf, Opcode::kIf),
    Same(POp::kImag, Opcode::kImag),
    Same(POp::kInfeed, Opcode::kInfeed),
    Same(POp::kIota, Opcode::kIota, ConvertIota),
    Same(POp::kIsFinite, Opcode::kIsFinite),
    Same(POp::kLog, Opcode::kLog),
    Same(POp::kLogPlusOne, Opcode::kLogPlusOne),
    Same(POp::kLogistic, Opcode::kLogistic),
    Same(POp::kManualComputation, Opcode::kManualComputation),
    Same(POp::kMap, Opcode::kMap, ConvertDimensions),
    Same(POp::kMaximum, Opcode::kMaximum),
    Same(POp::kMinimum, Opcode::kMinimum),
    Same(POp::kMultiply, Opcode::kMultiply),
    Build(POp::kNamedComputation, BuildNamedComputation),
    Same(POp::kNegate, Opcode::kNegate),
    Same(POp::kNot, Opcode::kNot),
    Same(POp::kOptimizationBarrier, Opcode::kOptimizationBarrier),
    Same(POp::kOr, Opcode::kOr),
    Same(POp::kOutfeed, Opcode::kOutfeed),
    Same(POp::kPad, Opcode::kPad, ConvertPad),
    Same(POp::kPartitionId, Opcode::kPartitionId),
    Same(POp::kPopcnt, Opcode::kPopcnt),
    Same(POp::kPower, Opcode::kPower),
    Build(POp::kPropagationBarrier, BuildIdentity),
    Same(POp::kReal, Opcode::kReal),
    Build(POp::kRealDynamicSlice, ImportRealDynamicSlice),
    Same(POp::kRecv, Opcode::kRecv),
    Same(POp::kReduce, Opcode::kReduce, ConvertDimensions),
    Same(POp::kReducePrecision, Opcode::kReducePrecision, ConvertReducePrecision),
    Same(POp::kReduceScatter, Opcode::kReduceScatter, ConvertCollective),
    Same(POp::kReduceWindow, Opcode::kReduceWindow, ConvertReduceWindow),
    Same(POp::kRemainder, Opcode::kRemainder),
    Same(POp::kReplicaId, Opcode::kReplicaId),
    Same(POp::kReshape, Opcode::kReshape),
    Same(POp::kReshard, Opcode::kReshard),
    Return(POp::kReturn),
    Same(POp::kReverse, Opcode::kReverse, ConvertDimensions),
    Build(POp::kRng, BuildRng),
    Same(POp::kRngBitGenerator, Opcode::kRngBitGenerator, ConvertRngBitGenerator),
    Same(POp::kRoundNearestAfz, Opcode::kRoundNearestAfz),
    Same(POp::kRoundNearestEven, Opcode::kRoundNearestEven),
    Same(POp::kRsqrt, Opcode::kRsqrt),
    Same(POp::kScatter, Opcode::kScatter, ConvertScatter),
    Return(POp::kSdyReturn),
    Build(POp::kSelect, BuildSelect),
    Same(POp::kSelectAndScatter, Opcode::kSelectAndScatter, ConvertReduceWindow),
    Same(POp::kSend, Opcode::kSend),
    Same(POp::kShardingConstraint, Opcode::kShardingConstraint),
    Build(POp::kShardingGroup, BuildNothing),
    Same(POp::kShiftLeft, Opcode::kShiftLeft),
    Same(POp::kShiftRightArithmetic, Opcode::kShiftRightArithmetic),
    Same(POp::kShiftRightLogical, Opcode::kShiftRightLogical),
    Same(POp::kSign, Opcode::kSign),
    Same(POp::kSine, Opcode::kSine),
    Same(POp::kSlice, Opcode::kSlice, ConvertSlice),
    Same(POp::kSort, Opcode::kSort, ConvertSort),
    Same(POp::kSqrt, Opcode::kSqrt),
    Same(POp::kSubtract, Opcode::kSubtract),
    Same(POp::kTan, Opcode::kTan),
    Same(POp::kTanh, Opcode::kTanh),
    Same(POp::kTranspose, Opcode::kTranspose, ConvertTranspose),
    Build(POp::kTriangularSolve, BuildWide<Opcode::kTriangularSolve, ConvertTriangularSolve>),
    Same(POp::kTuple, Opcode::kTuple),
    Same(POp::kWhile, Opcode::kWhile),
    Same(POp::kXor, Opcode::kXor),
};

constexpr std::array<ImportRow, program::kNumOps> RowsByOp() {
  std::array<ImportRow, program::kNumOps> rows{};
  for (const Entry& entry : kEntries) rows[static_cast<size_t>(entry.op)] = entry.row;
  return rows;
}
constexpr std::array<ImportRow, program::kNumOps> kRows = RowsByOp();

}  // namespace

const ImportRow& ImportRowOf(program::Op op) { return kRows[static_cast<size_t>(op)]; }

}  // namespace plinth::compiler
