// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/op_checks.h"

#include <array>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/op_check_helpers.h"

namespace plinth::compiler {
namespace {

template <typename T, size_t I = 0>
constexpr int IndexOf() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, Attributes>, T>) {
    return static_cast<int>(I);
  } else {
    return IndexOf<T, I + 1>();
  }
}

constexpr int kNoAttributes = -1;
constexpr int kMany = 1 << 30;

struct Count {
  int least, most;
  constexpr Count(int exactly) : least(exactly), most(exactly) {}  // NOLINT: a number is a count
  constexpr Count(int at_least, int at_most) : least(at_least), most(at_most) {}
  constexpr bool Allows(size_t count) const {
    return count >= static_cast<size_t>(least) && count <= static_cast<size_t>(most);
  }
};
constexpr Count kAnyCount(0, kMany);
constexpr Count kSome(1, kMany);

Status CheckNothing(const Op&) { return Status(); }

// Operand, result and region counts, which attributes, and the rest.
struct OpRule {
  Opcode opcode;
  Count operands;
  Count results;
  Count regions;
  int attributes;
  Status (*check)(const Op&);
  bool tensors_only = true;
};

constexpr int kDim = IndexOf<DimensionAttributes>();
constexpr int kDims = IndexOf<DimensionsAttributes>();
constexpr int kCollectiveIndex = IndexOf<CollectiveAttributes>();
constexpr int kBatchNormIndex = IndexOf<BatchNormAttributes>();

