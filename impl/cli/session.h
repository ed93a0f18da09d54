// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_SESSION_H_
#define PLINTH_IMPL_CLI_SESSION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "impl/cli/output.h"
#include "plinth.h"
#include "plinth/client/client.h"

namespace plinth::cli {

// Which plugin, as the command line says it.
struct PluginChoice {
  std::string plugin;  // A path or a name; empty: PLINTH_PLUGIN, or the only one.
  std::optional<std::string> layers;
  std::string manifest_path;
  std::string allow, deny;
  bool allow_old = false;
  bool verbose = false;                     // The loader's log goes to standard error.
  std::vector<std::string> create_options;  // "name=value"

  // For libplinth; points into this object.
  plinth_load_options LoadOptions() const;
};

struct Destroy {
  void operator()(plinth_plugin* plugin) const { plinth_plugin_destroy(plugin); }
  void operator()(plinth_plugin_list* list) const { plinth_plugin_list_destroy(list); }
  void operator()(char* text) const { plinth_string_free(text); }
};
template <typename T>
using Owned = std::unique_ptr<T, Destroy>;

// The status of libplinth as ours; frees it.
Status TakeStatus(plinth_status* status);

// A plugin that is loaded.
struct LoadedPlugin {
  Owned<plinth_plugin> handle;
  client::Api api;
  double load_ms = 0;

  // A client with the options of the manifest and, on top, those of the command line.
  Expected<client::Client> CreateClient(const PluginChoice& choice) const;
};
// Calls PJRT_Plugin_Initialize unless somebody else will.
Expected<LoadedPlugin> LoadPlugin(const PluginChoice& choice, bool initialize = true);
// What to exit with when loading or probing failed: kUsage if what was asked for makes no sense.
ExitCode CodeOfLoading(const Status& status);

// The options of the command line.
Expected<client::Options> ParseOptions(const std::vector<std::string>& texts);

// "plugin": {...} and a line.
void Describe(const LoadedPlugin& plugin, Output& output);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_SESSION_H_
