// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/device_assignment.h"

namespace plinth::sdk::internal {
namespace {

void PutVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void PutNumber(std::string& out, int field, uint64_t value) {
  PutVarint(out, static_cast<uint64_t>(field) << 3);
  PutVarint(out, value);
}

void PutBytes(std::string& out, int field, const std::string& bytes) {
  PutVarint(out, static_cast<uint64_t>(field) << 3 | 2);
  PutVarint(out, bytes.size());
  out.append(bytes);
}

}  // namespace

std::string SerializeDeviceAssignment(const DeviceAssignment& assignment) {
  std::string out;
  PutNumber(out, 1, assignment.num_replicas);
  PutNumber(out, 2, assignment.num_partitions);
  for (size_t partition = 0; partition < assignment.num_partitions; ++partition) {
    std::string ids;
    for (size_t replica = 0; replica < assignment.num_replicas; ++replica) {
      int id = assignment.device_ids[replica * assignment.num_partitions + partition];
      PutVarint(ids, static_cast<uint64_t>(int64_t{id}));
    }
    std::string computation;
    PutBytes(computation, 1, ids);
    PutBytes(out, 3, computation);
  }
  return out;
}

}  // namespace plinth::sdk::internal
