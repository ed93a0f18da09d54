// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "reference_plugin/compiler/plan/linear_code.h"
#include "reference_plugin/compiler/plan/liveness.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::compiler::plan {
namespace {

Status CheckArray(const Plan& plan, const ArrayRef& array, size_t step, const char* role) {
  if (array.allocation < 0 || array.allocation >= static_cast<int64_t>(plan.allocations.size())) {
    return Internal("step ", step, " has a ", role, " in allocation ", array.allocation, " of ",
                    plan.allocations.size());
  }
  const Allocation& allocation = plan.allocations[array.allocation];
  if (array.type.kind == Type::Kind::kTensor && array.type.SizeInBytes() > allocation.size) {
    return Internal("step ", step, " has a ", role, " of ", array.type.SizeInBytes(),
                    " bytes in allocation ", array.allocation, " of ", allocation.size);
  }
  return Status();
}

// Follows every path with the set of allocations that were certainly written. Sets are kept only
// where paths join or part.
class WrittenBeforeRead {
 public:
  explicit WrittenBeforeRead(const Plan& plan)
      : plan_(plan),
        count_(static_cast<int32_t>(plan.steps.size())),
        is_leader_(plan.steps.size() + 1),
        written_(plan.steps.size() + 1) {}

  Status Check() {
    is_leader_[count_] = true;
    for (int32_t k = 0; k < count_; ++k) {
      for (int32_t target : plan_.steps[k].targets) is_leader_[target] = true;
    }
    std::vector<bool> at_entry(plan_.allocations.size());
    for (size_t s = 0; s < plan_.allocations.size(); ++s) {
      AllocationKind kind = plan_.allocations[s].kind;
      at_entry[s] = kind == AllocationKind::kArgument || kind == AllocationKind::kConstant ||
                    plan_.allocations[s].size == 0;
    }
    Reach(0, at_entry);
    while (!work_.empty()) {
      int32_t leader = work_.back();
      work_.pop_back();
      PLINTH_RETURN_IF_ERROR(Follow(leader));
    }
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      if (!written_[count_].empty() && !written_[count_][plan_.outputs[o].allocation]) {
        return Internal("output ", o, " is in allocation ", plan_.outputs[o].allocation,
                        ", which is not written on every path");
      }
    }
    return Status();
  }

 private:
  // A path with that much written comes to step `k`.
  void Reach(int32_t k, const std::vector<bool>& written) {
    if (written_[k].empty()) {
      written_[k] = written;
      work_.push_back(k);
      return;
    }
    bool changed = false;
    for (size_t s = 0; s < written.size(); ++s) {
      if (!written_[k][s] || written[s]) continue;
      written_[k][s] = false;
      changed = true;
    }
    if (changed) work_.push_back(k);
  }

  Status Follow(int32_t k) {
    std::vector<bool> written = written_[k];
    while (k < count_) {
      const PlanStep& step = plan_.steps[k];
      for (const ArrayRef& operand : step.operands) {
        if (!written[operand.allocation]) {
          return Internal("step ", k, " reads allocation ", operand.allocation,
                          " before it is written");
        }
      }
      for (const ArrayRef& result : step.results) written[result.allocation] = true;
      for (int32_t target : step.targets) Reach(target, written);
      if (step.kind == PlanStepKind::kJump || step.kind == PlanStepKind::kSwitch) break;
      if (is_leader_[++k]) {
        Reach(k, written);
        break;
      }
    }
    return Status();
  }

  const Plan& plan_;
  const int32_t count_;
  std::vector<bool> is_leader_;             // by step: where jumps go, and the end
  std::vector<std::vector<bool>> written_;  // at leaders; empty where no path has come yet
  std::vector<int32_t> work_;
};

