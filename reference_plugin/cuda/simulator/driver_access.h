// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_DRIVER_ACCESS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_DRIVER_ACCESS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reference_plugin/cuda/driver/types.h"

namespace plinth::cuda::simulator {

// What the simulator's other libraries ask of its driver: `plinth_simulator_access` of
// libcuda.so.1 answers it.
struct DriverAccess {
  // What a call of this name answers before it does anything; zero: go on. Counts the call.
  CUresult (*enter)(const char* name);
  // Options::blas.
  int64_t (*blas_version)();
  bool (*contains)(uint64_t address, size_t size);
  void (*report)(const std::string& line);
  struct Use {
    uint64_t address;
    bool writes;
  };
  // Does `work` when the stream gets there; what it writes beside arrays is reported.
  void (*enqueue)(CUstream stream, const std::string& what, const std::vector<Use>& uses,
                  std::function<void()> work);
};

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_DRIVER_ACCESS_H_
