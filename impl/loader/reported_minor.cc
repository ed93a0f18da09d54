// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/reported_minor.h"

#include <algorithm>

#include "impl/loader/adapter.h"

namespace plinth::loader {

Expected<int> MinorToReport(const PluginTable& table, int asked) {
  int own = std::min(table.minor, kPjrtDeclaredMinor);
  if (asked == 0) return own;
  if (asked < kPjrtOldestReadableMinor || asked > kPjrtDeclaredMinor) {
    return InvalidArgument("api_minor is ", asked, "; this libplinth can report 0.",
                           kPjrtOldestReadableMinor, " to 0.", kPjrtDeclaredMinor);
  }
  if (asked <= own) return asked;
  Adapter adapter(table);
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    const reflection::Function& function = reflection::Functions()[i];
    if (function.table >= 0 || function.since <= own || function.since > asked ||
        function.absent == reflection::Absent::kNull || adapter.Offers(i)) {
      continue;
    }
    return FailedPrecondition("api_minor asks to report 0.", asked, " for ", table.Describe(),
                              ", but ", function.name, " of 0.", function.since,
                              " is neither in the plugin nor emulated. Ask for at most 0.",
                              function.since - 1);
  }
  return asked;
}

}  // namespace plinth::loader
