// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/bundle.h"

#include <filesystem>
#include <map>
#include <utility>

#include "conformance/runner/files.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/profile.h"
#include "conformance/runner/waivers.h"
#include "plinth/support/sha256.h"

namespace plinth::conformance {
namespace {

constexpr char kBundle[] = "bundle.json";
constexpr const char* kFiles[] = {"report.json", "profile.json", "waivers.json", "must_pass.txt"};

// Every list that counts for a plugin of that minor.
std::string MustPassOf(int minor) {
  std::string text;
  for (const char* level : {"L0", "L1", "L2", "L3", "L4"}) {
    for (const std::string& name : MustPass(level, minor)) text += name + "\n";
  }
  return text;
}

// The verdicts and the class of each result, against the suite's cases, waivers and lists.
void VerifyReport(const Report& report, const std::vector<Case>& cases,
                  const std::vector<Waiver>& waivers, std::vector<std::string>& problems) {
  std::map<std::string, const Case*> by_name;
  for (const Case& item : cases) by_name[item.name] = &item;
  std::map<std::string, int> seen;
  for (const Result& result : report.results) {
    auto found = by_name.find(result.name);
    if (found == by_name.end()) {
      problems.push_back(StrCat("the suite has no case ", result.name));
    } else if (found->second->is_robust != result.is_robust) {
      problems.push_back(StrCat(result.name, " is said to be of another class than it is"));
    }
    if (++seen[result.name] == 2) problems.push_back(StrCat(result.name, " is reported twice"));
    if (result.verdict == Verdict::kPass && !result.findings.empty()) {
      problems.push_back(StrCat(result.name, " passed, but has findings"));
    }
    if (result.verdict != Verdict::kWaived) continue;
    Result again = result;
    ApplyWaivers(waivers, report.plugin_minor, again);
    if (again.verdict != Verdict::kWaived) {
      problems.push_back(StrCat(result.name, " was waived, but no waiver that is valid for 0.",
                                report.plugin_minor, " names it"));
    }
  }
  std::string level = ConformingLevel(report);
  for (const Case& item : cases) {
    if (item.name.substr(0, 2) <= level && !seen.contains(item.name)) {
      problems.push_back(StrCat(item.name, " was not run"));
    }
  }
}

}  // namespace

Status WriteBundle(const std::string& folder, const BundleInputs& inputs) {
  PLINTH_ASSIGN_OR_RETURN(std::string plugin, ReadFile(inputs.plugin_path));
  std::error_code error;
  if (!std::filesystem::create_directory(folder, error)) {
    return FailedPrecondition("cannot make the folder ", folder,
                              error ? StrCat(": ", error.message()) : ": it exists");
  }
  const std::string contents[] = {
      ReportToJson(inputs.report).ToString() + "\n",
      inputs.profile.empty() ? "{}\n" : inputs.profile,
      inputs.waivers.empty() ? "{\"waivers\": []}\n" : inputs.waivers,
      MustPassOf(inputs.report.plugin_minor),
  };
  Json::Object files;
  for (size_t i = 0; i < std::size(kFiles); ++i) {
    files[kFiles[i]] = Sha256(contents[i]);
    PLINTH_RETURN_IF_ERROR(WriteFile(StrCat(folder, "/", kFiles[i]), contents[i]));
  }
  Json bundle = Json::Object{
      {"format", 1},
      {"suite", PLINTH_VERSION},
      {"level", ConformingLevel(inputs.report)},
      {"minor", inputs.report.plugin_minor},
      {"waived", inputs.report.Count(Verdict::kWaived)},
      {"plugin", std::filesystem::path(inputs.plugin_path).filename().string()},
      {"plugin_sha256", Sha256(plugin)},
      {"files", std::move(files)},
  };
  return WriteFile(StrCat(folder, "/", kBundle), bundle.ToString() + "\n");
}

std::vector<std::string> VerifyBundle(const std::string& folder, const std::vector<Case>& cases,
                                      const std::string& plugin_path) {
  Expected<std::string> text = ReadFile(StrCat(folder, "/", kBundle));
  Expected<Json> bundle = text.ok() ? Json::Parse(*text) : text.status();
  if (!bundle.ok()) return {StrCat(kBundle, ": ", bundle.status().message())};
  std::vector<std::string> problems;
  if (bundle->At("suite").Text() != PLINTH_VERSION) {
    problems.push_back(StrCat("made by version ", bundle->At("suite").Text(),
                              " of the suite; this is ", PLINTH_VERSION));
  }
  std::map<std::string, std::string> contents;
  const Json* files = bundle->Find("files");
  for (const char* name : kFiles) {
    Expected<std::string> file = ReadFile(StrCat(folder, "/", name));
    if (!file.ok()) {
      problems.push_back(StrCat(name, ": ", file.status().message()));
      continue;
    }
    if (files == nullptr || files->At(name).Text() != Sha256(*file)) {
      problems.push_back(StrCat(name, " is not the file that ", kBundle, " names"));
    }
    contents[name] = *std::move(file);
  }
  Expected<Json> json = Json::Parse(contents["report.json"]);
  Expected<Report> report = json.ok() ? ReportFromJson(*json) : json.status();
  Expected<std::vector<Waiver>> waivers = ParseWaivers(contents["waivers.json"]);
  Status profile = ParseProfile(contents["profile.json"]).status();
  for (const Status& status : {report.status(), waivers.status(), profile}) {
    if (!status.ok()) problems.push_back(std::string(status.message()));
  }
  if (!report.ok() || !waivers.ok()) return problems;

  if (contents["must_pass.txt"] != MustPassOf(report->plugin_minor)) {
    problems.push_back(
        StrCat("must_pass.txt is not the suite's list for 0.", report->plugin_minor));
  }
  std::string level = ConformingLevel(*report);
  if (bundle->At("level").Text() != level || json->At("level").Text() != level) {
    problems.push_back(StrCat("the results reach level \"", level, "\", the bundle says \"",
                              bundle->At("level").Text(), "\""));
  }
  const std::pair<const char*, int64_t> claims[] = {{"minor", report->plugin_minor},
                                                    {"waived", report->Count(Verdict::kWaived)}};
  for (const auto& [name, found] : claims) {
    if (bundle->At(name).AsInteger() == found) continue;
    problems.push_back(StrCat("the report has ", name, " ", found, ", the bundle says ",
                              bundle->At(name).ToString()));
  }
  VerifyReport(*report, cases, *waivers, problems);
  if (!plugin_path.empty()) {
    Expected<std::string> plugin = ReadFile(plugin_path);
    if (!plugin.ok() || Sha256(*plugin) != bundle->At("plugin_sha256").Text()) {
      problems.push_back(StrCat(plugin_path, " is not the plugin that was examined"));
    }
  }
  return problems;
}

}  // namespace plinth::conformance
