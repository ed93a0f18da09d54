#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LIVENESS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LIVENESS_H_

#include <cstdint>
#include <vector>

#include "reference_plugin/compiler/linear_code.h"

// When each variable of linear code holds a value that is still needed.
namespace plinth::compiler {

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
std::vector<LiveRanges> ComputeLiveness(const LinearCode& code);

// Whether the two are never live at once. `may_touch(position)` says whether one may end where the
// other begins at that read position, because the step there works in place.
template <typename MayTouch>
bool AreDisjoint(const LiveRanges& a, const LiveRanges& b, const MayTouch& may_touch) {
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const LiveRange &x = a[i], &y = b[j];
    if (x.end < y.begin || (x.end == y.begin && x.begin < x.end && may_touch(x.end))) {
      ++i;
    } else if (y.end < x.begin || (y.end == x.begin && y.begin < y.end && may_touch(y.end))) {
      ++j;
    } else {
      return false;
    }
  }
  return true;
}

LiveRanges Union(const LiveRanges& a, const LiveRanges& b);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LIVENESS_H_
