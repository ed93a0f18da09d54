// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/plan/liveness.h"

#include <algorithm>
#include <iterator>

namespace plinth::compiler::plan {
namespace {

// A walk from the last step to the first with one state per variable: whether it is live, and until
// where. At a jump the state becomes another path's, for which only those variables are looked at
// that changed between; so the walk takes steps in proportion to the code and how deep it nests,
// however many variables live through it all. Relies on how a schedule is flattened: jumps are
// those of branches and loops within each other, and what a loop's condition writes is not read
// behind it.
class Walk {
 public:
  // What each loop of the code, numbered from the last to the first, reads in its next turn though
  // nothing behind the loop does.
  using LoopReads = std::vector<std::vector<int32_t>>;

  // Fills `ranges` from the last to the first, given the reads of all loops. Those are what another
  // walk finds before, which leaves the jumps back to the loops' heads out: a path to a read that
  // goes once more around could as well not do so.
  Walk(const LinearCode& code, LoopReads& loop_reads, std::vector<LiveRanges>& ranges)
      : code_(code),
        loop_reads_(loop_reads),
        ranges_(ranges),
        live_until_(code.variables.size(), kDead),
        has_changed_(code.variables.size()) {}

  void Run() {
    for (int32_t output : code_.outputs) {
      live_until_[output] = 2 * static_cast<int32_t>(code_.steps.size());
    }
    for (int32_t k = static_cast<int32_t>(code_.steps.size()) - 1; k >= 0; --k) {
      const LinearStep& step = code_.steps[k];
      if (step.kind == PlanStepKind::kJump) {
        AtJump(k);
      } else if (step.kind == PlanStepKind::kJumpUnless || step.kind == PlanStepKind::kSwitch) {
        AtBranch(k);
      }
      for (int32_t result : step.results) Write(result, k);
      for (int32_t operand : step.operands) Read(operand, k);
      while (!regions_.empty() && regions_.back().head == k) LeaveLoop();
    }
    for (size_t v = 0; v < live_until_.size(); ++v) {
      if (live_until_[v] != kDead) AddRange(static_cast<int32_t>(v), kEntryPosition);
    }
  }

 private:
  static constexpr int32_t kDead = -2;

  // A loop or a conditional that the walk is in.
  struct Region {
    size_t first_change = 0;  // in changes_, since what is behind the region or, with several
                              // branches, behind the current one
    int32_t head = -1;        // loops: its first step
    size_t number = 0;        // loops
    // Conditionals: what is live only at the beginning of a branch, and only at its end; once for
    // each such branch of those seen so far.
    std::vector<int32_t> opened, closed;
    ptrdiff_t num_branches = 0;
  };

  bool IsLive(int32_t variable) const { return live_until_[variable] != kDead; }

  void AddRange(int32_t variable, int32_t begin) {
    LiveRanges& list = ranges_[variable];
    if (!list.empty() && list.back().begin <= live_until_[variable] + 1) {
      list.back().begin = std::min(list.back().begin, begin);
    } else {
      list.push_back({begin, live_until_[variable]});
    }
    live_until_[variable] = kDead;
  }

  void Write(int32_t variable, int32_t k) {
    if (IsLive(variable)) changes_.push_back(variable);
    live_until_[variable] = std::max(live_until_[variable], 2 * k + 1);
    AddRange(variable, 2 * k);
  }

  void Read(int32_t variable, int32_t k) {
    if (IsLive(variable)) return;
    changes_.push_back(variable);
    live_until_[variable] = 2 * k;
  }

  // The walk goes from the beginning of a branch to the end of the one before, which jump `k` ends:
  // what is live at only one of them begins behind the jump, or ends with it.
  void Toggle(int32_t variable, int32_t k) {
    if (IsLive(variable)) {
      AddRange(variable, 2 * k + 2);
    } else {
      live_until_[variable] = 2 * k + 1;
    }
  }

  // The variables that are not as they were when `first_change` began, which the log forgets.
  std::vector<int32_t> TakeChanges(size_t first_change) {
    for (size_t i = first_change; i < changes_.size(); ++i) {
      has_changed_[changes_[i]] = !has_changed_[changes_[i]];
    }
    std::vector<int32_t> changed;
    for (size_t i = first_change; i < changes_.size(); ++i) {
      if (has_changed_[changes_[i]]) changed.push_back(changes_[i]);
      has_changed_[changes_[i]] = false;
    }
    changes_.resize(first_change);
    return changed;
  }

