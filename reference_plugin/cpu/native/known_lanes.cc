// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/known_lanes.h"

#include <algorithm>
#include <limits>

namespace plinth::cpu::native {
namespace {

using compiler::Node;
using compiler::NodeKind;
using compiler::Opcode;

constexpr LaneSet Bit(size_t lane) { return static_cast<LaneSet>(1u << lane); }

}  // namespace

const std::optional<LaneSet>& KnownLanes::ChosenBy(const Node& node) const {
  static const std::optional<LaneSet> kNone;
  if (node.kind != NodeKind::kOp || node.opcode != Opcode::kSelect) return kNone;
  return preds[static_cast<size_t>(node.operands[0])];
}

KnownLanes FindKnownLanes(const compiler::Kernel& kernel, const compiler::Phase& phase,
                          const PhaseLanes& lanes, const LaneGroup& group,
                          std::span<const Place> operands, std::span<const int32_t> kept) {
  const auto all = static_cast<LaneSet>((1u << group.lanes) - 1);
  KnownLanes known;
  known.preds.resize(phase.nodes.size());
  known.needed.resize(phase.nodes.size());
  for (size_t n = 0; n < phase.nodes.size(); ++n) {
    const Node& node = phase.nodes[n];
    if (node.dtype != DType::kPred) continue;
    const auto is_true = [](const compiler::ScalarBits& bits) { return (bits.low & 0xFF) != 0; };
    if (node.kind == NodeKind::kConstant) {
      known.preds[n] = is_true(node.constant) ? all : LaneSet{0};
    } else if (node.kind == NodeKind::kInput) {
      const auto number = static_cast<size_t>(node.index);
      const compiler::Access& access = kernel.shape.inputs[number];
      const std::optional<bool>& one = operands[static_cast<size_t>(access.buffer)].pred;
      if (!one.has_value()) continue;
      const LaneMap map = lanes.inputs[number].Part(group.first, group.lanes);
      LaneSet bits = 0;
      for (size_t lane = 0; lane < map.elements.size(); ++lane) {
        const bool is_fill = map.elements[lane] == LaneMap::kFill;
        if (is_fill ? is_true(access.fill) : *one) bits = static_cast<LaneSet>(bits | Bit(lane));
      }
      known.preds[n] = bits;
    }
  }
  const auto need = [&](int32_t node, LaneSet bits) {
    LaneSet& needed = known.needed[static_cast<size_t>(node)];
    needed = static_cast<LaneSet>(needed | bits);
  };
  for (const compiler::Store& store : phase.stores) need(store.node, all);
  for (const compiler::Reduction& reduction : phase.reductions) {
    need(reduction.inputs[0], all);
    need(reduction.initial[0], all);
  }
  for (const int32_t node : kept) need(node, all);
  for (size_t n = phase.nodes.size(); n-- > 0;) {
    const Node& node = phase.nodes[n];
    const LaneSet needed = known.needed[n];
    if (node.kind != NodeKind::kOp || needed == 0) continue;
    if (const std::optional<LaneSet>& chosen = known.ChosenBy(node)) {
      need(node.operands[1], static_cast<LaneSet>(needed & *chosen));
      need(node.operands[2], static_cast<LaneSet>(needed & ~*chosen));
      continue;
    }
    for (size_t i = 0; i < node.num_operands; ++i) need(node.operands[i], needed);
  }
  return known;
}

LaneMap Relax(const LaneMap& map, LaneSet needed, int64_t size) {
  std::optional<int64_t> first, start;
  bool is_uniform = true, is_dense = true;
  int64_t low = std::numeric_limits<int64_t>::max(), high = -1;
  const auto count = static_cast<int64_t>(map.elements.size());
  for (size_t lane = 0; lane < map.elements.size(); ++lane) {
    const int64_t element = map.elements[lane];
    if (element != LaneMap::kFill) {
      low = std::min(low, element);
      high = std::max(high, element);
    }
    if ((needed & Bit(lane)) == 0) continue;
    if (element == LaneMap::kFill) return map;
    const int64_t begin = element - static_cast<int64_t>(lane);
    is_uniform = is_uniform && element == first.value_or(element);
    is_dense = is_dense && begin == start.value_or(begin);
    first = first.value_or(element);
    start = begin;
  }
  if (!first.has_value()) return map;
  const int64_t begin = size > 0 ? 0 : low, end = size > 0 ? size : high + 1;
  LaneMap result = map;
  for (size_t lane = 0; lane < map.elements.size(); ++lane) {
    if (is_uniform || (needed & Bit(lane)) == 0) result.elements[lane] = *first;
    if (!is_uniform && is_dense && *start >= begin && *start + count <= end) {
      result.elements[lane] = *start + static_cast<int64_t>(lane);
    }
  }
  return result;
}

}  // namespace plinth::cpu::native
