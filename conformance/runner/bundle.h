// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_BUNDLE_H_
#define PLINTH_CONFORMANCE_RUNNER_BUNDLE_H_

#include <string>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/report.h"
#include "conformance/runner/statement.h"

namespace plinth::conformance {

// What a vendor submits: one file (.tar.gz), or a folder, with bundle.json, report.json,
// report.html, profile.json, waivers.json, must_pass.txt and, in the one file always,
// statement.json. bundle.json names the version of the suite, the level, the plugin's minor, how
// many results were waived, the SHA-256 of the plugin and that of every other file; bundle.json.sig
// is a signature of it, and so of all.
struct BundleInputs {
  const Report& report;
  std::string plugin_path;
  std::string profile, waivers;  // as they were read; empty: none
  std::string statement = {};    // the same
  std::string key = {};          // file to sign with; empty: no signature
};

// Whether a bundle of that name is one file.
bool IsBundleFile(const std::string& path);

// Makes the file, which it replaces, or the folder, which must not exist.
Status WriteBundle(const std::string& path, const BundleInputs& inputs);

// What a bundle says, and whether it may be believed.
struct BundleCheck {
  std::vector<std::string> problems;  // a sentence each; empty: the bundle holds
  std::string plugin, plugin_sha256, suite, level;
  std::string level_text;  // with how many cases needed more devices
  int minor = 0;
  std::vector<std::string> waived;  // "L2/event/x: FAIL waived until ..."
  Statement statement;              // empty without one
  std::string signer;               // empty: not signed
};

// `cases` are the suite's own. If `plugin_path` is not empty, the bundle has to be about that file.
// `allowed_signers`, a file as ssh-keygen(1) describes it: the bundle has to be signed by somebody
// there.
BundleCheck CheckBundle(const std::string& path, const std::vector<Case>& cases,
                        const std::string& plugin_path, const std::string& allowed_signers = {});

// For people: all of it, and in the last line what it means.
std::string ToText(const BundleCheck& check);

// The bundles (*.tar.gz) of a folder as one page: a row each, a column for each level.
Expected<std::string> BundleTable(const std::string& folder, const std::vector<Case>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_BUNDLE_H_
