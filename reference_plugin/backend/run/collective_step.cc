// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/run/collective_step.h"

namespace plinth::backend {

LaneGroups::LaneGroups(std::span<const std::vector<int64_t>> groups) {
  begins_.push_back(0);
  for (const std::vector<int64_t>& group : groups) {
    if (group.empty()) continue;
    for (int64_t lane : group) {
      members_.push_back(static_cast<int32_t>(lane));
      const auto number = static_cast<size_t>(lane);
      if (number >= group_of_.size()) group_of_.resize(number + 1, -1);
      group_of_[number] = size();
    }
    begins_.push_back(static_cast<int32_t>(members_.size()));
  }
}

const LaneGroupsRef& LaneGroupsTable::Find(const compiler::DeviceGroups& groups) {
  const auto [known, is_new] = known_.try_emplace(groups.id());
  if (is_new) known->second = {groups, std::make_shared<const LaneGroups>(groups.lists())};
  return known->second.lanes;
}

}  // namespace plinth::backend
