// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BACKEND_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BACKEND_H_

#include <memory>

#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/cuda/driver/library_search.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// What this back end is to the code that all of them share. NVRTC is opened when the first program
// has a kernel.
std::shared_ptr<const backend::Backend> MakeBackend(const Architecture& architecture,
                                                    LibraryPlaces places);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BACKEND_H_
