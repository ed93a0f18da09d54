// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/causes.h"

#include <map>

#include "plinth/support/str_cat.h"

namespace plinth::conformance {
namespace {

// "f32[#] has # bytes": texts that differ in numbers only become equal.
std::string WithoutNumbers(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 300)) {
    bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) {
      out += c;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

// A plugin that lacks a function, an op or a type says so in many words.
bool SaysUnimplemented(std::string_view text) {
  return text.find("UNIMPLEMENTED") != std::string_view::npos;
}

}  // namespace

std::string GroupName(const std::string& name) {
  size_t last = name.rfind('/');
  if (last == std::string::npos) return name;
  size_t end = 0;
  for (int parts = 0; parts < 3 && end < last; ++parts) {
    end = std::min(name.find('/', end + (parts == 0 ? 0 : 1)), last);
  }
  return name.substr(0, end);
}

std::string ReasonOf(const Result& result) {
  if (!result.findings.empty()) return result.findings[0].text;
  return result.notes.empty() ? std::string() : result.notes[0];
}

std::string RequirementOf(const Result& result) {
  for (const Finding& finding : result.findings) {
    if (!finding.requirement.empty()) return finding.requirement;
  }
  return result.requirements.empty() ? std::string() : result.requirements[0];
}

std::string CauseOf(const Result& result) {
  std::string reason = ReasonOf(result);
  std::string why;
  const bool has_result = result.verdict != Verdict::kUnsupported;
  if (has_result && SaysUnimplemented(reason)) {
    why = "UNIMPLEMENTED";
  } else if (has_result && !result.findings.empty()) {
    why = result.findings[0].requirement;
  }
  if (why.empty()) why = WithoutNumbers(reason);
  return StrCat(VerdictName(result.verdict), "\n", GroupName(result.name), "\n", why);
}

std::vector<Cause> CausesOf(const Report& report, const std::function<bool(const Result&)>& wants) {
  std::vector<Cause> causes;
  std::map<std::string, size_t> places;
  for (const Result& result : report.results) {
    if (!wants(result)) continue;
    auto [place, is_new] = places.emplace(CauseOf(result), causes.size());
    if (is_new) causes.emplace_back();
    causes[place->second].results.push_back(&result);
  }
  return causes;
}

}  // namespace plinth::conformance