// Results have allocations of their own, but for the operands that may or must share theirs.
Status CheckInPlace(const Plan& plan, const PlanStep& step, int32_t k) {
  for (const InPlace& pair : step.in_place) {
    if (pair.operand < 0 || pair.operand >= static_cast<int64_t>(step.operands.size()) ||
        pair.result < 0 || pair.result >= static_cast<int64_t>(step.results.size())) {
      return Internal("step ", k, " may write result ", pair.result, " over operand ", pair.operand,
                      ", but has ", step.results.size(), " and ", step.operands.size());
    }
    const int32_t from = step.operands[pair.operand].allocation;
    const int32_t to = step.results[pair.result].allocation;
    if (pair.required && from != to) {
      return Internal("step ", k, " updates operand ", pair.operand, " in allocation ", from,
                      ", but its result is in allocation ", to);
    }
  }
  std::map<int32_t, int32_t> result_in;  // by allocation
  for (size_t r = 0; r < step.results.size(); ++r) {
    const int32_t allocation = step.results[r].allocation;
    if (plan.allocations[allocation].size > 0 && !result_in.emplace(allocation, r).second) {
      return Internal("step ", k, " writes two results to allocation ", allocation);
    }
  }
  for (size_t i = 0; i < step.operands.size(); ++i) {
    auto result = result_in.find(step.operands[i].allocation);
    if (result == result_in.end()) continue;
    const bool may = std::any_of(step.in_place.begin(), step.in_place.end(), [&](const InPlace& p) {
      return p.operand == static_cast<int32_t>(i) && p.result == result->second;
    });
    if (!may) {
      return Internal("step ", k, " writes result ", result->second, " over operand ", i,
                      " in allocation ", result->first, ", which it may not");
    }
  }
  return Status();
}

// When each allocation is needed, from its first use to its last.
std::vector<LiveRange> StorageLifetimes(const Plan& plan) {
  LinearCode code;
  code.variables.resize(plan.allocations.size());
  for (const PlanStep& step : plan.steps) {
    LinearStep& linear = code.steps.emplace_back();
    linear.kind = step.kind;
    linear.targets = step.targets;
    for (const ArrayRef& operand : step.operands) linear.operands.push_back(operand.allocation);
    for (const ArrayRef& result : step.results) linear.results.push_back(result.allocation);
  }
  for (const ArrayRef& output : plan.outputs) code.outputs.push_back(output.allocation);
  std::vector<LiveRange> lifetimes;
  for (const LiveRanges& ranges : ComputeLiveness(code)) {
    lifetimes.push_back(ranges.empty() ? LiveRange{0, -1}
                                       : LiveRange{ranges.front().begin, ranges.back().end});
  }
  return lifetimes;
}

// Goes through time with the allocations that are needed then, by their place.
Status CheckArena(const Plan& plan) {
  const std::vector<LiveRange> lifetimes = StorageLifetimes(plan);
  std::vector<int32_t> by_begin;
  for (size_t s = 0; s < plan.allocations.size(); ++s) {
    const Allocation& allocation = plan.allocations[s];
    const bool is_used = lifetimes[s].begin <= lifetimes[s].end;
    if (allocation.kind == AllocationKind::kArena && allocation.size > 0 && is_used) {
      by_begin.push_back(static_cast<int32_t>(s));
    }
  }
  std::vector<int32_t> by_end = by_begin;
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [&](int32_t a, int32_t b) { return lifetimes[a].begin < lifetimes[b].begin; });
  std::stable_sort(by_end.begin(), by_end.end(),
                   [&](int32_t a, int32_t b) { return lifetimes[a].end < lifetimes[b].end; });
  std::map<int64_t, int32_t> needed;  // allocations by offset; they share no bytes
  size_t ended = 0;
  for (int32_t s : by_begin) {
    while (lifetimes[by_end[ended]].end < lifetimes[s].begin) {
      needed.erase(plan.allocations[by_end[ended++]].arena_offset);
    }
    const Allocation& allocation = plan.allocations[s];
    auto after = needed.lower_bound(allocation.arena_offset);
    auto other = needed.end();
    if (after != needed.end() && after->first < allocation.arena_offset + allocation.size)
      other = after;
    if (after != needed.begin()) {
      auto before = std::prev(after);
      if (before->first + plan.allocations[before->second].size > allocation.arena_offset)
        other = before;
    }
    if (other != needed.end()) {
      return Internal("allocations ", other->second, " and ", s,
                      " share bytes of the arena, and both are needed at step ",
                      std::max(lifetimes[s].begin, 0) / 2);
    }
    needed.emplace(allocation.arena_offset, s);
  }
  return Status();
}

// Steps are known to jump within the plan.
class RegionChecker {
 public:
  explicit RegionChecker(const Plan& plan) : plan_(plan), is_owned_(plan.steps.size()) {}

