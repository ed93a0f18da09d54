// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_FINDINGS_H_
#define PLINTH_IMPL_CLI_FINDINGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/json.h"

// What the answer of plinth_probe means.
namespace plinth::cli {

// Something that a person should know. Problems keep the plugin from working; warnings may.
struct Finding {
  enum class Kind { kProblem, kWarning, kNote };
  Kind kind;
  std::string text;
};
std::vector<Finding> FindingsOf(const Json& probe);

// Why a plugin's minor is below the newest that we know: what came since. Empty if nothing did.
std::string NewerThan(int64_t minor);

// What the history of the API knows of plugins of that minor.
std::vector<std::string> KnownQuirks(int64_t minor);

// A member that is a number, or `otherwise`.
int64_t IntOf(const Json& object, std::string_view key, int64_t otherwise = 0);
// The first line of what people read.
std::string FirstLine(std::string_view text);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_FINDINGS_H_
