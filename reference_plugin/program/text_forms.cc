// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/text_forms.h"

#include <array>

namespace plinth::program {
namespace {

struct Form {
  Op op;
  std::string_view pieces;
};

constexpr std::string_view kUnary = "% A :S";
constexpr std::string_view kBinary = "% , % A :S";
constexpr std::string_view kFunctional = "%* A :F";
constexpr std::string_view kNullary = "A :R";

constexpr Form kForms[] = {
    {Op::kModule, "$module"},
    {Op::kFunc, "$func"},
    {Op::kCall, "@@callee ( %* ) A :F"},
    {Op::kFuncReturn, "A %* :O"},
    {Op::kMesh, "@@sym_name = @mesh A"},
    {Op::kManualComputation,
     "( %* ) in_shardings = $in_shardings out_shardings = $out_shardings manual_axes = "
     "@manual_axes $body A :F"},
    {Op::kSdyReturn, "A %* :O"},
    {Op::kShardingConstraint, "% @sharding A :R"},
    {Op::kReshard, "% @sharding A :R"},
    {Op::kShardingGroup, "% group_id = @group_id A :O"},
    {Op::kPropagationBarrier, "% allowed_direction = $direction A :R"},
    {Op::kNamedComputation,
     "< @name > ( %* ) $optional_in_shardings $optional_out_shardings $body A :F"},
    {Op::kDataFlowEdge, "% ?sharding=@sharding A :R"},
    {Op::kAbs, kUnary},
    {Op::kAdd, kBinary},
    {Op::kAfterAll, "%* A :S"},
    {Op::kAnd, kBinary},
    {Op::kAtan2, kBinary},
    {Op::kBitcastConvert, kFunctional},
    {Op::kBroadcast, "% , sizes = @broadcast_sizes A :F"},
    {Op::kBroadcastInDim, "% , dims = @broadcast_dimensions A :F"},
    {Op::kCbrt, kUnary},
    {Op::kCeil, kUnary},
    {Op::kCholesky, "% ?,lower=@lower A :S"},
    {Op::kClamp, "% , % , % A :S"},
    {Op::kCompare, "@comparison_direction , % , % ?,@compare_type A :F"},
    {Op::kComplex, "%* A :C"},
    {Op::kComposite, "@name %* $composite_regions A :F"},
    {Op::kConcatenate, "%,* dim = @dimension A :F"},
    {Op::kConstant, "$constant"},
    {Op::kConvert, kUnary},
    {Op::kConvolution, "( %* ) dim_numbers = $conv , window = $window A :F"},
    {Op::kCosine, kUnary},
    {Op::kCountLeadingZeros, kUnary},
    {Op::kCreateToken, kNullary},
    {Op::kCustomCall, "@@call_target_name ( %* ) A :F"},
    {Op::kDivide, kBinary},
    {Op::kDot, "% , % $precision A :F"},
    {Op::kDotGeneral, "% , % , $dot_dimensions $precision A :F"},
    {Op::kDynamicBroadcastInDim, "% , % , dims = @broadcast_dimensions A :F"},
    {Op::kDynamicIota, "% , dim = @iota_dimension A :F"},
    {Op::kDynamicPad, kFunctional},
    {Op::kDynamicReshape, kFunctional},
    {Op::kDynamicSlice, "% , %,* sizes = @slice_sizes A :F"},
    {Op::kDynamicUpdateSlice, kFunctional},
    {Op::kEinsum, "% , % , config = @einsum_config A :F"},
    {Op::kExponential, kUnary},
    {Op::kExponentialMinusOne, kUnary},
    {Op::kFft, "% , type = @fft_type , length = @fft_length A :F"},
    {Op::kFloor, kUnary},
    {Op::kGetDimensionSize, "% , dim = @dimension A :F"},
    {Op::kGetTupleElement, "% [ @index ] A :F"},
    {Op::kImag, kUnary},
    {Op::kIota, "dim = @iota_dimension A :R"},
    {Op::kIsFinite, kFunctional},
    {Op::kLog, kUnary},
    {Op::kLogPlusOne, kUnary},
    {Op::kLogistic, kUnary},
    {Op::kMaximum, kBinary},
    {Op::kMinimum, kBinary},
    {Op::kMultiply, kBinary},
    {Op::kNegate, kUnary},
    {Op::kNot, kUnary},
    {Op::kOptimizationBarrier, "A $barrier_operands :P"},
    {Op::kOr, kBinary},
    {Op::kPad,
     "% , % , low = @edge_padding_low , high = @edge_padding_high , interior = @interior_padding "
     "A :F"},
    {Op::kPartitionId, kNullary},
    {Op::kPopcnt, kUnary},
    {Op::kPower, kBinary},
    {Op::kReal, kUnary},
    {Op::kRealDynamicSlice, kFunctional},
    {Op::kReduce, "$reduce"},
    {Op::kReducePrecision, "% , format = $format A :S"},
    {Op::kRemainder, kBinary},
    {Op::kReplicaId, kNullary},
    {Op::kReshape, kFunctional},
    {Op::kReturn, "%* A :O"},
    {Op::kReverse, "% , dims = @dimensions A :S"},
    {Op::kRng, "% , % , % , distribution = @rng_distribution A :F"},
    {Op::kRngBitGenerator, "% , algorithm = @rng_algorithm A :F"},
    {Op::kRoundNearestAfz, kUnary},
    {Op::kRoundNearestEven, kUnary},
    {Op::kRsqrt, kUnary},
    {Op::kSelect, "%* A :Q"},
    {Op::kSetDimensionSize, "% , % , dim = @dimension A :F"},
    {Op::kShiftLeft, kBinary},
    {Op::kShiftRightArithmetic, kBinary},
    {Op::kShiftRightLogical, kBinary},
    {Op::kSign, kUnary},
    {Op::kSine, kUnary},
    {Op::kSlice, "% $slice A :F"},
    {Op::kSqrt, kUnary},
    {Op::kSubtract, kBinary},
    {Op::kTan, kUnary},
    {Op::kTanh, kUnary},
    {Op::kTranspose, "% , dims = @permutation A :F"},
    {Op::kTuple, "%* A :T"},
    {Op::kUnaryEinsum, "% , config = @einsum_config A :F"},
    {Op::kUniformDequantize, kUnary},
    {Op::kUniformQuantize, kUnary},
    {Op::kWhile, "$while"},
    {Op::kXor, kBinary},
};

constexpr std::array<std::string_view, kNumOps> ByOp() {
  std::array<std::string_view, kNumOps> forms;
  for (const Form& form : kForms) forms[static_cast<size_t>(form.op)] = form.pieces;
  return forms;
}

constexpr std::array<std::string_view, kNumOps> kByOp = ByOp();

}  // namespace

std::string_view TextForm(Op op) { return kByOp[static_cast<size_t>(op)]; }

}  // namespace plinth::program
