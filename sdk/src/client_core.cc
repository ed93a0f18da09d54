// SPDX-License-Identifier: Apache-2.0
#include "sdk/src/client_core.h"

#include <algorithm>
#include <utility>

#include "sdk/src/generation.h"
#include "sdk/src/handles.h"

namespace plinth::sdk::internal {

Expected<ClientCore*> ClientCore::Make(Plugin& plugin, std::unique_ptr<Client> client) {
  if (client == nullptr) return Internal("the plugin made no client and gave no error");
  std::unique_ptr<ClientCore> core(new ClientCore());
  core->generation = CurrentGeneration();
  core->plugin = &plugin;
  core->client = std::move(client);
  PLINTH_RETURN_IF_ERROR(core->Prepare());
  return core.release();
}

Status ClientCore::Prepare() {
  if (client->devices().empty()) return Internal("the plugin's client has no devices");
  for (const std::unique_ptr<Memory>& memory : client->memories()) {
    auto handle = std::make_unique<MemoryHandle>(memory.get(), generation);
    memory->handle_ = handle.get();
    addressable_memories.push_back(handle.get());
    memory_handles.push_back(std::move(handle));
  }
  for (const std::unique_ptr<Device>& device : client->devices()) {
    device->core = this;
    device->generation = generation;
    devices.push_back(ToC(device.get()));
    if (!device->is_addressable()) continue;
    addressable_devices.push_back(ToC(device.get()));
    // Frameworks upload to the default memory without asking whether there is one.
    if (device->memories().empty()) {
      return Internal("device ", device->id(), " of the plugin's client is addressable but has no ",
                      "memory: call AddMemory for it");
    }
    for (Memory* memory : device->memories()) device->c_memories_.push_back(memory->handle());
  }
  PLINTH_ASSIGN_OR_RETURN(topology, client->MakeTopology());
  if (topology == nullptr) return Internal("the plugin's client has no topology");
  topology->core = this;
  topology->generation = generation;
  return {};
}

Status ClientCore::CheckBuffer(const Buffer& buffer) {
  if (buffer.memory() == nullptr || buffer.device() == nullptr) {
    return Internal("the plugin made a buffer without a memory or a device");
  }
  if (buffer.dims().size() > kMaxRank) {
    return Internal("the plugin made a buffer of ", buffer.dims().size(), " dimensions; at most ",
                    kMaxRank, " are supported");
  }
  return {};
}

Status ClientCore::Adopt(Buffer& buffer) {
  PLINTH_RETURN_IF_ERROR(CheckBuffer(buffer));
  Adopt(static_cast<Handle&>(buffer));
  return {};
}

Status ClientCore::AdoptAll(PJRT_Buffer* const* buffers, size_t size) {
  for (size_t i = 0; i < size; ++i) PLINTH_RETURN_IF_ERROR(CheckBuffer(*FromC(buffers[i])));
  Ref(static_cast<intptr_t>(size));
  for (size_t i = 0; i < size; ++i) {
    Buffer* buffer = FromC(buffers[i]);
    buffer->core = this;
    buffer->generation = generation;
  }
  return {};
}

void ClientCore::Adopt(Handle& handle) {
  Ref();
  handle.core = this;
  handle.generation = generation;
}

Status ClientCore::Adopt(LoadedExecutable& executable) {
  const ExecutableInfo& program = executable.executable()->info();
  const LoadedExecutableInfo& info = executable.info_;
  if (info.addressable_devices.empty()) {
    return Internal("the plugin loaded an executable onto no device");
  }
  for (Device* device : info.addressable_devices) executable.c_devices_.push_back(ToC(device));
  DeviceAssignment& assignment = executable.info_.assignment;
  if (assignment.devices.empty()) {
    assignment.num_replicas = static_cast<int>(program.num_replicas);
    assignment.num_partitions = static_cast<int>(program.num_partitions);
    for (Device* device : info.addressable_devices) assignment.devices.push_back(device->id());
  }
  std::vector<LogicalDeviceId>& logical = executable.info_.logical_ids;
  if (logical.empty()) {
    const auto partitions = static_cast<size_t>(std::max(assignment.num_partitions, 1));
    for (Device* device : info.addressable_devices) {
      size_t index = 0;
      while (index + 1 < assignment.devices.size() && assignment.devices[index] != device->id()) {
        ++index;
      }
      logical.push_back(
          {static_cast<int>(index / partitions), static_cast<int>(index % partitions)});
    }
  }
  if (logical.size() != info.addressable_devices.size()) {
    return Internal("the plugin gave ", logical.size(), " logical ids for ",
                    info.addressable_devices.size(), " addressable devices");
  }
  if (assignment.num_replicas < 0 || assignment.num_partitions < 0 ||
      assignment.devices.size() != static_cast<size_t>(assignment.num_replicas) *
                                       static_cast<size_t>(assignment.num_partitions)) {
    return Internal("the plugin's device assignment has ", assignment.devices.size(),
                    " devices for ", assignment.num_replicas, " replicas and ",
                    assignment.num_partitions, " partitions");
  }
  for (LogicalDeviceId id : logical) {
    executable.c_logical_ids_.push_back({id.replica, id.partition});
  }
  Adopt(static_cast<Handle&>(executable));
  return {};
}

}  // namespace plinth::sdk::internal
