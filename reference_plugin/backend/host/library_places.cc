// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/library_places.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "plinth/support/str_cat.h"

namespace plinth::backend {
namespace {

// The part of `path` up to and with its last component named site-packages or dist-packages, or
// nothing.
std::string SitePackagesOf(std::string_view path) {
  for (std::string_view name : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = path.rfind(name);
    if (at != std::string_view::npos) return std::string(path.substr(0, at + name.size() - 1));
  }
  return "";
}

// The path in a line of /proc/self/maps whose addresses hold `address`: it is the last field and
// may hold spaces.
std::optional<std::string_view> PathIfMapped(const char* line, uintptr_t address) {
  char* rest = nullptr;
  const uintptr_t begin = strtoull(line, &rest, 16);
  if (*rest != '-') return std::nullopt;
  const uintptr_t end = strtoull(rest + 1, &rest, 16);
  if (address < begin || address >= end) return std::nullopt;
  std::string_view path = rest;
  path.remove_prefix(std::min(path.find('/'), path.size()));
  return path.substr(0, path.find('\n'));
}

// The path of the file that is mapped at `address`, or nothing. By the C library: this was the only
// place with a stream of C++, and the locales that one brings along are 400 KB of a plugin.
std::string FileMappedAt(uintptr_t address) {
  const std::unique_ptr<FILE, int (*)(FILE*)> maps(fopen("/proc/self/maps", "re"), fclose);
  if (maps == nullptr) return "";
  std::string found;
  char* line = nullptr;
  size_t capacity = 0;
  while (getline(&line, &capacity, maps.get()) >= 0) {
    const std::optional<std::string_view> path = PathIfMapped(line, address);
    if (!path) continue;
    found = *path;
    break;
  }
  free(line);
  return found;
}

struct LoadedFile {
  std::string name;  // as it was asked for
  uintptr_t address;
};

// The dynamic linker knows a library by the name that dlopen got, which may be relative to what was
// the working directory then.
std::string AbsolutePath(LoadedFile file) {
  const bool is_relative = !file.name.empty() && file.name.front() != '/';
  return is_relative ? FileMappedAt(file.address) : std::move(file.name);
}

void AddNew(std::string name, std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  names.push_back(std::move(name));
}

}  // namespace

LibraryPlaces LibraryPlaces::OfThisProcess() {
  LibraryPlaces places;
  const auto here = reinterpret_cast<uintptr_t>(&SitePackagesOf);
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(here), &self) != 0 && self.dli_fname != nullptr) {
    places.plugin = AbsolutePath({self.dli_fname, here});
  }
  if (const char* root = secure_getenv("VIRTUAL_ENV"); root != nullptr) places.virtual_env = root;
  std::vector<LoadedFile> loaded;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        if (info->dlpi_name == nullptr) return 0;
        uintptr_t address = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
          address += info->dlpi_phdr[i].p_vaddr;
          break;
        }
        static_cast<std::vector<LoadedFile>*>(out)->push_back({info->dlpi_name, address});
        return 0;
      },
      &loaded);
  for (LoadedFile& file : loaded) places.loaded.push_back(AbsolutePath(std::move(file)));
  return places;
}

std::string LibraryPlaces::PluginFolder() const { return plugin.substr(0, plugin.rfind('/') + 1); }

std::vector<std::string> LibraryPlaces::SitePackages() const {
  std::vector<std::string> folders;
  AddNew(SitePackagesOf(plugin), folders);
  if (!virtual_env.empty()) {
    for (std::string& folder : FindMatches(virtual_env, "lib/python3*/site-packages")) {
      AddNew(std::move(folder), folders);
    }
  }
  for (const std::string& library : loaded) AddNew(SitePackagesOf(library), folders);
  return folders;
}

std::vector<std::string> FindMatches(std::string_view folder, std::string_view pattern) {
  std::string escaped;
  for (const char c : folder) {
    if (std::string_view("*?[]\\").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  std::vector<std::string> files;
  glob_t found{};
  if (glob(StrCat(escaped, "/", pattern).c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return files;
}

}  // namespace plinth::backend
