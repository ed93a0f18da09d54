// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_ABOUT_H_
#define PLINTH_CONFORMANCE_RUNNER_ABOUT_H_

#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/supervisor.h"

// What a plugin is, asked before the suite begins.
namespace plinth::conformance {

struct About {
  // "platform", "attribute stablehlo_current_version" and so on, in this order.
  std::vector<std::pair<std::string, std::string>> facts;
  std::string version;  // "0.114", as its table says; empty if it could not be opened
  int major = 0, minor = 0;
  std::string error;      // why the plugin cannot be used at all
  std::string no_client;  // why it makes no client; empty if it does
};

// Whether the table of a plugin can be read: it is of our major version, and of a minor from which
// on tables tell their size and extensions have theirs. FAILED_PRECONDITION says what to do.
Status CheckIsReadable(int major, int minor);

// Two cases of no level that ask; a child knows them by their names.
std::vector<Case> AboutCases();

// Asks in child processes, so that a plugin that crashes or hangs is answered.
About AskAbout(const SupervisorOptions& options);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_ABOUT_H_
