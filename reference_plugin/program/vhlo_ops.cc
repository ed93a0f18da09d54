// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/vhlo_ops.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace plinth::program {
namespace {

using std::string_view;

constexpr VhloVersion kCurrent = {9999, 0};
constexpr std::span<const string_view> kNone = {};

constexpr string_view kAllGather[] = {"all_gather_dim", "channel_id", "replica_groups",
                                      "use_global_device_ids"};
constexpr string_view kAllReduce[] = {"channel_id", "replica_groups", "use_global_device_ids"};
constexpr string_view kAllToAll[] = {"channel_id", "concat_dimension", "replica_groups",
                                     "split_count", "split_dimension"};
constexpr string_view kBatchNormGrad[] = {"epsilon", "feature_index"};
constexpr string_view kBroadcast[] = {"broadcast_sizes"};
constexpr string_view kBroadcastInDim[] = {"broadcast_dimensions"};
constexpr string_view kCall[] = {"callee"};
constexpr string_view kCbrt[] = {"result_accuracy"};
constexpr string_view kCholesky[] = {"lower"};
constexpr string_view kCollectiveBroadcast[] = {"channel_id", "replica_groups"};
constexpr string_view kCollectivePermute[] = {"channel_id", "source_target_pairs"};
constexpr string_view kCompare[] = {"compare_type", "comparison_direction"};
constexpr string_view kComposite[] = {"composite_attributes", "decomposition", "name", "version"};
constexpr string_view kConcatenate[] = {"dimension"};
constexpr string_view kConstant[] = {"value"};
constexpr string_view kConvolution[] = {"batch_group_count",
                                        "feature_group_count",
                                        "input_batch_dimension",
                                        "input_feature_dimension",
                                        "input_spatial_dimensions",
                                        "kernel_input_feature_dimension",
                                        "kernel_output_feature_dimension",
                                        "kernel_spatial_dimensions",
                                        "lhs_dilation",
                                        "output_batch_dimension",
                                        "output_feature_dimension",
                                        "output_spatial_dimensions",
                                        "padding",
                                        "precision_config",
                                        "rhs_dilation",
                                        "window_reversal",
                                        "window_strides"};
constexpr string_view kCrossReplicaSum[] = {"replica_groups"};
constexpr string_view kCustomCall[] = {
    "api_version",     "backend_config",  "call_target_name",       "called_computations",
    "has_side_effect", "operand_layouts", "output_operand_aliases", "result_layouts"};
constexpr string_view kDot[] = {"precision_config"};
constexpr string_view kDotGeneral[] = {"accumulation_type",          "allow_imprecise_accumulation",
                                       "lhs_batching_dimensions",    "lhs_component_count",
                                       "lhs_contracting_dimensions", "lhs_precision_type",
                                       "num_primitive_operations",   "precision_config",
                                       "rhs_batching_dimensions",    "rhs_component_count",
                                       "rhs_contracting_dimensions", "rhs_precision_type"};
constexpr string_view kDotGeneralV1[] = {"lhs_batching_dimensions", "lhs_contracting_dimensions",
                                         "precision_config", "rhs_batching_dimensions",
                                         "rhs_contracting_dimensions"};
constexpr string_view kDynamicBroadcastInDim[] = {
    "broadcast_dimensions", "known_expanding_dimensions", "known_nonexpanding_dimensions"};
constexpr string_view kDynamicConv[] = {"batch_group_count",
                                        "feature_group_count",
                                        "input_batch_dimension",
                                        "input_feature_dimension",
                                        "input_spatial_dimensions",
                                        "kernel_input_feature_dimension",
                                        "kernel_output_feature_dimension",
                                        "kernel_spatial_dimensions",
                                        "lhs_dilation",
                                        "output_batch_dimension",
                                        "output_feature_dimension",
                                        "output_spatial_dimensions",
                                        "precision_config",
                                        "rhs_dilation",
                                        "window_reversal",
                                        "window_strides"};
constexpr string_view kDynamicGather[] = {
    "collapsed_slice_dims",  "index_vector_dim", "indices_are_sorted",         "offset_dims",
    "operand_batching_dims", "start_index_map",  "start_indices_batching_dims"};
constexpr string_view kDynamicGatherV1[] = {"collapsed_slice_dims", "index_vector_dim",
                                            "indices_are_sorted", "offset_dims", "start_index_map"};
constexpr string_view kDynamicIota[] = {"iota_dimension"};
constexpr string_view kDynamicSlice[] = {"slice_sizes"};
constexpr string_view kEinsum[] = {"einsum_config"};
constexpr string_view kFft[] = {"fft_length", "fft_type"};
constexpr string_view kFunc[] = {"arg_attrs", "function_type", "res_attrs", "sym_name",
                                 "sym_visibility"};
constexpr string_view kGather[] = {"collapsed_slice_dims",  "index_vector_dim",
                                   "indices_are_sorted",    "offset_dims",
                                   "operand_batching_dims", "slice_sizes",
                                   "start_index_map",       "start_indices_batching_dims"};
constexpr string_view kGatherV1[] = {"collapsed_slice_dims", "index_vector_dim",
                                     "indices_are_sorted",   "offset_dims",
                                     "slice_sizes",          "start_index_map"};
constexpr string_view kGetTupleElement[] = {"index"};
constexpr string_view kInfeed[] = {"infeed_config", "layout"};
constexpr string_view kMap[] = {"dimensions"};
constexpr string_view kOutfeed[] = {"outfeed_config"};
constexpr string_view kPad[] = {"edge_padding_high", "edge_padding_low", "interior_padding"};
constexpr string_view kRecv[] = {"channel_id", "channel_type", "is_host_transfer",
                                 "source_target_pairs"};
constexpr string_view kRecvV1[] = {"channel_id", "channel_type", "is_host_transfer"};
constexpr string_view kReducePrecision[] = {"exponent_bits", "mantissa_bits"};
constexpr string_view kReduceScatter[] = {"channel_id", "replica_groups", "scatter_dimension",
                                          "use_global_device_ids"};
constexpr string_view kReduceWindow[] = {"base_dilations", "padding", "window_dilations",
                                         "window_dimensions", "window_strides"};
constexpr string_view kRng[] = {"rng_distribution"};
constexpr string_view kRngBitGenerator[] = {"rng_algorithm"};
constexpr string_view kScatter[] = {"index_vector_dim",
                                    "indices_are_sorted",
                                    "input_batching_dims",
                                    "inserted_window_dims",
                                    "scatter_dims_to_operand_dims",
                                    "scatter_indices_batching_dims",
                                    "unique_indices",
                                    "update_window_dims"};
constexpr string_view kScatterV1[] = {"index_vector_dim",     "indices_are_sorted",
                                      "inserted_window_dims", "scatter_dims_to_operand_dims",
                                      "unique_indices",       "update_window_dims"};
constexpr string_view kSelectAndScatter[] = {"padding", "window_dimensions", "window_strides"};
constexpr string_view kSlice[] = {"limit_indices", "start_indices", "strides"};
constexpr string_view kSort[] = {"dimension", "is_stable"};
constexpr string_view kTorchIndexSelect[] = {"batch_dims", "dim"};
constexpr string_view kTranspose[] = {"permutation"};
constexpr string_view kTriangularSolve[] = {"left_side", "lower", "transpose_a", "unit_diagonal"};

// Sorted by name, then revision. Name, revision, op, first and last version, attributes in order.
// Operands that an older revision has one of are a list of one; what its attributes do not say is
// said by their absence, or by the default of PackStruct (bytecode_reader.cc).
constexpr VhloOp kOps[] = {
    {"abs", 1, Op::kAbs, {0, 9}, kCurrent, kNone},
    {"add", 1, Op::kAdd, {0, 9}, kCurrent, kNone},
    {"after_all", 1, Op::kAfterAll, {0, 9}, kCurrent, kNone},
    {"all_gather", 1, Op::kAllGather, {0, 9}, {1, 4}, kAllGather},
    {"all_gather", 2, Op::kAllGather, {1, 5}, kCurrent, kAllGather},
    {"all_reduce", 1, Op::kAllReduce, {0, 9}, {1, 4}, kAllReduce},
    {"all_reduce", 2, Op::kAllReduce, {1, 5}, kCurrent, kAllReduce},
    {"all_to_all", 1, Op::kAllToAll, {0, 9}, {1, 4}, kAllToAll},
    {"all_to_all", 2, Op::kAllToAll, {1, 5}, kCurrent, kAllToAll},
    {"and", 1, Op::kAnd, {0, 9}, kCurrent, kNone},
    {"async_done", 1, Op::kAsyncDone, {1, 15}, kCurrent, kNone},
    {"async_start", 1, Op::kAsyncStart, {1, 15}, kCurrent, kNone},
    {"atan2", 1, Op::kAtan2, {0, 9}, kCurrent, kNone},
    {"batch_norm_grad", 1, Op::kBatchNormGrad, {0, 9}, kCurrent, kBatchNormGrad},
    {"batch_norm_inference", 1, Op::kBatchNormInference, {0, 9}, kCurrent, kBatchNormGrad},
    {"batch_norm_training", 1, Op::kBatchNormTraining, {0, 9}, kCurrent, kBatchNormGrad},
    {"bitcast_convert", 1, Op::kBitcastConvert, {0, 9}, kCurrent, kNone},
    {"broadcast", 1, Op::kBroadcast, {0, 9}, kCurrent, kBroadcast},
    {"broadcast_in_dim", 1, Op::kBroadcastInDim, {0, 9}, kCurrent, kBroadcastInDim},
    {"call", 1, Op::kCall, {0, 9}, kCurrent, kCall},
    {"case", 1, Op::kCase, {0, 9}, kCurrent, kNone},
    {"cbrt", 1, Op::kCbrt, {0, 9}, {1, 9}, kNone},
    {"cbrt", 2, Op::kCbrt, {1, 10}, kCurrent, kCbrt},
    {"ceil", 1, Op::kCeil, {0, 9}, kCurrent, kNone},
    {"cholesky", 1, Op::kCholesky, {0, 9}, kCurrent, kCholesky},
    {"clamp", 1, Op::kClamp, {0, 9}, kCurrent, kNone},
    {"collective_broadcast", 1, Op::kCollectiveBroadcast, {0, 16}, {1, 19}, kCollectiveBroadcast},
    {"collective_permute", 1, Op::kCollectivePermute, {0, 9}, kCurrent, kCollectivePermute},
    {"compare", 1, Op::kCompare, {0, 9}, kCurrent, kCompare},
    {"complex", 1, Op::kComplex, {0, 9}, kCurrent, kNone},
    {"composite", 1, Op::kComposite, {0, 19}, {1, 13}, kComposite},
    {"composite", 2, Op::kComposite, {1, 14}, kCurrent, kComposite},
    {"concatenate", 1, Op::kConcatenate, {0, 9}, kCurrent, kConcatenate},
    {"constant", 1, Op::kConstant, {0, 9}, kCurrent, kConstant},
    {"convert", 1, Op::kConvert, {0, 9}, kCurrent, kNone},
    {"convolution", 1, Op::kConvolution, {0, 9}, kCurrent, kConvolution},
    {"cosine", 1, Op::kCosine, {0, 9}, {1, 9}, kNone},
    {"cosine", 2, Op::kCosine, {1, 10}, kCurrent, kCbrt},
    {"count_leading_zeros", 1, Op::kCountLeadingZeros, {0, 9}, kCurrent, kNone},
    {"create_token", 1, Op::kCreateToken, {0, 9}, kCurrent, kNone},
    {"cross-replica-sum", 1, Op::kCrossReplicaSum, {0, 9}, kCurrent, kCrossReplicaSum},
    {"custom_call", 1, Op::kCustomCall, {0, 9}, {1, 17}, kCustomCall},
    {"divide", 1, Op::kDivide, {0, 9}, kCurrent, kNone},
    {"dot", 1, Op::kDot, {0, 9}, kCurrent, kDot},
    {"dot_general", 1, Op::kDotGeneral, {0, 9}, {1, 5}, kDotGeneralV1},
    {"dot_general", 2, Op::kDotGeneral, {1, 6}, kCurrent, kDotGeneral},
    {"dynamic_broadcast_in_dim",
     1,
     Op::kDynamicBroadcastInDim,
     {0, 9},
     kCurrent,
     kDynamicBroadcastInDim},
    {"dynamic_conv", 1, Op::kDynamicConv, {0, 9}, {0, 19}, kConvolution},
    {"dynamic_conv", 2, Op::kDynamicConv, {0, 20}, kCurrent, kDynamicConv},
    {"dynamic_gather", 1, Op::kDynamicGather, {0, 9}, {1, 0}, kDynamicGatherV1},
    {"dynamic_gather", 2, Op::kDynamicGather, {1, 1}, kCurrent, kDynamicGather},
    {"dynamic_iota", 1, Op::kDynamicIota, {0, 9}, kCurrent, kDynamicIota},
    {"dynamic_pad", 1, Op::kDynamicPad, {0, 9}, kCurrent, kNone},
    {"dynamic_reshape", 1, Op::kDynamicReshape, {0, 9}, kCurrent, kNone},
    {"dynamic_slice", 1, Op::kDynamicSlice, {0, 9}, kCurrent, kDynamicSlice},
    {"dynamic_update_slice", 1, Op::kDynamicUpdateSlice, {0, 9}, kCurrent, kNone},
    {"einsum", 1, Op::kEinsum, {0, 9}, kCurrent, kEinsum},
    {"exponential", 1, Op::kExponential, {0, 9}, {1, 8}, kNone},
    {"exponential", 2, Op::kExponential, {1, 9}, kCurrent, kCbrt},
    {"exponential_minus_one", 1, Op::kExponentialMinusOne, {0, 9}, {1, 9}, kNone},
    {"exponential_minus_one", 2, Op::kExponentialMinusOne, {1, 10}, kCurrent, kCbrt},
    {"fft", 1, Op::kFft, {0, 9}, kCurrent, kFft},
    {"floor", 1, Op::kFloor, {0, 9}, kCurrent, kNone},
    {"func", 1, Op::kFunc, {0, 9}, kCurrent, kFunc},
    {"gather", 1, Op::kGather, {0, 9}, {1, 0}, kGatherV1},
    {"gather", 2, Op::kGather, {1, 1}, kCurrent, kGather},
    {"get_dimension_size", 1, Op::kGetDimensionSize, {0, 9}, kCurrent, kConcatenate},
    {"get_tuple_element", 1, Op::kGetTupleElement, {0, 9}, kCurrent, kGetTupleElement},
    {"if", 1, Op::kIf, {0, 9}, kCurrent, kNone},
    {"imag", 1, Op::kImag, {0, 9}, kCurrent, kNone},
    {"infeed", 1, Op::kInfeed, {0, 9}, kCurrent, kInfeed},
    {"iota", 1, Op::kIota, {0, 9}, kCurrent, kDynamicIota},
    {"is_finite", 1, Op::kIsFinite, {0, 9}, kCurrent, kNone},
    {"log", 1, Op::kLog, {0, 9}, {1, 9}, kNone},
    {"log", 2, Op::kLog, {1, 10}, kCurrent, kCbrt},
    {"log_plus_one", 1, Op::kLogPlusOne, {0, 9}, {1, 9}, kNone},
    {"log_plus_one", 2, Op::kLogPlusOne, {1, 10}, kCurrent, kCbrt},
    {"logistic", 1, Op::kLogistic, {0, 9}, {1, 9}, kNone},
    {"logistic", 2, Op::kLogistic, {1, 10}, kCurrent, kCbrt},
    {"map", 1, Op::kMap, {0, 9}, kCurrent, kMap},
    {"maximum", 1, Op::kMaximum, {0, 9}, kCurrent, kNone},
    {"minimum", 1, Op::kMinimum, {0, 9}, kCurrent, kNone},
    {"multiply", 1, Op::kMultiply, {0, 9}, kCurrent, kNone},
    {"negate", 1, Op::kNegate, {0, 9}, kCurrent, kNone},
    {"not", 1, Op::kNot, {0, 9}, kCurrent, kNone},
    {"optimization_barrier", 1, Op::kOptimizationBarrier, {0, 9}, kCurrent, kNone},
    {"or", 1, Op::kOr, {0, 9}, kCurrent, kNone},
    {"outfeed", 1, Op::kOutfeed, {0, 9}, kCurrent, kOutfeed},
    {"pad", 1, Op::kPad, {0, 9}, kCurrent, kPad},
    {"partition_id", 1, Op::kPartitionId, {0, 9}, kCurrent, kNone},
    {"popcnt", 1, Op::kPopcnt, {0, 9}, kCurrent, kNone},
    {"power", 1, Op::kPower, {0, 9}, kCurrent, kNone},
    {"real", 1, Op::kReal, {0, 9}, kCurrent, kNone},
    {"real_dynamic_slice", 1, Op::kRealDynamicSlice, {0, 9}, kCurrent, kNone},
    {"recv", 1, Op::kRecv, {0, 9}, {1, 11}, kRecvV1},
    {"recv", 2, Op::kRecv, {1, 12}, kCurrent, kRecv},
    {"reduce", 1, Op::kReduce, {0, 9}, kCurrent, kMap},
    {"reduce_precision", 1, Op::kReducePrecision, {0, 9}, kCurrent, kReducePrecision},
    {"reduce_scatter", 1, Op::kReduceScatter, {0, 9}, kCurrent, kReduceScatter},
    {"reduce_window", 1, Op::kReduceWindow, {0, 9}, kCurrent, kReduceWindow},
    {"remainder", 1, Op::kRemainder, {0, 9}, kCurrent, kNone},
    {"replica_id", 1, Op::kReplicaId, {0, 9}, kCurrent, kNone},
    {"reshape", 1, Op::kReshape, {0, 9}, kCurrent, kNone},
    {"return", 1, Op::kReturn, {0, 9}, kCurrent, kNone},
    {"reverse", 1, Op::kReverse, {0, 9}, kCurrent, kMap},
    {"rng", 1, Op::kRng, {0, 9}, kCurrent, kRng},
    {"rng_bit_generator", 1, Op::kRngBitGenerator, {0, 9}, kCurrent, kRngBitGenerator},
    {"round_nearest_afz", 1, Op::kRoundNearestAfz, {0, 9}, kCurrent, kNone},
    {"round_nearest_even", 1, Op::kRoundNearestEven, {0, 9}, kCurrent, kNone},
    {"rsqrt", 1, Op::kRsqrt, {0, 9}, {1, 9}, kNone},
    {"rsqrt", 2, Op::kRsqrt, {1, 10}, kCurrent, kCbrt},
    {"scatter", 1, Op::kScatter, {0, 9}, {1, 0}, kScatterV1},
    {"scatter", 2, Op::kScatter, {1, 1}, kCurrent, kScatter},
    {"select", 1, Op::kSelect, {0, 9}, kCurrent, kNone},
    {"select_and_scatter", 1, Op::kSelectAndScatter, {0, 9}, kCurrent, kSelectAndScatter},
    {"send", 1, Op::kSend, {0, 9}, {1, 11}, kRecvV1},
    {"send", 2, Op::kSend, {1, 12}, kCurrent, kRecv},
    {"set_dimension_size", 1, Op::kSetDimensionSize, {0, 9}, kCurrent, kConcatenate},
    {"shift_left", 1, Op::kShiftLeft, {0, 9}, kCurrent, kNone},
    {"shift_right_arithmetic", 1, Op::kShiftRightArithmetic, {0, 9}, kCurrent, kNone},
    {"shift_right_logical", 1, Op::kShiftRightLogical, {0, 9}, kCurrent, kNone},
    {"sign", 1, Op::kSign, {0, 9}, kCurrent, kNone},
    {"sine", 1, Op::kSine, {0, 9}, {1, 9}, kNone},
    {"sine", 2, Op::kSine, {1, 10}, kCurrent, kCbrt},
    {"slice", 1, Op::kSlice, {0, 9}, kCurrent, kSlice},
    {"sort", 1, Op::kSort, {0, 9}, kCurrent, kSort},
    {"sqrt", 1, Op::kSqrt, {0, 9}, {1, 9}, kNone},
    {"sqrt", 2, Op::kSqrt, {1, 10}, kCurrent, kCbrt},
    {"subtract", 1, Op::kSubtract, {0, 9}, kCurrent, kNone},
    {"tan", 1, Op::kTan, {1, 4}, {1, 9}, kNone},
    {"tan", 2, Op::kTan, {1, 10}, kCurrent, kCbrt},
    {"tanh", 1, Op::kTanh, {0, 9}, {1, 9}, kNone},
    {"tanh", 2, Op::kTanh, {1, 10}, kCurrent, kCbrt},
    {"torch_index_select", 1, Op::kTorchIndexSelect, {0, 9}, kCurrent, kTorchIndexSelect},
    {"transpose", 1, Op::kTranspose, {0, 9}, kCurrent, kTranspose},
    {"triangular_solve", 1, Op::kTriangularSolve, {0, 9}, kCurrent, kTriangularSolve},
    {"tuple", 1, Op::kTuple, {0, 9}, kCurrent, kNone},
    {"unary_einsum", 1, Op::kUnaryEinsum, {0, 9}, kCurrent, kEinsum},
    {"uniform_dequantize", 1, Op::kUniformDequantize, {0, 9}, kCurrent, kNone},
    {"uniform_quantize", 1, Op::kUniformQuantize, {0, 9}, kCurrent, kNone},
    {"while", 1, Op::kWhile, {0, 9}, kCurrent, kNone},
    {"xor", 1, Op::kXor, {0, 9}, kCurrent, kNone},
};

static_assert(std::is_sorted(std::begin(kOps), std::end(kOps),
                             [](const VhloOp& a, const VhloOp& b) {
                               return a.name != b.name ? a.name < b.name : a.revision < b.revision;
                             }));

}  // namespace

