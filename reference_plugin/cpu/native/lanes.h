// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/emit/vector_code.h"

// How the points of a small kernel lie in the lanes of registers, and which elements of an array an
// access gives them.
namespace plinth::cpu::native {

using emit::IsLaneType;
using emit::kLaneBytes;
using emit::kLanes;

inline constexpr int32_t kVectorBytes = static_cast<int32_t>(kLanes * kLaneBytes);

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

  LaneMap Part(int64_t first, int64_t count) const;
  // By how many elements the lanes of the next register lie behind those from `first` on; nothing
  // if not all by as many.
  std::optional<int64_t> StepFrom(int64_t first) const;
};

// Points `first` and behind, as many as the register has lanes or fewer; and the same for as many
// repetitions, each kLanes further.
struct LaneGroup {
  int64_t first = 0, lanes = 1, repeats = 1;
};

// The points of a phase, and their elements.
struct PhaseLanes {
  static constexpr int64_t kMostPoints = 512;  // as many as ../kernels/small_kernel takes

  int64_t points = 1;
  std::vector<LaneMap> inputs, outputs;  // by number; empty if the phase does not use it
  std::vector<LaneMap> iotas;            // by dimension, the places along it; or empty
  std::vector<LaneGroup> groups;         // all points

  // Nothing where there are too many points, or an element does not lie at a multiple of its size.
  static std::optional<PhaseLanes> Make(const compiler::Kernel& kernel,
                                        const compiler::Phase& phase);
};

// The number of points of a phase; nothing if there are none or too many.
std::optional<int64_t> CountPoints(const compiler::KernelShape& shape, bool over_reduced);

// Elements as addresses name them: an index that counts lanes is multiplied by this; nothing if a
// step of so many bytes for each register is none of a processor's factors.
std::optional<int> ScaleOfStep(int64_t step_bytes);

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANES_H_
