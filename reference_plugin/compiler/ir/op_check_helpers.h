// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECK_HELPERS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECK_HELPERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

// Pieces that the checks of single ops (op_checks_*.cc) are made of.
namespace plinth::compiler {

// A set of element classes.
using KindMask = uint32_t;
constexpr KindMask MaskOf(DTypeClass kind) { return 1u << static_cast<int>(kind); }
inline constexpr KindMask kPredMask = MaskOf(DTypeClass::kPred);
inline constexpr KindMask kSignedMask = MaskOf(DTypeClass::kSigned);
inline constexpr KindMask kIntegerMask = kSignedMask | MaskOf(DTypeClass::kUnsigned);
inline constexpr KindMask kFloatMask = MaskOf(DTypeClass::kFloat);
inline constexpr KindMask kComplexMask = MaskOf(DTypeClass::kComplex);
inline constexpr KindMask kAnyMask = kPredMask | kIntegerMask | kFloatMask | kComplexMask;

// "operand 1 is s32[3]; expected elements that are float or complex".
Status CheckElements(const Op& op, size_t operand, KindMask allowed);

// "operand 1 is f32[3]; expected f32[2] (why)".
Status ExpectType(std::string_view what, const Type& found, const Type& expected,
                  std::string_view why);
Status ExpectResult(const Op& op, size_t result, const Type& expected, std::string_view why);
Status ExpectOperand(const Op& op, size_t operand, const Type& expected, std::string_view why);
// All operands in [first, end) have the type of operand `first`.
Status ExpectEqualOperands(const Op& op, size_t first, size_t end);

// "<name> has 2 entries; expected 3 (why)".
Status ExpectCount(std::string_view name, size_t found, int64_t expected, std::string_view why);
// Every entry is in [0, rank), none twice.
Status ExpectDims(std::string_view name, std::span<const int64_t> dims, int64_t rank);
Status ExpectInRange(std::string_view name, int64_t value, int64_t low, int64_t high);

// The region takes scalars of these element types and returns them.
Status ExpectRegion(const Op& op, size_t region, std::span<const Type> arguments,
                    std::span<const Type> results);

// Dims as "[1,2]".
std::string DimsText(std::span<const int64_t> dims);

// The set of dims as a mask; they have passed ExpectDims.
inline uint64_t MaskOf(std::span<const int64_t> dims) {
  uint64_t mask = 0;
  for (int64_t dim : dims) mask |= uint64_t{1} << dim;
  return mask;
}
inline bool Contains(uint64_t mask, int64_t dim) { return ((mask >> dim) & 1) != 0; }

// The checks, by file.
Status CheckElementwise(const Op& op);  // op_checks_elementwise.cc
Status CheckConstant(const Op& op);     // op_checks_movement.cc
Status CheckIota(const Op& op);
Status CheckBroadcastInDim(const Op& op);
Status CheckConcatenate(const Op& op);
Status CheckDynamicSlice(const Op& op);
Status CheckDynamicUpdateSlice(const Op& op);
Status CheckPad(const Op& op);
Status CheckReshape(const Op& op);
Status CheckReverse(const Op& op);
Status CheckSlice(const Op& op);
Status CheckTranspose(const Op& op);
Status CheckGetDimensionSize(const Op& op);
Status CheckGather(const Op& op);  // op_checks_indexing.cc
Status CheckScatter(const Op& op);
Status CheckDot(const Op& op);  // op_checks_products.cc
Status CheckConvolution(const Op& op);
Status CheckMap(const Op& op);  // op_checks_reductions.cc
Status CheckReduce(const Op& op);
Status CheckReduceWindow(const Op& op);
Status CheckSelectAndScatter(const Op& op);
Status CheckCumulativeReduce(const Op& op);
Status CheckSort(const Op& op);
Status CheckTopK(const Op& op);
Status CheckBatchNormTraining(const Op& op);  // op_checks_algorithms.cc
Status CheckBatchNormInference(const Op& op);
Status CheckBatchNormGrad(const Op& op);
Status CheckCholesky(const Op& op);
Status CheckFft(const Op& op);
Status CheckRng(const Op& op);
Status CheckRngBitGenerator(const Op& op);
Status CheckTriangularSolve(const Op& op);
Status CheckCase(const Op& op);  // op_checks_control.cc
Status CheckIf(const Op& op);
Status CheckWhile(const Op& op);
Status CheckOptimizationBarrier(const Op& op);
Status CheckTuple(const Op& op);
Status CheckGetTupleElement(const Op& op);
Status CheckTokens(const Op& op);
Status CheckIdentity(const Op& op);
Status CheckManualComputation(const Op& op);
Status CheckId(const Op& op);
Status CheckAllGather(const Op& op);  // op_checks_collectives.cc
Status CheckAllReduce(const Op& op);
Status CheckAllToAll(const Op& op);
Status CheckCollectivePermute(const Op& op);
Status CheckCollectiveBroadcast(const Op& op);
Status CheckReduceScatter(const Op& op);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECK_HELPERS_H_
