// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_NVRTC_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_NVRTC_H_

#include <memory>
#include <span>
#include <string>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/driver/library_search.h"
#include "reference_plugin/cuda/driver/types.h"

namespace plinth::cuda {

struct NvrtcFunctions {
#define PLINTH_NVRTC_FUNCTION(name, since, parameters) nvrtcResult(*name) parameters = nullptr;
#include "reference_plugin/cuda/driver/nvrtc_functions.inc"
  const char* (*nvrtcGetErrorString)(nvrtcResult) = nullptr;
};

// NVIDIA's compiler of kernels. Needs no GPU. Immutable; any number of threads compile at once.
class Nvrtc {
 public:
  // One whose binaries a driver for `driver_version` loads; 0: there is no driver, and any serves.
  // UNAVAILABLE says where it was looked for and which package has it.
  static Expected<std::shared_ptr<const Nvrtc>> Open(const LibraryPlaces& places,
                                                     int driver_version = 0);

  int version() const { return version_; }  // 1000 * major + 10 * minor
  const std::string& path() const { return path_; }

  // The binary of a translation unit. INTERNAL with the compiler's log.
  Expected<std::string> Compile(const std::string& text,
                                std::span<const std::string> options) const;

 private:
  Nvrtc() = default;
  NvrtcFunctions functions_;
  int version_ = 0;
  std::string path_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_NVRTC_H_
