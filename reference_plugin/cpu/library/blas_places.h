// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_PLACES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_PLACES_H_

#include <string>
#include <string_view>
#include <vector>

#include "reference_plugin/backend/host/library_places.h"

namespace plinth::cpu::library {

// The files that may be OpenBLAS, in the order to try them: libopenblas.so.0 and
// libscipy_openblas.so beside the plugin; the package scipy-openblas32; the system's
// libopenblas.so.0; the library that SciPy's wheel brings for itself. Most of them do not exist.
std::vector<std::string> BlasFiles(const backend::LibraryPlaces& places);

// Whether this file is the library that SciPy brings for itself.
bool IsScipysOwn(std::string_view file);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_BLAS_PLACES_H_
