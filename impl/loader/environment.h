// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_ENVIRONMENT_H_
#define PLINTH_IMPL_LOADER_ENVIRONMENT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plinth::loader {

// What the loader reads of the process it runs in, copied once per call, so that a search sees one
// state of it; tests make their own.
struct Environment {
  // The process has more rights than its user (set-user-ID and the like): variables do not count.
  bool privileged = false;
  // Those of kVariables that are set and count.
  std::map<std::string, std::string, std::less<>> variables;
  // Those that are set and do not count.
  std::vector<std::string> ignored;
  // Folders of the executable, as called and as resolved; Python's prefix is above one of them.
  std::vector<std::string> program_folders;
  // The folder share/ of the installation that this library is a part of; empty: there is none.
  std::string own_data;
  // In front of every path of the system: empty, except in tests.
  std::string root;

  // The value, or empty if the variable is unset, empty or ignored.
  std::string_view Get(std::string_view name) const;

  static Environment OfProcess();
};

// Path of the library that this code is in.
std::string OwnPath();

struct Variable {
  const char* name;
  const char* doc;
};

// Every variable that the loader reads, of its own and of others, in the order of the docs.
inline constexpr Variable kVariables[] = {
    {"PLINTH_PLUGIN", "the plugin to load: a path, or a name"},
    {"PLINTH_LAYERS", "layers in front of it"},
    {"PLINTH_MANIFEST_PATH", "replaces the search path of manifests"},
    {"PLINTH_ADD_MANIFEST_PATH", "goes before the search path of manifests"},
    {"PLINTH_ALLOW", "globs of names: only these plugins"},
    {"PLINTH_DENY", "globs of names: none of these plugins"},
    {"PLINTH_PYTHON_PATH", "replaces the folders where Python packages are looked for"},
    {"PLINTH_ALLOW_OLD", "1: plugins of 0.28 to 0.55 too"},
    {"PLINTH_LOG", "a file: log lines are appended to it"},
    {"PJRT_NAMES_AND_LIBRARY_PATHS", "JAX's list of plugins: name:path,name:path"},
    {"TPU_LIBRARY_PATH", "JAX's path of libtpu.so"},
    {"PYTHONPATH", "Python's additional folders of packages"},
    {"VIRTUAL_ENV", "the active virtual environment"},
    {"CONDA_PREFIX", "the active Conda environment"},
    {"HOME", "the user's folder"},
    {"XDG_CONFIG_HOME", "the user's configuration, instead of ~/.config"},
    {"XDG_DATA_HOME", "the user's data, instead of ~/.local/share"},
    {"XDG_CONFIG_DIRS", "the system's configuration, instead of /etc/xdg"},
    {"XDG_DATA_DIRS", "the system's data, instead of /usr/local/share:/usr/share"},
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_ENVIRONMENT_H_
