// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_LIVENESS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_LIVENESS_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "reference_plugin/compiler/plan/linear_code.h"

// When each variable of linear code holds a value that is still needed.
namespace plinth::compiler::plan {

// Step k reads and starts to write at 2k, and has finished at 2k + 1. A range is closed. The
// entry is before 0; outputs are needed at 2 * number of steps.
struct LiveRange {
  int32_t begin = 0, end = 0;
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

// Ascending, disjoint ranges.
using LiveRanges = std::vector<LiveRange>;

inline constexpr int32_t kEntryPosition = -1;

// One entry per variable. A variable that is written and never read is live while it is written.
// Jumps must be those of branches and loops, as `Linearize` writes them. Time and memory are
// proportional to the code, but for how deep loops and branches nest.
std::vector<LiveRanges> ComputeLiveness(const LinearCode& code);

// When one of a growing set of variables is live: what sharing an allocation makes of several
// ranges. Ranges that touch are one range, so that a chain of updates in place has one however long
// it is.
class LiveSet {
 public:
  LiveSet() = default;
  explicit LiveSet(const LiveRanges& ranges);

  bool empty() const { return end_of_.empty(); }
  size_t size() const { return end_of_.size(); }
  int32_t begin() const { return end_of_.begin()->first; }
  int32_t end() const { return end_of_.rbegin()->second; }

  // Adds the ranges of `other`, which are disjoint from those here or touch them. Only the ranges
  // of the smaller set move; returns how many, which a range meets at most log2(all ranges) times.
  size_t Absorb(LiveSet other);

  // Whether the two are never live at once. `may_touch(position)` says whether one may end where
  // the other begins at that read position, because the step there works in place. Looks the ranges
  // of the smaller set up in the larger.
  template <typename MayTouch>
  friend bool AreDisjoint(const LiveSet& a, const LiveSet& b, const MayTouch& may_touch) {
    const std::map<int32_t, int32_t>& large = a.size() < b.size() ? b.end_of_ : a.end_of_;
    for (const auto& [begin, end] : a.size() < b.size() ? a.end_of_ : b.end_of_) {
      auto after = large.upper_bound(begin);
      if (after != large.end() && after->first <= end) {
        if (after->first < end || !may_touch(end)) return false;
      }
      if (after == large.begin()) continue;
      auto before = std::prev(after);
      if (before->second < begin) continue;
      if (before->second > begin || before->first == begin || !may_touch(begin)) return false;
    }
    return true;
  }

 private:
  std::map<int32_t, int32_t> end_of_;  // by begin
};

}  // namespace plinth::compiler::plan

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PLAN_LIVENESS_H_
