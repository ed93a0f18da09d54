// SPDX-License-Identifier: Apache-2.0
// Installed Python packages that JAX would ask for a plugin: modules of the namespace package
// jax_plugins, and entry points of the group jax_plugins. Their code is not run, so the library is
// looked for where the module lies, then among the files that the package lists in RECORD.

#include <algorithm>
#include <set>

#include "impl/loader/discover.h"
#include "impl/loader/elf_file.h"
#include "impl/loader/files.h"
#include "impl/loader/manifest.h"

namespace plinth::loader {
namespace {

constexpr size_t kMaxNames = 100000;           // In one folder of packages.
constexpr size_t kMaxEntryPoints = 256 << 10;  // Bytes of one entry_points.txt.
constexpr size_t kMaxRecord = 16 << 20;        // Bytes of one RECORD.

struct EntryPoint {
  std::string name;
  std::string module;        // With slashes: "jax_plugins/xla_cuda13".
  std::string distribution;  // Folder *.dist-info, or empty.
};

// Modules for Python, which are shared libraries too.
bool IsPythonExtension(std::string_view file) {
  return file.find(".cpython-") != std::string_view::npos || file.ends_with(".abi3.so");
}

// Lists the libraries that are plugins. Files that cannot be read are none.
void AddLibraries(std::set<std::string>& libraries, const std::string& path) {
  if (!path.ends_with(".so") || IsPythonExtension(path)) return;
  Expected<ElfFile> facts = ReadElfFile(path);
  if (!facts.ok() || facts->is_libplinth) return;
  if (facts->exports_get_pjrt_api) libraries.insert(path);
}

std::vector<std::string> ReadNames(const std::string& folder) {
  Expected<std::vector<std::string>> names = ReadFolder(folder, kMaxNames);
  return names.ok() ? *std::move(names) : std::vector<std::string>();
}

std::set<std::string> LibrariesOfModule(const std::string& site, const EntryPoint& entry) {
  std::set<std::string> libraries;
  std::string folder = Below(site, entry.module);
  for (const std::string& name : ReadNames(folder)) AddLibraries(libraries, Below(folder, name));
  return libraries;
}

std::set<std::string> LibrariesOfRecord(const std::string& site, const EntryPoint& entry) {
  std::set<std::string> libraries;
  if (entry.distribution.empty()) return libraries;
  Expected<std::string> record =
      ReadFile(Below(Below(site, entry.distribution), "RECORD"), kMaxRecord);
  if (!record.ok()) return libraries;
  for (const std::string& line : Split(*record, '\n')) {
    std::string_view path = std::string_view(line).substr(0, line.find(','));
    if (path.ends_with(".so")) AddLibraries(libraries, Below(site, path));
  }
  return libraries;
}

// The group [jax_plugins] of an entry_points.txt: lines `name = module:attribute`.
void ReadEntryPoints(std::string_view text, const std::string& distribution,
                     std::vector<EntryPoint>& entries) {
  bool in_group = false;
  for (const std::string& whole : Split(text, '\n')) {
    std::string_view line = Trim(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      in_group = line == "[jax_plugins]";
      continue;
    }
    size_t equals = line.find('=');
    if (!in_group || equals == std::string_view::npos) continue;
    EntryPoint entry;
    entry.name = Trim(line.substr(0, equals));
    std::string_view module = Trim(line.substr(equals + 1));
    entry.module = Trim(module.substr(0, module.find_first_of(":[")));
    entry.distribution = distribution;
    if (!IsPluginName(entry.name) || !IsPluginName(entry.module)) continue;
    std::replace(entry.module.begin(), entry.module.end(), '.', '/');
    entries.push_back(std::move(entry));
  }
}

void AddCandidates(Search& search, const std::string& site, const EntryPoint& entry) {
  std::set<std::string> libraries = LibrariesOfModule(site, entry);
  if (libraries.empty()) libraries = LibrariesOfRecord(site, entry);
  Candidate candidate;
  candidate.source = "python";
  candidate.found =
      StrCat("Python package ", entry.distribution.empty() ? entry.module : entry.distribution,
             " in ", site);
  if (libraries.empty()) {
    candidate.name = entry.name;
    candidate.ignored_because = StrCat("no library that exports GetPjrtApi was found in ",
                                       Below(site, entry.module), "; give the path, or a manifest");
    search.Note(candidate.found, StrCat("'", entry.name, "': ", candidate.ignored_because));
    search.Add(std::move(candidate));
    return;
  }
  // A package with several plugins: the first has the name of the entry point, the others that of
  // their file.
  for (const std::string& library : libraries) {
    Candidate one = candidate;
    std::string_view file = FileNameOf(library);
    one.name = library == *libraries.begin() ? entry.name : file.substr(0, file.size() - 3);
    one.path = library;
    search.Note(one.found, StrCat("plugin '", one.name, "' at ", one.path));
    search.Add(std::move(one));
  }
}

void SearchSite(Search& search, const std::string& site) {
  Expected<std::vector<std::string>> names = ReadFolder(site, kMaxNames);
  if (!names.ok()) {
    bool missing = names.status().code() == StatusCode::kNotFound;
    search.Note(StrCat(site, " (Python packages)"),
                missing ? "no such folder" : names.status().message());
    return;
  }
  std::vector<EntryPoint> entries;
  for (const std::string& name : *names) {
    if (!name.ends_with(".dist-info")) continue;
    Expected<std::string> text =
        ReadFile(Below(Below(site, name), "entry_points.txt"), kMaxEntryPoints);
    if (text.ok()) ReadEntryPoints(*text, name, entries);
  }
  for (const std::string& name : ReadNames(Below(site, "jax_plugins"))) {
    std::string module = StrCat("jax_plugins/", name);
    bool known = std::any_of(entries.begin(), entries.end(),
                             [&](const EntryPoint& entry) { return entry.module == module; });
    if (known || name == "__pycache__" || !IsPluginName(name)) continue;
    if (IsFolder(Below(site, module))) entries.push_back({name, module, ""});
  }
  // JAX asks the package libtpu by name.
  if (std::binary_search(names->begin(), names->end(), "libtpu")) {
    entries.push_back({"tpu", "libtpu", ""});
  }
  if (entries.empty()) search.Note(StrCat(site, " (Python packages)"), "no jax_plugins");
  for (const EntryPoint& entry : entries) AddCandidates(search, site, entry);
}

// lib/python3*/site-packages below a prefix.
void AddSitesOfPrefix(const std::string& prefix, std::vector<std::string>& sites) {
  std::string folder = Below(prefix, "lib");
  for (const std::string& name : ReadNames(folder)) {
    if (!name.starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      std::string site = Below(Below(folder, name), packages);
      if (IsFolder(site)) sites.push_back(std::move(site));
    }
  }
}

std::vector<std::string> Sites(const Search& search) {
  const Environment& environment = search.environment;
  std::vector<std::string> sites;
  if (std::string_view path = environment.Get("PLINTH_PYTHON_PATH"); !path.empty()) {
    return Split(path, ':');
  }
  sites = Split(environment.Get("PYTHONPATH"), ':');
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    std::string prefix(environment.Get(variable));
    if (!prefix.empty()) AddSitesOfPrefix(prefix, sites);
  }
  for (const std::string& folder : environment.program_folders) {
    std::string prefix = Below(folder, "..");
    // A virtual environment, or an installation of Python.
    if (CheckRegularFile(Below(prefix, "pyvenv.cfg")).ok() || FileNameOf(folder) == "bin") {
      AddSitesOfPrefix(prefix, sites);
    }
  }
  if (std::string home(environment.Get("HOME")); !home.empty()) {
    AddSitesOfPrefix(Below(home, ".local"), sites);
  }
  for (const char* prefix : {"/usr/local", "/usr"}) {
    AddSitesOfPrefix(StrCat(environment.root, prefix), sites);
  }
  return sites;
}

}  // namespace

void FindPythonPackages(Search& search) {
  if (!search.Has(kSearchPython)) return;
  if (std::string_view path = search.environment.Get("TPU_LIBRARY_PATH"); !path.empty()) {
    Candidate candidate;
    candidate.name = "tpu";
    candidate.path = path;
    candidate.source = "python";
    candidate.found = "variable TPU_LIBRARY_PATH";
    search.Note("TPU_LIBRARY_PATH", StrCat("plugin 'tpu' at ", path));
    search.Add(std::move(candidate));
  }
  std::set<std::string> seen;
  std::vector<std::string> sites = Sites(search);
  if (sites.empty()) search.Note("Python packages", "no folder of packages is known");
  for (const std::string& site : sites) {
    // One folder can be reached by several names.
    char* resolved = realpath(site.c_str(), nullptr);
    std::string canonical = resolved == nullptr ? site : resolved;
    free(resolved);
    if (seen.insert(canonical).second) SearchSite(search, canonical);
  }
}

}  // namespace plinth::loader
