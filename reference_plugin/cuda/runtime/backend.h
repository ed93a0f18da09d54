// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BACKEND_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BACKEND_H_

#include <cstdint>
#include <memory>

#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/cuda/driver/library_search.h"
#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

class Gpu;

// What a client's programs may do.
struct ProgramSettings {
  // By what they compute products of matrices.
  enum class Library : uint8_t {
    kNever,   // kernels
    kLarge,   // cuBLASLt where it takes them, if they are large enough
    kAlways,  // cuBLASLt where it takes them
  };
  Library library = Library::kLarge;
  bool allow_tf32 = true;
  bool deterministic = true;  // PrintOptions::deterministic
};

// What this back end is to the code that all of them share. NVRTC is opened when the first program
// has a kernel. `gpu`: whose libraries programs may use; null where programs are compiled for a
// device that is not here.
std::shared_ptr<const backend::Backend> MakeBackend(const Architecture& architecture,
                                                    LibraryPlaces places,
                                                    const ProgramSettings& settings = {},
                                                    std::shared_ptr<Gpu> gpu = nullptr);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_BACKEND_H_