  void AtJump(int32_t k) {
    const int32_t target = code_.steps[k].targets[0];
    if (target > k + 1) {  // the end of a branch with another one behind it
      for (int32_t variable : EndBranch()) Toggle(variable, k);
      return;
    }
    Region& region = regions_.emplace_back();
    region.first_change = changes_.size();
    if (target == k + 1) return;  // the end of the last branch
    region.head = target;
    region.number = num_loops_++;
    if (region.number == loop_reads_.size()) loop_reads_.emplace_back();
    for (int32_t variable : loop_reads_[region.number]) {
      if (IsLive(variable)) continue;
      changes_.push_back(variable);
      live_until_[variable] = 2 * k + 1;
    }
  }

  // Where a loop goes on or is left, or where a conditional's branches part.
  void AtBranch(int32_t k) {
    Region& region = regions_.back();
    if (region.head >= 0) {
      for (int32_t variable : TakeChanges(region.first_change)) {
        if (IsLive(variable)) {
          changes_.push_back(variable);
        } else {
          live_until_[variable] = 2 * k + 1;  // dead in the body, live behind the loop
        }
      }
      return;
    }
    EndBranch();
    // Live is what is live in any branch.
    std::sort(region.opened.begin(), region.opened.end());
    region.opened.erase(std::unique(region.opened.begin(), region.opened.end()),
                        region.opened.end());
    for (int32_t variable : region.opened) {
      changes_.push_back(variable);
      if (!IsLive(variable)) live_until_[variable] = 2 * k + 1;
    }
    std::sort(region.closed.begin(), region.closed.end());
    for (auto it = region.closed.begin(); it != region.closed.end();) {
      auto next = std::upper_bound(it, region.closed.end(), *it);
      if (next - it == region.num_branches) {
        changes_.push_back(*it);
      } else if (!IsLive(*it)) {
        live_until_[*it] = 2 * k + 1;
      }
      it = next;
    }
    regions_.pop_back();
  }

  // At the beginning of a branch; returns what has changed since its end.
  std::vector<int32_t> EndBranch() {
    Region& region = regions_.back();
    ++region.num_branches;
    std::vector<int32_t> changed = TakeChanges(region.first_change);
    for (int32_t variable : changed) {
      (IsLive(variable) ? region.opened : region.closed).push_back(variable);
    }
    return changed;
  }

  void LeaveLoop() {
    const Region& region = regions_.back();
    std::vector<int32_t> changed = TakeChanges(region.first_change);
    changes_.insert(changes_.end(), changed.begin(), changed.end());
    loop_reads_[region.number] = std::move(changed);
    regions_.pop_back();
  }

  const LinearCode& code_;
  LoopReads& loop_reads_;
  std::vector<LiveRanges>& ranges_;
  std::vector<int32_t> live_until_;  // by variable; kDead
  std::vector<Region> regions_;      // from the outermost to the innermost
  // Variables that became live or dead, in order; as if the walk were on one path only.
  std::vector<int32_t> changes_;
  std::vector<bool> has_changed_;  // by variable: within TakeChanges
  size_t num_loops_ = 0;
};

}  // namespace

std::vector<LiveRanges> ComputeLiveness(const LinearCode& code) {
  Walk::LoopReads loop_reads;
  std::vector<LiveRanges> ranges(code.variables.size());
  Walk(code, loop_reads, ranges).Run();
  if (!loop_reads.empty()) {
    ranges.assign(code.variables.size(), {});
    Walk(code, loop_reads, ranges).Run();
  }
  for (LiveRanges& list : ranges) std::reverse(list.begin(), list.end());
  return ranges;
}

LiveSet::LiveSet(const LiveRanges& ranges) {
  for (const LiveRange& range : ranges) {
    end_of_.emplace_hint(end_of_.end(), range.begin, range.end);
  }
}

size_t LiveSet::Absorb(LiveSet other) {
  if (size() < other.size()) end_of_.swap(other.end_of_);
  for (auto [begin, end] : other.end_of_) {
    auto after = end_of_.upper_bound(begin);
    if (after != end_of_.end() && after->first == end) {
      end = after->second;
      after = end_of_.erase(after);
    }
    if (after != end_of_.begin() && std::prev(after)->second == begin) {
      std::prev(after)->second = end;
    } else {
      end_of_.emplace_hint(after, begin, end);
    }
  }
  return other.size();
}

}  // namespace plinth::compiler::plan
