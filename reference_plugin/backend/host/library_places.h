// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_LIBRARY_PLACES_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_LIBRARY_PLACES_H_

#include <string>
#include <string_view>
#include <vector>

namespace plinth::backend {

// From where a back end looks for a library that it opens when a program needs it. The paths are
// absolute, whatever the working directory was when a file was loaded.
struct LibraryPlaces {
  std::string plugin;               // the file that holds this code
  std::string virtual_env;          // $VIRTUAL_ENV; may be empty
  std::vector<std::string> loaded;  // the files of the libraries in this process

  // Those of this process. A privileged one has no virtual environment.
  static LibraryPlaces OfThisProcess();

  // The folder of the plugin with a slash at its end, or nothing.
  std::string PluginFolder() const;
  // The folders in which Python packages may be, in order, each once: the site-packages folder that
  // holds the plugin, those of the virtual environment, and those that hold loaded libraries
  // (Python extension modules).
  std::vector<std::string> SitePackages() const;
};

// The files and folders in `folder`, which may have any characters, whose path below it fits
// `pattern` (glob(7)). In alphabetical order.
std::vector<std::string> FindMatches(std::string_view folder, std::string_view pattern);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_LIBRARY_PLACES_H_