// Elementwise ops have no row here: see RuleOf.
constexpr OpRule kRules[] = {
    {Opcode::kConstant, 0, 1, 0, IndexOf<ConstantAttributes>(), CheckConstant},
    {Opcode::kIota, 0, 1, 0, kDim, CheckIota},
    {Opcode::kPartitionId, 0, 1, 0, kNoAttributes, CheckId},
    {Opcode::kReplicaId, 0, 1, 0, kNoAttributes, CheckId},

    {Opcode::kBroadcastInDim, 1, 1, 0, kDims, CheckBroadcastInDim},
    {Opcode::kConcatenate, kSome, 1, 0, kDim, CheckConcatenate},
    {Opcode::kDynamicSlice, kSome, 1, 0, IndexOf<DynamicSliceAttributes>(), CheckDynamicSlice},
    {Opcode::kDynamicUpdateSlice, {2, kMany}, 1, 0, kNoAttributes, CheckDynamicUpdateSlice},
    {Opcode::kGather, 2, 1, 0, IndexOf<GatherAttributes>(), CheckGather},
    {Opcode::kPad, 2, 1, 0, IndexOf<PadAttributes>(), CheckPad},
    {Opcode::kReshape, 1, 1, 0, kNoAttributes, CheckReshape},
    {Opcode::kReverse, 1, 1, 0, kDims, CheckReverse},
    {Opcode::kSlice, 1, 1, 0, IndexOf<SliceAttributes>(), CheckSlice},
    {Opcode::kTranspose, 1, 1, 0, kDims, CheckTranspose},

    {Opcode::kConvolution, 2, 1, 0, IndexOf<ConvolutionAttributes>(), CheckConvolution},
    {Opcode::kDotGeneral, 2, 1, 0, IndexOf<DotAttributes>(), CheckDot},
    {Opcode::kMap, kSome, 1, 1, kDims, CheckMap},
    {Opcode::kReduce, {2, kMany}, kSome, 1, kDims, CheckReduce},
    {Opcode::kReduceWindow, {2, kMany}, kSome, 1, IndexOf<WindowAttributes>(), CheckReduceWindow},
    {Opcode::kScatter, {3, kMany}, kSome, 1, IndexOf<ScatterAttributes>(), CheckScatter},
    {Opcode::kSelectAndScatter, 3, 1, 2, IndexOf<WindowAttributes>(), CheckSelectAndScatter},
    {Opcode::kSort, kSome, kSome, 1, kDim, CheckSort},
    {Opcode::kTopK, 1, 2, 0, kDim, CheckTopK},
    {Opcode::kCumulativeReduce, {2, kMany}, kSome, 1, kDim, CheckCumulativeReduce},

    {Opcode::kBatchNormGrad, 5, 3, 0, kBatchNormIndex, CheckBatchNormGrad},
    {Opcode::kBatchNormInference, 5, 1, 0, kBatchNormIndex, CheckBatchNormInference},
    {Opcode::kBatchNormTraining, 3, 3, 0, kBatchNormIndex, CheckBatchNormTraining},
    {Opcode::kCholesky, 1, 1, 0, IndexOf<CholeskyAttributes>(), CheckCholesky},
    {Opcode::kFft, 1, 1, 0, IndexOf<FftAttributes>(), CheckFft},
    {Opcode::kRng, 2, 1, 0, IndexOf<RngAttributes>(), CheckRng},
    {Opcode::kRngBitGenerator, 1, 2, 0, IndexOf<RngBitGeneratorAttributes>(), CheckRngBitGenerator},
    {Opcode::kTriangularSolve, 2, 1, 0, IndexOf<TriangularSolveAttributes>(), CheckTriangularSolve},

    {Opcode::kCall, kAnyCount, kAnyCount, 0, IndexOf<CallAttributes>(), CheckNothing, false},
    {Opcode::kCase, 1, kAnyCount, kSome, kNoAttributes, CheckCase, false},
    {Opcode::kComposite, kAnyCount, kAnyCount, 0, IndexOf<CallAttributes>(), CheckNothing, false},
    {Opcode::kCustomCall, kAnyCount, kAnyCount, 0, IndexOf<CustomCallAttributes>(), CheckNothing,
     false},
    {Opcode::kIf, 1, kAnyCount, 2, kNoAttributes, CheckIf, false},
    {Opcode::kOptimizationBarrier, kAnyCount, kAnyCount, 0, kNoAttributes, CheckOptimizationBarrier,
     false},
    {Opcode::kWhile, kAnyCount, kAnyCount, 2, kNoAttributes, CheckWhile, false},
    {Opcode::kReturn, kAnyCount, 0, 0, kNoAttributes, CheckNothing, false},
    {Opcode::kAfterAll, kAnyCount, 1, 0, kNoAttributes, CheckTokens, false},
    {Opcode::kCreateToken, 0, 1, 0, kNoAttributes, CheckTokens, false},
    {Opcode::kGetTupleElement, 1, 1, 0, IndexOf<TupleIndexAttributes>(), CheckGetTupleElement,
     false},
    {Opcode::kTuple, kAnyCount, 1, 0, kNoAttributes, CheckTuple, false},
    {Opcode::kInfeed, 1, kSome, 0, kNoAttributes, CheckTokens, false},
    {Opcode::kOutfeed, kSome, 1, 0, kNoAttributes, CheckTokens, false},
    {Opcode::kSend, kSome, 1, 0, kNoAttributes, CheckTokens, false},
    {Opcode::kRecv, 1, kSome, 0, kNoAttributes, CheckTokens, false},
    {Opcode::kGetDimensionSize, 1, 1, 0, kDim, CheckGetDimensionSize},

    {Opcode::kAllGather, kSome, kSome, 0, kCollectiveIndex, CheckAllGather},
    {Opcode::kAllReduce, kSome, kSome, 1, kCollectiveIndex, CheckAllReduce},
    {Opcode::kAllToAll, kSome, kSome, 0, kCollectiveIndex, CheckAllToAll},
    {Opcode::kCollectiveBroadcast, 1, 1, 0, kCollectiveIndex, CheckCollectiveBroadcast},
    {Opcode::kCollectivePermute, 1, 1, 0, kCollectiveIndex, CheckCollectivePermute},
    {Opcode::kReduceScatter, 1, 1, 1, kCollectiveIndex, CheckReduceScatter},
    {Opcode::kManualComputation, kAnyCount, kAnyCount, 1, kNoAttributes, CheckManualComputation,
     false},
    {Opcode::kReshard, 1, 1, 0, kNoAttributes, CheckIdentity},
    {Opcode::kShardingConstraint, 1, 1, 0, kNoAttributes, CheckIdentity},
};

constexpr int NumOperandsOfElementwise(Opcode opcode) {
  if (opcode == Opcode::kClamp || opcode == Opcode::kSelect) return 3;
  // opcode.def lists the elementwise ops by operand count.
  return opcode >= Opcode::kAdd && opcode <= Opcode::kXor ? 2 : 1;
}

