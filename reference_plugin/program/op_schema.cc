// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/op_schema.h"

#include <array>

namespace plinth::program {
namespace {

using Rule = AttributeRule;
using enum AttributeForm;
using enum AttributeDefault;

constexpr Rule kNoAttributes[] = {{"", kAny, kOptional}};
constexpr std::span<const Rule> kNone = std::span<const Rule>(kNoAttributes).first(0);

constexpr Rule kChannel = {"channel_handle", kStruct, kZero, "stablehlo.channel_handle"};
constexpr Rule kGroupsRule = {"replica_groups", kGroups, kRequired};
constexpr Rule kGlobalIds = {"use_global_device_ids", kUnit, kZero};
constexpr Rule kPrecision = {"precision_config", kPrecisions, kFirst};
constexpr Rule kSorted = {"indices_are_sorted", kBool, kZero};
constexpr Rule kPairs = {"source_target_pairs", kElements, kEmpty};

constexpr Rule kModuleRules[] = {{"sym_name", kString}, {"sym_visibility", kString}};
constexpr Rule kFuncRules[] = {
    {"sym_name", kString, kRequired},    {"function_type", kType, kRequired},
    {"sym_visibility", kString, kEmpty}, {"arg_attrs", kArray, kNoNames},
    {"res_attrs", kArray, kNoNames},
};
constexpr Rule kCallRules[] = {{"callee", kSymbol, kRequired},
                               {"arg_attrs", kArray, kNoNames},
                               {"res_attrs", kArray, kNoNames}};
constexpr Rule kMeshRules[] = {{"mesh", kStruct, kRequired, "sdy.mesh"},
                               {"sym_name", kString, kRequired}};
constexpr Rule kManualRules[] = {
    {"in_shardings", kStruct, kRequired, "sdy.sharding_per_value"},
    {"manual_axes", kStruct, kRequired, "sdy.manual_axes"},
    {"out_shardings", kStruct, kRequired, "sdy.sharding_per_value"},
};
constexpr Rule kShardingRules[] = {{"sharding", kStruct, kRequired, "sdy.sharding"}};
constexpr Rule kShardingGroupRules[] = {{"group_id", kI64, kRequired}};
constexpr Rule kBarrierRules[] = {{"allowed_direction", kI32, kRequired}};
constexpr Rule kNamedComputationRules[] = {
    {"in_shardings", kStruct, kOptional, "sdy.sharding_per_value"},
    {"name", kString, kRequired},
    {"out_shardings", kStruct, kOptional, "sdy.sharding_per_value"},
};
constexpr Rule kDataFlowEdgeRules[] = {{"sharding", kStruct, kOptional, "sdy.sharding"}};
constexpr Rule kAllGatherRules[] = {
    {"all_gather_dim", kI64, kRequired}, kGroupsRule, kChannel, kGlobalIds};
constexpr Rule kAllReduceRules[] = {kGroupsRule, kChannel, kGlobalIds};
constexpr Rule kAllToAllRules[] = {{"split_dimension", kI64, kRequired},
                                   {"concat_dimension", kI64, kRequired},
                                   {"split_count", kI64, kRequired},
                                   kGroupsRule,
                                   kChannel};
constexpr Rule kReduceScatterRules[] = {
    {"scatter_dimension", kI64, kRequired}, kGroupsRule, kChannel, kGlobalIds};
constexpr Rule kBroadcastCollectiveRules[] = {kGroupsRule, kChannel};
constexpr Rule kPermuteRules[] = {{"source_target_pairs", kElements, kRequired}, kChannel};
constexpr Rule kReplicaSumRules[] = {kGroupsRule};
constexpr Rule kBatchNormRules[] = {{"epsilon", kF32, kRequired},
                                    {"feature_index", kI64, kRequired}};
constexpr Rule kBroadcastRules[] = {{"broadcast_sizes", kInts, kRequired}};
constexpr Rule kBroadcastInDimRules[] = {{"broadcast_dimensions", kInts, kRequired}};
constexpr Rule kDynamicBroadcastRules[] = {{"broadcast_dimensions", kInts, kRequired},
                                           {"known_expanding_dimensions", kInts, kEmpty},
                                           {"known_nonexpanding_dimensions", kInts, kEmpty}};
constexpr Rule kAccuracyRules[] = {
    {"result_accuracy", kStruct, kZero, "stablehlo.result_accuracy"}};
constexpr Rule kCholeskyRules[] = {{"lower", kBool, kZero}};
constexpr Rule kCompareRules[] = {
    {"comparison_direction", kEnum, kRequired, "stablehlo.comparison_direction"},
    {"compare_type", kEnum, kFirst, "stablehlo.comparison_type"},
};
constexpr Rule kCompositeRules[] = {{"name", kString, kRequired},
                                    {"composite_attributes", kDictionary, kEmpty},
                                    {"decomposition", kSymbol, kRequired},
                                    {"version", kI32, kZero}};
constexpr Rule kDimensionRules[] = {{"dimension", kI64, kRequired}};
constexpr Rule kConstantRules[] = {{"value", kElements, kRequired}};
constexpr Rule kConvolutionRules[] = {
    {"window_strides", kInts, kAllOne},
    {"padding", kElements, kAllZero},
    {"lhs_dilation", kInts, kAllOne},
    {"rhs_dilation", kInts, kAllOne},
    {"window_reversal", kBools, kAllZero},
    {"dimension_numbers", kStruct, kRequired, "stablehlo.conv"},
    {"feature_group_count", kI64, kRequired},
    {"batch_group_count", kI64, kRequired},
    kPrecision,
};
constexpr Rule kDynamicConvRules[] = {
    {"window_strides", kInts, kAllOne},
    {"lhs_dilation", kInts, kAllOne},
    {"rhs_dilation", kInts, kAllOne},
    {"window_reversal", kBools, kAllZero},
    {"dimension_numbers", kStruct, kRequired, "stablehlo.conv"},
    {"feature_group_count", kI64, kRequired},
    {"batch_group_count", kI64, kRequired},
    kPrecision,
};
constexpr Rule kCustomCallRules[] = {
    {"call_target_name", kString, kRequired},  {"has_side_effect", kBool, kZero},
    {"backend_config", kAny, kEmpty},          {"api_version", kI32, kOne},
    {"called_computations", kSymbols, kEmpty}, {"operand_layouts", kArray, kOptional},
    {"result_layouts", kArray, kOptional},     {"output_operand_aliases", kArray, kEmpty},
};
constexpr Rule kDotRules[] = {kPrecision};
constexpr Rule kDotGeneralRules[] = {
    {"dot_dimension_numbers", kStruct, kRequired, "stablehlo.dot"},
    kPrecision,
    {"algorithm", kStruct, kOptional, "stablehlo.dot_algorithm"},
};
constexpr Rule kDynamicGatherRules[] = {
    {"dimension_numbers", kStruct, kRequired, "stablehlo.gather"}, kSorted};
constexpr Rule kGatherRules[] = {{"dimension_numbers", kStruct, kRequired, "stablehlo.gather"},
                                 {"slice_sizes", kInts, kRequired},
                                 kSorted};
constexpr Rule kIotaRules[] = {{"iota_dimension", kI64, kRequired}};
constexpr Rule kSliceSizesRules[] = {{"slice_sizes", kInts, kRequired}};
constexpr Rule kEinsumRules[] = {{"einsum_config", kString, kRequired}};
constexpr Rule kFftRules[] = {{"fft_type", kEnum, kRequired, "stablehlo.fft_type"},
                              {"fft_length", kInts, kRequired}};
constexpr Rule kIndexRules[] = {{"index", kI32, kRequired}};
constexpr Rule kInfeedRules[] = {{"infeed_config", kString, kEmpty}, {"layout", kArray, kEmpty}};
constexpr Rule kOutfeedRules[] = {{"outfeed_config", kString, kEmpty}};
constexpr Rule kDimensionsRules[] = {{"dimensions", kInts, kRequired}};
constexpr Rule kPadRules[] = {{"edge_padding_low", kInts, kRequired},
                              {"edge_padding_high", kInts, kRequired},
                              {"interior_padding", kInts, kRequired}};
constexpr Rule kTransferRules[] = {
    {"channel_handle", kStruct, kRequired, "stablehlo.channel_handle"},
    {"is_host_transfer", kBool, kZero},
    kPairs,
};
constexpr Rule kReducePrecisionRules[] = {{"exponent_bits", kI32, kRequired},
                                          {"mantissa_bits", kI32, kRequired}};
constexpr Rule kReduceWindowRules[] = {
    {"window_dimensions", kInts, kRequired}, {"window_strides", kInts, kAllOne},
    {"base_dilations", kInts, kAllOne},      {"window_dilations", kInts, kAllOne},
    {"padding", kElements, kAllZero},
};
constexpr Rule kRngRules[] = {{"rng_distribution", kEnum, kRequired, "stablehlo.rng_distribution"}};
constexpr Rule kRngBitsRules[] = {{"rng_algorithm", kEnum, kRequired, "stablehlo.rng_algorithm"}};
constexpr Rule kScatterRules[] = {
    {"scatter_dimension_numbers", kStruct, kRequired, "stablehlo.scatter"},
    kSorted,
    {"unique_indices", kBool, kZero},
};
constexpr Rule kSelectAndScatterRules[] = {{"window_dimensions", kInts, kOptional},
                                           {"window_strides", kInts, kAllOne},
                                           {"padding", kElements, kAllZero}};
constexpr Rule kSliceRules[] = {{"start_indices", kInts, kRequired},
                                {"limit_indices", kInts, kRequired},
                                {"strides", kInts, kRequired}};
constexpr Rule kSortRules[] = {{"dimension", kI64, kMinusOne}, {"is_stable", kBool, kZero}};
constexpr Rule kTorchIndexSelectRules[] = {{"dim", kI64, kRequired},
                                           {"batch_dims", kI64, kRequired}};
constexpr Rule kTransposeRules[] = {{"permutation", kInts, kRequired}};
constexpr Rule kTriangularSolveRules[] = {
    {"left_side", kBool, kRequired},
    {"lower", kBool, kRequired},
    {"unit_diagonal", kBool, kRequired},
    {"transpose_a", kEnum, kRequired, "stablehlo.transpose"},
};

constexpr int8_t kN = kAnyNumber;

// Op, operands, results, regions, inherent attributes.
constexpr OpSchema kSchemas[] = {
    {Op::kModule, 0, 0, 1, kModuleRules},
    {Op::kFunc, 0, 0, 1, kFuncRules},
    {Op::kCall, kN, kN, 0, kCallRules},
    {Op::kFuncReturn, kN, 0, 0, kNone},
    {Op::kMesh, 0, 0, 0, kMeshRules},
    {Op::kManualComputation, kN, kN, 1, kManualRules},
    {Op::kSdyReturn, kN, 0, 0, kNone},
    {Op::kShardingConstraint, 1, 1, 0, kShardingRules},
    {Op::kReshard, 1, 1, 0, kShardingRules},
    {Op::kShardingGroup, 1, 0, 0, kShardingGroupRules},
    {Op::kPropagationBarrier, 1, 1, 0, kBarrierRules},
    {Op::kNamedComputation, kN, kN, 1, kNamedComputationRules},
    {Op::kDataFlowEdge, 1, 1, 0, kDataFlowEdgeRules},
    {Op::kAbs, 1, 1, 0, kNone},
    {Op::kAdd, 2, 1, 0, kNone},
    {Op::kAfterAll, kN, 1, 0, kNone},
    {Op::kAllGather, kN, kN, 0, kAllGatherRules},
    {Op::kAllReduce, kN, kN, 1, kAllReduceRules},
    {Op::kAllToAll, kN, kN, 0, kAllToAllRules},
    {Op::kAnd, 2, 1, 0, kNone},
    {Op::kAsyncDone, 1, kN, 0, kNone},
    {Op::kAsyncStart, kN, 1, 1, kNone},
    {Op::kAtan2, 2, 1, 0, kNone},
    {Op::kBatchNormGrad, 5, 3, 0, kBatchNormRules},
    {Op::kBatchNormInference, 5, 1, 0, kBatchNormRules},
    {Op::kBatchNormTraining, 3, 3, 0, kBatchNormRules},
    {Op::kBitcastConvert, 1, 1, 0, kNone},
    {Op::kBroadcast, 1, 1, 0, kBroadcastRules},
    {Op::kBroadcastInDim, 1, 1, 0, kBroadcastInDimRules},
    {Op::kCase, 1, kN, kN, kNone},
    {Op::kCbrt, 1, 1, 0, kAccuracyRules},
    {Op::kCeil, 1, 1, 0, kNone},
    {Op::kCholesky, 1, 1, 0, kCholeskyRules},
    {Op::kClamp, 3, 1, 0, kNone},
    {Op::kCollectiveBroadcast, kN, kN, 0, kBroadcastCollectiveRules},
    {Op::kCollectivePermute, 1, 1, 0, kPermuteRules},
    {Op::kCompare, 2, 1, 0, kCompareRules},
    {Op::kComplex, 2, 1, 0, kNone},
    {Op::kComposite, kN, kN, kN, kCompositeRules},
    {Op::kConcatenate, kN, 1, 0, kDimensionRules},
    {Op::kConstant, 0, 1, 0, kConstantRules},
    {Op::kConvert, 1, 1, 0, kNone},
    {Op::kConvolution, 2, 1, 0, kConvolutionRules},
    {Op::kCosine, 1, 1, 0, kAccuracyRules},
    {Op::kCountLeadingZeros, 1, 1, 0, kNone},
    {Op::kCreateToken, 0, 1, 0, kNone},
    {Op::kCrossReplicaSum, 1, 1, 0, kReplicaSumRules},
    {Op::kCustomCall, kN, kN, 0, kCustomCallRules},
    {Op::kDivide, 2, 1, 0, kNone},
    {Op::kDot, 2, 1, 0, kDotRules},
    {Op::kDotGeneral, 2, 1, 0, kDotGeneralRules},
    {Op::kDynamicBroadcastInDim, 2, 1, 0, kDynamicBroadcastRules},
    {Op::kDynamicConv, 3, 1, 0, kDynamicConvRules},
    {Op::kDynamicGather, 3, 1, 0, kDynamicGatherRules},
    {Op::kDynamicIota, 1, 1, 0, kIotaRules},
    {Op::kDynamicPad, 5, 1, 0, kNone},
    {Op::kDynamicReshape, 2, 1, 0, kNone},
    {Op::kDynamicSlice, kN, 1, 0, kSliceSizesRules},
    {Op::kDynamicUpdateSlice, kN, 1, 0, kNone},
    {Op::kEinsum, 2, 1, 0, kEinsumRules},
    {Op::kExponential, 1, 1, 0, kAccuracyRules},
    {Op::kExponentialMinusOne, 1, 1, 0, kAccuracyRules},
    {Op::kFft, 1, 1, 0, kFftRules},
    {Op::kFloor, 1, 1, 0, kNone},
    {Op::kGather, 2, 1, 0, kGatherRules},
    {Op::kGetDimensionSize, 1, 1, 0, kDimensionRules},
    {Op::kGetTupleElement, 1, 1, 0, kIndexRules},
    {Op::kIf, 1, kN, 2, kNone},
    {Op::kImag, 1, 1, 0, kNone},
    {Op::kInfeed, 1, kN, 0, kInfeedRules},
    {Op::kIota, 0, 1, 0, kIotaRules},
    {Op::kIsFinite, 1, 1, 0, kNone},
    {Op::kLog, 1, 1, 0, kAccuracyRules},
    {Op::kLogPlusOne, 1, 1, 0, kAccuracyRules},
    {Op::kLogistic, 1, 1, 0, kAccuracyRules},
    {Op::kMap, kN, 1, 1, kDimensionsRules},
    {Op::kMaximum, 2, 1, 0, kNone},
    {Op::kMinimum, 2, 1, 0, kNone},
    {Op::kMultiply, 2, 1, 0, kNone},
    {Op::kNegate, 1, 1, 0, kNone},
    {Op::kNot, 1, 1, 0, kNone},
    {Op::kOptimizationBarrier, kN, kN, 0, kNone},
    {Op::kOr, 2, 1, 0, kNone},
    {Op::kOutfeed, kN, 1, 0, kOutfeedRules},
    {Op::kPad, 2, 1, 0, kPadRules},
    {Op::kPartitionId, 0, 1, 0, kNone},
    {Op::kPopcnt, 1, 1, 0, kNone},
    {Op::kPower, 2, 1, 0, kNone},
    {Op::kReal, 1, 1, 0, kNone},
    {Op::kRealDynamicSlice, 4, 1, 0, kNone},
    {Op::kRecv, 1, kN, 0, kTransferRules},
    {Op::kReduce, kN, kN, 1, kDimensionsRules},
    {Op::kReducePrecision, 1, 1, 0, kReducePrecisionRules},
    {Op::kReduceScatter, 1, 1, 1, kReduceScatterRules},
    {Op::kReduceWindow, kN, kN, 1, kReduceWindowRules},
    {Op::kRemainder, 2, 1, 0, kNone},
    {Op::kReplicaId, 0, 1, 0, kNone},
    {Op::kReshape, 1, 1, 0, kNone},
    {Op::kReturn, kN, 0, 0, kNone},
    {Op::kReverse, 1, 1, 0, kDimensionsRules},
    {Op::kRng, 3, 1, 0, kRngRules},
    {Op::kRngBitGenerator, 1, 2, 0, kRngBitsRules},
    {Op::kRoundNearestAfz, 1, 1, 0, kNone},
    {Op::kRoundNearestEven, 1, 1, 0, kNone},
    {Op::kRsqrt, 1, 1, 0, kAccuracyRules},
    {Op::kScatter, kN, kN, 1, kScatterRules},
    {Op::kSelect, 3, 1, 0, kNone},
    {Op::kSelectAndScatter, 3, 1, 2, kSelectAndScatterRules},
    {Op::kSend, kN, 1, 0, kTransferRules},
    {Op::kSetDimensionSize, 2, 1, 0, kDimensionRules},
    {Op::kShiftLeft, 2, 1, 0, kNone},
    {Op::kShiftRightArithmetic, 2, 1, 0, kNone},
    {Op::kShiftRightLogical, 2, 1, 0, kNone},
    {Op::kSign, 1, 1, 0, kNone},
    {Op::kSine, 1, 1, 0, kAccuracyRules},
    {Op::kSlice, 1, 1, 0, kSliceRules},
    {Op::kSort, kN, kN, 1, kSortRules},
    {Op::kSqrt, 1, 1, 0, kAccuracyRules},
    {Op::kSubtract, 2, 1, 0, kNone},
    {Op::kTan, 1, 1, 0, kAccuracyRules},
    {Op::kTanh, 1, 1, 0, kAccuracyRules},
    {Op::kTorchIndexSelect, 2, 1, 0, kTorchIndexSelectRules},
    {Op::kTranspose, 1, 1, 0, kTransposeRules},
    {Op::kTriangularSolve, 2, 1, 0, kTriangularSolveRules},
    {Op::kTuple, kN, 1, 0, kNone},
    {Op::kUnaryEinsum, 1, 1, 0, kEinsumRules},
    {Op::kUniformDequantize, 1, 1, 0, kNone},
    {Op::kUniformQuantize, 1, 1, 0, kNone},
    {Op::kWhile, kN, kN, 2, kNone},
    {Op::kXor, 2, 1, 0, kNone},
};

constexpr bool InOrder() {
  for (int i = 0; i < kNumOps; ++i) {
    if (kSchemas[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(std::size(kSchemas) == kNumOps && InOrder(), "one row per op, in the order of op.h");

}  // namespace

const OpSchema& SchemaOf(Op op) { return kSchemas[static_cast<size_t>(op)]; }

const AttributeRule* FindRule(Op op, std::string_view name) {
  for (const AttributeRule& rule : SchemaOf(op).attributes) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

Status CheckCounts(Op op, size_t operands, size_t results, size_t regions) {
  const OpSchema& schema = SchemaOf(op);
  const auto check = [&](int8_t wanted, size_t found, std::string_view what) -> Status {
    if (wanted == kAnyNumber || static_cast<size_t>(wanted) == found) return {};
    return InvalidArgument("it has ", found, " ", what, ", not ", static_cast<int>(wanted));
  };
  PLINTH_RETURN_IF_ERROR(check(schema.operands, operands, "operands"));
  PLINTH_RETURN_IF_ERROR(check(schema.results, results, "results"));
  return check(schema.regions, regions, "regions");
}

Status CheckPlace(Op op, std::optional<Op> parent) {
  const bool is_top = op == Op::kModule;
  const bool is_module_part = op == Op::kFunc || op == Op::kMesh;
  if (!parent.has_value()) {
    return is_top ? Status() : InvalidArgument("a module was expected at the top");
  }
  if (is_top || is_module_part != (*parent == Op::kModule)) {
    return InvalidArgument("it cannot stand in a region of ", Name(*parent));
  }
  return {};
}

Status CheckBlock(Op parent, const Region& region) {
  if (parent == Op::kModule) {
    return region.argument_types.empty() ? Status() : InvalidArgument("its block has arguments");
  }
  if (!region.has_block) return {};
  if (region.operations.empty() || !IsTerminator(region.operations.back().op)) {
    return InvalidArgument("a block of it does not end with a return");
  }
  for (const Operation& op : region.operations.first(region.operations.size() - 1)) {
    if (IsTerminator(op.op)) {
      return InvalidArgument("ops follow ", Name(op.op), " (", ToString(op.location), ")");
    }
  }
  return {};
}

}  // namespace plinth::program
