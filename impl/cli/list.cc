// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "impl/cli/commands.h"

namespace plinth::cli {
namespace {

Json EntryJson(const plinth_plugin_entry& entry) {
  Json::Object json{
      {"name", entry.name}, {"path", entry.path}, {"source", entry.source}, {"found", entry.found}};
  const auto add_optional = [&](std::string_view key, const char* text) {
    if (text != nullptr) json[key] = text;
  };
  add_optional("manifest", entry.manifest);
  add_optional("create_options", entry.create_options_json);
  add_optional("ignored_because", entry.ignored_because);
  return json;
}

std::string ListColumn(std::string_view text, size_t width) {
  return StrCat(text, std::string(width - text.size() + 2, ' '));
}

}  // namespace

int List(const ListOptions& options, Output& output) {
  const plinth_load_options load = options.choice.LoadOptions();
  plinth_plugin_list* raw = nullptr;
  const Status status = TakeStatus(plinth_list(&load, &raw));
  if (!status.ok()) return output.Fail(status, kUsage);
  const Owned<plinth_plugin_list> list(raw);
  const size_t size = plinth_plugin_list_size(list.get());
  size_t name_width = 0, source_width = 0;
  for (size_t i = 0; i < size; ++i) {
    const plinth_plugin_entry& entry = *plinth_plugin_list_entry(list.get(), i);
    name_width = std::max(name_width, std::string_view(entry.name).size());
    source_width = std::max(source_width, std::string_view(entry.source).size());
  }
  Json::Array plugins;
  for (size_t i = 0; i < size; ++i) {
    const plinth_plugin_entry& entry = *plinth_plugin_list_entry(list.get(), i);
    output.Line(ListColumn(entry.name, name_width), ListColumn(entry.source, source_width),
                entry.path);
    if (entry.ignored_because != nullptr) {
      output.Line("  not loaded by its name: ", entry.ignored_because);
    }
    plugins.push_back(EntryJson(entry));
  }
  const char* report = plinth_plugin_list_report(list.get());
  if (size == 0) output.Line("No plugin was found.");
  if (size == 0 || options.show_searched) output.Line("Looked at:\n", report);
  output.json()["plugins"] = std::move(plugins);
  output.json()["searched"] = report;
  return kDone;
}

}  // namespace plinth::cli
