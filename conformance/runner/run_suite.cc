// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/run_suite.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "conformance/runner/about.h"
#include "conformance/runner/bundle.h"
#include "conformance/runner/causes.h"
#include "conformance/runner/files.h"
#include "conformance/runner/must_pass.h"
#include "conformance/runner/report.h"
#include "conformance/runner/suggest_profile.h"
#include "conformance/runner/summary.h"
#include "conformance/runner/supervisor.h"
#include "conformance/runner/waivers.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/exit_code.h"
#include "plinth/support/plugin_hint.h"
#include "plinth/support/sha256.h"
#include "plinth/support/text.h"

namespace plinth::conformance {
namespace {

// What is read before the plugin is troubled.
struct Inputs {
  Profile profile;
  std::string profile_text, waivers_text, statement;
  std::vector<Waiver> waivers;
  Report report;  // without results, but for those of --resume
};

// Of which a mutant is known to die by a case that names them; see mutants/killed.txt.
constexpr std::string_view kKilled[] = {
#include "conformance/killed_requirements.inc"
};

// Requirements that nobody would see broken: those that no case names, and of class contract those
// of which no mutant dies. Promises of class undefined are the validation layer's.
std::vector<std::string> Uncovered(const std::vector<Case>& cases) {
  using reflection::RequirementClass;
  std::set<std::string> named;
  for (const Case& item : cases) named.insert(item.requirements.begin(), item.requirements.end());
  std::vector<std::string> uncovered;
  for (const auto& requirement : reflection::Requirements()) {
    if (requirement.requirement_class == RequirementClass::kUndefined) continue;
    std::string id(requirement.id.view());
    bool dies = std::find(std::begin(kKilled), std::end(kKilled), id) != std::end(kKilled);
    bool needs_mutant = requirement.requirement_class == RequirementClass::kContract;
    if (!named.contains(id) || (needs_mutant && !dies)) uncovered.push_back(std::move(id));
  }
  return uncovered;
}

std::string Now() {
  std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  size_t size = std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &parts);
  return {text, size};
}

std::string Host() {
  utsname name = {};
  if (uname(&name) != 0) return "unknown";
  return StrCat(name.sysname, " ", name.release, " ", name.machine, ", ",
                sysconf(_SC_NPROCESSORS_ONLN), " processors");
}

Expected<Inputs> ReadInputs(const Options& options) {
  Inputs inputs;
  PLINTH_ASSIGN_OR_RETURN(inputs.profile, ReadProfile(options));
  Report& report = inputs.report;
  report.plugin_path = options.plugin;
  report.seed = options.seed;
  if (!options.waivers.empty()) {
    PLINTH_ASSIGN_OR_RETURN(inputs.waivers_text, ReadFile(options.waivers));
    PLINTH_ASSIGN_OR_RETURN(inputs.waivers, ParseWaivers(inputs.waivers_text));
  }
  if (Expected<std::string> bytes = ReadFile(options.plugin); bytes.ok()) {
    report.plugin_sha256 = Sha256(*bytes);
  }
  if (!options.profile.empty()) {
    PLINTH_ASSIGN_OR_RETURN(inputs.profile_text, ReadFile(options.profile));
    report.profile_sha256 = Sha256(inputs.profile_text);
  }
  if (!options.statement.empty()) {
    PLINTH_ASSIGN_OR_RETURN(inputs.statement, ReadFile(options.statement));
    PLINTH_RETURN_IF_ERROR(
        ParseStatement(inputs.statement).status().WithContext(options.statement));
  } else if (IsBundleFile(options.bundle)) {
    return FailedPrecondition(
        "a bundle that is submitted needs a statement: make one with "
        "`plinth-conformance statement`, and give it by --statement");
  }
  if (!options.resume.empty()) {
    PLINTH_ASSIGN_OR_RETURN(Report before, ReadReport(options.resume));
    PLINTH_RETURN_IF_ERROR(CheckIsSameRun(before, report).WithContext(options.resume));
    report.results = std::move(before.results);
  }
  return inputs;
}

std::string OwnPath() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size <= 0 ? std::string() : std::string(path, static_cast<size_t>(size));
}

