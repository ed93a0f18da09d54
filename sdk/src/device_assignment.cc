// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/device_assignment.h"

#include "plinth/support/xla_messages.h"

namespace plinth::sdk::internal {

std::string SerializeDeviceAssignment(const DeviceAssignment& assignment) {
  messages::DeviceAssignment message;
  message.replica_count = static_cast<int32_t>(assignment.num_replicas);
  message.computation_count = static_cast<int32_t>(assignment.num_partitions);
  message.devices.resize(assignment.num_partitions);
  for (size_t i = 0; i < assignment.num_replicas * assignment.num_partitions; ++i) {
    message.devices[i % assignment.num_partitions].push_back(assignment.device_ids[i]);
  }
  return messages::WriteDeviceAssignment(message);
}

}  // namespace plinth::sdk::internal
