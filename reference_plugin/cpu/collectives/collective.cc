// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/collectives/collective.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/ir/opcode.h"

namespace plinth::cpu::collectives {
namespace {

using compiler::CollectiveAttributes;
using compiler::Opcode;

// Lanes that send to each other, directly or not, are a group of a permutation.
std::vector<std::vector<int64_t>> ConnectedLanes(const CollectiveAttributes& permute) {
  size_t count = 0;
  for (const std::vector<int64_t>& pair : permute.groups) {
    count = std::max({count, static_cast<size_t>(pair[0]) + 1, static_cast<size_t>(pair[1]) + 1});
  }
  std::vector<size_t> parent(count);
  std::iota(parent.begin(), parent.end(), size_t{0});
  auto root_of = [&](int64_t lane) {
    auto at = static_cast<size_t>(lane);
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  std::vector<bool> takes_part(count, false);
  for (const std::vector<int64_t>& pair : permute.groups) {
    for (int64_t lane : pair) takes_part[static_cast<size_t>(lane)] = true;
    parent[root_of(pair[0])] = root_of(pair[1]);
  }
  std::vector<std::vector<int64_t>> groups(count);
  for (size_t lane = 0; lane < count; ++lane) {
    if (!takes_part[lane]) continue;
    const auto number = static_cast<int64_t>(lane);
    groups[root_of(number)].push_back(number);
  }
  return groups;
}

Expected<std::unique_ptr<backend::PreparedStep>> Prepare(const compiler::plan::PlanStep& step,
                                                         backend::LaneGroupsTable& lanes) {
  const auto& collective = *std::get_if<CollectiveAttributes>(step.attributes.get());
  const bool is_permute = step.opcode == Opcode::kCollectivePermute;
  backend::LaneGroupsRef groups =
      is_permute ? std::make_shared<const backend::LaneGroups>(ConnectedLanes(collective))
                 : lanes.Find(collective.groups);
  if (step.opcode == Opcode::kRedistribute) return PrepareRedistribute(step, std::move(groups));
  const bool combines = step.opcode == Opcode::kAllReduce || step.opcode == Opcode::kReduceScatter;
  return combines ? PrepareCombine(step, std::move(groups))
                  : PrepareExchange(step, std::move(groups));
}

}  // namespace

bool IsCollective(const compiler::plan::PlanStep& step) {
  return step.kind == compiler::plan::PlanStepKind::kLibrary &&
         compiler::InfoOf(step.opcode).category == compiler::Category::kCollective;
}

Expected<std::unique_ptr<backend::PreparedStep>> PrepareCollective(
    const compiler::plan::PlanStep& step, backend::LaneGroupsTable& lanes) {
  auto prepared = Prepare(step, lanes);
  if (prepared.ok()) return prepared;
  std::string text(compiler::Name(step.opcode));
  if (step.location != nullptr && !step.location->empty()) {
    text += StrCat(" at ", *step.location);
  }
  return prepared.status().WithContext(text);
}

}  // namespace plinth::cpu::collectives
