// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/reference/device_step.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plinth/support/str_cat.h"
#include "reference_plugin/reference/step.h"

namespace plinth::reference {
namespace {

using compiler::plan::PlanStep;

std::vector<int64_t> SizesOf(const std::vector<Array>& arrays) {
  std::vector<int64_t> sizes;
  sizes.reserve(arrays.size());
  for (const Array& array : arrays) sizes.push_back(array.size);
  return sizes;
}

class DeviceStep final : public backend::PreparedStep {
 public:
  DeviceStep(std::shared_ptr<const Device> device, const Step& step, Device::Run run)
      : device_(std::move(device)),
        run_(std::move(run)),
        operand_sizes_(SizesOf(step.operands)),
        result_sizes_(SizesOf(step.results)) {}

  backend::Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                       const backend::RunContext&) const override {
    DeviceMemory* const memory = device_->memory();
    return memory == nullptr ? run_(operands, results) : RunThere(*memory, operands, results);
  }

 private:
  // Where a result lies over an operand on the host, it does so on the device.
  Status RunThere(DeviceMemory& memory, std::span<void* const> operands,
                  std::span<void* const> results) const {
    std::vector<std::shared_ptr<void>> blocks;
    std::vector<void*> inputs, outputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> block,
                              memory.Allocate(std::max<int64_t>(operand_sizes_[i], 1)));
      PLINTH_RETURN_IF_ERROR(memory.CopyIn(block.get(), operands[i], operand_sizes_[i]));
      inputs.push_back(block.get());
      blocks.push_back(std::move(block));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const auto same = std::ranges::find(operands, results[i]);
      if (same != operands.end()) {
        outputs.push_back(inputs[static_cast<size_t>(same - operands.begin())]);
        continue;
      }
      PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> block,
                              memory.Allocate(std::max<int64_t>(result_sizes_[i], 1)));
      outputs.push_back(block.get());
      blocks.push_back(std::move(block));
    }
    PLINTH_RETURN_IF_ERROR(run_(inputs, outputs));
    for (size_t i = 0; i < results.size(); ++i) {
      PLINTH_RETURN_IF_ERROR(memory.CopyOut(results[i], outputs[i], result_sizes_[i]));
    }
    return Status();
  }

  const std::shared_ptr<const Device> device_;
  const Device::Run run_;
  const std::vector<int64_t> operand_sizes_, result_sizes_;
};

}  // namespace

backend::Engine DeviceEngine(const std::shared_ptr<const Device>& device) {
  return {[device](const PlanStep& step) { return IsOffered(step) && device->Takes(StepOf(step)); },
          [device](const PlanStep& step,
                   backend::Preparation&) -> Expected<std::unique_ptr<backend::PreparedStep>> {
            const Step seen = StepOf(step);
            Expected<Device::Run> run = device->Prepare(seen);
            if (!run.ok()) return run.status().WithContext(StrCat(seen.op, " at ", seen.place));
            if (*run == nullptr) {
              return Internal("the device takes ", seen.op, " at ", seen.place,
                              " and prepared nothing to run");
            }
            return std::unique_ptr<backend::PreparedStep>(
                std::make_unique<DeviceStep>(device, seen, *std::move(run)));
          }};
}

}  // namespace plinth::reference
