// SPDX-License-Identifier: Apache-2.0
// Manifests: one JSON file per plugin, in folders of the variables, the user and the system.

#include "impl/loader/discover.h"
#include "impl/loader/files.h"
#include "impl/loader/manifest.h"

namespace plinth::loader {
namespace {

constexpr size_t kMaxFiles = 4096;  // In one folder.
constexpr char kFolder[] = "plinth/plugins.d";

void SearchFolder(Search& search, const std::string& folder, std::string_view why) {
  Expected<std::vector<std::string>> names = ReadFolder(folder, kMaxFiles);
  if (!names.ok()) {
    bool missing = names.status().code() == StatusCode::kNotFound;
    search.Note(StrCat(folder, " (", why, ")"),
                missing ? "no such folder" : names.status().message(),
                missing ? LogLevel::kDebug : LogLevel::kWarning);
    return;
  }
  size_t manifests = 0;
  for (const std::string& name : *names) {
    if (name.ends_with(".json")) ++manifests;
  }
  search.Note(StrCat(folder, " (", why, ")"), manifests == 0   ? "no manifest"
                                              : manifests == 1 ? "1 manifest"
                                                               : StrCat(manifests, " manifests"));
  for (const std::string& name : *names) {
    if (name.ends_with(".json")) AddManifest(search, Below(folder, name), why);
  }
}

void SearchPath(Search& search, std::string_view path, std::string_view why) {
  for (const std::string& piece : Split(path, ':')) {
    if (IsFolder(piece)) {
      SearchFolder(search, piece, why);
    } else {
      AddManifest(search, piece, why);
    }
  }
}

// The folders below each of a colon-separated list; relative ones do not count, as XDG says.
void SearchBelow(Search& search, std::string_view path, std::string_view root,
                 std::string_view why) {
  for (const std::string& piece : Split(path, ':')) {
    if (piece.front() == '/') SearchFolder(search, StrCat(root, Below(piece, kFolder)), why);
  }
}

// What is installed together with libplinth; below /usr it was found already.
void SearchOwn(Search& search, const std::string& folder) {
  for (const Candidate& candidate : search.candidates) {
    if (candidate.source == "manifest" && IsSameFile(FolderOf(candidate.manifest_path), folder)) {
      return;
    }
  }
  SearchFolder(search, folder, "the installation of libplinth");
}

// The value of an XDG variable, or its default below the user's folder.
std::string UserFolder(const Environment& environment, std::string_view variable,
                       std::string_view fallback) {
  if (std::string_view value = environment.Get(variable); !value.empty()) {
    return std::string(value);
  }
  std::string_view home = environment.Get("HOME");
  return home.empty() ? std::string() : Below(home, fallback);
}

}  // namespace

void AddManifest(Search& search, const std::string& path, std::string_view why) {
  Candidate candidate;
  candidate.source = "manifest";
  candidate.found = StrCat("manifest ", path, " (", why, ")");
  candidate.manifest_path = path;
  // A broken manifest is listed under its file name.
  candidate.name = FileNameOf(path);
  if (candidate.name.ends_with(".json")) candidate.name.resize(candidate.name.size() - 5);
  auto broken = [&](const Status& status) {
    std::string reason(status.message());
    if (!reason.starts_with(path)) reason = StrCat(path, ": ", reason);
    search.Note(path, status.message(), LogLevel::kWarning);
    candidate.ignored_because = std::move(reason);
    search.Add(std::move(candidate));
  };
  Expected<std::string> text = ReadFile(path, kMaxManifestSize);
  if (!text.ok()) return broken(text.status());
  candidate.manifest_json = *text;
  Expected<Manifest> manifest = ParseManifest(*text, FolderOf(path));
  if (!manifest.ok()) return broken(manifest.status());
  for (const std::string& warning : manifest->warnings) {
    search.Note(path, warning, LogLevel::kWarning);
  }
  candidate.name = manifest->name;
  candidate.path = manifest->library;
  candidate.create_options_json = manifest->create_options_json;
  candidate.default_layouts = manifest->default_layouts;
  search.Note(path, StrCat("plugin '", candidate.name, "' at ", candidate.path));
  search.Add(std::move(candidate));
}

void FindManifests(Search& search) {
  const Environment& environment = search.environment;
  SearchPath(search, search.options.manifest_path, "manifest_path of the options");
  if (search.Has(kSearchEnvironment)) {
    std::string_view replacing = environment.Get("PLINTH_MANIFEST_PATH");
    std::string_view adding = environment.Get("PLINTH_ADD_MANIFEST_PATH");
    if (!replacing.empty()) {
      if (!adding.empty()) {
        search.Note("PLINTH_ADD_MANIFEST_PATH", "ignored, because PLINTH_MANIFEST_PATH is set",
                    LogLevel::kWarning);
      }
      search.Note("manifests of user and system",
                  "not looked for, because PLINTH_MANIFEST_PATH is set");
      SearchPath(search, replacing, "PLINTH_MANIFEST_PATH");
      return;
    }
    search.Note("PLINTH_MANIFEST_PATH", "not set");
    if (adding.empty()) search.Note("PLINTH_ADD_MANIFEST_PATH", "not set");
    SearchPath(search, adding, "PLINTH_ADD_MANIFEST_PATH");
  }
  if (search.Has(kSearchUser)) {
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
      std::string_view prefix = environment.Get(variable);
      if (!prefix.empty()) SearchBelow(search, Below(prefix, "share"), "", variable);
    }
    SearchBelow(search, UserFolder(environment, "XDG_CONFIG_HOME", ".config"), "",
                "the user's configuration");
    SearchBelow(search, UserFolder(environment, "XDG_DATA_HOME", ".local/share"), "",
                "the user's data");
  }
  if (search.Has(kSearchSystem)) {
    auto value_or = [&](const char* variable, std::string_view fallback) {
      std::string_view value = environment.Get(variable);
      return value.empty() ? fallback : value;
    };
    SearchBelow(search, "/etc", environment.root, "the system's configuration");
    SearchBelow(search, value_or("XDG_CONFIG_DIRS", "/etc/xdg"), environment.root,
                "the system's configuration, XDG_CONFIG_DIRS");
    SearchBelow(search, value_or("XDG_DATA_DIRS", "/usr/local/share:/usr/share"), environment.root,
                "the system's data, XDG_DATA_DIRS");
    if (!environment.own_data.empty()) SearchOwn(search, Below(environment.own_data, kFolder));
  }
}

}  // namespace plinth::loader
