// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/c_api.h"

struct plinth_plugin_list {
  plinth::loader::Discovery discovery;
  std::vector<plinth_plugin_entry> entries;
  std::string report;
};

namespace plinth::loader {
namespace {

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

plinth_plugin_entry Entry(const Candidate& candidate) {
  return {
      .struct_size = plinth_plugin_entry_STRUCT_SIZE,
      .name = candidate.name.c_str(),
      .path = candidate.path.c_str(),
      .source = candidate.source.c_str(),
      .found = candidate.found.c_str(),
      .manifest = OrNull(candidate.manifest_path),
      .manifest_json = OrNull(candidate.manifest_json),
      .create_options_json = OrNull(candidate.create_options_json),
      .ignored_because = OrNull(candidate.ignored_because),
  };
}

}  // namespace
}  // namespace plinth::loader

using plinth::InvalidArgument;
using plinth::Status;

plinth_status* plinth_list(const plinth_load_options* options, plinth_plugin_list** list) {
  return plinth::loader::Guarded([&]() -> Status {
    if (list == nullptr) return InvalidArgument("plinth_list: list is null");
    *list = nullptr;
    PLINTH_ASSIGN_OR_RETURN(plinth::loader::Request request, plinth::loader::ReadOptions(options));
    auto made = std::make_unique<plinth_plugin_list>();
    made->discovery = plinth::loader::Discover(request.load.find, request.load.environment);
    made->report = plinth::StrJoin(made->discovery.trail, "\n");
    for (const plinth::loader::Candidate& candidate : made->discovery.candidates) {
      made->entries.push_back(plinth::loader::Entry(candidate));
    }
    *list = made.release();
    return {};
  });
}

size_t plinth_plugin_list_size(const plinth_plugin_list* list) { return list->entries.size(); }

const plinth_plugin_entry* plinth_plugin_list_entry(const plinth_plugin_list* list, size_t index) {
  return index < list->entries.size() ? &list->entries[index] : nullptr;
}

const char* plinth_plugin_list_report(const plinth_plugin_list* list) {
  return list->report.c_str();
}

void plinth_plugin_list_destroy(plinth_plugin_list* list) { delete list; }
