// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/vector_code.h"

// How the points of a small kernel lie in the lanes of a register, and which elements of an array
// an access gives them.
namespace plinth::cpu::native {

using emit::IsLaneType;
using emit::kLaneBytes;
using emit::kLanes;

// By lane the number of the element in the array, counted in elements from its start.
struct LaneMap {
  static constexpr int64_t kFill = emit::kNoLane;  // the lane has the access's fill

  std::vector<int64_t> elements;

  bool HasFill() const;
  // The one element of all lanes that have any; nothing if there are several or none.
  std::optional<int64_t> OneElement() const;
  bool IsUniform() const { return !HasFill() && OneElement().has_value(); }
  bool IsDense() const;  // each lane the element behind the last
  bool IsIdentity() const { return IsDense() && elements[0] == 0; }
};

// The number of points of a phase, if they fit into the lanes.
std::optional<int64_t> CountLanes(const compiler::KernelShape& shape, bool over_reduced);

// Nothing where an element does not lie at a multiple of the element's size.
std::optional<LaneMap> MapLanes(const compiler::KernelShape& shape, bool over_reduced,
                                const compiler::Access& access);

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANES_H_
