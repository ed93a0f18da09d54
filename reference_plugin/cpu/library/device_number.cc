// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu {
namespace {

// Writes one of the run's numbers as u32.
class DeviceNumberStep final : public PreparedStep {
 public:
  explicit DeviceNumberStep(int64_t RunContext::*number) : number_(number) {}

  Outcome Run(std::span<void* const>, std::span<void* const> results,
              const RunContext& context) const override {
    auto number = static_cast<uint32_t>(context.*number_);
    std::memcpy(results[0], &number, sizeof(number));
    return Status();
  }

 private:
  int64_t RunContext::*number_;
};

}  // namespace

Expected<std::unique_ptr<PreparedStep>> PreparePartitionId(const compiler::PlanStep&,
                                                           const LibraryOptions&) {
  return std::unique_ptr<PreparedStep>(new DeviceNumberStep(&RunContext::partition_id));
}

Expected<std::unique_ptr<PreparedStep>> PrepareReplicaId(const compiler::PlanStep&,
                                                         const LibraryOptions&) {
  return std::unique_ptr<PreparedStep>(new DeviceNumberStep(&RunContext::replica_id));
}

}  // namespace plinth::cpu
