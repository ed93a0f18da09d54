// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_BUNDLE_H_
#define PLINTH_CONFORMANCE_RUNNER_BUNDLE_H_

#include <string>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/report.h"

namespace plinth::conformance {

// What a vendor submits: a folder with bundle.json, report.json, profile.json, waivers.json and
// must_pass.txt. bundle.json names the version of the suite, the level, the plugin's minor, how
// many results were waived, the SHA-256 of the plugin and that of every other file.
struct BundleInputs {
  const Report& report;
  std::string plugin_path;
  std::string profile, waivers;  // as they were read; empty: none
};

// Makes the folder, which must not exist.
Status WriteBundle(const std::string& folder, const BundleInputs& inputs);

// What does not hold about a bundle, a sentence each; empty if all does. `cases` are the suite's
// own. If `plugin_path` is not empty, the bundle has to be about that file.
std::vector<std::string> VerifyBundle(const std::string& folder, const std::vector<Case>& cases,
                                      const std::string& plugin_path);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_BUNDLE_H_
