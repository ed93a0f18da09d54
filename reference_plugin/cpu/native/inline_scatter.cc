// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/inline_scatter.h"

#include <limits>
#include <optional>

#include "reference_plugin/compiler/kernel/combiner.h"

namespace plinth::cpu::native {
namespace {

using compiler::Opcode;
using compiler::ScatterAttributes;
using compiler::plan::PlanStep;
using Xbyak::util::eax;
using Xbyak::util::ptr;
using Xbyak::util::rax;
using Xbyak::util::rcx;
using Xbyak::util::rdx;

constexpr int64_t kMostBytes = std::numeric_limits<int32_t>::max();

// The op that combines the old element with the new one; none if the new one takes its place.
std::optional<Opcode> CombinerOf(const PlanStep& step) {
  if (compiler::IsAssignment(step.combiners[0])) return std::nullopt;
  return compiler::SingleOp(step.combiners[0]);
}

bool HasCombiner(const PlanStep& step, DType type) {
  if (step.combiners.size() != 1) return false;
  if (compiler::IsAssignment(step.combiners[0])) return true;
  const std::optional<Opcode> op = compiler::SingleOp(step.combiners[0]);
  return op.has_value() && compiler::InfoOf(*op).commutative && VectorCode::CanCombine(*op, type);
}

}  // namespace

std::unique_ptr<InlineStep> InlineScatter::Make(const PlanStep& step) {
  if (step.operands.size() != 3 || step.results.size() != 1) return nullptr;
  const compiler::Type& array = step.operands[0].type;
  const compiler::Type& indices = step.operands[1].type;
  const auto& attributes = *std::get_if<ScatterAttributes>(step.attributes.get());
  const auto components = static_cast<int64_t>(attributes.scatter_dims_to_operand_dims.size());
  const bool is_one = step.operands[2].type.NumElements() == 1 && components >= 1 &&
                      indices.NumElements() == components && components <= kLanes &&
                      attributes.input_batching_dims.empty();
  if (!is_one || step.operands[0].allocation != step.results[0].allocation ||
      !IsLaneType(array.dtype) || array.dtype == DType::kPred || indices.dtype != DType::kS32 ||
      array.SizeInBytes() > kMostBytes || !HasCombiner(step, array.dtype)) {
    return nullptr;
  }
  auto result = std::make_unique<InlineScatter>();
  constexpr PlaceUse kMemory = {.in_register = false, .in_memory = true};
  constexpr PlaceUse kAny = {.in_register = true, .in_memory = true};
  result->operands_ = {kMemory, kAny, kAny};
  result->results_ = {kMemory};
  return result;
}

int32_t InlineScatter::Emit(const PlanStep& step, const InlineContext& context,
                            std::span<const Place> operands, std::span<const Place>) const {
  Assembler& code = context.code;
  const auto& attributes = *std::get_if<ScatterAttributes>(step.attributes.get());
  const compiler::Type& array = step.operands[0].type;
  VectorCode vector(code, context.pool);
  Xbyak::Label outside;
  constexpr Vec kOld(kFirstFree), kNew(kFirstFree + 1), kResult(kFirstFree + 2);
  const Xbyak::Address element = ptr[rdx];

  code.mov(rdx, ptr[kBases + 8 * operands[0].allocation]);
  const compiler::Dims& dims = attributes.scatter_dims_to_operand_dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (operands[1].reg.has_value()) {
      const auto lane = static_cast<int64_t>(i);
      vector.Shuffle(kOld, *operands[1].reg, {&lane, 1}, 0);
      code.vmovd(eax, Xbyak::Xmm(kOld.getIdx()));
    } else {
      code.mov(rcx, ptr[kBases + 8 * operands[1].allocation]);
      code.mov(eax, ptr[rcx + 4 * i]);
    }
    int64_t stride = kLaneBytes;
    for (int64_t d = array.rank() - 1; d > dims[i]; --d) stride *= array.dims[d];
    // Negative numbers are larger than any extent, as unsigned ones. Nothing is written then.
    code.cmp(eax, static_cast<uint32_t>(array.dims[dims[i]]));
    code.jae(outside);
    code.imul(rax, rax, static_cast<int>(stride));
    code.add(rdx, rax);
  }
  Vec value = kNew;
  if (operands[2].reg.has_value()) {
    value = *operands[2].reg;
  } else {
    code.mov(rcx, ptr[kBases + 8 * operands[2].allocation]);
    vector.LoadLanes(kNew, ptr[rcx], 1);
  }
  if (const std::optional<Opcode> op = CombinerOf(step)) {
    vector.LoadLanes(kOld, element, 1);
    vector.Combine(*op, array.dtype, kResult, kOld, value);
    value = kResult;
  }
  vector.StoreLanes(element, value, 1);
  code.L(outside);
  return 0;
}

}  // namespace plinth::cpu::native
