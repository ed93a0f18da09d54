// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/client.h"

#include <algorithm>

#include "impl/ifrt/program_cache.h"
#include "impl/ifrt/work_queue.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

Status ReadMemories(const client::Device& raw, Device* device) {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Memory> memories, raw.Memories());
  for (const client::Memory& memory : memories) {
    PLINTH_ASSIGN_OR_RETURN(const std::string_view kind, memory.Kind());
    device->memories.push_back({memory, std::string(kind)});
  }
  const Expected<client::Memory> standard = raw.DefaultMemory();
  if (!standard.ok()) return standard.status();
  const auto found = std::find_if(device->memories.begin(), device->memories.end(),
                                  [&](const Memory& memory) { return memory.raw == *standard; });
  if (found != device->memories.end()) std::rotate(device->memories.begin(), found, found + 1);
  return {};
}

}  // namespace

const Memory* Device::FindMemory(std::string_view memory_kind) const {
  for (const Memory& memory : memories) {
    if (memory_kind.empty() || memory.kind == memory_kind) return &memory;
  }
  return nullptr;
}

std::string Device::Name() const { return StrCat("device ", id, " (", kind, ")"); }

Client::Client(client::Client raw, std::unique_ptr<client::KeyValueStore> store)
    : store_(std::move(store)),
      raw_(std::move(raw)),
      programs_(std::make_unique<ProgramCache>()),
      work_(std::make_unique<WorkQueue>()) {}

Client::~Client() = default;

Expected<Ref<Client>> Client::Create(client::Client raw,
                                     std::unique_ptr<client::KeyValueStore> store) {
  Ref<Client> made = Ref<Client>::Adopt(new Client(std::move(raw), std::move(store)));
  PLINTH_RETURN_IF_ERROR(made->ReadDevices());
  return made;
}

Status Client::ReadDevices() {
  PLINTH_ASSIGN_OR_RETURN(platform_name_, raw_.PlatformName());
  // Texts for people and numbers that a plugin may lack.
  if (const auto version = raw_.PlatformVersion(); version.ok()) platform_version_ = *version;
  if (const auto process = raw_.ProcessIndex(); process.ok()) process_index_ = *process;
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Device> devices, raw_.Devices());
  for (const client::Device& one : devices) {
    auto device = std::make_unique<Device>(Device{.raw = one});
    device->client = this;
    device->index = devices_.size();
    PLINTH_ASSIGN_OR_RETURN(device->is_addressable, one.IsAddressable());
    PLINTH_ASSIGN_OR_RETURN(const client::DeviceDescription description, one.Description());
    PLINTH_ASSIGN_OR_RETURN(device->id, description.Id());
    PLINTH_ASSIGN_OR_RETURN(device->process_index, description.ProcessIndex());
    if (const auto kind = description.Kind(); kind.ok()) device->kind = *kind;
    if (const auto text = description.ToString(); text.ok()) device->text = *text;
    if (FindDevice(device->id) != nullptr) {
      return Internal("two devices of the plugin have the id ", device->id);
    }
    if (device->is_addressable) {
      // Without memories a device still takes arrays.
      if (!ReadMemories(one, device.get()).ok()) device->memories.clear();
    }
    device_list_.push_back(device.get());
    devices_.push_back(std::move(device));
  }
  for (const auto& device : devices_) {
    if (!device->is_addressable) InferMemories(device.get());
  }
  return {};
}

void Client::InferMemories(Device* device) const {
  const auto like = std::find_if(devices_.begin(), devices_.end(), [&](const auto& one) {
    return one->is_addressable && one->kind == device->kind;
  });
  if (like == devices_.end()) return;
  for (const Memory& memory : (*like)->memories) {
    device->memories.push_back({client::Memory(raw_.api(), nullptr), memory.kind});
  }
}

const Device* Client::FindDevice(int id) const {
  for (const auto& device : devices_) {
    if (device->id == id) return device.get();
  }
  return nullptr;
}

}  // namespace plinth::ifrt
