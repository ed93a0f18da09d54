// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/report.h"

#include <algorithm>
#include <map>

#include "conformance/runner/files.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/next_level.h"
#include "plinth/reflection/reflection.h"

namespace plinth::conformance {
namespace {

bool IsFailure(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kCrash || verdict == Verdict::kHang;
}

std::string TextOf(const Json& object, std::string_view key) {
  return std::string(object.At(key).Text());
}

double NumberOf(const Json& object, std::string_view key) {
  return object.At(key).AsNumber().value_or(0);
}

Json::Array Texts(const std::vector<std::string>& texts) {
  return Json::Array(texts.begin(), texts.end());
}

std::vector<std::string> TextsOf(const Json& object, std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& element : object.At(key).Elements()) {
    if (element.AsString() != nullptr) texts.push_back(*element.AsString());
  }
  return texts;
}

}  // namespace

int Report::Count(Verdict verdict) const {
  return static_cast<int>(std::count_if(results.begin(), results.end(), [=](const Result& r) {
    return r.verdict == verdict && !r.is_robust;
  }));
}

int Report::CountRobust(Verdict verdict) const {
  return static_cast<int>(std::count_if(results.begin(), results.end(), [=](const Result& r) {
    return r.verdict == verdict && r.is_robust;
  }));
}

std::string Report::HighestLevel() const {
  std::string highest;
  for (const char* level : {"L0", "L1", "L2", "L3", "L4"}) {
    bool has_passed = false;
    for (const Result& result : results) {
      if (result.is_robust || result.name.rfind(level, 0) != 0) continue;
      if (IsFailure(result.verdict)) return highest;
      has_passed |= result.verdict == Verdict::kPass || result.lacks_devices;
    }
    if (!has_passed) return highest;
    highest = level;
  }
  return highest;
}

Status CheckIsSameRun(const Report& before, const Report& now) {
  if (before.plugin_sha256.empty() || before.plugin_sha256 != now.plugin_sha256) {
    return FailedPrecondition("the report is about another plugin: ", before.plugin_path,
                              " with SHA-256 ", before.plugin_sha256, "; this one has ",
                              now.plugin_sha256);
  }
  if (before.profile_sha256 != now.profile_sha256) {
    return FailedPrecondition("the report was made with another profile");
  }
  if (before.seed != now.seed) {
    return FailedPrecondition("the report was made with --seed ", before.seed, ", not ", now.seed);
  }
  return Status();
}

std::string RepeatCommand(const Report& report, const Result& result) {
  return StrCat("plinth-conformance --plugin ", report.plugin_path, " --cases '", result.name,
                "' --seed ", report.seed);
}

Json ResultToJson(const Result& result) {
  Json::Object object{{"name", result.name},
                      {"verdict", VerdictName(result.verdict)},
                      {"class", result.is_robust ? "robust" : "contract"},
                      {"seconds", result.seconds}};
  if (!result.waiver.empty()) object["waiver"] = result.waiver;
  if (result.verdict == Verdict::kWaived) object["unwaived"] = VerdictName(result.unwaived);
  if (result.lacks_devices) object["lacks_devices"] = true;
  if (!result.notes.empty()) object["notes"] = Texts(result.notes);
  if (!result.requirements.empty()) object["requirements"] = Texts(result.requirements);
  Json::Array findings;
  for (const Finding& finding : result.findings) {
    Json::Object entry{{"text", finding.text}};
    if (!finding.requirement.empty()) {
      entry["requirement"] = finding.requirement;
      const auto* requirement = reflection::FindRequirement(finding.requirement);
      if (requirement != nullptr) entry["requirement_text"] = requirement->text.view();
    }
    findings.emplace_back(std::move(entry));
  }
  if (!findings.empty()) object["findings"] = std::move(findings);
  return object;
}

Expected<Result> ResultFromJson(const Json& json) {
  Result result;
  result.name = TextOf(json, "name");
  if (result.name.empty() || !VerdictFromName(TextOf(json, "verdict"), result.verdict)) {
    return InvalidArgument("not a result: ", json.ToString());
  }
  result.is_robust = TextOf(json, "class") == "robust";
  result.seconds = NumberOf(json, "seconds");
  result.waiver = TextOf(json, "waiver");
  (void)VerdictFromName(TextOf(json, "unwaived"), result.unwaived);
  const bool* lacks_devices = json.At("lacks_devices").AsBool();
  result.lacks_devices =
      result.verdict == Verdict::kUnsupported && lacks_devices != nullptr && *lacks_devices;
  result.notes = TextsOf(json, "notes");
  result.requirements = TextsOf(json, "requirements");
  for (const Json& finding : json.At("findings").Elements()) {
    result.findings.push_back({TextOf(finding, "requirement"), TextOf(finding, "text")});
  }
  return result;
}

