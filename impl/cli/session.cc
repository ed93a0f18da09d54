// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/session.h"

#include <cstdio>

#include "impl/cli/output.h"
#include "impl/cli/progress.h"
#include "impl/loader/named_value_json.h"

namespace plinth::cli {
namespace {

void LogToStandardError(plinth_log_level level, const char* message, void* /*user_data*/) {
  static constexpr const char* kNames[] = {"", "error", "warning", "info", "debug"};
  const int index = static_cast<int>(level);
  fprintf(stderr, "plinth %s: %s\n", index >= 1 && index <= 4 ? kNames[index] : "log",
          Printable(message).c_str());
}

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

plinth_load_options PluginChoice::LoadOptions() const {
  plinth_load_options options = {};
  options.struct_size = plinth_load_options_STRUCT_SIZE;
  options.plugin = OrNull(plugin);
  options.layers = layers ? layers->c_str() : nullptr;
  options.manifest_path = OrNull(manifest_path);
  options.allow = OrNull(allow);
  options.deny = OrNull(deny);
  options.allow_old = allow_old;
  options.log = verbose ? &LogToStandardError : nullptr;
  return options;
}

Status TakeStatus(plinth_status* status) {
  if (status == nullptr) return {};
  Status result(static_cast<StatusCode>(plinth_status_code(status)), plinth_status_message(status));
  plinth_status_destroy(status);
  return result;
}

Expected<LoadedPlugin> LoadPlugin(const PluginChoice& choice, bool initialize) {
  const Stopwatch watch;
  const plinth_load_options options = choice.LoadOptions();
  plinth_plugin* raw = nullptr;
  PLINTH_RETURN_IF_ERROR(TakeStatus(plinth_load(&options, &raw)));
  Owned<plinth_plugin> handle(raw);
  PLINTH_ASSIGN_OR_RETURN(const client::Api api,
                          client::Api::FromTable(plinth_plugin_api(handle.get())));
  if (initialize) {
    const Status initialized = api.Initialize();
    if (!initialized.ok()) return initialized.WithContext("PJRT_Plugin_Initialize");
  }
  return LoadedPlugin{std::move(handle), api, watch.Milliseconds()};
}

ExitCode CodeOfLoading(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument ? kUsage : kNoPlugin;
}

Expected<client::Options> ParseOptions(const std::vector<std::string>& texts) {
  client::Options options;
  for (const std::string& text : texts) PLINTH_RETURN_IF_ERROR(options.Parse(text));
  return options;
}

Expected<client::Client> LoadedPlugin::CreateClient(const PluginChoice& choice) const {
  client::Options options;
  if (const char* json = plinth_plugin_create_options(handle.get()); json != nullptr) {
    PLINTH_ASSIGN_OR_RETURN(const std::vector<NamedValue> values, loader::OptionsFromJson(json));
    for (const NamedValue& value : values) {
      std::visit([&](const auto& one) { options.Set(value.name, one); }, value.value);
    }
  }
  for (const std::string& text : choice.create_options) {
    PLINTH_RETURN_IF_ERROR(options.Parse(text));
  }
  return client::Client::Create(api, options);
}

void Describe(const LoadedPlugin& plugin, Output& output) {
  const client::Version version = plugin.api.version();
  output.json()["plugin"] = Json::Object{
      {"name", plinth_plugin_name(plugin.handle.get())},
      {"path", plinth_plugin_path(plugin.handle.get())},
      {"pjrt_api", StrCat(version.major, ".", version.minor)},
      {"layers", plinth_plugin_layers(plugin.handle.get())},
  };
  output.Line("plugin:             ", plinth_plugin_name(plugin.handle.get()), " (PJRT ",
              version.major, ".", version.minor, ")");
}

}  // namespace plinth::cli
