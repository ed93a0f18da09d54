// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_EXTENSION_CALLS_H_
#define PLINTH_CONFORMANCE_CASES_EXTENSION_CALLS_H_

#include <string_view>

#include "conformance/cases/ask.h"

namespace plinth::conformance {

// Calls a function of an extension. False where the plugin does not have it, and with a finding
// where it fails.
template <typename Args>
bool AskExtension(Context& context, std::string_view name, Args& args,
                  std::string_view requirement = "PJRT-Args-accepted") {
  const reflection::Function* function = reflection::FindFunction(name);
  if (function == nullptr || context.plugin().Slot(*function) == nullptr) return false;
  args.struct_size = reflection::Structs()[function->args].end;
  Status status = context.plugin().Call(*function, &args);
  if (status.ok()) return true;
  bool may_lack = function->absent != reflection::Absent::kRequired;
  if (status.code() == StatusCode::kUnimplemented && may_lack) {
    context.Note(StrCat(name, ": ", status.ToString()));
  } else {
    context.Fail(requirement, StrCat(name, ": expected success, got ", status.ToString()));
  }
  return false;
}

// Whether the plugin has a function of an extension.
inline bool HasExtension(Context& context, std::string_view function) {
  return context.plugin().Slot(*reflection::FindFunction(function)) != nullptr;
}

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_EXTENSION_CALLS_H_
