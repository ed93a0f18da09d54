// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_OP_H_
#define REFERENCE_PLUGIN_PROGRAM_OP_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace plinth::program {

// Every op that a program may hold: PLINTH_PROGRAM_OP(identifier, canonical name).
#define PLINTH_PROGRAM_OPS(OP)                                    \
  OP(Module, "builtin.module")                                    \
  OP(Func, "func.func")                                           \
  OP(Call, "func.call")                                           \
  OP(FuncReturn, "func.return")                                   \
  OP(Mesh, "sdy.mesh")                                            \
  OP(ManualComputation, "sdy.manual_computation")                 \
  OP(SdyReturn, "sdy.return")                                     \
  OP(ShardingConstraint, "sdy.sharding_constraint")               \
  OP(Reshard, "sdy.reshard")                                      \
  OP(ShardingGroup, "sdy.sharding_group")                         \
  OP(PropagationBarrier, "sdy.propagation_barrier")               \
  OP(NamedComputation, "sdy.named_computation")                   \
  OP(DataFlowEdge, "sdy.data_flow_edge")                          \
  OP(Abs, "stablehlo.abs")                                        \
  OP(Add, "stablehlo.add")                                        \
  OP(AfterAll, "stablehlo.after_all")                             \
  OP(AllGather, "stablehlo.all_gather")                           \
  OP(AllReduce, "stablehlo.all_reduce")                           \
  OP(AllToAll, "stablehlo.all_to_all")                            \
  OP(And, "stablehlo.and")                                        \
  OP(AsyncDone, "stablehlo.async_done")                           \
  OP(AsyncStart, "stablehlo.async_start")                         \
  OP(Atan2, "stablehlo.atan2")                                    \
  OP(BatchNormGrad, "stablehlo.batch_norm_grad")                  \
  OP(BatchNormInference, "stablehlo.batch_norm_inference")        \
  OP(BatchNormTraining, "stablehlo.batch_norm_training")          \
  OP(BitcastConvert, "stablehlo.bitcast_convert")                 \
  OP(Broadcast, "stablehlo.broadcast")                            \
  OP(BroadcastInDim, "stablehlo.broadcast_in_dim")                \
  OP(Case, "stablehlo.case")                                      \
  OP(Cbrt, "stablehlo.cbrt")                                      \
  OP(Ceil, "stablehlo.ceil")                                      \
  OP(Cholesky, "stablehlo.cholesky")                              \
  OP(Clamp, "stablehlo.clamp")                                    \
  OP(CollectiveBroadcast, "stablehlo.collective_broadcast")       \
  OP(CollectivePermute, "stablehlo.collective_permute")           \
  OP(Compare, "stablehlo.compare")                                \
  OP(Complex, "stablehlo.complex")                                \
  OP(Composite, "stablehlo.composite")                            \
  OP(Concatenate, "stablehlo.concatenate")                        \
  OP(Constant, "stablehlo.constant")                              \
  OP(Convert, "stablehlo.convert")                                \
  OP(Convolution, "stablehlo.convolution")                        \
  OP(Cosine, "stablehlo.cosine")                                  \
  OP(CountLeadingZeros, "stablehlo.count_leading_zeros")          \
  OP(CreateToken, "stablehlo.create_token")                       \
  OP(CrossReplicaSum, "stablehlo.cross-replica-sum")              \
  OP(CustomCall, "stablehlo.custom_call")                         \
  OP(Divide, "stablehlo.divide")                                  \
  OP(Dot, "stablehlo.dot")                                        \
  OP(DotGeneral, "stablehlo.dot_general")                         \
  OP(DynamicBroadcastInDim, "stablehlo.dynamic_broadcast_in_dim") \
  OP(DynamicConv, "stablehlo.dynamic_conv")                       \
  OP(DynamicGather, "stablehlo.dynamic_gather")                   \
  OP(DynamicIota, "stablehlo.dynamic_iota")                       \
  OP(DynamicPad, "stablehlo.dynamic_pad")                         \
  OP(DynamicReshape, "stablehlo.dynamic_reshape")                 \
  OP(DynamicSlice, "stablehlo.dynamic_slice")                     \
  OP(DynamicUpdateSlice, "stablehlo.dynamic_update_slice")        \
  OP(Einsum, "stablehlo.einsum")                                  \
  OP(Exponential, "stablehlo.exponential")                        \
  OP(ExponentialMinusOne, "stablehlo.exponential_minus_one")      \
  OP(Fft, "stablehlo.fft")                                        \
  OP(Floor, "stablehlo.floor")                                    \
  OP(Gather, "stablehlo.gather")                                  \
  OP(GetDimensionSize, "stablehlo.get_dimension_size")            \
  OP(GetTupleElement, "stablehlo.get_tuple_element")              \
  OP(If, "stablehlo.if")                                          \
  OP(Imag, "stablehlo.imag")                                      \
  OP(Infeed, "stablehlo.infeed")                                  \
  OP(Iota, "stablehlo.iota")                                      \
  OP(IsFinite, "stablehlo.is_finite")                             \
  OP(Log, "stablehlo.log")                                        \
  OP(LogPlusOne, "stablehlo.log_plus_one")                        \
  OP(Logistic, "stablehlo.logistic")                              \
  OP(Map, "stablehlo.map")                                        \
  OP(Maximum, "stablehlo.maximum")                                \
  OP(Minimum, "stablehlo.minimum")                                \
  OP(Multiply, "stablehlo.multiply")                              \
  OP(Negate, "stablehlo.negate")                                  \
  OP(Not, "stablehlo.not")                                        \
  OP(OptimizationBarrier, "stablehlo.optimization_barrier")       \
  OP(Or, "stablehlo.or")                                          \
  OP(Outfeed, "stablehlo.outfeed")                                \
  OP(Pad, "stablehlo.pad")                                        \
  OP(PartitionId, "stablehlo.partition_id")                       \
  OP(Popcnt, "stablehlo.popcnt")                                  \
  OP(Power, "stablehlo.power")                                    \
  OP(Real, "stablehlo.real")                                      \
  OP(RealDynamicSlice, "stablehlo.real_dynamic_slice")            \
  OP(Recv, "stablehlo.recv")                                      \
  OP(Reduce, "stablehlo.reduce")                                  \
  OP(ReducePrecision, "stablehlo.reduce_precision")               \
  OP(ReduceScatter, "stablehlo.reduce_scatter")                   \
  OP(ReduceWindow, "stablehlo.reduce_window")                     \
  OP(Remainder, "stablehlo.remainder")                            \
  OP(ReplicaId, "stablehlo.replica_id")                           \
  OP(Reshape, "stablehlo.reshape")                                \
  OP(Return, "stablehlo.return")                                  \
  OP(Reverse, "stablehlo.reverse")                                \
  OP(Rng, "stablehlo.rng")                                        \
  OP(RngBitGenerator, "stablehlo.rng_bit_generator")              \
  OP(RoundNearestAfz, "stablehlo.round_nearest_afz")              \
  OP(RoundNearestEven, "stablehlo.round_nearest_even")            \
  OP(Rsqrt, "stablehlo.rsqrt")                                    \
  OP(Scatter, "stablehlo.scatter")                                \
  OP(Select, "stablehlo.select")                                  \
  OP(SelectAndScatter, "stablehlo.select_and_scatter")            \
  OP(Send, "stablehlo.send")                                      \
  OP(SetDimensionSize, "stablehlo.set_dimension_size")            \
  OP(ShiftLeft, "stablehlo.shift_left")                           \
  OP(ShiftRightArithmetic, "stablehlo.shift_right_arithmetic")    \
  OP(ShiftRightLogical, "stablehlo.shift_right_logical")          \
  OP(Sign, "stablehlo.sign")                                      \
  OP(Sine, "stablehlo.sine")                                      \
  OP(Slice, "stablehlo.slice")                                    \
  OP(Sort, "stablehlo.sort")                                      \
  OP(Sqrt, "stablehlo.sqrt")                                      \
  OP(Subtract, "stablehlo.subtract")                              \
  OP(Tan, "stablehlo.tan")                                        \
  OP(Tanh, "stablehlo.tanh")                                      \
  OP(TorchIndexSelect, "stablehlo.torch_index_select")            \
  OP(Transpose, "stablehlo.transpose")                            \
  OP(TriangularSolve, "stablehlo.triangular_solve")               \
  OP(Tuple, "stablehlo.tuple")                                    \
  OP(UnaryEinsum, "stablehlo.unary_einsum")                       \
  OP(UniformDequantize, "stablehlo.uniform_dequantize")           \
  OP(UniformQuantize, "stablehlo.uniform_quantize")               \
  OP(While, "stablehlo.while")                                    \
  OP(Xor, "stablehlo.xor")

enum class Op : uint16_t {
#define PLINTH_PROGRAM_OP(identifier, name) k##identifier,
  PLINTH_PROGRAM_OPS(PLINTH_PROGRAM_OP)
#undef PLINTH_PROGRAM_OP
};
#define PLINTH_PROGRAM_OP(identifier, name) +1
inline constexpr int kNumOps = 0 PLINTH_PROGRAM_OPS(PLINTH_PROGRAM_OP);
#undef PLINTH_PROGRAM_OP

// The canonical name: "stablehlo.add", "func.func", "sdy.mesh".
std::string_view Name(Op op);

// The op of that canonical name, or nothing.
std::optional<Op> OpFromName(std::string_view name);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_OP_H_
