// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <vector>

#include "impl/layers/validation/call_state.h"
#include "impl/layers/validation/special_checks.h"
#include "plinth/support/str_cat.h"

// Answers that the arguments, an earlier call or another answer show to be false. The layer asks
// the plugin for the other answer. A question whose answer is known already does not come here.
namespace plinth::layers::validation {
namespace {

namespace function = reflection::function;

PJRT_Client* ClientOf(const CallState& state) {
  return state.client ? reinterpret_cast<PJRT_Client*>(state.client.handle->address()) : nullptr;
}

std::span<PJRT_Device* const> DevicesOf(const CallState& state) {
  PJRT_Client_Devices_Args args = {};
  args.client = ClientOf(state);
  if (args.client == nullptr || !state.Ask(function::kPJRT_Client_Devices, &args)) return {};
  if (args.devices == nullptr) return {};
  return {args.devices, args.num_devices};
}

PJRT_DeviceDescription* DescriptionOf(const CallState& state, PJRT_Device* device) {
  PJRT_Device_GetDescription_Args args = {};
  args.device = device;
  if (device == nullptr || !state.Ask(function::kPJRT_Device_GetDescription, &args)) return nullptr;
  return args.device_description;
}

// False if the plugin does not say it.
bool IdOf(const CallState& state, PJRT_Device* device, int* id) {
  PJRT_DeviceDescription_Id_Args args = {};
  args.device_description = DescriptionOf(state, device);
  if (args.device_description == nullptr ||
      !state.Ask(function::kPJRT_DeviceDescription_Id, &args)) {
    return false;
  }
  *id = args.id;
  return true;
}

bool NumberOf(const CallState& state, PJRT_Device* device, int* number) {
  PJRT_Device_LocalHardwareId_Args args = {};
  args.device = device;
  if (device == nullptr || !state.Ask(function::kPJRT_Device_LocalHardwareId, &args)) return false;
  *number = args.local_hardware_id;
  return true;
}

bool HasDevice(const CallState& state, int id) {
  std::span<PJRT_Device* const> devices = DevicesOf(state);
  return std::any_of(devices.begin(), devices.end(), [&](PJRT_Device* device) {
    int own = 0;
    return IdOf(state, device, &own) && own == id;
  });
}

void AfterProcessIndex(CallState& state) {
  int index = state.As<PJRT_Client_ProcessIndex_Args>().process_index;
  if (index >= 0) return;
  state.Fault(Require("PJRT-Client_ProcessIndex-not-negative"),
              StrCat("`process_index` = ", index));
}

void AfterLookup(CallState& state) {
  auto& args = state.As<PJRT_Client_LookupDevice_Args>();
  int id = 0;
  if (!IdOf(state, args.device, &id) || id == args.id) return;
  const bool exists = HasDevice(state, args.id);
  state.Fault(
      Require(exists ? "PJRT-Client_LookupDevice-found" : "PJRT-Client_LookupDevice-unknown"),
      StrCat("`id` = ", args.id, exists ? "" : ", which no device has",
             ", the device that was found has ", id));
}

void AfterLookupAddressable(CallState& state) {
  auto& args = state.As<PJRT_Client_LookupAddressableDevice_Args>();
  int number = 0;
  if (!NumberOf(state, args.addressable_device, &number) || number == args.local_hardware_id) {
    return;
  }
  std::span<PJRT_Device* const> devices = DevicesOf(state);
  const bool exists = std::any_of(devices.begin(), devices.end(), [&](PJRT_Device* device) {
    int own = 0;
    return NumberOf(state, device, &own) && own == args.local_hardware_id;
  });
  state.Fault(
      Require(exists ? "PJRT-Client_LookupAddressableDevice-found"
                     : "PJRT-Client_LookupAddressableDevice-unknown"),
      StrCat("`local_hardware_id` = ", args.local_hardware_id,
             exists ? "" : ", which no device has", ", the device that was found has ", number));
}

// Another device of the client that answers alike, or null.
template <typename Ask>
PJRT_Device* Twin(const CallState& state, const void* self, Ask ask) {
  for (PJRT_Device* device : DevicesOf(state)) {
    if (device != self && ask(device)) return device;
  }
  return nullptr;
}

void AfterDescription(CallState& state) {
  auto& args = state.As<PJRT_Device_GetDescription_Args>();
  PJRT_Device* twin = Twin(state, args.device, [&](PJRT_Device* device) {
    return DescriptionOf(state, device) == args.device_description;
  });
  if (twin == nullptr) return;
  state.Fault(Require("PJRT-Device_GetDescription-own"),
              StrCat("`device_description` = ", Hex(args.device_description),
                     " is also that of device ", Hex(twin)));
}

void AfterId(CallState& state) {
  auto& args = state.As<PJRT_DeviceDescription_Id_Args>();
  PJRT_Device* twin = Twin(state, nullptr, [&](PJRT_Device* device) {
    int id = 0;
    return DescriptionOf(state, device) != args.device_description && IdOf(state, device, &id) &&
           id == args.id;
  });
  if (twin == nullptr) return;
  state.Fault(Require("PJRT-DeviceDescription_Id-unique"),
              StrCat("`id` = ", args.id, " is also that of device ", Hex(twin)));
}

void AfterKind(CallState& state) {
  if (state.As<PJRT_DeviceDescription_Kind_Args>().device_kind_size != 0) return;
  state.Fault(Require("PJRT-DeviceDescription_Kind-named"), "`device_kind` is empty");
}

void AfterHardwareId(CallState& state) {
  auto& args = state.As<PJRT_Device_LocalHardwareId_Args>();
  if (args.local_hardware_id == -1) return;
  PJRT_Device* twin = Twin(state, args.device, [&](PJRT_Device* device) {
    int number = 0;
    return NumberOf(state, device, &number) && number == args.local_hardware_id;
  });
  if (twin == nullptr) return;
  state.Fault(Require("PJRT-Device_LocalHardwareId-unique"),
              StrCat("`local_hardware_id` = ", args.local_hardware_id, " is also that of device ",
                     Hex(twin)));
}

std::span<PJRT_Memory* const> MemoriesOf(const CallState& state, PJRT_Device* device) {
  PJRT_Device_AddressableMemories_Args args = {};
  args.device = device;
  if (device == nullptr || !state.Ask(function::kPJRT_Device_AddressableMemories, &args)) return {};
  if (args.memories == nullptr) return {};
  return {args.memories, args.num_memories};
}

std::span<PJRT_Device* const> ReachedBy(const CallState& state, PJRT_Memory* memory) {
  PJRT_Memory_AddressableByDevices_Args args = {};
  args.memory = memory;
  if (memory == nullptr || !state.Ask(function::kPJRT_Memory_AddressableByDevices, &args))
    return {};
  if (args.devices == nullptr) return {};
  return {args.devices, args.num_devices};
}

template <typename T>
bool Holds(std::span<T const> list, T one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

void AfterReachedBy(CallState& state) {
  auto& args = state.As<PJRT_Memory_AddressableByDevices_Args>();
  if (args.devices == nullptr) return;
  for (PJRT_Device* device : std::span(args.devices, args.num_devices)) {
    std::span<PJRT_Memory* const> memories = MemoriesOf(state, device);
    if (memories.empty() || Holds(memories, args.memory)) continue;
    state.Fault(Require("PJRT-Memory_AddressableByDevices-mutual"),
                StrCat("device ", Hex(device), " does not name memory ", Hex(args.memory)));
    return;
  }
}

void AfterMemoriesOfDevice(CallState& state) {
  auto& args = state.As<PJRT_Device_AddressableMemories_Args>();
  if (args.memories == nullptr) return;
  std::vector<std::string> kinds;
  for (PJRT_Memory* memory : std::span(args.memories, args.num_memories)) {
    std::span<PJRT_Device* const> devices = ReachedBy(state, memory);
    if (!devices.empty() && !Holds(devices, args.device)) {
      state.Fault(Require("PJRT-Device_AddressableMemories-kinds"),
                  StrCat("memory ", Hex(memory), " does not name device ", Hex(args.device)));
      return;
    }
    PJRT_Memory_Kind_Args kind = {};
    kind.memory = memory;
    if (memory == nullptr || !state.Ask(function::kPJRT_Memory_Kind, &kind)) continue;
    if (kind.kind == nullptr) continue;
    std::string name(kind.kind, kind.kind_size);
    if (std::find(kinds.begin(), kinds.end(), name) != kinds.end()) {
      state.Fault(Require("PJRT-Device_AddressableMemories-kinds"),
                  StrCat("two memories of the device have the kind \"", name, "\""));
      return;
    }
    kinds.push_back(std::move(name));
  }
}

void AfterMemoryId(CallState& state) {
  auto& args = state.As<PJRT_Memory_Id_Args>();
  PJRT_Client_AddressableMemories_Args all = {};
  all.client = ClientOf(state);
  if (all.client == nullptr || !state.Ask(function::kPJRT_Client_AddressableMemories, &all)) return;
  if (all.addressable_memories == nullptr) return;
  for (PJRT_Memory* memory : std::span(all.addressable_memories, all.num_addressable_memories)) {
    PJRT_Memory_Id_Args other = {};
    other.memory = memory;
    if (memory == nullptr || memory == args.memory) continue;
    if (!state.Ask(function::kPJRT_Memory_Id, &other) || other.id != args.id) continue;
    state.Fault(Require("PJRT-Memory_Id-unique"),
                StrCat("`id` = ", args.id, " is also that of memory ", Hex(memory)));
    return;
  }
}

void AfterStats(CallState& state) {
  auto& args = state.As<PJRT_Device_MemoryStats_Args>();
  if (!args.bytes_limit_is_set && args.bytes_limit != 0) {
    state.Fault(Require("PJRT-Device_MemoryStats-bytes_limit"),
                StrCat("`bytes_limit` = ", args.bytes_limit, " is not said to be set"));
  }
  if (args.peak_bytes_in_use_is_set && args.peak_bytes_in_use < args.bytes_in_use) {
    state.Fault(Require("PJRT-Device_MemoryStats-peak"),
                StrCat("`peak_bytes_in_use` = ", args.peak_bytes_in_use,
                       ", `bytes_in_use` = ", args.bytes_in_use));
  }
}

// The flags are those from before the call: another thread may delete meanwhile.
template <typename Args>
void AfterIsDeleted(CallState& state, const char* requirement) {
  Sight sight = state.First();
  if (sight.handle == nullptr || (sight.flags & (kDeleted | kDonated)) == 0) return;
  if (state.As<Args>().is_deleted) return;
  state.Fault(Require(requirement),
              StrCat("`is_deleted` is false: ", Describe(state.layer.table, sight.handle)));
}

void AfterBufferIsDeleted(CallState& state) {
  AfterIsDeleted<PJRT_Buffer_IsDeleted_Args>(state, "PJRT-Buffer_IsDeleted-truth");
}

void AfterExecutableIsDeleted(CallState& state) {
  AfterIsDeleted<PJRT_LoadedExecutable_IsDeleted_Args>(state,
                                                       "PJRT-LoadedExecutable_IsDeleted-truth");
}

void AfterMemoryLayout(CallState& state) {
  auto& args = state.As<PJRT_Buffer_GetMemoryLayout_Args>();
  if (RawEnum(args.layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = args.layout.tiled;
  PJRT_Buffer_Dimensions_Args shape = {};
  shape.buffer = args.buffer;
  if (!state.Ask(function::kPJRT_Buffer_Dimensions, &shape)) return;
  const int64_t* order = tiled.minor_to_major;
  bool is_order =
      tiled.minor_to_major_size == shape.num_dims && (order != nullptr || shape.num_dims == 0);
  std::vector<bool> seen(is_order ? shape.num_dims : 0);
  for (size_t i = 0; is_order && order != nullptr && i < seen.size(); ++i) {
    const int64_t dim = order[i];
    is_order =
        dim >= 0 && static_cast<size_t>(dim) < seen.size() && !seen[static_cast<size_t>(dim)];
    if (is_order) seen[static_cast<size_t>(dim)] = true;
  }
  if (is_order) return;
  state.Fault(Require("PJRT-Buffer_GetMemoryLayout-order"),
              StrCat("`minor_to_major` is no order of ", shape.num_dims, " dimensions"));
}

void AfterBufferCount(CallState& state) {
  Sight manager = state.First();
  if (manager.handle == nullptr) return;
  const int64_t given = manager.handle->counts[kBuffers].load(std::memory_order_relaxed);
  const size_t count =
      state.As<PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args>().buffer_count;
  if (given == 0 || static_cast<size_t>(given) == count) return;
  state.Fault(Require("PJRT-AsyncHostToDeviceTransferManager_BufferCount-shapes"),
              StrCat("`buffer_count` = ", count, ", the manager was made of ", given, " shapes"));
}

constexpr SpecialCheck kTruthChecks[] = {
    {function::kPJRT_Client_ProcessIndex, nullptr, &AfterProcessIndex},
    {function::kPJRT_Client_LookupDevice, nullptr, &AfterLookup},
    {function::kPJRT_Client_LookupAddressableDevice, nullptr, &AfterLookupAddressable},
    {function::kPJRT_Device_GetDescription, nullptr, &AfterDescription},
    {function::kPJRT_DeviceDescription_Id, nullptr, &AfterId},
    {function::kPJRT_DeviceDescription_Kind, nullptr, &AfterKind},
    {function::kPJRT_Device_LocalHardwareId, nullptr, &AfterHardwareId},
    {function::kPJRT_Device_AddressableMemories, nullptr, &AfterMemoriesOfDevice},
    {function::kPJRT_Device_MemoryStats, nullptr, &AfterStats},
    {function::kPJRT_Memory_AddressableByDevices, nullptr, &AfterReachedBy},
    {function::kPJRT_Memory_Id, nullptr, &AfterMemoryId},
    {function::kPJRT_Buffer_IsDeleted, nullptr, &AfterBufferIsDeleted},
    {function::kPJRT_LoadedExecutable_IsDeleted, nullptr, &AfterExecutableIsDeleted},
    {function::kPJRT_Buffer_GetMemoryLayout, nullptr, &AfterMemoryLayout},
    {function::kPJRT_AsyncHostToDeviceTransferManager_BufferCount, nullptr, &AfterBufferCount},
};

}  // namespace

std::span<const SpecialCheck> TruthChecks() { return kTruthChecks; }

}  // namespace plinth::layers::validation
