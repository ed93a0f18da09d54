// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KNOWN_LANES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KNOWN_LANES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/native/inline_step.h"
#include "reference_plugin/cpu/native/lanes.h"

// What is known of the lanes of a group before its code runs. A pad or a concatenation chooses by
// preds that say which lanes are within a part: these are known, and so are the lanes that nobody
// chooses.
namespace plinth::cpu::native {

using LaneSet = uint8_t;  // bit i: lane i

struct KnownLanes {
  std::vector<std::optional<LaneSet>> preds;  // by node: where it is true
  std::vector<LaneSet> needed;                // by node

  // The pred that a select's node chooses by, if it is known.
  const std::optional<LaneSet>& ChosenBy(const compiler::Node& node) const;
};

// `kept`: nodes that are needed beside what the phase stores and reduces.
KnownLanes FindKnownLanes(const compiler::Kernel& kernel, const compiler::Phase& phase,
                          const PhaseLanes& lanes, const LaneGroup& group,
                          std::span<const Place> operands, std::span<const int32_t> kept);

// The map, whose lanes that are not needed may have been exchanged for others among `size`
// elements; 0: among the map's own.
LaneMap Relax(const LaneMap& map, LaneSet needed, int64_t size);

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_KNOWN_LANES_H_
