// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_DEVICE_ASSIGNMENT_H_
#define PLINTH_SUPPORT_DEVICE_ASSIGNMENT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace plinth {

// Which device runs which replica of which partition. A plain value type.
struct DeviceAssignment {
  int num_replicas = 1;
  int num_partitions = 1;
  // num_replicas * num_partitions global device ids, replica by replica.
  std::vector<int64_t> devices = {};

  // Both in range, and `devices` complete.
  int64_t At(int replica, int partition) const { return devices[IndexOf(replica, partition)]; }
  // The place in `devices`.
  size_t IndexOf(int replica, int partition) const {
    return static_cast<size_t>(replica) * static_cast<size_t>(num_partitions) +
           static_cast<size_t>(partition);
  }
  friend bool operator==(const DeviceAssignment&, const DeviceAssignment&) = default;
};

}  // namespace plinth

#endif  // PLINTH_SUPPORT_DEVICE_ASSIGNMENT_H_
