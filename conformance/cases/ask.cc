// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/ask.h"

namespace plinth::conformance {

std::vector<PJRT_Device*> AddressableDevices(Context& context) {
  auto args = Get<&PJRT_Client_AddressableDevices_Args::client>(context, context.client());
  if (!args) return {};
  return {args->addressable_devices, args->addressable_devices + args->num_addressable_devices};
}

std::vector<PJRT_Memory*> MemoriesOf(Context& context, PJRT_Device* device) {
  auto args = Get<&PJRT_Device_AddressableMemories_Args::device>(context, device);
  if (!args) return {};
  return {args->memories, args->memories + args->num_memories};
}

PJRT_Memory* DefaultMemoryOf(Context& context, PJRT_Device* device) {
  auto args = Get<&PJRT_Device_DefaultMemory_Args::device>(context, device,
                                                           "PJRT-Device_DefaultMemory-exists");
  return args ? args->memory : nullptr;
}

std::string MemoryKindOf(Context& context, PJRT_Memory* memory) {
  auto args = Get<&PJRT_Memory_Kind_Args::memory>(context, memory);
  return args ? std::string(StringOf(args->kind, args->kind_size)) : std::string();
}

int DeviceIdOf(Context& context, PJRT_Device* device) {
  auto get = Get<&PJRT_Device_GetDescription_Args::device>(context, device);
  if (!get) return -1;
  auto id =
      Get<&PJRT_DeviceDescription_Id_Args::device_description>(context, get->device_description);
  return id ? id->id : -1;
}

std::optional<int64_t> BytesInUse(const Context& context, PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
  args.device = device;
  if (!context.plugin().Call(args).ok()) return std::nullopt;
  return args.bytes_in_use;
}

bool IsEventReady(Context& context, PJRT_Event* event) {
  auto args = Get<&PJRT_Event_IsReady_Args::event>(context, event);
  return args && RawBool(args->is_ready);
}

OwnedEvent ReadyEventOf(Context& context, PJRT_Buffer* buffer) {
  auto args = Get<&PJRT_Buffer_ReadyEvent_Args::buffer>(context, buffer);
  return args ? OwnedEvent(context.plugin(), args->event) : OwnedEvent();
}

Status AwaitBuffer(Context& context, PJRT_Buffer* buffer) {
  auto args = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
  args.buffer = buffer;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedEvent event(context.plugin(), args.event);
  return context.Await(event.get());
}

Expected<OwnedBuffer> UploadTo(const Context& context, const HostArray& array,
                               PJRT_Memory* memory) {
  auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
  args.client = context.client();
  args.data = array.bytes.data();
  args.type = static_cast<PJRT_Buffer_Type>(ToC(array.type));
  args.dims = array.dims.data();
  args.num_dims = array.dims.size();
  args.memory = memory;
  PLINTH_RETURN_IF_ERROR(context.plugin().Call(args));
  OwnedBuffer buffer(context.plugin(), args.buffer);
  OwnedEvent done(context.plugin(), args.done_with_host_buffer);
  PLINTH_RETURN_IF_ERROR(context.Await(done.get()));
  return buffer;
}

bool DeleteBuffer(Context& context, PJRT_Buffer* buffer) {
  return Get<&PJRT_Buffer_Delete_Args::buffer>(context, buffer).has_value();
}

bool IsBufferDeleted(Context& context, PJRT_Buffer* buffer) {
  auto args = Get<&PJRT_Buffer_IsDeleted_Args::buffer>(context, buffer);
  return args && RawBool(args->is_deleted);
}

bool Carries(const Status& status, PJRT_Error_Code code, std::string_view text) {
  return static_cast<int>(status.code()) == static_cast<int>(code) &&
         status.message().find(text) != std::string_view::npos;
}

bool CarriesOn(const Status& status, PJRT_Error_Code code, std::string_view text) {
  return Carries(status, code, text) || Carries(status, PJRT_Error_Code_INTERNAL, text);
}

OwnedTopology ReadTopology(Context& context) {
  auto own = Get<&PJRT_Client_TopologyDescription_Args::client>(context, context.client());
  if (!own) return {};
  auto bytes = Get<&PJRT_TopologyDescription_Serialize_Args::topology>(context, own->topology);
  if (!bytes) return {};
  auto read = MakeArgs<PJRT_TopologyDescription_Deserialize_Args>();
  read.serialized_topology = bytes->serialized_bytes;
  read.serialized_topology_size = bytes->serialized_bytes_size;
  const bool is_read = Succeeds(context, read);
  if (bytes->serialized_topology_deleter != nullptr)
    bytes->serialized_topology_deleter(bytes->serialized_topology);
  return is_read ? OwnedTopology(context.plugin(), read.topology) : OwnedTopology();
}

}  // namespace plinth::conformance
