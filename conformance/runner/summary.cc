// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/summary.h"

#include <map>
#include <string_view>

#include "conformance/runner/causes.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/next_level.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace {

constexpr const char* kLevels[] = {"L0", "L1", "L2", "L3", "L4"};
constexpr size_t kMaxLines = 12;  // of a list that --all prints in full
constexpr size_t kMaxReason = 240;

bool IsFailure(const Result& result) {
  return result.verdict == Verdict::kFail || result.verdict == Verdict::kCrash ||
         result.verdict == Verdict::kHang;
}

// On one line, and not all of it.
std::string Shortened(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kMaxReason)) out += c == '\n' || c == '\r' ? ' ' : c;
  if (text.size() > kMaxReason) out += "...";
  return out;
}

// "PJRT_Buffer_Destroy" of a name or a finding; where there is none, the group.
std::string FunctionOf(const Result& result) {
  size_t start = result.name.find("PJRT_");
  if (start == std::string::npos) return GroupName(result.name);
  size_t end = result.name.find('/', start);
  return result.name.substr(start, end == std::string::npos ? end : end - start);
}

std::string MustPassText(const Report& report, const SummaryOptions& options) {
  std::string line;
  for (const char* each : kLevels) {
    size_t needed = MustPass(each, report.plugin_minor).size();
    bool is_asked = options.asked_level.empty() || each <= options.asked_level;
    if (needed == 0 || !is_asked || (options.is_selection && !IsLookedAt(report, each))) continue;
    size_t missing = MissingMustPass(report, each).size();
    size_t lacking = LackingDevices(report, each);
    line +=
        StrCat(line.empty() ? "must pass: " : ", ", each, " ", needed - missing - lacking, " of ",
               needed, lacking == 0 ? "" : StrCat(" (", lacking, " need more devices)"));
  }
  return line.empty() ? line : line + "\n";
}

std::string LackText(const Lack& lack, bool shows_all) {
  std::string text = StrCat("  ", lack.verdict, " ", lack.cases[0]);
  if (lack.cases.size() > 1) text += StrCat(" and ", lack.cases.size() - 1, " more");
  if (!lack.reason.empty()) text += StrCat("\n    ", Shortened(lack.reason));
  if (!lack.sentence.empty()) text += StrCat("\n    ", lack.requirement, ": ", lack.sentence);
  text += "\n";
  for (size_t i = 1; shows_all && i < lack.cases.size(); ++i) {
    text += StrCat("    also ", lack.cases[i], "\n");
  }
  return text;
}

std::string NextText(const Report& report, const SummaryOptions& options) {
  NextLevel next = WhatIsNext(report);
  if (next.level.empty()) return "";
  bool was_asked = options.asked_level.empty() || next.level <= options.asked_level;
  bool is_partial = options.is_selection && !IsLookedAt(report, next.level);
  if (!was_asked || !next.is_asked || is_partial) return StrCat(next.level, " was not looked at\n");
  if (next.lacks.empty()) return "";
  std::string text = StrCat(next.level, " needs ", next.cases, " more ",
                            next.cases == 1 ? "case" : "cases", " to pass:\n");
  for (size_t i = 0; i < next.lacks.size(); ++i) {
    if (!options.shows_all && i == kMaxLines) {
      text += StrCat("  and ", next.lacks.size() - i, " other reasons; --all shows them\n");
      break;
    }
    text += LackText(next.lacks[i], options.shows_all);
  }
  return text;
}

}  // namespace

std::string ResultText(const Report& report, const Result& result) {
  std::string text =
      StrCat(VerdictName(result.verdict), result.is_robust ? " (robust) " : " ", result.name, "\n");
  for (const Finding& finding : result.findings) {
    text += StrCat("    ", finding.text, "\n");
    const auto* requirement = reflection::FindRequirement(finding.requirement);
    if (requirement != nullptr) {
      text += StrCat("    ", requirement->id, ": ", requirement->text, "\n");
    }
  }
  for (const std::string& note : result.notes) text += StrCat("    ", note, "\n");
  if (!result.waiver.empty()) text += StrCat("    ", result.waiver, "\n");
  return text + StrCat("    repeat: ", RepeatCommand(report, result), "\n");
}

std::string CausesText(const Report& report) {
  std::string text;
  for (const Cause& cause : CausesOf(report, [](const Result& result) {
         return !result.is_robust && (IsFailure(result) || result.verdict == Verdict::kWaived);
       })) {
    if (cause.results.size() == 1) continue;
    text += StrCat("  ", cause.results.size(), " of ", GroupName(cause.first().name), ": ",
                   VerdictName(cause.first().verdict), " as ", cause.first().name, ": ",
                   Shortened(ReasonOf(cause.first())), "\n");
  }
  return text.empty() ? text : "by cause (--all shows every case):\n" + text;
}

std::string RobustText(const Report& report, const SummaryOptions& options) {
  struct Row {
    std::map<std::string_view, int> verdicts;
    const Result* first = nullptr;
  };
  std::map<std::string, Row> rows;
  int failed = 0, all = 0;
  for (const Result& result : report.results) {
    if (!result.is_robust) continue;
    ++all;
    if (!IsFailure(result)) continue;
    ++failed;
    Row& row = rows[FunctionOf(result)];
    ++row.verdicts[VerdictName(result.verdict)];
    if (row.first == nullptr) row.first = &result;
  }
  if (failed == 0) return "";
  std::string text = StrCat("class robust, which lowers no level: ", failed, " of ", all,
                            " did not pass (--no-robust leaves them out)\n");
  size_t lines = 0;
  for (const auto& [function, row] : rows) {
    if (!options.shows_all && ++lines > kMaxLines) {
      text += StrCat("  and ", rows.size() - kMaxLines, " other functions; --all shows them\n");
      break;
    }
    std::string verdicts;
    for (const auto& [verdict, count] : row.verdicts) {
      verdicts += StrCat(verdicts.empty() ? "" : ", ", verdict, " ", count);
    }
    text += StrCat("  ", function, ": ", verdicts, "; ", row.first->name, ": ",
                   Shortened(ReasonOf(*row.first)), "\n");
  }
  return text;
}

std::string CountsText(const Report& report) {
  std::string text;
  for (Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kCrash, Verdict::kHang,
                          Verdict::kUnsupported, Verdict::kWaived}) {
    text += StrCat(VerdictName(verdict), " ", report.Count(verdict), "  ");
  }
  text += "(robust: ";
  for (Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kCrash, Verdict::kHang}) {
    text += StrCat(verdict == Verdict::kPass ? "" : ", ", VerdictName(verdict), " ",
                   report.CountRobust(verdict));
  }
  return text + ")\n";
}

std::string LevelText(const Report& report, const SummaryOptions& options) {
  if (!report.no_client.empty()) return "no level reached: every level needs a client\n";
  std::string text = MustPassText(report, options);
  if (options.is_selection && text.empty()) return "";
  std::string level = ConformingLevelText(report);
  text += level.empty() ? "no level reached\n" : StrCat("conforms to ", level, "\n");
  return text + NextText(report, options);
}

}  // namespace plinth::conformance
