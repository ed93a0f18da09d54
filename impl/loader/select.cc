// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/discover.h"
#include "impl/loader/files.h"
#include "impl/loader/manifest.h"

namespace plinth::loader {
namespace {

std::string Lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append("\n  ").append(line);
  return text;
}

// "pjrt_plinth_cpu" for "/x/libpjrt_plinth_cpu.so.1".
std::string NameOfFile(std::string_view path) {
  std::string_view name = FileNameOf(path);
  if (name.starts_with("lib")) name.remove_prefix(3);
  return std::string(name.substr(0, name.find(".so")));
}

Expected<Selection> SelectPath(const std::string& path, std::string_view why,
                               const FindOptions& options, const Environment& environment) {
  Search search(options, environment);
  if (path.ends_with(".json")) {
    AddManifest(search, path, why);
    Candidate& plugin = search.candidates.front();
    if (!plugin.ignored_because.empty()) return FailedPrecondition(plugin.ignored_because);
    Status library = CheckRegularFile(plugin.path);
    if (!library.ok()) return library.WithContext(StrCat("the plugin of ", path));
    return Selection{std::move(plugin), std::move(search.trail)};
  }
  if (Status file = CheckRegularFile(path); !file.ok()) {
    return file.WithContext(StrCat("the plugin given by ", why));
  }
  Candidate plugin;
  plugin.name = NameOfFile(path);
  plugin.path = path;
  plugin.source = "path";
  plugin.found = why;
  search.Note(why, StrCat("the path ", path));
  return Selection{std::move(plugin), std::move(search.trail)};
}

Status NotFoundByName(const std::string& name, std::string_view why, const Discovery& discovery) {
  std::vector<std::string> usable, ignored;
  for (const Candidate& candidate : discovery.candidates) {
    if (candidate.ignored_because.empty()) usable.push_back(candidate.name);
    if (candidate.name == name) ignored.push_back(candidate.ignored_because);
  }
  std::string message = StrCat("no plugin '", name, "', which ", why, " names, can be loaded.");
  for (const std::string& reason : ignored) message += StrCat(" It was found, but ", reason, ".");
  message += StrCat("\nPlugins that can be: ", usable.empty() ? "none" : StrJoin(usable), ".");
  if (name.ends_with(".so")) message += StrCat("\nA path needs a slash: ./", name, ".");
  message += StrCat("\nTried:", Lines(discovery.trail));
  return ignored.empty() ? NotFound(message) : FailedPrecondition(message);
}

Status NotExactlyOne(const std::vector<std::string>& usable, const Discovery& discovery) {
  if (usable.empty()) {
    return NotFound("no plugin was found, and none was named. Set PLINTH_PLUGIN to a path.\nTried:",
                    Lines(discovery.trail));
  }
  return FailedPrecondition("several plugins were found, and none was named: ", StrJoin(usable),
                            ". Set PLINTH_PLUGIN to one of them.\nTried:", Lines(discovery.trail));
}

}  // namespace

Expected<Selection> Select(const std::optional<std::string>& plugin, const FindOptions& options,
                           const Environment& environment, std::string_view asked_by) {
  std::string wanted = plugin.value_or("");
  std::string why(asked_by);
  if (wanted.empty() && (options.search & kSearchEnvironment) != 0) {
    wanted = environment.Get("PLINTH_PLUGIN");
    why = "PLINTH_PLUGIN";
  }
  if (wanted.find('/') != std::string::npos) {
    return SelectPath(wanted, why, options, environment);
  }
  Discovery discovery = Discover(options, environment);
  std::vector<std::string> usable;
  Candidate* chosen = nullptr;
  for (Candidate& candidate : discovery.candidates) {
    if (!candidate.ignored_because.empty()) continue;
    if (wanted.empty() || candidate.name == wanted) {
      usable.push_back(candidate.name);
      if (chosen == nullptr) chosen = &candidate;
    }
  }
  if (chosen == nullptr && !wanted.empty()) return NotFoundByName(wanted, why, discovery);
  if (usable.size() != 1) return NotExactlyOne(usable, discovery);
  discovery.trail.push_back(StrCat("plugin '", chosen->name, "': chosen, ",
                                   wanted.empty() ? "the only one" : StrCat("named by ", why)));
  return Selection{std::move(*chosen), std::move(discovery.trail)};
}

}  // namespace plinth::loader
