// SPDX-License-Identifier: Apache-2.0
// PJRT_NAMES_AND_LIBRARY_PATHS: `name:path` separated by commas, where a path that ends in .json is
// a file with `library_path` and `create_options`.

#include "impl/loader/discover.h"
#include "impl/loader/files.h"
#include "impl/loader/manifest.h"

namespace plinth::loader {
namespace {

constexpr char kVariable[] = "PJRT_NAMES_AND_LIBRARY_PATHS";

// Takes the library and the options from the file; says in the candidate what is wrong with it.
void ReadConfig(Search& search, Candidate& candidate) {
  candidate.manifest_path = candidate.path;
  candidate.path.clear();
  Expected<std::string> text = ReadFile(candidate.manifest_path, kMaxManifestSize);
  if (!text.ok()) {
    candidate.ignored_because = text.status().message();
    return;
  }
  candidate.manifest_json = *text;
  Expected<Manifest> config = ParseJaxConfig(*text);
  if (!config.ok()) {
    candidate.ignored_because = StrCat(candidate.manifest_path, ": ", config.status().message());
    return;
  }
  for (const std::string& warning : config->warnings) {
    search.Note(candidate.manifest_path, warning, LogLevel::kWarning);
  }
  candidate.path = config->library;
  candidate.create_options_json = config->create_options_json;
}

}  // namespace

void FindInJaxVariable(Search& search) {
  if (!search.Has(kSearchEnvironment)) return;
  std::string_view value = search.environment.Get(kVariable);
  if (value.empty()) {
    search.Note(kVariable, "not set");
    return;
  }
  for (const std::string& piece : Split(value, ',')) {
    std::string_view text = Trim(piece);
    if (text.empty()) continue;
    size_t colon = text.find(':');
    // As JAX does it: exactly one colon.
    if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
      search.Note(kVariable, StrCat("'", text, "' is not of the form name:path and was ignored"),
                  LogLevel::kWarning);
      continue;
    }
    std::string_view name = Trim(text.substr(0, colon));
    std::string_view path = Trim(text.substr(colon + 1));
    if (!IsPluginName(name) || path.empty()) {
      search.Note(
          kVariable,
          StrCat("'", text, "' has no ", path.empty() ? "path" : "usable name", " and was ignored"),
          LogLevel::kWarning);
      continue;
    }
    Candidate candidate;
    candidate.name = name;
    candidate.path = path;
    candidate.source = kVariable;
    candidate.found = StrCat("variable ", kVariable);
    if (path.ends_with(".json")) ReadConfig(search, candidate);
    search.Note(kVariable,
                StrCat("plugin '", candidate.name, "' at ",
                       candidate.path.empty() ? candidate.manifest_path : candidate.path));
    search.Add(std::move(candidate));
  }
}

}  // namespace plinth::loader