  Status Check() {
    if (plan_.control_flow == ControlFlow::kJumps) {
      return plan_.regions.empty() ? Status() : Internal("a plan of jumps has regions");
    }
    // How far the inner regions of each region, and at last those of the plan, have come.
    std::vector<int32_t> covered;
    for (const PlanRegion& region : plan_.regions) covered.push_back(region.begin);
    covered.push_back(0);
    for (size_t r = 0; r < plan_.regions.size(); ++r) {
      const PlanRegion& region = plan_.regions[r];
      if (region.parent < -1 || region.parent >= static_cast<int64_t>(r) || region.begin < 0 ||
          region.begin >= region.end || region.end > static_cast<int64_t>(plan_.steps.size())) {
        return Internal("region ", r, " is of steps ", region.begin, " to ", region.end, " of ",
                        plan_.steps.size(), ", within region ", region.parent);
      }
      int32_t& before =
          covered[region.parent < 0 ? plan_.regions.size() : static_cast<size_t>(region.parent)];
      if (region.begin < before ||
          (region.parent >= 0 && !LiesWithin(region, plan_.regions[region.parent]))) {
        return Internal("region ", r, " is not within one part of region ", region.parent);
      }
      before = region.end;
      if (!(region.kind == PlanRegion::Kind::kLoop ? CheckLoop(region) : CheckBranch(region))) {
        return Internal("the jumps of region ", r, " are not those of a ",
                        region.kind == PlanRegion::Kind::kLoop ? "loop" : "branch");
      }
    }
    for (size_t k = 0; k < is_owned_.size(); ++k) {
      if (is_owned_[k] == plan_.steps[k].targets.empty()) {
        return Internal("step ", k, " jumps, but is of no region");
      }
    }
    return Status();
  }

 private:
  // Between two of the outer region's own jumps.
  static bool LiesWithin(const PlanRegion& inner, const PlanRegion& outer) {
    if (outer.kind == PlanRegion::Kind::kLoop) {
      return inner.end <= outer.test ? inner.begin >= outer.begin
                                     : inner.begin > outer.test && inner.end < outer.end;
    }
    for (size_t b = 0; b < outer.branches.size(); ++b) {
      if (inner.begin >= outer.branches[b] && inner.end < EndOf(outer, b)) return true;
    }
    return false;
  }

  static int32_t EndOf(const PlanRegion& region, size_t branch) {
    return branch + 1 < region.branches.size() ? region.branches[branch + 1] : region.end;
  }

  // Whether step k is a jump that no other region has, to these steps.
  bool Owns(int32_t k, PlanStepKind kind, const std::vector<int32_t>& targets) {
    if (plan_.steps[k].kind != kind || plan_.steps[k].targets != targets || is_owned_[k]) {
      return false;
    }
    is_owned_[k] = true;
    return true;
  }

  bool CheckLoop(const PlanRegion& loop) {
    return loop.test >= loop.begin && loop.test < loop.end && loop.trips >= 0 &&
           Owns(loop.test, PlanStepKind::kJumpUnless, {loop.end}) &&
           Owns(loop.end - 1, PlanStepKind::kJump, {loop.begin});
  }

  bool CheckBranch(const PlanRegion& region) {
    const std::vector<int32_t>& branches = region.branches;
    if (branches.empty() || branches[0] != region.begin + 1) return false;
    const bool is_if = plan_.steps[region.begin].kind == PlanStepKind::kJumpUnless;
    if (is_if
            ? branches.size() != 2 || !Owns(region.begin, PlanStepKind::kJumpUnless, {branches[1]})
            : !Owns(region.begin, PlanStepKind::kSwitch, branches)) {
      return false;
    }
    for (size_t b = 0; b < branches.size(); ++b) {
      const int32_t end = EndOf(region, b);
      if (branches[b] >= end || end > region.end ||
          !Owns(end - 1, PlanStepKind::kJump, {region.end})) {
        return false;
      }
    }
    return true;
  }

  const Plan& plan_;
  std::vector<bool> is_owned_;  // by step: a jump of a region
};

}  // namespace