constexpr int AttributesOfElementwise(Opcode opcode) {
  if (opcode == Opcode::kCompare) return IndexOf<CompareAttributes>();
  if (opcode == Opcode::kReducePrecision) return IndexOf<ReducePrecisionAttributes>();
  return kNoAttributes;
}

constexpr OpRule RuleOf(Opcode opcode) {
  if (IsElementwise(opcode)) {
    return {opcode, NumOperandsOfElementwise(opcode), 1,
            0,      AttributesOfElementwise(opcode),  CheckElementwise};
  }
  for (const OpRule& rule : kRules) {
    if (rule.opcode == opcode) return rule;
  }
  return {opcode, 0, 0, 0, kNoAttributes, nullptr};
}

template <size_t... I>
constexpr std::array<OpRule, kNumOpcodes> RulesByOpcode(std::index_sequence<I...>) {
  return {RuleOf(static_cast<Opcode>(I))...};
}
constexpr auto kRuleOf = RulesByOpcode(std::make_index_sequence<kNumOpcodes>());

constexpr bool HasRule(Opcode opcode) {
  for (const OpRule& rule : kRules) {
    if (rule.opcode == opcode) return true;
  }
  return IsElementwise(opcode);
}

constexpr bool EveryOpHasARule() {
  for (int opcode = 0; opcode < kNumOpcodes; ++opcode) {
    if (!HasRule(static_cast<Opcode>(opcode))) return false;
  }
  return true;
}
static_assert(EveryOpHasARule());

Status ExpectCountOf(std::string_view what, size_t found, const Count& count) {
  if (count.Allows(found)) return Status();
  std::string expected = StrCat(count.least);
  if (count.most == kMany) {
    expected = StrCat("at least ", count.least);
  } else if (count.most != count.least) {
    expected = StrCat(count.least, " to ", count.most);
  }
  return InvalidArgument("there are ", found, " ", what, "; expected ", expected);
}

Status CheckTensor(std::string_view what, size_t i, const Type& type) {
  if (type.kind == Type::Kind::kTensor) return Status();
  return InvalidArgument(what, " ", i, " is ", type.ToString(), "; expected a tensor");
}

}  // namespace

Status CheckType(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kToken:
      return Status();
    case Type::Kind::kTuple:
      for (const Type& element : type.elements) PLINTH_RETURN_IF_ERROR(CheckType(element));
      return Status();
    case Type::Kind::kTensor:
      break;
  }
  if (ByteSize(type.dtype) == 0) return InvalidArgument("a tensor has no element type");
  if (type.rank() > kMaxRank) {
    return Unimplemented("a tensor has ", type.rank(), " dimensions; at most ", kMaxRank,
                         " are supported");
  }
  int64_t size = ByteSize(type.dtype);
  for (int64_t dim : type.dims) {
    if (dim == kDynamicSize) {
      return Unimplemented("dynamic dimensions are not supported: ", type.ToString());
    }
    if (dim < 0) return InvalidArgument("a dimension is negative: ", type.ToString());
    if (dim > 0 && (__builtin_mul_overflow(size, dim, &size) || size >= int64_t{1} << 62)) {
      return InvalidArgument("a tensor is larger than 2^62 bytes: ", type.ToString());
    }
  }
  return Status();
}

Status CheckOp(const Op& op) {
  const OpRule& rule = kRuleOf[static_cast<size_t>(op.opcode)];
  PLINTH_RETURN_IF_ERROR(ExpectCountOf("operands", op.operands.size(), rule.operands));
  PLINTH_RETURN_IF_ERROR(ExpectCountOf("results", op.results.size(), rule.results));
  PLINTH_RETURN_IF_ERROR(ExpectCountOf("regions", op.blocks.size(), rule.regions));
  const int attributes =
      op.attributes == nullptr ? kNoAttributes : static_cast<int>(op.attributes->index());
  if (attributes != rule.attributes) {
    return Internal("the op has attributes of kind ", attributes, "; expected ", rule.attributes);
  }
  if (rule.tensors_only) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(CheckTensor("operand", i, op.operands[i]->type));
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(CheckTensor("result", i, op.results[i]->type));
    }
  }
  return rule.check(op);
}

}  // namespace plinth::compiler