SupervisorOptions MakeSupervisor(const Options& options, const Profile& profile) {
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
  supervisor.profile = profile;
  supervisor.jobs = options.jobs;
  supervisor.max_hangs = options.max_hangs;
  supervisor.stops_at_first = options.stops_at_first;
  if (options.is_one_row) supervisor.child_command.emplace_back("--quick");
  if (options.is_full) supervisor.child_command.emplace_back("--full");
  return supervisor;
}

// Prints results as they come: the first for each cause, and where the run is.
class Printer {
 public:
  Printer(const Options& options, const Report& report, const std::vector<Waiver>& waivers,
          size_t count)
      : options_(options),
        report_(report),
        waivers_(waivers),
        count_(count),
        shows_progress_(!options.is_quiet && isatty(STDOUT_FILENO) != 0) {}
  ~Printer() { ClearLine(); }
  Printer(const Printer&) = delete;

  void OnStart(const std::string& name) {
    if (!shows_progress_) return;
    ClearLine();
    std::cout << done_ + 1 << " of " << count_ << "  " << name << std::flush;
  }

  void OnResult(Result result) {
    ++done_;
    ApplyWaivers(waivers_, report_.plugin_minor, result);
    if (result.verdict == Verdict::kPass || result.verdict == Verdict::kUnsupported) return;
    bool is_first = causes_.insert(CauseOf(result)).second;
    if (!options_.shows_all && (!is_first || result.is_robust)) return;
    ClearLine();
    std::cout << ResultText(report_, result) << std::flush;
  }

 private:
  void ClearLine() const {
    if (shows_progress_) std::cout << "\r\x1b[K" << std::flush;
  }

  const Options& options_;
  const Report& report_;
  const std::vector<Waiver>& waivers_;
  size_t count_, done_ = 0;
  bool shows_progress_;
  std::set<std::string> causes_;
};

// The report's head from what the plugin says; the exit code if it cannot be examined at all.
int Describe(const Options& options, const About& about, Report& report) {
  report.plugin_version = about.version;
  report.plugin_minor = about.minor;
  report.facts = about.facts;
  for (auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"suite", PLINTH_VERSION},
                                                        {"date", Now()},
                                                        {"host", Host()},
                                                        {"profile", options.profile},
                                                        {"waivers", options.waivers},
                                                        {"through", options.loader},
                                                        {"command", options.command}}) {
    if (!text.empty()) report.facts.emplace_back(name, text);
  }
  if (about.error.empty()) {
    report.no_client = about.no_client;
    return tools::kDone;
  }
  report.error = about.error;
  if (about.version.empty()) return tools::kNoPlugin;
  return CheckIsReadable(about.major, about.minor).ok() ? tools::kNoClient : tools::kNoPlugin;
}

std::string WithHint(const Options& options, const std::string& text) {
  std::string_view hint = PluginHint(options.plugin, text);
  return hint.empty() ? text : StrCat(text, "\n    ", hint);
}

// What was asked for besides what is printed. The profile that is suggested, the bundle and so on
// are of no use without results.
Status WriteReports(const Options& options, const Report& report) {
  for (const auto& [path, text] : {std::pair(options.json, ReportToJson(report).ToString() + "\n"),
                                   std::pair(options.junit, ReportToJunit(report)),
                                   std::pair(options.html, ReportToHtml(report))}) {
    if (!path.empty()) PLINTH_RETURN_IF_ERROR(WriteFile(path, text));
  }
  return Status();
}

Status WriteResults(const Options& options, const Inputs& inputs) {
  if (!options.suggested_profile.empty()) {
    PLINTH_ASSIGN_OR_RETURN(std::string text, SuggestProfile(inputs.report, inputs.profile_text));
    PLINTH_RETURN_IF_ERROR(WriteFile(options.suggested_profile, text));
  }
  if (options.bundle.empty()) return Status();
  return WriteBundle(options.bundle, {inputs.report, options.plugin, inputs.profile_text,
                                      inputs.waivers_text, inputs.statement, options.sign_with});
}

// A table of another major version is wrong in one way that can be said.
void AddWrongMajor(const About& about, const std::vector<const Case*>& selected, Report& report) {
  for (const Case* item : selected) {
    if (item->name != "L0/table/version" || about.version.empty() || about.major == 0) continue;
    Result result;
    result.name = item->name;
    result.verdict = Verdict::kFail;
    result.requirements = item->requirements;
    result.findings.push_back({"PJRT-Api-struct_size", about.error});
    report.results.push_back(std::move(result));
  }
}

