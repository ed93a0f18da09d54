// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_COLLECTIVE_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_COLLECTIVE_STEP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/backend/run/prepared_step.h"
#include "reference_plugin/compiler/ir/device_groups.h"

namespace plinth::backend {

// Which lanes of a launch take part in a collective together.
class LaneGroups {
 public:
  // Each group lists lanes by rank, no lane twice.
  explicit LaneGroups(std::span<const std::vector<int64_t>> groups);

  int32_t size() const { return static_cast<int32_t>(begins_.size()) - 1; }
  int32_t num_lanes() const { return static_cast<int32_t>(members_.size()); }
  // -1: the lane is in no group, it takes part alone.
  int32_t GroupOf(int32_t lane) const {
    const auto number = static_cast<size_t>(lane);
    return number < group_of_.size() ? group_of_[number] : -1;
  }
  // Of a group.
  std::span<const int32_t> Members(int32_t group) const {
    const auto begin = static_cast<size_t>(begins_[static_cast<size_t>(group)]);
    const auto end = static_cast<size_t>(begins_[static_cast<size_t>(group) + 1]);
    return std::span(members_).subspan(begin, end - begin);
  }

 private:
  std::vector<int32_t> members_;  // of group 0 by rank, then of group 1, ...
  std::vector<int32_t> begins_;   // of each group in members_, and the end
  std::vector<int32_t> group_of_;
};
using LaneGroupsRef = std::shared_ptr<const LaneGroups>;

// The same of the groups of one program's collectives, each once.
class LaneGroupsTable {
 public:
  const LaneGroupsRef& Find(const compiler::DeviceGroups& groups);

 private:
  struct Known {
    compiler::DeviceGroups groups;  // so that its id stays its own
    LaneGroupsRef lanes;
  };
  std::map<const void*, Known> known_;  // by the id of the groups
};

// A step that the lanes of a group do together, when each has come to it: what an engine makes of
// every collective (Category::kCollective). Immutable; any number of launches may be at it.
class CollectiveStep : public PreparedStep {
 public:
  // What one lane brings: the first elements of its operands and results.
  struct Participant {
    std::span<void*const> operands, results;
  };

  // Those whose result has to be written: one, if they have it together.
  static std::span<const Participant> Targets(std::span<const Participant> members, size_t result) {
    const bool is_shared =
        members.size() > 1 && members[0].results[result] == members[1].results[result];
    return is_shared ? members.first(1) : members;
  }

  explicit CollectiveStep(LaneGroupsRef groups) : groups_(std::move(groups)) {}

  const LaneGroups& groups() const { return *groups_; }
  // Whether all members of a group get the same results. Then they may have each of them as one
  // array together.
  virtual bool GivesAllTheSame() const { return false; }
  // Does the work of a whole group, whose members it gets by rank; of group -1 there is one. Of the
  // context it uses the pool alone. Nobody else touches what it reads and writes meanwhile.
  virtual Status Meet(int32_t group, std::span<const Participant> members,
                      const RunContext& context) const = 0;

  // Never asked for: a lane stops at the step.
  Outcome Run(std::span<void* const>, std::span<void* const>, const RunContext&) const final {
    return Internal("a collective does not run on one lane");
  }

 private:
  const LaneGroupsRef groups_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_COLLECTIVE_STEP_H_
