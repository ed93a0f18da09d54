// SPDX-License-Identifier: Apache-2.0
// Bugs that show at some devices or in some memories alone, or on some lanes of an execution.
// Written from the requirements, without looking at the cases.

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/program_text.h"

namespace plinth::mutants {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kTrue[] = "PJRT-Args-output-true";
constexpr char kResults[] = "PJRT-LoadedExecutable_Execute-results";

PJRT_Device* DeviceOfMemory(PJRT_Memory* memory) {
  auto reached = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
  reached.memory = memory;
  FreeError(Real().PJRT_Memory_AddressableByDevices(&reached));
  return reached.num_devices == 0 ? nullptr : reached.devices[0];
}

bool IsDefault(PJRT_Memory* memory) {
  return memory == nullptr || memory == DefaultMemoryOf(DeviceOfMemory(memory));
}

bool LiesElsewhere(PJRT_Buffer* buffer) {
  return buffer != nullptr && !IsDefault(MemoryOf(buffer));
}

std::string_view KindIn(PJRT_Memory* memory) {
  auto kind = MakeArgs<PJRT_Memory_Kind_Args>();
  kind.memory = memory;
  FreeError(Real().PJRT_Memory_Kind(&kind));
  return {kind.kind, kind.kind_size};
}

// The local number of a device.
int NumberOf(PJRT_Device* device) {
  auto number = MakeArgs<PJRT_Device_LocalHardwareId_Args>();
  number.device = device;
  FreeError(Real().PJRT_Device_LocalHardwareId(&number));
  return number.local_hardware_id;
}

bool IsLater(PJRT_Device* device) { return device != nullptr && NumberOf(device) > 0; }

// What buffers say instead of their own.
template <typename What>
std::map<PJRT_Buffer*, What*>& Says() {
  static auto* const says = new std::map<PJRT_Buffer*, What*>;
  return *says;
}

template <typename What>
void Say(PJRT_Buffer* buffer, What* what) {
  std::lock_guard<std::mutex> lock(Memory());
  Says<What>()[buffer] = what;
}

void LieAboutDevices(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Buffer_Device>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    auto found = Says<PJRT_Device>().find(a.buffer);
    if (found != Says<PJRT_Device>().end()) a.device = found->second;
  });
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Says<PJRT_Device>().erase(a.buffer);
  });
}

void LieAboutMemories(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_Buffer_Memory>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    auto found = Says<PJRT_Memory>().find(a.buffer);
    if (found != Says<PJRT_Memory>().end()) a.memory = found->second;
  });
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Says<PJRT_Memory>().erase(a.buffer);
  });
}

int IdIn(PJRT_Device* device) {
  auto description = MakeArgs<PJRT_Device_GetDescription_Args>();
  description.device = device;
  FreeError(Real().PJRT_Device_GetDescription(&description));
  auto id = MakeArgs<PJRT_DeviceDescription_Id_Args>();
  id.device_description = description.device_description;
  FreeError(Real().PJRT_DeviceDescription_Id(&id));
  return id.id;
}

// Runs with other arguments on the second device; `change` gives them.
template <typename Change>
void ChangeSecondDevice(PJRT_Api& table, Change) {
  Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(table, [](auto* a) {
    if (a->num_devices < 2 || a->argument_lists == nullptr || a->num_args == 0)
      return Real().PJRT_LoadedExecutable_Execute(a);
    std::vector<PJRT_Buffer* const*> lists(a->argument_lists, a->argument_lists + a->num_devices);
    std::vector<PJRT_Buffer*> second(lists[1], lists[1] + a->num_args), made;
    Change{}(*a, second, made);
    lists[1] = second.data();
    PJRT_Error* error = CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
        a, [&](auto& own) { own.argument_lists = lists.data(); });
    for (PJRT_Buffer* buffer : made) Destroy(buffer);
    return error;
  });
}

PJRT_Buffer* CopyOn(PJRT_Buffer* buffer, PJRT_Device* device) {
  auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
  copy.buffer = buffer;
  copy.dst_device = device;
  FreeError(Real().PJRT_Buffer_CopyToDevice(&copy));
  return copy.dst_buffer;
}

