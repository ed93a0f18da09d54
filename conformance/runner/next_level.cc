// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/next_level.h"

#include <map>
#include <set>

#include "conformance/runner/causes.h"
#include "conformance/runner/must_pass.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace {

std::string LevelAfter(const std::string& level) {
  if (level.empty()) return "L0";
  return level == "L4" ? "" : StrCat("L", level[1] - '0' + 1);
}

// What is not supported for one reason is so in many places.
std::string KeyOf(const Result& result) {
  if (result.verdict == Verdict::kUnsupported) return "UNSUPPORTED\n" + ReasonOf(result);
  return CauseOf(result);
}

}  // namespace

bool IsLookedAt(const Report& report, std::string_view level) {
  std::set<std::string_view> run;
  for (const Result& result : report.results) run.insert(result.name);
  for (const std::string& name : MustPass(level, report.plugin_minor)) {
    if (!run.contains(name)) return false;
  }
  return true;
}

NextLevel WhatIsNext(const Report& report) {
  NextLevel next;
  next.level = LevelAfter(ConformingLevel(report));
  if (next.level.empty()) return next;
  std::map<std::string_view, const Result*> results;
  std::vector<std::string> wanted = MissingMustPass(report, next.level);
  std::set<std::string> listed(wanted.begin(), wanted.end());
  for (const Result& result : report.results) {
    results[result.name] = &result;
    if (result.is_robust || !result.name.starts_with(next.level)) continue;
    next.is_asked = true;
    bool has_failed = result.verdict == Verdict::kFail || result.verdict == Verdict::kCrash ||
                      result.verdict == Verdict::kHang;
    if (has_failed && listed.insert(result.name).second) wanted.push_back(result.name);
  }
  next.cases = wanted.size();
  std::map<std::string, size_t> places;
  for (std::string& name : wanted) {
    auto found = results.find(name);
    const Result* result = found == results.end() ? nullptr : found->second;
    auto [place, is_new] =
        places.emplace(result == nullptr ? "" : KeyOf(*result), next.lacks.size());
    if (is_new) {
      Lack& lack = next.lacks.emplace_back();
      lack.verdict = result == nullptr ? "not run" : VerdictName(result->verdict);
      if (result != nullptr) {
        lack.reason = ReasonOf(*result);
        lack.requirement = RequirementOf(*result);
        const auto* requirement = reflection::FindRequirement(lack.requirement);
        if (requirement != nullptr) lack.sentence = requirement->text.view();
      }
    }
    next.lacks[place->second].cases.push_back(std::move(name));
  }
  return next;
}

}  // namespace plinth::conformance
