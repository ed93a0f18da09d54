// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_SUBJECT_H_
#define PLINTH_CONFORMANCE_CASES_SUBJECT_H_

#include <string>

#include "conformance/cases/samples.h"
#include "conformance/runner/case.h"

namespace plinth::conformance {

// "PJRT-Buffer_Destroy-null" of function and suffix; empty if the registry has no such number.
std::string RequirementOf(const reflection::Function& function, std::string_view suffix);

// What a case of the function needs where others need `need`: a case that makes clients has no
// other one beside, which some plugins cannot have.
ClientNeed NeedOf(const reflection::Function& function, ClientNeed need);

// A function with arguments for it.
struct Subject {
  const reflection::Function& function;
  const reflection::Struct& args;
  Samples samples;
  Arguments arguments;

  // `number` counts in reflection::Functions().
  Subject(Context& context, int number);

  // False, with a note, if the plugin lacks the function or the suite an object for it.
  bool IsReady(Context& context) const;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_SUBJECT_H_
