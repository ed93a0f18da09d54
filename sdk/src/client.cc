// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/client.h"

#include <utility>

#include "sdk/src/gathering_transfer_manager.h"
#include "sdk/src/not_offered.h"

namespace plinth::sdk {

Client::~Client() = default;

Device* Client::AddDevice(std::unique_ptr<Device> device) {
  devices_.push_back(std::move(device));
  return devices_.back().get();
}

Memory* Client::AddMemory(std::unique_ptr<Memory> memory, std::span<Device* const> devices) {
  memory->devices_.assign(devices.begin(), devices.end());
  for (Device* device : devices) device->memories_.push_back(memory.get());
  memories_.push_back(std::move(memory));
  return memories_.back().get();
}

Memory* Client::AddMemory(std::unique_ptr<Memory> memory, std::initializer_list<Device*> devices) {
  return AddMemory(std::move(memory), std::span<Device* const>(devices.begin(), devices.size()));
}

Device* Client::FindDevice(int id) const {
  for (const std::unique_ptr<Device>& device : devices_) {
    if (device->id() == id) return device.get();
  }
  return nullptr;
}

Device* Client::FindAddressableDevice(int local_hardware_id) const {
  for (const std::unique_ptr<Device>& device : devices_) {
    if (device->is_addressable() && device->local_hardware_id() == local_hardware_id) {
      return device.get();
    }
  }
  return nullptr;
}

Expected<std::unique_ptr<LoadedExecutable>> Client::DeserializeAndLoad(std::string_view,
                                                                       std::string_view,
                                                                       const LoadOptions&) {
  return internal::NotOffered("this plugin cannot load serialized executables");
}
// NOLINTNEXTLINE(performance-unnecessary-value-param): those that override it keep it.
Expected<std::unique_ptr<LoadedExecutable>> Client::Load(std::shared_ptr<const Executable>,
                                                         std::string_view) {
  return internal::NotOffered(
      "this plugin cannot load executables that were compiled ahead of time");
}
Expected<std::unique_ptr<Buffer>> Client::CreateUninitializedBuffer(const Shape&, Memory*,
                                                                    Device*) {
  return internal::NotOffered("this plugin cannot create buffers without contents");
}
Expected<std::unique_ptr<Buffer>> Client::CreateErrorBuffer(const Status&, const Shape&, Memory*) {
  return internal::NotOffered("this plugin cannot create buffers that hold an error");
}
Expected<AliasBuffer> Client::CreateAliasBuffer(const Shape&, Memory*) {
  return internal::NotOffered("this plugin cannot create buffers whose contents come later");
}
Expected<std::unique_ptr<Buffer>> Client::CreateViewOfDeviceBuffer(const ViewRequest&) {
  return internal::NotOffered("this plugin cannot create buffers in memory of somebody else");
}

Expected<std::unique_ptr<AsyncHostToDeviceTransferManager>>
Client::CreateBuffersForAsyncHostToDevice(std::vector<Shape> shapes, Memory* memory) {
  return internal::MakeGatheringTransferManager(*this, std::move(shapes), memory);
}

Expected<std::vector<int>> Client::DefaultDeviceAssignment(int num_replicas, int num_partitions) {
  // The caller has checked that both are positive.
  const int64_t wanted = int64_t{num_replicas} * num_partitions;
  if (wanted > static_cast<int64_t>(devices_.size())) {
    return InvalidArgument(num_replicas, " replicas of ", num_partitions, " partitions need ",
                           wanted, " devices; the client has ", devices_.size());
  }
  std::vector<int> ids;
  for (int64_t i = 0; i < wanted; ++i) ids.push_back(devices_[static_cast<size_t>(i)]->id());
  return ids;
}

Expected<std::unique_ptr<Topology>> Client::MakeTopology() {
  TopologyInfo info;
  for (const std::unique_ptr<Device>& device : devices_) {
    info.devices.push_back(device->description().info());
  }
  for (const std::unique_ptr<Memory>& memory : memories_) {
    bool known = false;
    for (int kind_id : info.memory_kind_ids) known = known || kind_id == memory->info().kind_id;
    if (!known) info.memory_kind_ids.push_back(memory->info().kind_id);
  }
  return std::make_unique<Topology>(std::move(info));
}

Expected<Layout> Client::GetDefaultLayout(DType, std::span<const int64_t>) { return Layout(); }

Status Client::DmaMap(void*, size_t size) {
  return internal::NotOffered("this plugin maps no host memory for DMA; asked for ", size,
                              " bytes");
}
Status Client::DmaUnmap(void*) {
  return internal::NotOffered("this plugin maps no host memory for DMA");
}
Status Client::UpdateGlobalProcessInfo(std::span<const ProcessInfo> processes) {
  return internal::NotOffered("this plugin does not follow the states of other processes; got ",
                              processes.size());
}

}  // namespace plinth::sdk
