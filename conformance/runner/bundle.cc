// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/bundle.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "conformance/runner/files.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/profile.h"
#include "conformance/runner/ssh_signature.h"
#include "conformance/runner/tar_gz.h"
#include "conformance/runner/waivers.h"
#include "plinth/support/sha256.h"

namespace plinth::conformance {
namespace {

constexpr char kBundle[] = "bundle.json", kSignature[] = "bundle.json.sig";
constexpr char kStatement[] = "statement.json";
constexpr const char* kFiles[] = {"report.json", "report.html", "profile.json", "waivers.json",
                                  "must_pass.txt"};

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

// The files of a bundle, whichever form it has, as far as they can be read.
Files ReadBundle(const std::string& path, std::vector<std::string>& problems) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    Expected<std::string> bytes = ReadFile(path);
    Expected<Files> files = bytes.ok() ? UnpackTarGz(*bytes) : bytes.status();
    if (files.ok()) return *std::move(files);
    problems.push_back(StrCat(path, ": ", files.status().message()));
    return {};
  }
  Files files;
  for (std::string name : {kSignature, kStatement}) {
    Expected<std::string> contents = ReadFile(StrCat(path, "/", name));
    if (contents.ok()) files[name] = *std::move(contents);
  }
  std::vector<std::string> names(std::begin(kFiles), std::end(kFiles));
  names.emplace_back(kBundle);
  for (const std::string& name : names) {
    Expected<std::string> contents = ReadFile(StrCat(path, "/", name));
    if (contents.ok()) {
      files[name] = *std::move(contents);
    } else {
      problems.push_back(StrCat(name, ": ", contents.status().message()));
    }
  }
  return files;
}

// Every file is there, named, and as it was.
void VerifyFiles(const Files& files, const Json& named, std::vector<std::string>& problems) {
  for (const auto& [name, contents] : files) {
    if (name == kBundle || name == kSignature) continue;
    if (named.At(name).Text() != Sha256(contents)) {
      problems.push_back(StrCat(name, " is not the file that ", kBundle, " names"));
    }
  }
}

void VerifyClaims(const Json& bundle, const Json& report_json, const Report& report,
                  std::vector<std::string>& problems) {
  std::string level = ConformingLevel(report);
  if (bundle.At("level").Text() != level || report_json.At("level").Text() != level) {
    problems.push_back(StrCat("the results reach level \"", level, "\", the bundle says \"",
                              bundle.At("level").Text(), "\""));
  }
  const std::pair<const char*, int64_t> claims[] = {{"minor", report.plugin_minor},
                                                    {"waived", report.Count(Verdict::kWaived)}};
  for (const auto& [name, found] : claims) {
    if (bundle.At(name).AsInteger() == found) continue;
    problems.push_back(StrCat("the report has ", name, " ", found, ", the bundle says ",
                              bundle.At(name).ToString()));
  }
}

void VerifySignature(const Files& files, const std::string& allowed_signers, BundleCheck& check) {
  auto found = files.find(kSignature);
  if (found == files.end()) {
    if (!allowed_signers.empty()) check.problems.push_back("it is not signed");
    return;
  }
  Expected<std::string> signer = SshSigner(files.at(kBundle), found->second, allowed_signers);
  if (signer.ok()) {
    check.signer = *std::move(signer);
  } else {
    check.problems.push_back(StrCat("the signature does not hold: ", signer.status().message()));
  }
}

// The results, against everything that bears on them.
void VerifyContents(const Files& files, const Json& bundle, const std::vector<Case>& cases,
                    BundleCheck& check) {
  Expected<Json> json = Json::Parse(files.at("report.json"));
  Expected<Report> report = json.ok() ? ReportFromJson(*json) : json.status();
  Expected<std::vector<Waiver>> waivers = ParseWaivers(files.at("waivers.json"));
  Status profile = ParseProfile(files.at("profile.json")).status();
  Status statement;
  if (auto found = files.find(kStatement); found != files.end()) {
    Expected<Statement> parsed = ParseStatement(found->second);
    statement = parsed.status();
    if (parsed.ok()) check.statement = *std::move(parsed);
  }
  for (const Status& status : {report.status(), waivers.status(), profile, statement}) {
    if (!status.ok()) check.problems.emplace_back(status.message());
  }
  if (!report.ok() || !waivers.ok()) return;
  if (files.at("must_pass.txt") != MustPassOf(report->plugin_minor)) {
    check.problems.push_back(
        StrCat("must_pass.txt is not the suite's list for 0.", report->plugin_minor));
  }
  if (check.suite == PLINTH_VERSION && files.at("report.html") != ReportToHtml(*report)) {
    check.problems.emplace_back("report.html is not the page of report.json");
  }
  check.level = ConformingLevel(*report);
  check.level_text = ConformingLevelText(*report);
  check.minor = report->plugin_minor;
  for (const Result& result : report->results) {
    if (result.verdict != Verdict::kWaived) continue;
    check.waived.push_back(StrCat(result.name, ": ", result.waiver));
  }
  VerifyClaims(bundle, *json, *report, check.problems);
  VerifyReport(*report, cases, *waivers, check.problems);
}

}  // namespace

