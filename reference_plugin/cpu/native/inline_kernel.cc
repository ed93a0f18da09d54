// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/inline_kernel.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "reference_plugin/cpu/native/kernel_emitter.h"
#include "reference_plugin/cpu/native/lane_ops.h"
#include "reference_plugin/cpu/native/lanes.h"

namespace plinth::cpu::native {
namespace {

using compiler::Access;
using compiler::Kernel;
using compiler::Node;
using compiler::NodeKind;
using compiler::Phase;
using compiler::plan::PlanStep;
// The most nodes that become code, each once for every register of points that it is repeated for.
constexpr size_t kMostNodes = 2000;

std::vector<int64_t> SizesOf(const std::vector<compiler::plan::ArrayRef>& arrays) {
  std::vector<int64_t> sizes;
  sizes.reserve(arrays.size());
  for (const compiler::plan::ArrayRef& array : arrays) sizes.push_back(array.type.SizeInBytes());
  return sizes;
}

bool IsSmallNumber(int64_t number) {
  return number >= 0 && number <= std::numeric_limits<int32_t>::max();
}

// How an access reads an array of so many bytes, or writes it.
PlaceUse UseOf(const Access& access, const LaneMap& map, int64_t bytes, bool writes) {
  PlaceUse use;
  if (!IsLaneType(access.dtype)) return use;
  for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
    if ((index.dtype != DType::kS32 && index.dtype != DType::kU32) ||
        !IsSmallNumber(index.maximum) || !IsSmallNumber(index.byte_stride)) {
      return use;
    }
  }
  for (const int64_t element : map.elements) {
    if (element != LaneMap::kFill && !IsSmallNumber(element * ByteSize(access.dtype))) return use;
  }
  use.in_memory = true;
  if (access.dtype == DType::kPred) {
    use.in_register = map.OneElement().has_value() && (!writes || map.elements.size() == 1) &&
                      bytes == 1 && access.dynamic_offsets.empty();
  } else {
    use.in_register = access.dynamic_offsets.empty() && bytes <= kLanes * ByteSize(access.dtype);
  }
  return use;
}

void Restrict(PlaceUse* use, const PlaceUse& other) {
  use->in_register = use->in_register && other.in_register;
  use->in_memory = use->in_memory && other.in_memory;
}

}  // namespace

std::unique_ptr<InlineStep> InlineKernel::Make(const PlanStep& step) {
  const Kernel& kernel = *step.kernel;
  const std::vector<int64_t> operand_bytes = SizesOf(step.operands),
                             result_bytes = SizesOf(step.results);
  auto result = std::make_unique<InlineKernel>();
  result->operands_.assign(operand_bytes.size(), {true, true});
  result->results_.assign(result_bytes.size(), {true, true});
  bool reduces = false;
  size_t nodes = 0;
  for (const Phase& phase : kernel.body.phases) {
    const std::optional<PhaseLanes> lanes = PhaseLanes::Make(kernel, phase);
    if (!lanes.has_value()) return nullptr;
    nodes += phase.nodes.size() * lanes->groups.size();
    if (nodes > kMostNodes) return nullptr;
    const int64_t most_lanes = std::min(lanes->points, kLanes);
    for (const Node& node : phase.nodes) {
      if (!IsLaneType(node.dtype)) return nullptr;
      switch (node.kind) {
        case NodeKind::kConstant:
        case NodeKind::kReduced:
        case NodeKind::kRow:
          break;
        case NodeKind::kInput: {
          const Access& access = kernel.shape.inputs[static_cast<size_t>(node.index)];
          const auto buffer = static_cast<size_t>(access.buffer);
          Restrict(&result->operands_[buffer],
                   UseOf(access, lanes->inputs[static_cast<size_t>(node.index)],
                         operand_bytes[buffer], false));
          for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
            // Its type was looked at with the access.
            result->operands_[static_cast<size_t>(index.buffer)].in_register &=
                operand_bytes[static_cast<size_t>(index.buffer)] == kLaneBytes;
          }
          break;
        }
        case NodeKind::kIota:
          if (!HasIota(node, kernel.shape)) return nullptr;
          break;
        case NodeKind::kOp: {
          const OpForm form = FormOf(phase, node, most_lanes);
          // A routine is called once for all points.
          if (form == OpForm::kNone || (form == OpForm::kCall && lanes->points > kLanes)) {
            return nullptr;
          }
          break;
        }
        default:
          return nullptr;
      }
    }
    for (const compiler::Reduction& reduction : phase.reductions) {
      reduces = true;
      if (!HasReduction(phase, reduction)) return nullptr;
    }
    for (const compiler::Store& store : phase.stores) {
      const Access& access = kernel.shape.outputs[static_cast<size_t>(store.output)];
      const auto buffer = static_cast<size_t>(access.buffer);
      Restrict(&result->results_[buffer],
               UseOf(access, lanes->outputs[static_cast<size_t>(store.output)],
                     result_bytes[buffer], true));
      for (const compiler::DynamicOffset& index : access.dynamic_offsets) {
        result->operands_[static_cast<size_t>(index.buffer)].in_register &=
            operand_bytes[static_cast<size_t>(index.buffer)] == kLaneBytes;
      }
    }
  }
  // Reductions give one element.
  if (reduces && CountPoints(kernel.shape, false) != 1) return nullptr;
  for (const auto* uses : {&result->operands_, &result->results_}) {
    for (const PlaceUse& use : *uses) {
      if (!use.in_register && !use.in_memory) return nullptr;
    }
  }
  return result;
}

int32_t InlineKernel::Emit(const PlanStep& step, const InlineContext& context,
                           std::span<const Place> operands, std::span<const Place> results) const {
  KernelEmitter emitter(*step.kernel, context, operands, results);
  emitter.Emit();
  return emitter.stack_end() - context.stack;
}

}  // namespace plinth::cpu::native
