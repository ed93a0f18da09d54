// SPDX-License-Identifier: Apache-2.0
#include <sys/auxv.h>

#include <cstdlib>
#include <set>
#include <string>

#include "impl/cli/commands.h"
#include "impl/cli/crash_report.h"
#include "impl/cli/ladder.h"
#include "impl/cli/probe_report.h"
#include "impl/cli/progress.h"
#include "impl/cli/trial.h"
#include "impl/loader/environment.h"

namespace plinth::cli {
namespace {

// From here on tables are as large as ours, and the loader hands them out as they are: a framework
// of another minor is served only where a layer stands between (docs/using/compatibility.md).
constexpr int kFirstFullSizeMinor = 110;

constexpr const char* kKindNames[] = {"problem", "warning", "note"};

// Everything about one plugin; whether there is a problem.
bool Diagnose(const DoctorOptions& options, const Json& probe, std::set<std::string>& said,
              Json::Object& json, Output& output) {
  PrintProbe(probe, "  ", false, output);
  Json::Array list;
  bool has_problem = false;
  for (const Finding& finding : FindingsOf(probe)) {
    const char* kind = kKindNames[static_cast<int>(finding.kind)];
    has_problem |= finding.kind == Finding::Kind::kProblem;
    output.Line("  ", kind, ": ", finding.text);
    list.emplace_back(Json::Object{{"kind", kind}, {"text", finding.text}});
  }
  json["findings"] = std::move(list);
  const std::vector<std::string> quirks = KnownQuirks(IntOf(probe.At("table"), "minor"));
  for (const std::string& quirk : quirks) {
    if (options.probe.choice.verbose && said.insert(quirk).second) {
      output.Line("  known of this revision: ", quirk);
    }
  }
  json["known_quirks"] = Json::Array(quirks.begin(), quirks.end());
  const int64_t minor = IntOf(probe.At("table"), "minor");
  if (!has_problem && minor >= kFirstFullSizeMinor) {
    output.Line("  frameworks that demand another minor: libplinth with PLINTH_LAYERS=validation");
  }
  // A plugin that makes no client compiles nothing either.
  if (!has_problem && !options.programs.empty()) {
    Json::Array trials;
    for (const std::string& program : options.programs) {
      has_problem |= !Try(options.probe, program, trials, output);
    }
    json["programs"] = std::move(trials);
  }
  output.Line("  verdict: ", has_problem ? "does not work here" : "works");
  return has_problem;
}

void DescribeEnvironment(Output& output) {
  output.Field("libplinth", "libplinth", plinth_version());
  const loader::Environment environment = loader::Environment::OfProcess();
  Json::Object variables;
  for (const auto& [name, value] : environment.variables) {
    variables[name] = value;
    if (std::string_view(name).substr(0, 7) == "PLINTH_" ||
        name == "PJRT_NAMES_AND_LIBRARY_PATHS") {
      output.Line("variable:           ", name, "=", value);
    }
  }
  for (const std::string& name : environment.ignored) {
    output.Line("variable:           ", name,
                " is ignored: the process has more rights than its user");
  }
  output.json()["environment"] = std::move(variables);
  output.json()["privileged"] = environment.privileged;
}

// The plugins to look at: that of the command line, or all that can be loaded by name.
Expected<std::vector<std::string>> PluginsOf(const PluginChoice& choice, Output& output) {
  if (!choice.plugin.empty()) return std::vector<std::string>{choice.plugin};
  const plinth_load_options load = choice.LoadOptions();
  plinth_plugin_list* raw = nullptr;
  PLINTH_RETURN_IF_ERROR(TakeStatus(plinth_list(&load, &raw)));
  const Owned<plinth_plugin_list> list(raw);
  std::vector<std::string> plugins;
  const size_t size = plinth_plugin_list_size(list.get());
  for (size_t i = 0; i < size; ++i) {
    const plinth_plugin_entry& entry = *plinth_plugin_list_entry(list.get(), i);
    if (entry.ignored_because == nullptr) {
      plugins.emplace_back(entry.name);
    } else {
      output.Line("ignored:            ", entry.name, ", ", entry.path, ": ",
                  entry.ignored_because);
    }
  }
  const char* report = plinth_plugin_list_report(list.get());
  output.json()["searched"] = report;
  if (plugins.empty() || choice.verbose) output.Line("looked at:\n", report);
  return plugins;
}

}  // namespace

int Info(const ProbeOptions& options, Output& output) {
  Progress progress("asking the plugin");
  Expected<Json> probe = Probe(options);
  if (!probe.ok()) return output.Fail(probe.status(), CodeOfLoading(probe.status()));
  output.Line("name:               ", probe->At("name").Text());
  PrintProbe(*probe, "", true, output);
  const bool works = probe->At("verdict").Text() == "works";
  const std::string message(probe->At("message").Text());
  const std::string verdict(probe->At("verdict").Text()), stage(probe->At("stage").Text());
  output.json()["plugin"] = *std::move(probe);
  if (works) return kDone;
  // What was asked of a client, or to make one, was asked of a plugin that is loaded.
  return output.Fail(FailedPrecondition("the plugin ", verdict, ": ", message),
                     stage.starts_with("PJRT_") ? kNoClient : kNoPlugin);
}

int Doctor(const DoctorOptions& options, Output& output) {
  DescribeEnvironment(output);
  const Expected<std::vector<std::string>> plugins = PluginsOf(options.probe.choice, output);
  if (!plugins.ok()) return output.Fail(plugins.status(), kUsage);
  if (plugins->empty()) {
    return output.Fail(NotFound("no plugin was found; give one, or install one"), kNoPlugin);
  }
  Json::Array list;
  size_t num_problems = 0;
  std::set<std::string> said;  // What is known of a revision, once for all plugins of it.
  Progress progress("asking the plugins");
  for (const std::string& plugin : *plugins) {
    progress.Set(StrCat("asking ", plugin));
    DoctorOptions one = options;
    one.probe.choice.plugin = plugin;
    Expected<Json> probe = Probe(one.probe);
    if (!probe.ok() && !options.probe.choice.plugin.empty()) {
      return output.Fail(probe.status(), CodeOfLoading(probe.status()));
    }
    Json::Object json;
    output.Line("\nplugin ", plugin);
    bool has_problem = true;
    if (probe.ok()) {
      has_problem = Diagnose(one, *probe, said, json, output);
      json["probe"] = *std::move(probe);
    } else {
      output.Line("  problem: ", probe.status().ToString());
      json["failure"] = probe.status().ToString();
    }
    if (options.with_ifrt && !has_problem) {
      output.Line("  arrays over many devices:");
      CrashReport crash(plugin, output.as_json());
      crash.Set("trying operations on arrays");
      Expected<Json> ladder = IfrtLadder(one.probe.choice);
      has_problem = !ladder.ok();
      if (ladder.ok()) {
        PrintIfrtLadder(*ladder, options.probe.choice.verbose, output);
        json["ifrt"] = *std::move(ladder);
      } else {
        output.Line("  problem: ", ladder.status().ToString());
        json["ifrt_failure"] = ladder.status().ToString();
      }
    }
    json["name"] = plugin;
    json["works"] = !has_problem;
    num_problems += has_problem ? 1 : 0;
    list.emplace_back(std::move(json));
  }
  output.json()["plugins"] = std::move(list);
  output.Line("\nplugins that work:  ", plugins->size() - num_problems, " of ", plugins->size());
  return num_problems == 0 ? kDone : kFailed;
}

}  // namespace plinth::cli