bool IsBundleFile(const std::string& path) {
  return path.ends_with(".tar.gz") || path.ends_with(".tgz");
}

Status WriteBundle(const std::string& path, const BundleInputs& inputs) {
  PLINTH_ASSIGN_OR_RETURN(std::string plugin, ReadFile(inputs.plugin_path));
  if (IsBundleFile(path) && inputs.statement.empty()) {
    return FailedPrecondition(
        "a bundle that is submitted needs a statement: make one with "
        "`plinth-conformance statement`, and give it by --statement");
  }
  Files files = {
      {"report.json", ReportToJson(inputs.report).ToString() + "\n"},
      {"report.html", ReportToHtml(inputs.report)},
      {"profile.json", inputs.profile.empty() ? "{}\n" : inputs.profile},
      {"waivers.json", inputs.waivers.empty() ? "{\"waivers\": []}\n" : inputs.waivers},
      {"must_pass.txt", MustPassOf(inputs.report.plugin_minor)},
  };
  if (!inputs.statement.empty()) {
    PLINTH_RETURN_IF_ERROR(ParseStatement(inputs.statement).status());
    files[kStatement] = inputs.statement;
  }
  Json::Object hashes;
  for (const auto& [name, contents] : files) hashes[name] = Sha256(contents);
  Json bundle = Json::Object{
      {"format", 1},
      {"suite", PLINTH_VERSION},
      {"level", ConformingLevel(inputs.report)},
      {"minor", inputs.report.plugin_minor},
      {"waived", inputs.report.Count(Verdict::kWaived)},
      {"plugin", std::filesystem::path(inputs.plugin_path).filename().string()},
      {"plugin_sha256", Sha256(plugin)},
      {"files", std::move(hashes)},
  };
  files[kBundle] = bundle.ToString() + "\n";
  if (!inputs.key.empty()) {
    PLINTH_ASSIGN_OR_RETURN(files[kSignature], SshSign(files[kBundle], inputs.key));
  }
  if (IsBundleFile(path)) return WriteFile(path, PackTarGz(files));
  std::error_code error;
  if (!std::filesystem::create_directory(path, error)) {
    return FailedPrecondition("cannot make the folder ", path,
                              error ? StrCat(": ", error.message()) : ": it exists");
  }
  for (const auto& [name, contents] : files) {
    PLINTH_RETURN_IF_ERROR(WriteFile(StrCat(path, "/", name), contents));
  }
  return Status();
}

BundleCheck CheckBundle(const std::string& path, const std::vector<Case>& cases,
                        const std::string& plugin_path, const std::string& allowed_signers) {
  BundleCheck check;
  Files files = ReadBundle(path, check.problems);
  if (!files.contains(kBundle)) {
    if (check.problems.empty()) check.problems.push_back(StrCat(kBundle, " is missing"));
    return check;
  }
  Expected<Json> bundle = Json::Parse(files.at(kBundle));
  if (!bundle.ok()) {
    check.problems.push_back(StrCat(kBundle, ": ", bundle.status().message()));
    return check;
  }
  check.suite = bundle->At("suite").Text();
  check.plugin = bundle->At("plugin").Text();
  check.plugin_sha256 = bundle->At("plugin_sha256").Text();
  if (check.suite != PLINTH_VERSION) {
    check.problems.push_back(
        StrCat("made by version ", check.suite, " of the suite; this is ", PLINTH_VERSION));
  }
  if (IsBundleFile(path) && !files.contains(kStatement)) {
    check.problems.push_back(StrCat(kStatement, " is missing"));
  }
  VerifyFiles(files, bundle->At("files"), check.problems);
  for (const char* name : kFiles) {
    bool is_missing = files.emplace(name, "").second;
    if (is_missing && IsBundleFile(path)) check.problems.push_back(StrCat(name, " is missing"));
  }
  VerifySignature(files, allowed_signers, check);
  VerifyContents(files, *bundle, cases, check);
  if (!plugin_path.empty()) {
    Expected<std::string> plugin = ReadFile(plugin_path);
    if (!plugin.ok() || Sha256(*plugin) != check.plugin_sha256) {
      check.problems.push_back(StrCat(plugin_path, " is not the plugin that was examined"));
    }
  }
  return check;
}

}  // namespace plinth::conformance
