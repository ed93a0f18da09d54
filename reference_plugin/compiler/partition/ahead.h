// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_AHEAD_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_AHEAD_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/partition/known.h"
#include "reference_plugin/compiler/partition/uses.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::partition {

// What follows from a value: whether it pays to leave it spread along an axis along which nobody
// asked for it to be. If it is whole there, all devices along the axis compute the same of it.
class Ahead {
 public:
  // `least_gain` as in PartitionOptions. All are referred to.
  Ahead(const Uses& uses, const WantedLayouts& wanted, OpRules& rules, const CollectiveCosts& costs,
        double least_gain)
      : uses_(uses),
        wanted_(wanted),
        rules_(rules),
        costs_(costs),
        least_gain_(least_gain),
        seen_(wanted.shardings().values.size(), 0),
        bytes_(wanted.shardings().values.size(), kUnknown) {}

  // The dimension of the value along which it should be spread by an axis of the mesh; `layout` is
  // how it would lie otherwise. Nothing: it should be whole along the axis.
  std::optional<size_t> DimToSpread(const Value* value, const Layout& layout, const MeshRef& mesh,
                                    const Axis& axis);

 private:
  class Walk;
  // What becomes of a walk at an op: many come by each.
  enum class Course : uint8_t { kUnknown, kEnds, kBarrier, kConstraint, kElementwise, kByRule };
  Course CourseOf(const Op& op) {
    const size_t id = static_cast<size_t>(op.id);
    if (id >= courses_.size()) courses_.resize(id + 1, Course::kUnknown);
    if (courses_[id] == Course::kUnknown) courses_[id] = FindCourse(op);
    return courses_[id];
  }
  static Course FindCourse(const Op& op);
  static constexpr double kUnknown = -1;

  const Uses& uses_;
  const WantedLayouts& wanted_;
  OpRules& rules_;
  const CollectiveCosts& costs_;
  double least_gain_;
  std::vector<uint64_t> seen_;  // of a walk, by value id: a bit for each of the first 64 dimensions
  std::vector<Course> courses_;  // by op id
  std::vector<double> bytes_;    // that a device has, by value id; or kUnknown
  std::vector<std::pair<const Value*, size_t>> steps_;  // of a walk; kept for its memory
};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_AHEAD_H_
