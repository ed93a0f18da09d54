// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_DISCOVER_H_
#define PLINTH_IMPL_LOADER_DISCOVER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impl/loader/environment.h"
#include "impl/loader/log.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// Bits of FindOptions::search; the numbers are those of plinth_search.
inline constexpr uint32_t kSearchEnvironment = 1;
inline constexpr uint32_t kSearchUser = 2;
inline constexpr uint32_t kSearchSystem = 4;
inline constexpr uint32_t kSearchPython = 8;
inline constexpr uint32_t kSearchAll = 15;

struct FindOptions {
  uint32_t search = kSearchAll;
  std::string manifest_path;         // Folders and files, separated by colons.
  std::optional<std::string> allow;  // Globs; absent: PLINTH_ALLOW.
  std::optional<std::string> deny;   // Globs; absent: PLINTH_DENY.
  LogSink log;
};

// A plugin that was found, not opened.
struct Candidate {
  std::string name;
  std::string path;    // A path, or (without a slash, from JAX's variable) a name for dlopen.
  std::string source;  // "path", "PJRT_NAMES_AND_LIBRARY_PATHS", "manifest" or "python".
  std::string found;   // Where, and why it was looked for there.
  std::string manifest_path;
  std::string manifest_json;
  std::string create_options_json;
  bool default_layouts = false;
  std::string ignored_because;  // Empty: it can be loaded by its name.
};

// A search under way: what was found, in the order of preference, and what came of each place.
class Search {
 public:
  Search(const FindOptions& find_options, const Environment& process)
      : options(find_options), environment(process) {}

  bool Has(uint32_t bit) const { return (options.search & bit) != 0; }
  // Records what came of a place.
  void Note(std::string_view place, std::string_view outcome, LogLevel level = LogLevel::kDebug);
  void Add(Candidate candidate) { candidates.push_back(std::move(candidate)); }

  const FindOptions& options;
  const Environment& environment;
  std::vector<Candidate> candidates;
  std::vector<std::string> trail;  // "place: outcome"
};

// The sources, in the order of preference. Each adds candidates and notes every place.
void FindInJaxVariable(Search& search);
void FindManifests(Search& search);
void FindPythonPackages(Search& search);

// Adds what one manifest file describes, broken or not.
void AddManifest(Search& search, const std::string& path, std::string_view why);

struct Discovery {
  std::vector<Candidate> candidates;
  std::vector<std::string> trail;
};

// Everything that can be found, with the reasons why some of it is ignored. Opens no library.
Discovery Discover(const FindOptions& options, const Environment& environment);

// What plinth_load loads: one candidate, and how it was come by.
struct Selection {
  Candidate plugin;
  std::vector<std::string> trail;
};

// `plugin` is a path (with a slash), a name, or absent: then PLINTH_PLUGIN, or the only one that is
// found. `asked_by` says in messages who gave it. Errors list every place that was tried.
Expected<Selection> Select(const std::optional<std::string>& plugin, const FindOptions& options,
                           const Environment& environment,
                           std::string_view asked_by = "the caller");

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_DISCOVER_H_
