// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/environment.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "impl/loader/files.h"

namespace plinth::loader {
namespace {

const char kAnchor = 0;  // Lies in this library, wherever it is loaded.

// From the resolved path: a link to the library may lie anywhere.
std::string OwnData() {
  char resolved[PATH_MAX];
  if (realpath(OwnPath().c_str(), resolved) == nullptr) return {};
  std::string data = Below(FolderOf(resolved), PLINTH_DATA_FROM_LIBRARY);
  return realpath(data.c_str(), resolved) == nullptr ? std::string() : std::string(resolved);
}

}  // namespace

std::string OwnPath() {
  Dl_info info;
  if (dladdr(&kAnchor, &info) == 0 || info.dli_fname == nullptr) return {};
  if (info.dli_fname[0] == '/') return info.dli_fname;
  // A library that was opened by a relative path: the process may have left that folder since.
  Expected<std::string> maps = ReadFile("/proc/self/maps", 16 << 20);
  if (!maps.ok()) return info.dli_fname;
  auto address = reinterpret_cast<uintptr_t>(&kAnchor);
  for (const std::string& line : Split(*maps, '\n')) {
    uintptr_t begin = 0, end = 0;
    size_t path = line.find('/');
    if (sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2 || path == std::string::npos) continue;
    if (begin <= address && address < end) return line.substr(path);
  }
  return info.dli_fname;
}

std::string_view Environment::Get(std::string_view name) const {
  auto found = variables.find(name);
  return found == variables.end() ? std::string_view() : std::string_view(found->second);
}

Environment Environment::OfProcess() {
  Environment environment;
  environment.privileged = getauxval(AT_SECURE) != 0;
  for (const Variable& variable : kVariables) {
    const char* value = getenv(variable.name);
    if (value == nullptr) continue;
    if (environment.privileged) {
      environment.ignored.push_back(variable.name);
    } else {
      environment.variables.emplace(variable.name, value);
    }
  }
  // The name it was started by leads to the virtual environment, whose python is a link elsewhere.
  // Whoever starts a privileged program chooses that name.
  if (!environment.privileged) {
    auto* started_as = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    if (started_as != nullptr) environment.program_folders.push_back(FolderOf(started_as));
  }
  char resolved[PATH_MAX];
  ssize_t size = readlink("/proc/self/exe", resolved, sizeof(resolved));
  if (size > 0 && size < static_cast<ssize_t>(sizeof(resolved))) {
    environment.program_folders.push_back(
        FolderOf(std::string_view(resolved, static_cast<size_t>(size))));
  }
  environment.own_data = OwnData();
  return environment;
}

}  // namespace plinth::loader
