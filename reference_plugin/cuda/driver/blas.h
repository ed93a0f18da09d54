// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_H_

#include <memory>
#include <string>
#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/driver/blas_types.h"
#include "reference_plugin/cuda/driver/library_search.h"
#include "reference_plugin/cuda/driver/types.h"

namespace plinth::cuda {

struct BlasFunctions {
#define PLINTH_BLAS_FUNCTION(name, since, parameters) cublasStatus_t(*name) parameters = nullptr;
#include "reference_plugin/cuda/driver/blas_functions.inc"
  size_t (*cublasLtGetVersion)() = nullptr;
  const char* (*cublasLtGetStatusName)(cublasStatus_t) = nullptr;
};

// cuBLASLt, NVIDIA's library of matrix products. It is large: opening it may take a second.
// Immutable; any thread. It is never closed.
class BlasLibrary {
 public:
  // One that works with a driver for `driver_version`; 0: there is no driver, and any serves.
  // UNAVAILABLE says where it was looked for and which package has it.
  static Expected<std::shared_ptr<const BlasLibrary>> Open(const LibraryPlaces& places,
                                                           int driver_version = 0);

  const BlasFunctions& api() const { return functions_; }
  int64_t version() const { return version_; }  // 10000 * major + 100 * minor + patch
  const std::string& path() const { return path_; }

  // Success, or the library's error as a status: "`what`: CUBLAS_STATUS_... (7)". What it has no
  // memory for is RESOURCE_EXHAUSTED, what it cannot do UNIMPLEMENTED, the rest INTERNAL.
  Status Check(cublasStatus_t result, std::string_view what) const;

 private:
  BlasLibrary() = default;
  BlasFunctions functions_;
  int64_t version_ = 0;
  std::string path_;
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_DRIVER_BLAS_H_
