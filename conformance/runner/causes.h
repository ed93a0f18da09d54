// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_CAUSES_H_
#define PLINTH_CONFORMANCE_RUNNER_CAUSES_H_

#include <functional>
#include <string>
#include <vector>

#include "conformance/runner/report.h"

// Results that have one cause, as far as their names and texts tell.
namespace plinth::conformance {

// "L4/op/reduce_window" of "L4/op/reduce_window/f32_sum": all but the last part, three at most.
std::string GroupName(const std::string& name);

// What a reader wants to know first: the text of the first finding, or else the first note.
std::string ReasonOf(const Result& result);
// The requirement that did not hold, or else the first that the case checks; may be empty.
std::string RequirementOf(const Result& result);
// The same for all results that are listed as one: the verdict, the place, the requirement and, if
// there is none, the reason without its numbers.
std::string CauseOf(const Result& result);

struct Cause {
  std::vector<const Result*> results;  // in the order of the report; not empty
  const Result& first() const { return *results[0]; }
};
// The results that are wanted, by cause, in the order of the first of each.
std::vector<Cause> CausesOf(const Report& report, const std::function<bool(const Result&)>& wants);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_CAUSES_H_
