// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/device.h"

#include <utility>

#include "sdk/src/generation.h"
#include "sdk/src/not_offered.h"

namespace plinth::sdk {
namespace {

DeviceDescriptionInfo Named(DeviceDescriptionInfo info) {
  if (info.to_string.empty()) info.to_string = StrCat(info.kind, ":", info.id);
  if (info.debug_string.empty()) {
    info.debug_string = StrCat(info.kind, ":", info.id, " (process ", info.process_index, ")");
  }
  return info;
}

}  // namespace

DeviceDescription::DeviceDescription(DeviceDescriptionInfo info)
    : info_(Named(std::move(info))),
      attributes_(info_.attributes),
      generation_(internal::CurrentGeneration()) {}

Memory::Memory(MemoryInfo info) : info_(std::move(info)) {
  if (info_.to_string.empty()) info_.to_string = StrCat(info_.kind, ":", info_.id);
  if (info_.debug_string.empty()) info_.debug_string = StrCat(info_.kind, " memory ", info_.id);
}
Memory::~Memory() = default;

Device::Device(DeviceInfo info)
    : description_(std::move(info.description)),
      local_hardware_id_(info.local_hardware_id),
      is_addressable_(info.is_addressable) {}
Device::~Device() = default;

Memory* Device::FindMemory(std::string_view kind) const {
  for (Memory* memory : memories_) {
    if (memory->kind() == kind) return memory;
  }
  return nullptr;
}

Expected<MemoryStats> Device::GetMemoryStats() {
  return internal::NotOffered("device ", description_.info().to_string,
                              " keeps no memory statistics");
}
Status Device::ClearMemoryStats() {
  return internal::NotOffered("device ", description_.info().to_string,
                              " keeps no memory statistics");
}
Expected<intptr_t> Device::StreamForExternalReadyEvents() {
  return internal::NotOffered("device ", description_.info().to_string, " has no streams");
}
Expected<bool> Device::PoisonExecution(int32_t launch_id, const Status&) {
  return internal::NotOffered("device ", description_.info().to_string,
                              " cannot poison an execution; launch id ", launch_id);
}
Expected<std::unique_ptr<AsyncTrackingEvent>> Device::CreateAsyncTrackingEvent(
    std::string_view description) {
  return internal::NotOffered("device ", description_.info().to_string,
                              " has no asynchronous tracking events; asked for \"", description,
                              "\"");
}

}  // namespace plinth::sdk