constexpr Mutant kPlaceMutants[] = {
    {"lanes_turned", kResults, "of three and more lanes the second and the third swap outputs",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices < 3) return;
         std::span<PJRT_Buffer*> second = OutputsOf(a, 1), third = OutputsOf(a, 2);
         std::swap_ranges(second.begin(), second.end(), third.begin());
       });
     }},
    {"lane_four_donates_nothing", "PJRT-LoadedExecutable_Execute-donation",
     "on the lanes after the third nothing is donated",
     [](PJRT_Api& t) {
       static auto* const kept = new std::set<PJRT_Buffer*>;
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (size_t device = 3; device < a.num_devices; ++device) {
           for (size_t i = 0; i < a.num_args; ++i) {
             if (!IsDeleted(a.argument_lists[device][i])) continue;
             std::lock_guard<std::mutex> lock(Memory());
             kept->insert(a.argument_lists[device][i]);
           }
         }
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (kept->contains(a.buffer)) a.is_deleted = false;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         kept->erase(a.buffer);
       });
     }},
    {"output_of_last_lane_on_first", "PJRT-Buffer_Device-asked-for",
     "outputs of the last lane say the device of the first",
     [](PJRT_Api& t) {
       LieAboutDevices(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices < 2) return;
         std::span<PJRT_Buffer*> first = OutputsOf(a, 0);
         if (first.empty()) return;
         PJRT_Device* device = DeviceOf(first[0]);
         for (PJRT_Buffer* output : OutputsOf(a, a.num_devices - 1)) Say(output, device);
       });
     }},
    {"output_memory_of_first_lane", "PJRT-Buffer_Memory-asked-for",
     "outputs of later lanes say the memory of the first",
     [](PJRT_Api& t) {
       LieAboutMemories(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         std::span<PJRT_Buffer*> first = OutputsOf(a, 0);
         if (first.empty()) return;
         for (size_t device = 1; device < a.num_devices; ++device) {
           for (PJRT_Buffer* output : OutputsOf(a, device)) Say(output, MemoryOf(first[0]));
         }
       });
     }},
    {"second_output_on_first", "PJRT-Buffer_Device-asked-for",
     "outputs after the first say the client's first device",
     [](PJRT_Api& t) {
       LieAboutDevices(t);
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (LastClient() == nullptr) return;
         for (size_t device = 0; device < a.num_devices; ++device) {
           std::span<PJRT_Buffer*> outputs = OutputsOf(a, device);
           for (size_t i = 1; i < outputs.size(); ++i) Say(outputs[i], FirstDevice(LastClient()));
         }
       });
     }},
    {"local_numbers_end_early", "PJRT-Device_LocalHardwareId-unique",
     "the last two devices have the same local number",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_LocalHardwareId>(t, [](auto& a) {
         if (a.local_hardware_id == 3) a.local_hardware_id = 2;
       });
     }},
    {"last_device_elsewhere", "PJRT-DeviceDescription_ProcessIndex-addressable",
     "the last device says that it is not addressable, though the list has it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_IsAddressable>(t, [](auto& a) {
         if (NumberOf(a.device) == 3) a.is_addressable = false;
       });
     }},
    {"peak_cleared_is_zero", "PJRT-Device_MemoryStats-peak",
     "clearing the peaks of a device makes its peak 0",
     [](PJRT_Api& t) {
       static auto* const cleared = new std::set<PJRT_Device*>;
       ChangeInputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         cleared->insert(a.device);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (cleared->contains(a.device)) a.peak_bytes_in_use = 0;
       });
     }},
    {"host_memory_reads_64_kib", "PJRT-Buffer_ToHostBuffer-contents",
     "a read from another memory than the default gives the first 64 KiB",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto* a) {
         constexpr size_t kMost = 64 << 10;
         if (a->dst == nullptr || a->src == nullptr || !LiesElsewhere(a->src))
           return Real().PJRT_Buffer_ToHostBuffer(a);
         PJRT_Error* error = Real().PJRT_Buffer_ToHostBuffer(a);
         if (error != nullptr || a->dst_size <= kMost) return error;
         (void)Fails(a->event);
         std::memset(static_cast<char*>(a->dst) + kMost, 0, a->dst_size - kMost);
         return error;
       });
     }},
    {"strides_in_host_memory", "PJRT-Client_BufferFromHostBuffer-strides",
     "strides are not read where an array goes to host memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (IsDefault(a.memory)) return;
         a.byte_strides = nullptr;
         a.num_byte_strides = 0;
       });
     }},
    {"layouts_of_half_types", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "a layout is not kept for types of two bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.type == PJRT_Buffer_Type_BF16 || a.type == PJRT_Buffer_Type_F16 ||
             a.type == PJRT_Buffer_Type_S16 || a.type == PJRT_Buffer_Type_U16)
           a.device_layout = nullptr;
       });
     }},
    {"layouts_of_complex", "PJRT-Buffer_ToHostBuffer-contents",
     "the layout for the host is not read for complex types",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         if (a.src == nullptr) return;
         const PJRT_Buffer_Type type = ElementTypeOf(a.src);
         if (type == PJRT_Buffer_Type_C64 || type == PJRT_Buffer_Type_C128) a.host_layout = nullptr;
       });
     }},
    {"tiles_forgotten", "PJRT-Client_BufferFromHostBuffer-layout-kept",
     "tiles of a layout are not read: it counts as one without",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.device_layout == nullptr ||
             a.device_layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled ||
             a.device_layout->tiled.num_tiles == 0)
           return;
         static thread_local PJRT_Buffer_MemoryLayout own;
         own = *a.device_layout;
         own.tiled.num_tiles = 0;
         own.tiled.tile_dims = nullptr;
         own.tiled.tile_dim_sizes = nullptr;
         a.device_layout = &own;
       });
     }},
    {"copies_keep_zeros_of_host", "PJRT-Buffer_CopyToDevice-contents",
     "a copy from host memory to another device has zeros in its second half",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_CopyToDevice>(t, [](auto* a) {
         const bool is_elsewhere = a->buffer != nullptr && LiesElsewhere(a->buffer);
         PJRT_Error* error = Real().PJRT_Buffer_CopyToDevice(a);
         if (error != nullptr || !is_elsewhere) return error;
         if (char* bytes = BytesOf(a->dst_buffer)) {
           const size_t size = SizeOf(a->dst_buffer);
           std::memset(bytes + size / 2, 0, size - size / 2);
         }
         return error;
       });
     }},
    {"copy_to_memory_keeps_device", "PJRT-Buffer_CopyToMemory-contents",
     "a copy in another device's memory says the device of the original",
     [](PJRT_Api& t) {
       LieAboutDevices(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) {
         PJRT_Device* device = DeviceOf(a.buffer);
         if (device != DeviceOf(a.dst_buffer)) Say(a.dst_buffer, device);
       });
     }},
    {"bitcast_in_default_memory", "PJRT-Buffer_Memory-asked-for",
     "a bitcast says that it lies in the default memory",
     [](PJRT_Api& t) {
       LieAboutMemories(t);
       if (t.PJRT_Buffer_Bitcast == nullptr) return;
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Bitcast>(
           t, [](auto& a) { Say(a.out_buffer, DefaultMemoryOf(DeviceOf(a.out_buffer))); });
     }},
    {"bitcast_on_first_device", "PJRT-Buffer_Device-asked-for",
     "a bitcast says that it is on the first device",
     [](PJRT_Api& t) {
       LieAboutDevices(t);
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto& a) {
         if (LastClient() != nullptr) Say(a.out_buffer, FirstDevice(LastClient()));
       });
     }},
    {"dependent_on_first_device", "PJRT-Buffer_Device-asked-for",
     "a buffer that waits for the caller says that it is on the first device",
     [](PJRT_Api& t) {
       LieAboutDevices(t);
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(t, [](auto& a) {
         if (LastClient() != nullptr) Say(a.out_buffer, FirstDevice(LastClient()));
       });
     }},
    {"dependent_in_default_memory", "PJRT-Buffer_Memory-asked-for",
     "a buffer that waits for the caller says the default memory",
     [](PJRT_Api& t) {
       LieAboutMemories(t);
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_DonateWithControlDependency>(
           t, [](auto& a) { Say(a.out_buffer, DefaultMemoryOf(DeviceOf(a.out_buffer))); });
     }},
    {"uninitialized_in_default_memory", "PJRT-Client_CreateUninitializedBuffer-asked-for",
     "an array without contents lies in the default memory of its device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateUninitializedBuffer>(t, [](auto& a) {
         if (a.memory != nullptr) a.memory = DefaultMemoryOf(DeviceOfMemory(a.memory));
       });
     }},
    {"alias_in_default_memory", "PJRT-Buffer_Memory-asked-for",
     "an alias lies in the default memory of its device",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateAliasBuffer>(t, [](auto& a) {
         if (a.memory != nullptr) a.memory = DefaultMemoryOf(DeviceOfMemory(a.memory));
       });
     }},
    {"view_in_default_memory", "PJRT-Buffer_Memory-asked-for",
     "a view in another memory than the default says the default",
     [](PJRT_Api& t) {
       LieAboutMemories(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](auto& a) { Say(a.buffer, DefaultMemoryOf(DeviceOf(a.buffer))); });
     }},
    {"view_needs_device", kAccepted, "a view with a memory and without a device is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_CreateViewOfDeviceBuffer>(
           t, [](auto& a) { return a.device == nullptr; });
     }},
    {"unpinned_is_pinned", "PJRT-Buffer_Memory-asked-for",
     "an array for unpinned host memory lies in pinned host memory",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.memory == nullptr || KindIn(a.memory) != "unpinned_host") return;
         auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
         memories.device = DeviceOfMemory(a.memory);
         FreeError(Real().PJRT_Device_AddressableMemories(&memories));
         for (size_t i = 0; i < memories.num_memories; ++i) {
           if (KindIn(memories.memories[i]) == "pinned_host") a.memory = memories.memories[i];
         }
       });
     }},
    {"references_on_later_devices", "PJRT-Buffer_DecreaseExternalReferenceCount-zero",
     "on devices after the first a count below zero is accepted",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Buffer_DecreaseExternalReferenceCount>(
           t, [](auto* a) -> PJRT_Error* {
             PJRT_Error* error = Real().PJRT_Buffer_DecreaseExternalReferenceCount(a);
             if (error != nullptr && a->buffer != nullptr && IsLater(DeviceOf(a->buffer))) {
               FreeError(error);
               return nullptr;
             }
             return error;
           });
     }},
    {"raw_read_of_host_memory", "PJRT-Buffer_CopyRawToHost-offset",
     "a raw read from another memory than the default begins at the first byte",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Buffer_CopyRawToHost>(t, [](auto& a) {
         if (a.buffer != nullptr && a.offset > 0 && a.transfer_size > 0 && LiesElsewhere(a.buffer))
           a.offset = 0;
       });
     }},
    {"pieces_in_host_memory", "PJRT-AsyncHostToDeviceTransferManager_TransferData-offset",
     "in another memory than the default pieces of later arrays go to the first byte",
     [](PJRT_Api& t) {
       static auto* const elsewhere = new std::set<PJRT_AsyncHostToDeviceTransferManager*>;
       ChangeOutputs<&PJRT_Api::PJRT_Client_CreateBuffersForAsyncHostToDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (IsDefault(a.memory)) {
           elsewhere->erase(a.transfer_manager);
         } else {
           elsewhere->insert(a.transfer_manager);
         }
       });
       ChangeInputs<&PJRT_Api::PJRT_AsyncHostToDeviceTransferManager_TransferData>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (elsewhere->contains(a.transfer_manager) && a.buffer_index > 0) a.offset = 0;
       });
     }},
    {"chosen_device_forgotten", kResults,
     "an execution on a chosen device runs on the first and says so",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->execute_device == nullptr || !IsLater(a->execute_device) ||
             LastClient() == nullptr || a->num_devices != 1)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<PJRT_Buffer*> moved;
         for (size_t i = 0; i < a->num_args; ++i) {
           auto copy = MakeArgs<PJRT_Buffer_CopyToDevice_Args>();
           copy.buffer = a->argument_lists[0][i];
           copy.dst_device = FirstDevice(LastClient());
           FreeError(Real().PJRT_Buffer_CopyToDevice(&copy));
           moved.push_back(copy.dst_buffer);
         }
         PJRT_Buffer* const* list = moved.data();
         PJRT_Error* error =
             CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(a, [&](auto& own) {
               own.argument_lists = &list;
               own.execute_device = FirstDevice(LastClient());
             });
         for (PJRT_Buffer* buffer : moved) {
           if (buffer != nullptr) Destroy(buffer);
         }
         return error;
       });
     }},
    {"memories_of_later_devices_turned", kTrue,
     "devices after the first say pinned host memory to be their default",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_DefaultMemory>(t, [](auto& a) {
         if (!IsLater(a.device)) return;
         auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
         memories.device = a.device;
         FreeError(Real().PJRT_Device_AddressableMemories(&memories));
         for (size_t i = 0; i < memories.num_memories; ++i) {
           if (KindIn(memories.memories[i]) == "pinned_host") a.memory = memories.memories[i];
         }
       });
     }},
    {"replica_is_0", kResults, "every replica computes as the first",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) {
         return op.name == "replica_id" ? s.Splat(0, op.type) : std::string();
       });
     }},
    {"partition_is_0", kResults, "every partition computes as the first",
     [](PJRT_Api& t) {
       RewriteOps(t, [](const Op& op, Statements& s) {
         return op.name == "partition_id" ? s.Splat(0, op.type) : std::string();
       });
     }},
    {"second_device_reads_first", kResults,
     "the last argument of the second device is that of the first",
     [](PJRT_Api& t) {
       ChangeSecondDevice(t, [](const auto& a, auto& second, auto& made) {
         if (second.back() == nullptr || IsDeleted(second.back())) return;
         made.push_back(CopyOn(a.argument_lists[0][a.num_args - 1], DeviceOf(second.back())));
         if (made.back() != nullptr) second.back() = made.back();
       });
     }},
    {"second_device_keeps", "PJRT-LoadedExecutable_Execute-donation",
     "arguments of the second device are not donated",
     [](PJRT_Api& t) {
       ChangeSecondDevice(t, [](const auto&, auto& second, auto& made) {
         for (PJRT_Buffer*& buffer : second) {
           if (buffer == nullptr || IsDeleted(buffer)) return;
           made.push_back(CopyOf(buffer));
           if (made.back() != nullptr) buffer = made.back();
         }
       });
     }},
    {"second_device_donates", "PJRT-LoadedExecutable_Execute-not-donated",
     "arguments of the second device that must not be donated are",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE) return;
         for (size_t device = 1; device < a.num_devices; ++device) {
           for (size_t i = 0; i < a.options->num_non_donatable_input_indices; ++i)
             Delete(a.argument_lists[device][a.options->non_donatable_input_indices[i]]);
         }
       });
     }},
    {"second_device_done_early", "PJRT-LoadedExecutable_Execute-done",
     "the second device says that it is done before it is",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices < 2 || a.device_complete_events == nullptr) return;
         if (!IsReady(a.device_complete_events[1])) a.device_complete_events[1] = DoneEvent();
       });
     }},
    {"second_device_without_error", "PJRT-LoadedExecutable_Execute-asynchronous",
     "the second device says that it is done without an error",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices < 2 || a.device_complete_events == nullptr) return;
         if (IsReady(a.device_complete_events[1])) {
           Drop(a.device_complete_events[1]);
           a.device_complete_events[1] = DoneEvent();
         }
       });
     }},
    {"second_device_donates_nothing", "PJRT-LoadedExecutable_Execute-donation",
     "an executable of another device than the first donates nothing",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->num_devices != 1 || a->num_args == 0 || a->argument_lists == nullptr ||
             a->options == nullptr || a->options->struct_size < PJRT_ExecuteOptions_STRUCT_SIZE ||
             a->argument_lists[0] == nullptr || a->argument_lists[0][0] == nullptr ||
             IdIn(DeviceOf(a->argument_lists[0][0])) == 0)
           return Real().PJRT_LoadedExecutable_Execute(a);
         std::vector<int64_t> indices(a->num_args);
         for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i);
         auto options = *a->options;
         options.non_donatable_input_indices = indices.data();
         options.num_non_donatable_input_indices = indices.size();
         return CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"ids_exchanged", kTrue, "replica and partition of a device are exchanged",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_addressable_device_logical_ids; ++i) {
           auto* ids = const_cast<PJRT_LogicalDeviceIds*>(a.addressable_device_logical_ids);
           std::swap(ids[i].replica, ids[i].partition);
         }
       });
     }},
    {"devices_by_id", kTrue, "devices of an executable are in the order of their ids",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         auto* own = new std::vector<PJRT_Device*>(
             a.addressable_devices, a.addressable_devices + a.num_addressable_devices);
         std::sort(own->begin(), own->end(),
                   [](PJRT_Device* x, PJRT_Device* y) { return IdIn(x) < IdIn(y); });
         a.addressable_devices = own->data();
       });
     }},
};

}  // namespace

std::span<const Mutant> PlaceMutants() { return kPlaceMutants; }

}  // namespace plinth::mutants
