// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/discover.h"

#include <elf.h>

#include <map>

#include "impl/loader/elf_file.h"
#include "impl/loader/files.h"
#include "impl/loader/glob.h"
#include "impl/loader/manifest.h"

namespace plinth::loader {
namespace {

std::string MachineName(int machine) {
  if (machine == EM_X86_64) return "x86-64";
  if (machine == EM_AARCH64) return "AArch64";
  return StrCat("machine ", machine);
}

// Why the file can be no plugin, or empty. A name for dlopen cannot be judged.
std::string WhyNotUsable(const std::string& path) {
  if (path.find('/') == std::string::npos) return {};
  Expected<ElfFile> facts = ReadElfFile(path);
  if (!facts.ok()) return std::string(facts.status().message());
  if (!facts->for_this_machine) {
    return StrCat(path, " is for ", MachineName(facts->machine), ", this process needs ",
                  kPlatform);
  }
  if (facts->has_symbols && !facts->exports_get_pjrt_api) {
    return StrCat(path, " is no PJRT plugin: it does not export GetPjrtApi");
  }
  if (facts->is_libplinth) return StrCat(path, " is libplinth, which stands in front of a plugin");
  return {};
}

// Says of each candidate whether its name leads to it.
void Judge(Search& search) {
  const FindOptions& options = search.options;
  auto patterns = [&](const std::optional<std::string>& given, const char* variable) {
    if (given.has_value()) return *given;
    return std::string(search.Has(kSearchEnvironment) ? search.environment.Get(variable) : "");
  };
  std::string allow_text = patterns(options.allow, "PLINTH_ALLOW");
  std::string deny_text = patterns(options.deny, "PLINTH_DENY");
  GlobList allow(allow_text), deny(deny_text);
  std::map<std::string, const Candidate*> first;
  for (Candidate& candidate : search.candidates) {
    if (!candidate.ignored_because.empty()) continue;
    std::string reason;
    if (std::string_view pattern = deny.Match(candidate.name); !pattern.empty()) {
      reason = StrCat("denied by '", pattern, "' of ",
                      options.deny.has_value() ? "the options" : "PLINTH_DENY");
    } else if (!allow_text.empty() && allow.Match(candidate.name).empty()) {
      reason = StrCat("not allowed by '", allow_text, "' of ",
                      options.allow.has_value() ? "the options" : "PLINTH_ALLOW");
    } else if (auto earlier = first.find(candidate.name); earlier != first.end()) {
      reason = StrCat("hidden behind ", earlier->second->path, " (", earlier->second->found, ")");
    } else {
      reason = WhyNotUsable(candidate.path);
      if (reason.empty()) first.emplace(candidate.name, &candidate);
    }
    if (reason.empty()) continue;
    candidate.ignored_because = reason;
    search.Note(StrCat("plugin '", candidate.name, "'"), StrCat("ignored: ", reason),
                LogLevel::kInfo);
  }
}

}  // namespace

void Search::Note(std::string_view place, std::string_view outcome, LogLevel level) {
  trail.push_back(StrCat(place, ": ", outcome));
  Log(options.log, level, trail.back());
}

Discovery Discover(const FindOptions& options, const Environment& environment) {
  Search search(options, environment);
  if (!environment.ignored.empty()) {
    search.Note("this process is privileged",
                StrCat("ignored variables: ", StrJoin(environment.ignored)), LogLevel::kWarning);
  }
  FindInJaxVariable(search);
  FindManifests(search);
  FindPythonPackages(search);
  Judge(search);
  return {std::move(search.candidates), std::move(search.trail)};
}

}  // namespace plinth::loader
