// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu::library {
namespace {

// Writes one of the run's numbers as u32.
class DeviceNumberStep final : public backend::PreparedStep {
 public:
  explicit DeviceNumberStep(int64_t backend::RunContext::*number) : number_(number) {}

  backend::Outcome Run(std::span<void* const>, std::span<void* const> results,
                       const backend::RunContext& context) const override {
    auto number = static_cast<uint32_t>(context.*number_);
    std::memcpy(results[0], &number, sizeof(number));
    return Status();
  }

 private:
  int64_t backend::RunContext::*number_;
};

}  // namespace

Expected<std::unique_ptr<backend::PreparedStep>> PreparePartitionId(const compiler::plan::PlanStep&,
                                                                    const LibraryOptions&) {
  return std::unique_ptr<backend::PreparedStep>(
      new DeviceNumberStep(&backend::RunContext::partition_id));
}

Expected<std::unique_ptr<backend::PreparedStep>> PrepareReplicaId(const compiler::plan::PlanStep&,
                                                                  const LibraryOptions&) {
  return std::unique_ptr<backend::PreparedStep>(
      new DeviceNumberStep(&backend::RunContext::replica_id));
}

}  // namespace plinth::cpu::library
