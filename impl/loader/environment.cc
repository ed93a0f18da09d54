#include "impl/loader/environment.h"

#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>

#include "impl/loader/files.h"

namespace plinth::loader {
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
  return environment;
}

}  // namespace plinth::loader
