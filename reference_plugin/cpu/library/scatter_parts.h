// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_PARTS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_PARTS_H_

#include <cstddef>
#include <cstdint>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/kernel/combiner.h"
#include "reference_plugin/cpu/library/pair_combiner.h"

namespace plinth::cpu::library {

// Many updates of a small array (segment sums, histograms) are cut into parts, each for a copy of
// the array that some thread has for itself; the array is the copy of part 0. How many there are
// depends on shape, type and op alone, and so does the order of a sum. Immutable.
class ScatterParts {
 public:
  // Sums and extrema of the usual types are cut.
  static Expected<ScatterParts> Make(const compiler::Combiner& combiner,
                                     const compiler::Type& array, int64_t num_updates,
                                     int64_t update_bytes);

  int64_t count() const { return count_; }
  int64_t scratch_bytes() const { return (count_ - 1) * copy_bytes_; }

  // Every copy becomes what changes no element when it is joined.
  void Begin(const std::byte* array, std::byte* scratch) const;
  // Where a part's updates go.
  std::byte* Copy(int64_t part, std::byte* array, std::byte* scratch) const {
    return part == 0 ? array : scratch + (part - 1) * copy_bytes_;
  }
  // The array becomes what all copies together are.
  Status Join(std::byte* array, std::byte* scratch) const;

 private:
  int64_t count_ = 1;
  int64_t array_bytes_ = 0, copy_bytes_ = 0;
  bool is_extreme_ = false;
  int64_t sign_step_ = 0;  // from the sign of an element to the next; 0 if they have none
  PairCombiner join_;
};

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_PARTS_H_
