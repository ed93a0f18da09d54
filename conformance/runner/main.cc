// SPDX-License-Identifier: Apache-2.0
// plinth-conformance: runs the conformance suite on a PJRT plugin. See conformance/README.md.

#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>

#include "conformance/runner/bundle.h"
#include "conformance/runner/case.h"
#include "conformance/runner/child.h"
#include "conformance/runner/files.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/report.h"
#include "conformance/runner/supervisor.h"
#include "conformance/runner/waivers.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/sha256.h"
#include "plinth/support/text.h"

namespace plinth::conformance {
namespace {

constexpr int kExitFailures = 1, kExitUsage = 2, kExitUnusable = 3;

struct Options {
  std::string plugin, level, cases = "*", waivers, profile, junit, json, html, resume, loader,
                             bundle;
  uint64_t seed = 1;
  int jobs = 1;
  bool list = false, child = false, quiet = false;
  std::string before, after;  // of `diff`
  std::string folder;         // of `verify`
};

Expected<Report> ReadReport(const std::string& path) {
  PLINTH_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Expected<Json> json = Json::Parse(text);
  if (!json.ok()) return json.status().WithContext(path);
  return ReportFromJson(*json);
}

Expected<Profile> ReadProfile(const std::string& path) {
  if (path.empty()) return Profile();
  PLINTH_ASSIGN_OR_RETURN(std::string text, ReadFile(path));
  Expected<Profile> profile = ParseProfile(text);
  if (!profile.ok()) return profile.status().WithContext(path);
  return profile;
}

std::vector<const Case*> Select(const std::vector<Case>& cases, const Options& options) {
  // "@FILE": names, one on a line.
  std::set<std::string> names;
  bool has_names = options.cases.starts_with('@');
  if (has_names) {
    Expected<std::string> text = ReadFile(options.cases.substr(1));
    std::istringstream lines(text.ok() ? *text : "");
    for (std::string name; std::getline(lines, name);) names.insert(name);
  }
  std::vector<const Case*> selected;
  for (const Case& item : cases) {
    bool is_low = options.level.empty() || item.name.substr(0, 2) <= options.level;
    bool is_wanted = has_names ? names.contains(item.name) : GlobMatches(options.cases, item.name);
    if (is_low && is_wanted) selected.push_back(&item);
  }
  return selected;
}

// Requirements that no case names: promises of class undefined are the validation layer's.
std::vector<std::string> Uncovered(const std::vector<Case>& cases) {
  std::set<std::string> covered;
  for (const Case& item : cases) covered.insert(item.requirements.begin(), item.requirements.end());
  std::vector<std::string> uncovered;
  for (const auto& requirement : reflection::Requirements()) {
    bool is_asked = requirement.requirement_class != reflection::RequirementClass::kUndefined;
    if (is_asked && !covered.contains(std::string(requirement.id.view()))) {
      uncovered.emplace_back(requirement.id.view());
    }
  }
  return uncovered;
}

int RunAsChild(const Options& options, const std::vector<Case>& cases) {
  Expected<Profile> profile = ReadProfile(options.profile);
  if (!profile.ok()) return kExitUsage;
  std::map<std::string, const Case*> by_name;
  for (const Case& item : cases) by_name[item.name] = &item;
  std::vector<const Case*> selected;
  for (std::string name; std::getline(std::cin, name);) {
    auto found = by_name.find(name);
    if (found != by_name.end()) selected.push_back(found->second);
  }
  ChildOptions child{options.plugin, *profile, options.seed, 3};
  fcntl(child.report_fd, F_SETFD, FD_CLOEXEC);
  return RunChild(child, selected);
}

std::string OwnPath() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size <= 0 ? std::string() : std::string(path, static_cast<size_t>(size));
}

void PrintResult(const Report& report, const Result& result) {
  if (result.verdict == Verdict::kPass || result.verdict == Verdict::kUnsupported) return;
  std::cout << "\r" << VerdictName(result.verdict) << (result.is_robust ? " (robust) " : " ")
            << result.name << "\n";
  for (const Finding& finding : result.findings) {
    std::cout << "    " << finding.text << "\n";
    const auto* requirement = reflection::FindRequirement(finding.requirement);
    if (requirement != nullptr) {
      std::cout << "    " << requirement->id << ": " << requirement->text << "\n";
    }
  }
  for (const std::string& note : result.notes) std::cout << "    " << note << "\n";
  if (!result.waiver.empty()) std::cout << "    " << result.waiver << "\n";
  std::cout << "    repeat: " << RepeatCommand(report, result) << std::endl;
}

// "must pass: L0 580 of 580, L1 ..."; with a filter of cases the missing are no news.
std::string MustPassLine(const Report& report) {
  std::string line;
  for (const char* each : {"L0", "L1", "L2", "L3", "L4"}) {
    size_t needed = MustPass(each, report.plugin_minor).size();
    if (needed == 0) continue;
    line += StrCat(line.empty() ? "must pass: " : ", ", each, " ",
                   needed - MissingMustPass(report, each).size(), " of ", needed);
  }
  return line + "\n";
}

int RunAsParent(const Options& options, const std::vector<Case>& cases) {
  Expected<Profile> profile = ReadProfile(options.profile);
  std::vector<Waiver> waivers;
  std::string waivers_text;
  Status status = profile.status();
  if (status.ok() && !options.waivers.empty()) {
    Expected<std::string> text = ReadFile(options.waivers);
    if (text.ok()) waivers_text = *text;
    Expected<std::vector<Waiver>> parsed = text.ok() ? ParseWaivers(*text) : text.status();
    status = parsed.status();
    if (parsed.ok()) waivers = *std::move(parsed);
  }
  Report report;
  report.plugin_path = options.plugin;
  report.seed = options.seed;
  if (Expected<std::string> bytes = ReadFile(options.plugin); bytes.ok()) {
    report.plugin_sha256 = Sha256(*bytes);
  }
  Expected<std::string> profile_text =
      options.profile.empty() ? std::string() : ReadFile(options.profile);
  if (!options.profile.empty() && profile_text.ok()) report.profile_sha256 = Sha256(*profile_text);
  if (status.ok() && !options.resume.empty()) {
    Expected<Report> before = ReadReport(options.resume);
    status =
        before.ok() ? CheckIsSameRun(*before, report).WithContext(options.resume) : before.status();
    if (status.ok()) report.results = std::move(before->results);
  }
  if (!status.ok()) {
    std::cerr << status.ToString() << "\n";
    return kExitUsage;
  }
  report.uncovered = Uncovered(cases);

  std::set<std::string> done;
  for (const Result& result : report.results) done.insert(result.name);
  std::vector<const Case*> selected = Select(cases, options);
  std::erase_if(selected, [&](const Case* item) { return done.contains(item->name); });
  if (selected.empty() && done.empty()) {
    std::cerr << "no case matches " << options.cases << "; --list shows them all\n";
    return kExitUsage;
  }

  std::string plugin = options.plugin;
  if (!options.loader.empty()) {
    // The loader's own table stands before the plugin's.
    setenv("PLINTH_PLUGIN", options.plugin.c_str(), 1);
    plugin = options.loader;
  }
  SupervisorOptions supervisor;
  supervisor.child_command = {OwnPath(), "--child", "--plugin",
                              plugin,    "--seed",  StrCat(options.seed)};
  if (!options.profile.empty()) {
    supervisor.child_command.insert(supervisor.child_command.end(), {"--profile", options.profile});
  }
  supervisor.profile = *profile;
  supervisor.jobs = options.jobs;
  size_t count = 0;
  bool shows_progress = !options.quiet && isatty(STDOUT_FILENO) != 0;
  // The version is what the first case of L0 notes; read from a child, as the plugin is never
  // loaded into this process.
  supervisor.on_result = [&](const Result& result) {
    Result shown = result;
    ApplyWaivers(waivers, report.plugin_minor, shown);
    PrintResult(report, shown);
    ++count;
    if (shows_progress) {
      std::cout << "\r" << count << " of " << selected.size() << std::flush;
    }
  };
  // The version decides about waivers, so it is read first.
  static constexpr char kVersionCase[] = "L0/table/version";
  for (const Case& item : cases) {
    if (item.name != kVersionCase) continue;
    SupervisorOptions quiet = supervisor;
    quiet.on_result = nullptr;
    SupervisorOutcome outcome = RunCases(quiet, {&item});
    report.error = outcome.error;
    if (!outcome.results.empty() && !outcome.results[0].notes.empty()) {
      report.plugin_version = outcome.results[0].notes[0];
      sscanf(report.plugin_version.c_str(), "%*d.%d", &report.plugin_minor);
    }
  }
  if (report.error.empty()) {
    SupervisorOutcome outcome = RunCases(supervisor, selected);
    report.error = outcome.error;
    for (Result& result : outcome.results) report.results.push_back(std::move(result));
  }
  std::map<std::string, const Case*> by_name;
  for (const Case& item : cases) by_name[item.name] = &item;
  for (Result& result : report.results) {
    ApplyWaivers(waivers, report.plugin_minor, result);
    auto found = by_name.find(result.name);
    if (found != by_name.end()) result.requirements = found->second->requirements;
  }

  if (shows_progress) std::cout << "\r";
  for (auto [path, text] : {std::pair(options.json, ReportToJson(report).ToString() + "\n"),
                            std::pair(options.junit, ReportToJunit(report)),
                            std::pair(options.html, ReportToHtml(report))}) {
    if (path.empty()) continue;
    Status written = WriteFile(path, text);
    if (!written.ok()) {
      std::cerr << written.ToString() << "\n";
      return kExitUsage;
    }
  }
  if (!report.error.empty()) {
    std::cerr << options.plugin << ": " << report.error << "\n";
    return kExitUnusable;
  }
  if (!options.bundle.empty()) {
    Status written =
        profile_text.ok()
            ? WriteBundle(options.bundle, {report, options.plugin, *profile_text, waivers_text})
            : profile_text.status();
    if (!written.ok()) {
      std::cerr << written.ToString() << "\n";
      return kExitUsage;
    }
  }
  int failures = 0;
  for (Verdict verdict : {Verdict::kPass, Verdict::kFail, Verdict::kCrash, Verdict::kHang,
                          Verdict::kUnsupported, Verdict::kWaived}) {
    std::cout << VerdictName(verdict) << " " << report.Count(verdict) << "  ";
    if (verdict == Verdict::kFail || verdict == Verdict::kCrash || verdict == Verdict::kHang) {
      failures += report.Count(verdict);
    }
  }
  int robust = report.CountRobust(Verdict::kFail) + report.CountRobust(Verdict::kCrash) +
               report.CountRobust(Verdict::kHang);
  std::string level = ConformingLevel(report);
  std::cout << "(robust: PASS " << report.CountRobust(Verdict::kPass) << ", other " << robust
            << ")\n"
            << MustPassLine(report) << (level.empty() ? "no level reached" : "conforms to " + level)
            << "\n";
  return failures == 0 ? 0 : kExitFailures;
}

int Diff(const Options& options) {
  Expected<Report> before = ReadReport(options.before);
  Expected<Report> after = ReadReport(options.after);
  for (const Status& status : {before.status(), after.status()}) {
    if (status.ok()) continue;
    std::cerr << status.ToString() << "\n";
    return kExitUsage;
  }
  bool is_worse = false;
  std::cout << DiffReports(*before, *after, is_worse);
  return is_worse ? kExitFailures : 0;
}

int Verify(const Options& options) {
  std::vector<std::string> problems = VerifyBundle(options.folder, AllCases(), options.plugin);
  for (const std::string& problem : problems) std::cout << problem << "\n";
  std::cout << (problems.empty() ? "the bundle holds" : "the bundle does not hold") << "\n";
  return problems.empty() ? 0 : kExitFailures;
}

int Main(int argc, char** argv) {
  CLI::App app(
      "Runs the conformance suite on a PJRT plugin.\n"
      "Exit status: 0 every case passed, was waived or is not supported; 1 a case failed;\n"
      "2 wrong usage; 3 the plugin could not be loaded.");
  app.set_version_flag("--version", "plinth-conformance " PLINTH_VERSION);
  Options options;
  app.add_option("--plugin", options.plugin, "the plugin, a .so that exports GetPjrtApi");
  app.add_option("--level", options.level, "run cases up to this level")
      ->check(CLI::IsMember({"L0", "L1", "L2", "L3", "L4"}));
  app.add_option("--cases", options.cases,
                 "run cases whose names match this glob, or are in @FILE");
  app.add_option("--waivers", options.waivers, "JSON file of tolerated failures");
  app.add_option("--profile", options.profile, "JSON file of facts about the plugin");
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--junit", options.junit, "write a JUnit report here");
  app.add_option("--html", options.html, "write a page to look at here");
  app.add_option("--bundle", options.bundle, "make this folder, to be submitted; see verify");
  app.add_option("--resume", options.resume,
                 "a JSON report of this plugin whose cases are not run again");
  app.add_option("--through-loader", options.loader, "libplinth.so: run through it");
  app.add_option("--seed", options.seed, "of the random values");
  app.add_option("--jobs", options.jobs, "child processes at a time")->check(CLI::Range(1, 256));
  app.add_flag("--list", options.list, "print the names of the selected cases and stop");
  app.add_flag("--quiet", options.quiet, "no progress");
  app.add_flag("--child", options.child)->group("");
  CLI::App* diff = app.add_subcommand("diff", "what changed between two JSON reports");
  diff->add_option("before", options.before)->required();
  diff->add_option("after", options.after)->required();
  CLI::App* verify = app.add_subcommand("verify", "whether a submission bundle holds");
  verify->add_option("folder", options.folder, "as --bundle made it")->required();
  verify->add_option("--plugin", options.plugin, "the plugin that it is about");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int status = app.exit(error);
    return status == 0 ? 0 : kExitUsage;
  }
  if (diff->parsed()) return Diff(options);
  if (verify->parsed()) return Verify(options);
  std::vector<Case> cases = AllCases();
  if (options.list) {
    for (const Case* item : Select(cases, options)) {
      std::cout << item->name << (item->is_robust ? " (robust)" : "") << "\n";
    }
    return 0;
  }
  // Without a slash the dynamic linker would look elsewhere.
  if (std::error_code error; std::filesystem::exists(options.plugin, error)) {
    options.plugin = std::filesystem::absolute(options.plugin, error).string();
  }
  if (options.plugin.empty()) {
    std::cerr << "--plugin is needed\n";
    return kExitUsage;
  }
  return options.child ? RunAsChild(options, cases) : RunAsParent(options, cases);
}

}  // namespace
}  // namespace plinth::conformance

int main(int argc, char** argv) { return plinth::conformance::Main(argc, argv); }
