// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_PROGRAM_RUN_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_PROGRAM_RUN_H_

#include <memory>
#include <vector>

#include "reference_plugin/backend/executable/device_run.h"
#include "reference_plugin/cuda/runtime/device.h"

namespace plinth::cuda {

// Enqueues one run of a program on a device: on this thread if the arguments are placed and as far
// as nothing has to be read back, else on threads of the runtime. The outputs are placed when
// everything is enqueued and ready when the device is done.
backend::DeviceRun StartRun(std::shared_ptr<Gpu> gpu, std::shared_ptr<backend::Runtime> runtime,
                            backend::DeviceRunRequest request);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_PROGRAM_RUN_H_
