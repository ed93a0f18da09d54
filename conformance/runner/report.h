// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_REPORT_H_
#define PLINTH_CONFORMANCE_RUNNER_REPORT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/case.h"
#include "conformance/runner/verdict.h"
#include "plinth/support/json.h"

namespace plinth::conformance {

// What a run found about one plugin.
struct Report {
  std::string plugin_path;
  std::string plugin_version;  // "0.114"; empty if it could not be read
  int plugin_minor = 0;
  uint64_t seed = 1;
  // SHA-256 of the plugin, and of its profile; empty if a file could not be read, or there is none.
  std::string plugin_sha256, profile_sha256;
  std::string error;  // why nothing could be run; empty otherwise
  // Why the plugin makes no client; then only cases were run that need none.
  std::string no_client;
  // What people want to know of the run: "platform", "host", "date" and so on, in this order.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<Result> results;
  // Requirements of the registry that no case of the suite is known to see broken.
  std::vector<std::string> uncovered;

  // How many results have the verdict. Findings of class robust are counted only by the second.
  int Count(Verdict verdict) const;
  int CountRobust(Verdict verdict) const;
  // "L0", "L1" and so on: the highest level of which, and of all below it, every case that was run
  // passed, was waived or is not supported, and at least one passed. Empty if there is none.
  std::string HighestLevel() const;
};

// Whether the results of `before` may stand in a report of `now`: of the same plugin under the same
// profile, with the same random values.
Status CheckIsSameRun(const Report& before, const Report& now);

// The command that repeats one case.
std::string RepeatCommand(const Report& report, const Result& result);

// A report that a run wrote with --json.
Expected<Report> ReadReport(const std::string& path);

Json ResultToJson(const Result& result);
Expected<Result> ResultFromJson(const Json& json);

// See conformance/schemas/report.schema.json.
Json ReportToJson(const Report& report);
Expected<Report> ReportFromJson(const Json& json);
std::string ReportToJunit(const Report& report);
// One self-contained page.
std::string ReportToHtml(const Report& report);

// What changed from one report to another, a line for each case; `is_worse` if any case that
// passed does no longer.
std::string DiffReports(const Report& before, const Report& after, bool& is_worse);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_REPORT_H_
