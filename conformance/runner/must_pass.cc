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

namespace {

// The listed cases of a level whose result is of that kind; those without one are of none.
template <typename IsOfKind>
std::vector<std::string> Listed(const Report& report, std::string_view level, IsOfKind is_of_kind) {
  std::map<std::string_view, const Result*> results;
  for (const Result& result : report.results) results[result.name] = &result;
  std::vector<std::string> cases;
  for (std::string& name : MustPass(level, report.plugin_minor)) {
    auto found = results.find(name);
    if (is_of_kind(found == results.end() ? nullptr : found->second)) {
      cases.push_back(std::move(name));
    }
  }
  return cases;
}

}  // namespace

std::vector<std::string> MissingMustPass(const Report& report, std::string_view level) {
  return Listed(report, level, [](const Result* result) {
    return result == nullptr || (result->verdict != Verdict::kPass &&
                                 result->verdict != Verdict::kWaived && !result->lacks_devices);
  });
}

size_t LackingDevices(const Report& report, std::string_view level) {
  return Listed(report, level,
                [](const Result* result) { return result != nullptr && result->lacks_devices; })
      .size();
}

std::string ConformingLevel(const Report& report) {
  std::string highest = report.HighestLevel(), level;
  for (const char* each : {"L0", "L1", "L2", "L3", "L4"}) {
    if (each > highest || !MissingMustPass(report, each).empty()) return level;
    level = each;
  }
  return level;
}

std::string ConformingLevelText(const Report& report) {
  std::string text = ConformingLevel(report);
  size_t lacking = 0;
  for (const char* each : {"L0", "L1", "L2", "L3", "L4"}) {
    if (each <= text) lacking += LackingDevices(report, each);
  }
  if (lacking != 0) text += StrCat(", but for ", lacking, " cases of more devices or partitions");
  return text;
}

}  // namespace plinth::conformance
