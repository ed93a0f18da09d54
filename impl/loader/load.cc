// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/load.h"

#include "impl/loader/files.h"
#include "impl/loader/layer_list.h"

namespace plinth::loader {

Expected<Prepared> Prepare(const LoadRequest& request) {
  const Environment& environment = request.environment;
  bool use_variables = (request.find.search & kSearchEnvironment) != 0;
  auto variable = [&](const char* name) {
    return std::string(use_variables ? environment.Get(name) : "");
  };
  PLINTH_ASSIGN_OR_RETURN(
      std::vector<std::string> layers,
      SplitLayers(request.layers.has_value() ? *request.layers : variable("PLINTH_LAYERS")));
  PLINTH_ASSIGN_OR_RETURN(Selection selection,
                          Select(request.plugin, request.find, environment, request.asked_by));
  const Candidate& plugin = selection.plugin;
  if (IsSameFile(plugin.path, OwnPath())) {
    return FailedPrecondition(plugin.path, " (", plugin.found,
                              ") is this libplinth itself, which cannot stand in front of itself. "
                              "Set PLINTH_PLUGIN to the plugin behind it");
  }
  Prepared prepared;
  prepared.open.path = plugin.path;
  prepared.open.layer_specs = std::move(layers);
  prepared.open.api_minor = request.api_minor;
  prepared.open.allow_old = request.allow_old || variable("PLINTH_ALLOW_OLD") == "1";
  prepared.open.default_layouts = plugin.default_layouts;
  prepared.open.log = request.find.log;
  prepared.selection = std::move(selection);
  return prepared;
}

Expected<Loaded> Load(const LoadRequest& request) {
  PLINTH_ASSIGN_OR_RETURN(Prepared prepared, Prepare(request));
  Candidate& plugin = prepared.selection.plugin;
  Log(request.find.log, LogLevel::kInfo,
      StrCat("loading '", plugin.name, "' at ", plugin.path, " (", plugin.found, "), layers: ",
             prepared.open.layer_specs.empty() ? "none" : StrJoin(prepared.open.layer_specs)));
  Expected<const PJRT_Api*> api = OpenPlugin(prepared.open);
  if (!api.ok()) {
    Log(request.find.log, LogLevel::kError, api.status().message());
    return api.status().WithContext(StrCat("plugin '", plugin.name, "' (", plugin.found, ")"));
  }
  return Loaded{std::move(plugin), std::move(prepared.open.layer_specs), *api};
}

}  // namespace plinth::loader
