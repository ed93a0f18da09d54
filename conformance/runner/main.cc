// SPDX-License-Identifier: Apache-2.0
// plinth-conformance: runs the conformance suite on a PJRT plugin. See conformance/README.md.

#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <map>

#include "conformance/runner/about.h"
#include "conformance/runner/bundle.h"
#include "conformance/runner/case.h"
#include "conformance/runner/child.h"
#include "conformance/runner/explain.h"
#include "conformance/runner/files.h"
#include "conformance/runner/options.h"
#include "conformance/runner/report.h"
#include "conformance/runner/run_suite.h"
#include "conformance/runner/statement.h"
#include "plinth/support/exit_code.h"

namespace plinth::conformance {
namespace {

int RunAsChild(const Options& options, const std::vector<Case>& cases) {
  Expected<Profile> profile = ReadProfile(options);
  if (!profile.ok()) return tools::kUsage;
  std::map<std::string, const Case*> asked;  // few of thousands
  std::vector<std::string> names;
  for (std::string name; std::getline(std::cin, name);) {
    asked[name] = nullptr;
    names.push_back(name);
  }
  const std::vector<Case> about = AboutCases();
  for (const std::vector<Case>* some : {&cases, &about}) {
    for (const Case& item : *some) {
      if (auto found = asked.find(item.name); found != asked.end()) found->second = &item;
    }
  }
  std::vector<const Case*> selected;
  for (const std::string& name : names) {
    if (const Case* item = asked[name]; item != nullptr) selected.push_back(item);
  }
  ChildOptions child{options.plugin, *profile, options.seed, 3};
  if (options.is_one_row) child.depth = Depth::kQuick;
  if (options.is_full) child.depth = Depth::kFull;
  fcntl(child.report_fd, F_SETFD, FD_CLOEXEC);
  return RunChild(child, selected);
}

int Diff(const std::string& before_path, const std::string& after_path) {
  Expected<Report> before = ReadReport(before_path);
  Expected<Report> after = ReadReport(after_path);
  for (const Status& status : {before.status(), after.status()}) {
    if (status.ok()) continue;
    std::cerr << status.ToString() << "\n";
    return tools::kUsage;
  }
  bool is_worse = false;
  std::cout << DiffReports(*before, *after, is_worse);
  return is_worse ? tools::kFailed : tools::kDone;
}

int Verify(const std::string& bundle, const std::string& plugin, const std::string& signers) {
  BundleCheck check = CheckBundle(bundle, AllCases(), plugin, signers);
  std::cout << ToText(check);
  return check.problems.empty() ? tools::kDone : tools::kFailed;
}

// Prints a text, or writes it to a file; the exit code.
int Answer(const Expected<std::string>& text, const std::string& path) {
  Status status = text.status();
  if (text.ok() && path.empty()) std::cout << *text;
  if (text.ok() && !path.empty()) status = WriteFile(path, *text);
  if (!status.ok()) std::cerr << status.ToString() << "\n";
  return status.ok() ? tools::kDone : tools::kUsage;
}

int MakeStatement(const std::map<std::string, std::string>& given, const std::string& path) {
  Statement known;
  for (const auto& [key, answer] : given) known.answers.emplace_back(key, answer);
  Expected<Statement> statement = AskStatement(known, std::cin, std::cerr);
  return Answer(statement.ok() ? Expected<std::string>(ToJson(*statement)) : statement.status(),
                path);
}

void AddRunOptions(CLI::App& app, Options& options) {
  app.add_option("--plugin", options.plugin, "the plugin, a .so that exports GetPjrtApi");
  app.add_option("--level", options.level, "run cases up to this level")
      ->check(CLI::IsMember({"L0", "L1", "L2", "L3", "L4"}));
  app.add_option("--cases", options.cases,
                 "run cases whose names match this glob, or are in @FILE");
  app.add_flag("--no-robust", options.leaves_robust_out, "leave out the cases of class robust");
  app.add_option("--waivers", options.waivers, "JSON file of tolerated failures");
  app.add_option("--profile", options.profile, "JSON file of facts about the plugin");
  app.add_option("--suggest-profile", options.suggested_profile,
                 "write a profile here that names what was UNIMPLEMENTED");
  app.add_option("--json", options.json, "write the report here");
  app.add_option("--junit", options.junit, "write a JUnit report here");
  app.add_option("--html", options.html, "write a page to look at here");
  app.add_option("--bundle", options.bundle,
                 "make this FILE.tar.gz, to be submitted, or this folder; see verify");
  app.add_option("--statement", options.statement,
                 "what `statement` wrote; a bundle that is one file needs it");
  app.add_option("--sign", options.sign_with, "sign the bundle with this key, by ssh-keygen");
  app.add_option("--resume", options.resume,
                 "a JSON report of this plugin whose cases are not run again");
  app.add_option("--through-loader", options.loader, "libplinth.so: run through it");
  app.add_option("--seed", options.seed, "of the random values");
  app.add_option("--jobs", options.jobs, "child processes at a time")->check(CLI::Range(1, 256));
  app.add_option("--case-seconds", options.case_seconds,
                 "what a case may take; default: as the profile says, or 30")
      ->check(CLI::Range(0.001, 86400.0));
  app.add_option("--max-hangs", options.max_hangs, "give an area up after so many hangs; 0: never")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  app.add_flag("--full", options.is_full, "more rows of the cases that generate them");
  app.add_flag("--quick", options.is_one_row, "L0 to L3, one row of the cases that generate them")
      ->excludes("--full");
  app.add_flag("--stop-at-first", options.stops_at_first, "stop when a case has failed");
  app.add_flag("--list", options.lists, "print the names of the selected cases and stop");
  app.add_flag("--all", options.shows_all, "print every case, not one for each cause");
  app.add_flag("--quiet", options.is_quiet, "no progress");
}

std::string CommandText(int argc, char** argv) {
  std::string text;
  for (int i = 0; i < argc; ++i) {
    std::string_view word = argv[i];
    bool is_plain = !word.empty() && word.find_first_of(" '\"*?$\\") == std::string_view::npos;
    text += StrCat(i == 0 ? "" : " ", is_plain ? "" : "'", word, is_plain ? "" : "'");
  }
  return text;
}

int Main(int argc, char** argv) {
  CLI::App app("Runs the conformance suite on a PJRT plugin.", "plinth-conformance");
  app.footer(tools::kExitCodesText);
  app.set_version_flag("--version", "plinth-conformance " PLINTH_VERSION);
  Options options;
  bool is_child = false;
  std::string before, after, bundle, signers, output, requirement;
  std::map<std::string, std::string> answers;
  AddRunOptions(app, options);
  app.add_flag("--child", is_child)->group("");
  CLI::App* diff = app.add_subcommand("diff", "what changed between two JSON reports");
  diff->add_option("before", before)->required();
  diff->add_option("after", after)->required();
  CLI::App* verify = app.add_subcommand("verify", "whether a submission bundle holds");
  verify->add_option("bundle", bundle, "as --bundle made it")->required();
  verify->add_option("--plugin", options.plugin, "the plugin that it is about");
  verify->add_option("--signers", signers, "who may have signed it; see ssh-keygen(1)");
  CLI::App* statement = app.add_subcommand("statement", "asks for what a bundle says of a product");
  for (const Question& question : Questions()) {
    statement->add_option("--" + std::string(question.key), answers[std::string(question.key)],
                          std::string(question.text));
  }
  statement->add_option("-o,--output", output, "the file; default: standard output");
  CLI::App* table = app.add_subcommand("table", "a page of many bundles: plugins and levels");
  table->add_option("folder", bundle, "with the bundles")->required();
  table->add_option("-o,--output", output, "the file; default: standard output");
  CLI::App* explain = app.add_subcommand("explain", "what a requirement says and who checks it");
  explain->add_option("ID", requirement, "for example PJRT-Event_Await-error")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    int status = app.exit(error);
    return status == 0 ? tools::kDone : tools::kUsage;
  }
  if (diff->parsed()) return Diff(before, after);
  if (verify->parsed()) return Verify(bundle, options.plugin, signers);
  if (statement->parsed()) return MakeStatement(answers, output);
  std::vector<Case> cases = AllCases();
  if (table->parsed()) return Answer(BundleTable(bundle, cases), output);
  if (explain->parsed()) return Answer(Explain(requirement, cases), "");
  if (options.lists) {
    for (const Case* item : Select(cases, options)) {
      std::cout << item->name << (item->is_robust ? " (robust)" : "") << "\n";
    }
    return tools::kDone;
  }
  // Without a slash the dynamic linker would look elsewhere.
  if (std::error_code error; std::filesystem::exists(options.plugin, error)) {
    options.plugin = std::filesystem::absolute(options.plugin, error).string();
  }
  if (options.plugin.empty()) {
    std::cerr << "--plugin is needed\n";
    return tools::kUsage;
  }
  if (!options.bundle.empty() && options.leaves_robust_out) {
    std::cerr << "a bundle has every case: --bundle and --no-robust exclude each other\n";
    return tools::kUsage;
  }
  options.command = CommandText(argc, argv);
  if (options.is_one_row && options.level.empty()) options.level = "L3";
  return is_child ? RunAsChild(options, cases) : RunSuite(options, cases);
}

}  // namespace
}  // namespace plinth::conformance

int main(int argc, char** argv) { return plinth::conformance::Main(argc, argv); }
