// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_PJRT_NUM_DEVICES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_PJRT_NUM_DEVICES_H_

#include <cstdint>

#include "plinth/support/status.h"

namespace plinth::cpu {

inline constexpr int64_t kMostDevices = 1024;

// How many devices the user asks JAX's own CPU for, in the environment: JAX_NUM_CPU_DEVICES, or
// --xla_force_host_platform_device_count among XLA_FLAGS; 1 if neither says anything.
// INVALID_ARGUMENT names a variable with another value than 1 to kMostDevices. Privileged processes
// read neither.
Expected<int64_t> NumDevicesFromEnvironment();

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_PJRT_NUM_DEVICES_H_