Json ReportToJson(const Report& report) {
  Json::Array results;
  for (const Result& result : report.results) results.push_back(ResultToJson(result));
  Json::Object counts, robust;
  for (Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kCrash, Verdict::kHang,
                          Verdict::kUnsupported, Verdict::kWaived}) {
    counts[std::string(VerdictName(verdict))] = report.Count(verdict);
    robust[std::string(VerdictName(verdict))] = report.CountRobust(verdict);
  }
  Json::Object must_pass;
  for (const char* level : {"L0", "L1", "L2", "L3", "L4"}) {
    size_t needed = MustPass(level, report.plugin_minor).size();
    if (needed == 0) continue;
    must_pass[level] = Json::Object{{"needed", needed},
                                    {"missing", Texts(MissingMustPass(report, level))},
                                    {"lacking_devices", LackingDevices(report, level)}};
  }
  Json::Object object{{"format", 1},
                      {"plugin", report.plugin_path},
                      {"plugin_sha256", report.plugin_sha256},
                      {"profile_sha256", report.profile_sha256},
                      {"version", report.plugin_version},
                      {"minor", report.plugin_minor},
                      {"seed", report.seed},
                      {"level", ConformingLevel(report)},
                      {"must_pass", std::move(must_pass)},
                      {"counts", std::move(counts)},
                      {"robust_counts", std::move(robust)},
                      {"uncovered_requirements", Texts(report.uncovered)},
                      {"results", std::move(results)}};
  if (!report.error.empty()) object["error"] = report.error;
  if (!report.no_client.empty()) object["no_client"] = report.no_client;
  Json::Object facts;
  for (const auto& [name, text] : report.facts) facts[name] = text;
  if (!facts.empty()) object["facts"] = std::move(facts);
  NextLevel next = WhatIsNext(report);
  if (!next.level.empty()) {
    Json::Array lacks;
    for (const Lack& lack : next.lacks) {
      Json::Object entry{
          {"verdict", lack.verdict}, {"reason", lack.reason}, {"cases", Texts(lack.cases)}};
      if (!lack.requirement.empty()) entry["requirement"] = lack.requirement;
      lacks.emplace_back(std::move(entry));
    }
    object["next_level"] =
        Json::Object{{"level", next.level}, {"asked", next.is_asked}, {"lacks", std::move(lacks)}};
  }
  return object;
}

Expected<Report> ReportFromJson(const Json& json) {
  Report report;
  if (NumberOf(json, "format") != 1) {
    return InvalidArgument("not a report of plinth-conformance: `format` is not 1");
  }
  report.plugin_path = TextOf(json, "plugin");
  report.plugin_sha256 = TextOf(json, "plugin_sha256");
  report.profile_sha256 = TextOf(json, "profile_sha256");
  report.plugin_version = TextOf(json, "version");
  report.plugin_minor = static_cast<int>(json.At("minor").AsInteger().value_or(0));
  report.seed = json.At("seed").AsUnsigned().value_or(0);
  report.error = TextOf(json, "error");
  report.no_client = TextOf(json, "no_client");
  for (const auto& [name, text] : json.At("facts").Members()) {
    report.facts.emplace_back(name, std::string(text.Text()));
  }
  report.uncovered = TextsOf(json, "uncovered_requirements");
  const Json* results = json.Find("results");
  if (results == nullptr || results->AsArray() == nullptr) {
    return InvalidArgument("not a report of plinth-conformance: no `results`");
  }
  for (const Json& entry : *results->AsArray()) {
    PLINTH_ASSIGN_OR_RETURN(Result result, ResultFromJson(entry));
    report.results.push_back(std::move(result));
  }
  return report;
}

Expected<Report> ReadReport(const std::string& path) {
  PLINTH_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Expected<Json> json = Json::Parse(text);
  if (!json.ok()) return json.status().WithContext(path);
  return ReportFromJson(*json);
}

std::string DiffReports(const Report& before, const Report& after, bool& is_worse) {
  std::map<std::string, Verdict> old;
  for (const Result& result : before.results) old[result.name] = result.verdict;
  std::string text;
  is_worse = false;
  for (const Result& result : after.results) {
    auto found = old.find(result.name);
    if (found == old.end()) {
      text += StrCat("new      ", result.name, ": ", VerdictName(result.verdict), "\n");
      continue;
    }
    if (found->second != result.verdict) {
      bool worse = IsFailure(result.verdict) && !IsFailure(found->second);
      is_worse |= worse && !result.is_robust;
      text += StrCat(worse ? "worse    " : "changed  ", result.name, ": ",
                     VerdictName(found->second), " -> ", VerdictName(result.verdict), "\n");
    }
    old.erase(found);
  }
  for (const auto& [name, verdict] : old) {
    text += StrCat("gone     ", name, ": was ", VerdictName(verdict), "\n");
  }
  return text.empty() ? "no difference\n" : text;
}

}  // namespace plinth::conformance
