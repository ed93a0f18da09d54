// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_PLACES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_PLACES_H_

#include <string>
#include <string_view>
#include <vector>

namespace plinth::cpu::library {

// From where OpenBLAS is looked for.
struct BlasPlaces {
  std::string plugin;               // the file that holds this code
  std::string virtual_env;          // $VIRTUAL_ENV; may be empty
  std::vector<std::string> loaded;  // the files of the libraries in this process

  // Those of this process. A privileged one has no virtual environment.
  static BlasPlaces OfThisProcess();

  // The files to try, in order: libopenblas.so.0 and libscipy_openblas.so beside the plugin; the
  // package scipy-openblas32; the system's libopenblas.so.0; the library that SciPy's wheel brings
  // for itself. Packages are looked for in the site-packages folder that holds the plugin, those of
  // the virtual environment, and those that hold loaded libraries (Python extension modules).
  // Most of the files do not exist.
  std::vector<std::string> Files() const;
};

// Whether this file is the library that SciPy brings for itself.
bool IsScipysOwn(std::string_view file);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_PLACES_H_