bool VhloOp::Has(string_view attribute) const {
  return std::find(attributes.begin(), attributes.end(), attribute) != attributes.end();
}

const VhloOp* FindVhloOp(string_view versioned_name) {
  const size_t mark = versioned_name.rfind("_v");
  if (mark == string_view::npos) return nullptr;
  const string_view digits = versioned_name.substr(mark + 2);
  int revision = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), revision);
  if (error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  const string_view name = versioned_name.substr(0, mark);
  const VhloOp* at =
      std::lower_bound(std::begin(kOps), std::end(kOps), name,
                       [](const VhloOp& op, string_view wanted) { return op.name < wanted; });
  for (; at != std::end(kOps) && at->name == name; ++at) {
    if (at->revision == revision) return at;
  }
  return nullptr;
}

const VhloOp& NewestRevision(const VhloOp& op) {
  const VhloOp* at = &op;
  while (at + 1 != std::end(kOps) && at[1].name == op.name) ++at;
  return *at;
}

std::string VhloRevisions(string_view versioned_name) {
  const string_view name = versioned_name.substr(0, versioned_name.rfind("_v"));
  std::string known;
  for (const VhloOp& op : kOps) {
    if (op.name != name) continue;
    if (!known.empty()) known += ", ";
    known += StrCat(op.name, "_v", op.revision);
  }
  return known;
}

}  // namespace plinth::program
