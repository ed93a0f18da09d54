// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/c_api.h"

struct plinth_plugin {
  plinth::loader::Loaded loaded;
  std::string layers;
  std::string report;
};

using plinth::InvalidArgument;
using plinth::Status;
using plinth::StrJoin;

plinth_status* plinth_load(const plinth_load_options* options, plinth_plugin** plugin) {
  return plinth::loader::Guarded([&]() -> Status {
    if (plugin == nullptr) return InvalidArgument("plinth_load: plugin is null");
    *plugin = nullptr;
    PLINTH_ASSIGN_OR_RETURN(plinth::loader::Request request, plinth::loader::ReadOptions(options));
    plinth::loader::LogHub::Report report(request.log);
    PLINTH_ASSIGN_OR_RETURN(plinth::loader::Loaded loaded, plinth::loader::Load(request.load));
    auto made = std::make_unique<plinth_plugin>();
    made->layers = StrJoin(loaded.layers, ",");
    made->loaded = std::move(loaded);
    made->report = report.Take();
    *plugin = made.release();
    return {};
  });
}

void plinth_plugin_destroy(plinth_plugin* plugin) { delete plugin; }

const PJRT_Api* plinth_plugin_api(const plinth_plugin* plugin) { return plugin->loaded.api; }

const char* plinth_plugin_path(const plinth_plugin* plugin) {
  return plugin->loaded.plugin.path.c_str();
}

const char* plinth_plugin_name(const plinth_plugin* plugin) {
  return plugin->loaded.plugin.name.c_str();
}

const char* plinth_plugin_layers(const plinth_plugin* plugin) { return plugin->layers.c_str(); }

const char* plinth_plugin_create_options(const plinth_plugin* plugin) {
  const std::string& options = plugin->loaded.plugin.create_options_json;
  return options.empty() ? nullptr : options.c_str();
}

const char* plinth_plugin_report(const plinth_plugin* plugin) { return plugin->report.c_str(); }
