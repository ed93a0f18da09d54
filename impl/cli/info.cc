#include <cjson/cJSON.h>
#include <sys/auxv.h>

#include <cstdlib>

#include "impl/cli/commands.h"
#include "impl/cli/probe_report.h"
#include "impl/cli/progress.h"
#include "impl/loader/environment.h"

namespace plinth::cli {
namespace {

constexpr const char* kKindNames[] = {"problem", "warning", "note"};

// Everything about one plugin; whether there is a problem.
bool Diagnose(const cJSON* probe, bool is_verbose, cJSON* json, Output& output) {
  PrintProbe(probe, "  ", output);
  loader::Json list(cJSON_CreateArray());
  bool has_problem = false;
  for (const Finding& finding : FindingsOf(probe)) {
    const char* kind = kKindNames[static_cast<int>(finding.kind)];
    has_problem |= finding.kind == Finding::Kind::kProblem;
    output.Line("  ", kind, ": ", finding.text);
    loader::Json one(cJSON_CreateObject());
    loader::JsonAddText(one.get(), "kind", kind);
    loader::JsonAddText(one.get(), "text", finding.text);
    loader::JsonAppend(list.get(), std::move(one));
  }
  loader::JsonAdd(json, "findings", std::move(list));
  const cJSON* minor = loader::JsonMember(loader::JsonMember(probe, "table"), "minor");
  loader::Json quirks(cJSON_CreateArray());
  for (const std::string& quirk : KnownQuirks(cJSON_IsNumber(minor) ? minor->valueint : 0)) {
    if (is_verbose) output.Line("  known of this revision: ", quirk);
    loader::JsonAppend(quirks.get(), loader::JsonTextValue(quirk));
  }
  loader::JsonAdd(json, "known_quirks", std::move(quirks));
  output.Line("  verdict: ", has_problem ? "does not work here" : "works");
  return has_problem;
}

void DescribeEnvironment(Output& output) {
  output.Field("libplinth", "libplinth", plinth_version());
  const loader::Environment environment = loader::Environment::OfProcess();
  loader::Json variables(cJSON_CreateObject());
  for (const auto& [name, value] : environment.variables) {
    loader::JsonAddText(variables.get(), name.c_str(), value);
    if (std::string_view(name).substr(0, 7) == "PLINTH_" ||
        name == "PJRT_NAMES_AND_LIBRARY_PATHS") {
      output.Line("variable:           ", name, "=", value);
    }
  }
  for (const std::string& name : environment.ignored) {
    output.Line("variable:           ", name,
                " is ignored: the process has more rights than its user");
  }
  loader::JsonAdd(output.json(), "environment", std::move(variables));
  cJSON_AddBoolToObject(output.json(), "privileged", environment.privileged);
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
  loader::JsonAddText(output.json(), "searched", report);
  if (plugins.empty() || choice.verbose) output.Line("looked at:\n", report);
  return plugins;
}

}  // namespace

int Info(const ProbeOptions& options, Output& output) {
  Progress progress("asking the plugin");
  Expected<loader::Json> probe = Probe(options);
  if (!probe.ok()) return output.Fail(probe.status(), CodeOfLoading(probe.status()));
  output.Line("name:               ", TextOf(probe->get(), "name"));
  PrintProbe(probe->get(), "", output);
  const bool works = TextOf(probe->get(), "verdict") == "works";
  const std::string message(TextOf(probe->get(), "message"));
  const std::string verdict(TextOf(probe->get(), "verdict"));
  loader::JsonAdd(output.json(), "plugin", *std::move(probe));
  if (works) return kDone;
  return output.Fail(FailedPrecondition("the plugin ", verdict, ": ", message), kFailed);
}

int Doctor(const ProbeOptions& options, Output& output) {
  DescribeEnvironment(output);
  const Expected<std::vector<std::string>> plugins = PluginsOf(options.choice, output);
  if (!plugins.ok()) return output.Fail(plugins.status(), kUsage);
  if (plugins->empty()) {
    return output.Fail(NotFound("no plugin was found; give one, or install one"), kNoPlugin);
  }
  loader::Json list(cJSON_CreateArray());
  size_t num_problems = 0;
  Progress progress("asking the plugins");
  for (const std::string& plugin : *plugins) {
    progress.Set(StrCat("asking ", plugin));
    ProbeOptions one = options;
    one.choice.plugin = plugin;
    Expected<loader::Json> probe = Probe(one);
    if (!probe.ok() && !options.choice.plugin.empty()) {
      return output.Fail(probe.status(), CodeOfLoading(probe.status()));
    }
    loader::Json json(cJSON_CreateObject());
    output.Line("\nplugin ", plugin);
    bool has_problem = true;
    if (probe.ok()) {
      has_problem = Diagnose(probe->get(), options.choice.verbose, json.get(), output);
      loader::JsonAdd(json.get(), "probe", *std::move(probe));
    } else {
      output.Line("  problem: ", probe.status().ToString());
      loader::JsonAddText(json.get(), "failure", probe.status().ToString());
    }
    loader::JsonAddText(json.get(), "name", plugin);
    cJSON_AddBoolToObject(json.get(), "works", !has_problem);
    num_problems += has_problem ? 1 : 0;
    loader::JsonAppend(list.get(), std::move(json));
  }
  loader::JsonAdd(output.json(), "plugins", std::move(list));
  output.Line("\nplugins that work:  ", plugins->size() - num_problems, " of ", plugins->size());
  return num_problems == 0 ? kDone : kFailed;
}

}  // namespace plinth::cli
