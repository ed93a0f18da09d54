// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/must_pass.h"

#include <charconv>
#include <map>

namespace plinth::conformance {
namespace {

struct List {
  std::string_view level, text;
};
constexpr List kLists[] = {
#include "conformance/must_pass_lists.inc"
};

}  // namespace

std::string_view MustPassText(std::string_view level) {
  for (const List& list : kLists) {
    if (list.level == level) return list.text;
  }
  return {};
}

std::vector<std::string> MustPass(std::string_view level, int minor) {
  std::vector<std::string> cases;
  std::string_view text = MustPassText(level);
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    int since = 0;
    auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), since);
    if (error != std::errc() || end == line.data() + line.size() || since > minor) continue;
    cases.emplace_back(end + 1, line.data() + line.size());
  }
  return cases;
}

std::vector<std::string> MissingMustPass(const Report& report, std::string_view level) {
  std::map<std::string_view, Verdict> verdicts;
  for (const Result& result : report.results) verdicts[result.name] = result.verdict;
  std::vector<std::string> missing;
  for (std::string& name : MustPass(level, report.plugin_minor)) {
    auto found = verdicts.find(name);
    bool has_passed = found != verdicts.end() &&
                      (found->second == Verdict::kPass || found->second == Verdict::kWaived);
    if (!has_passed) missing.push_back(std::move(name));
  }
  return missing;
}

std::string ConformingLevel(const Report& report) {
  std::string highest = report.HighestLevel(), level;
  for (const char* each : {"L0", "L1", "L2", "L3", "L4"}) {
    if (each > highest || !MissingMustPass(report, each).empty()) return level;
    level = each;
  }
  return level;
}

}  // namespace plinth::conformance
