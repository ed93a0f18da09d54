// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_DEVICE_ASSIGNMENT_H_
#define PLINTH_SDK_SRC_DEVICE_ASSIGNMENT_H_

#include <string>

#include "plinth/sdk/executable.h"

namespace plinth::sdk::internal {

// The xla.DeviceAssignmentProto for it.
std::string SerializeDeviceAssignment(const DeviceAssignment& assignment);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_DEVICE_ASSIGNMENT_H_