Status Verify(const Plan& plan) {
  int32_t count = static_cast<int32_t>(plan.steps.size());
  if (plan.arena_alignment <= 0) return Internal("the arena's alignment is ", plan.arena_alignment);
  for (const Allocation& allocation : plan.allocations) {
    if (allocation.size < 0) return Internal("an allocation has ", allocation.size, " bytes");
    if (allocation.kind == AllocationKind::kArena &&
        (allocation.arena_offset < 0 || allocation.arena_offset % plan.arena_alignment != 0 ||
         allocation.arena_offset + allocation.size > plan.arena_size)) {
      return Internal("an arena allocation at ", allocation.arena_offset, " of ", allocation.size,
                      " bytes does not fit into ", plan.arena_size);
    }
    if (allocation.kind == AllocationKind::kArgument &&
        (allocation.index < 0 ||
         allocation.index >= static_cast<int64_t>(plan.argument_types.size()))) {
      return Internal("an allocation names argument ", allocation.index, " of ",
                      plan.argument_types.size());
    }
  }
  for (int32_t k = 0; k < count; ++k) {
    const PlanStep& step = plan.steps[k];
    for (const ArrayRef& operand : step.operands) {
      PLINTH_RETURN_IF_ERROR(CheckArray(plan, operand, k, "operand"));
    }
    for (const ArrayRef& result : step.results) {
      PLINTH_RETURN_IF_ERROR(CheckArray(plan, result, k, "result"));
      const Allocation& allocation = plan.allocations[result.allocation];
      if (allocation.kind == AllocationKind::kConstant ||
          (allocation.kind == AllocationKind::kArgument && !allocation.donated)) {
        return Internal("step ", k, " writes allocation ", result.allocation,
                        ", which is not its own");
      }
    }
    for (int32_t target : step.targets) {
      if (target < 0 || target > count) {
        return Internal("step ", k, " jumps to ", target, " of ", count);
      }
    }
    size_t wanted = step.kind == PlanStepKind::kJump || step.kind == PlanStepKind::kJumpUnless;
    if (step.kind == PlanStepKind::kSwitch ? step.targets.empty() : step.targets.size() != wanted) {
      return Internal("step ", k, " has ", step.targets.size(), " targets");
    }
    PLINTH_RETURN_IF_ERROR(CheckInPlace(plan, step, k));
  }
  std::vector<bool> is_taken(plan.allocations.size());
  for (const ArrayRef& output : plan.outputs) {
    PLINTH_RETURN_IF_ERROR(CheckArray(plan, output, count, "output"));
    const Allocation& allocation = plan.allocations[output.allocation];
    bool is_own = allocation.kind == AllocationKind::kOutput ||
                  (allocation.kind == AllocationKind::kArgument && allocation.donated);
    if (!is_own || is_taken[output.allocation]) {
      return Internal("an output is in allocation ", output.allocation, ", which is not its own");
    }
    is_taken[output.allocation] = true;
  }
  PLINTH_RETURN_IF_ERROR(RegionChecker(plan).Check());
  PLINTH_RETURN_IF_ERROR(WrittenBeforeRead(plan).Check());
  return CheckArena(plan);
}

std::string ToString(const Plan& plan) {
  static constexpr const char* kAllocationKinds[] = {"argument", "constant", "arena", "output"};
  std::string out = StrCat("plan ", plan.name, ": arena ", plan.arena_size, " bytes, constants ",
                           plan.constant_bytes, " bytes\n");
  for (size_t s = 0; s < plan.allocations.size(); ++s) {
    const Allocation& allocation = plan.allocations[s];
    out += StrCat("  %", s, " = ", kAllocationKinds[static_cast<int>(allocation.kind)], " ",
                  allocation.size, " bytes");
    if (allocation.kind == AllocationKind::kArena) out += StrCat(" at ", allocation.arena_offset);
    if (allocation.kind == AllocationKind::kArgument) out += StrCat(" ", allocation.index);
    if (allocation.donated) out += " donated";
    out += "\n";
  }
  auto list = [](const std::vector<ArrayRef>& arrays) {
    std::string text;
    for (const ArrayRef& array : arrays) {
      text += StrCat(text.empty() ? "" : ", ", "%", array.allocation, ":", array.type.ToString());
    }
    return text;
  };
  for (size_t k = 0; k < plan.steps.size(); ++k) {
    const PlanStep& step = plan.steps[k];
    static constexpr const char* kKinds[] = {"kernel", "library",     "copy",
                                             "jump",   "jump_unless", "switch"};
    out += StrCat("  ", k, ": ", list(step.results), step.results.empty() ? "" : " = ",
                  kKinds[static_cast<int>(step.kind)]);
    if (step.kind == PlanStepKind::kLibrary) out += StrCat(" ", Name(step.opcode));
    if (step.kernel != nullptr) out += StrCat(" ", step.kernel->name);
    if (!step.operands.empty()) out += StrCat(" (", list(step.operands), ")");
    if (!step.targets.empty()) out += StrCat(" -> ", StrJoin(step.targets));
    out += "\n";
  }
  for (size_t r = 0; r < plan.regions.size(); ++r) {
    const PlanRegion& region = plan.regions[r];
    out +=
        StrCat("  region ", r, " in ", region.parent, ": steps ", region.begin, " to ", region.end);
    if (region.kind == PlanRegion::Kind::kLoop) {
      out += StrCat(", a loop that step ", region.test, " leaves, trips ", region.trips, "\n");
    } else {
      out += StrCat(", branches from ", StrJoin(region.branches), "\n");
    }
  }
  return out + StrCat("  return ", list(plan.outputs), "\n");
}

}  // namespace plinth::compiler::plan
