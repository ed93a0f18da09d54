// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_PLACES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_PLACES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cpu/native/inline_step.h"

namespace plinth::cpu::native {

// An array that lives in a register while its loop runs.
struct Resident {
  int32_t allocation = 0;
  Vec reg;
  int64_t bytes = 0;
  DType dtype = DType::kInvalid;
  bool comes = false;  // the code before or after the loop may read or write it
  bool is_written = false;
};

// What the steps [first, last] of a plan become, and which arrays live in registers there.
class LoopPlaces {
 public:
  LoopPlaces(const compiler::plan::Plan& plan, int32_t first, int32_t last);

  // The step as code of its own; null if it is a call.
  const InlineStep* InlineOf(int32_t step) const {
    return steps_[static_cast<size_t>(step - first_)].get();
  }
  std::span<const Resident> residents() const { return residents_; }
  std::optional<Vec> RegisterOf(int32_t allocation) const;
  Place PlaceOf(const compiler::plan::ArrayRef& array) const;

 private:
  void FindLocations();
  void Settle();
  bool Fits(const compiler::plan::PlanStep& step, const InlineStep& code) const;
  void FindOverlaps();
  void Choose();
  size_t LocationOf(const compiler::plan::ArrayRef& array) const {
    return location_[static_cast<size_t>(array.allocation)];
  }

  const compiler::plan::Plan& plan_;
  const int32_t first_, last_;
  std::vector<std::unique_ptr<InlineStep>> steps_;  // of the loop; null: a call
  // By allocation: the first that is the same bytes of the arena. They are one array here.
  std::vector<size_t> location_;
  std::vector<bool> may_reside_, comes_;  // by location
  std::vector<Resident> residents_;
};

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LOOP_PLACES_H_