// Waivers anew, and what each case checks.
void Complete(const std::vector<Case>& cases, const std::vector<Waiver>& waivers, Report& report) {
  std::map<std::string, const Case*> by_name;
  for (const Case& item : cases) by_name[item.name] = &item;
  for (Result& result : report.results) {
    ApplyWaivers(waivers, report.plugin_minor, result);
    auto found = by_name.find(result.name);
    if (found != by_name.end()) result.requirements = found->second->requirements;
  }
}

}  // namespace

Expected<Profile> ReadProfile(const Options& options) {
  Profile profile;
  if (!options.profile.empty()) {
    PLINTH_ASSIGN_OR_RETURN(std::string text, ReadFile(options.profile));
    Expected<Profile> parsed = ParseProfile(text);
    if (!parsed.ok()) return parsed.status().WithContext(options.profile);
    profile = *std::move(parsed);
  }
  if (options.case_seconds > 0) profile.case_seconds = options.case_seconds;
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
    bool is_left_out = options.leaves_robust_out && item.is_robust;
    if (is_low && is_wanted && !is_left_out) selected.push_back(&item);
  }
  return selected;
}

int RunSuite(const Options& options, const std::vector<Case>& cases) {
  Expected<Inputs> read = ReadInputs(options);
  if (!read.ok()) {
    std::cerr << read.status().ToString() << "\n";
    return tools::kUsage;
  }
  Inputs& inputs = *read;
  Report& report = inputs.report;
  report.uncovered = Uncovered(cases);
  std::set<std::string> done;
  for (const Result& result : report.results) done.insert(result.name);
  std::vector<const Case*> selected = Select(cases, options);
  std::erase_if(selected, [&](const Case* item) { return done.contains(item->name); });
  if (selected.empty() && done.empty()) {
    std::cerr << "no case matches " << options.cases << "; --list shows them all\n";
    return tools::kUsage;
  }

  SupervisorOptions supervisor = MakeSupervisor(options, inputs.profile);
  About about = AskAbout(supervisor);
  int code = Describe(options, about, report);
  if (!report.no_client.empty()) {
    std::cout << "no client: " << WithHint(options, report.no_client) << "\n"
              << "Only those cases of L0 follow that need none.\n"
              << std::flush;
    code = tools::kNoClient;
    std::erase_if(selected, [](const Case* item) {
      bool needs_none = item->client == ClientNeed::kNone || item->client == ClientNeed::kAlone ||
                        item->client == ClientNeed::kWanted;
      return item->is_robust || item->level != Level::kL0 || !needs_none;
    });
  }
  if (report.error.empty()) {
    Printer printer(options, report, inputs.waivers, selected.size());
    supervisor.on_start = [&](const std::string& name) { printer.OnStart(name); };
    supervisor.on_result = [&](const Result& result) { printer.OnResult(result); };
    SupervisorOutcome outcome = RunCases(supervisor, selected);
    report.error = outcome.error;
    if (!outcome.error.empty()) code = tools::kNoPlugin;
    for (Result& result : outcome.results) report.results.push_back(std::move(result));
  } else {
    AddWrongMajor(about, selected, report);
  }
  Complete(cases, inputs.waivers, report);

  Status written = WriteReports(options, report);
  if (report.error.empty() && written.ok()) written = WriteResults(options, inputs);
  if (!report.error.empty()) {
    std::cerr << options.plugin << ": " << WithHint(options, report.error) << "\n";
    return code;
  }
  SummaryOptions summary{options.shows_all, options.level, options.cases != "*"};
  if (!options.shows_all) std::cout << CausesText(report);
  std::cout << RobustText(report, summary) << CountsText(report) << LevelText(report, summary)
            << std::flush;
  if (!written.ok()) {
    std::cerr << written.ToString() << "\n";
    return tools::kUsage;
  }
  int failures =
      report.Count(Verdict::kFail) + report.Count(Verdict::kCrash) + report.Count(Verdict::kHang);
  if (code != tools::kDone) return code;
  return failures == 0 ? tools::kDone : tools::kFailed;
}

}  // namespace plinth::conformance
