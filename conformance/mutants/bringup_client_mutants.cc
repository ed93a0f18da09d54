// SPDX-License-Identifier: Apache-2.0
// Bugs of a bring-up: the plugin itself, devices, topologies, events and extensions.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/bringup_mutants.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

constexpr auto kStatistics = &PJRT_Api::PJRT_Device_MemoryStats;
constexpr auto kOnReady = &PJRT_Api::PJRT_Event_OnReady;
constexpr auto kMap = &PJRT_Api::PJRT_Client_DmaMap;
constexpr auto kRestore = &PJRT_Api::PJRT_TopologyDescription_Deserialize;

// How many memories the first device has that reaches this one.
size_t NumMemoriesBeside(PJRT_Memory* memory) {
  auto by = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
  by.memory = memory;
  Quiet<&PJRT_Api::PJRT_Memory_AddressableByDevices>(by);
  if (by.num_devices == 0) return 0;
  auto args = MakeArgs<PJRT_Device_AddressableMemories_Args>();
  args.device = by.devices[0];
  Quiet<&PJRT_Api::PJRT_Device_AddressableMemories>(args);
  return args.num_memories;
}

// Bytes of buffers that were deleted and still have a handle.
struct Deleted {
  PJRT_Device* device = nullptr;
  size_t bytes = 0;
};

// The one callback that an event has room for.
struct Registered {
  PJRT_Event_OnReadyCallback callback;
  void* argument;
};
std::map<PJRT_Event*, Registered*>& Registrations() {
  static auto* const registrations = new std::map<PJRT_Event*, Registered*>;
  return *registrations;
}

void CallRegistered(PJRT_Error* error, void* argument) {
  Registered call;
  {
    std::lock_guard<std::mutex> lock(Memory());
    auto* registered = static_cast<Registered*>(argument);
    std::erase_if(Registrations(), [&](auto& entry) { return entry.second == registered; });
    call = *registered;
    delete registered;
  }
  call.callback(error, call.argument);
}

PJRT_Error* RegisterOne(PJRT_Event_OnReady_Args* args) {
  if (args->event == nullptr || args->callback == nullptr || IsReady(args->event))
    return Real().PJRT_Event_OnReady(args);
  {
    std::lock_guard<std::mutex> lock(Memory());
    auto found = Registrations().find(args->event);
    if (found != Registrations().end()) {
      *found->second = {args->callback, args->user_arg};
      return nullptr;
    }
    Registrations()[args->event] = new Registered{args->callback, args->user_arg};
  }
  return CallChanged<kOnReady>(args, [&](auto& own) {
    std::lock_guard<std::mutex> lock(Memory());
    own.user_arg = Registrations()[own.event];
    own.callback = CallRegistered;
  });
}

constexpr Mutant kBringupClientMutants[] = {
    {"memory_ids_per_device", "PJRT-Memory_Id-unique",
     "the memories of each device are counted from 0",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_Id>(t, [](auto& a) {
         const size_t count = NumMemoriesBeside(a.memory);
         if (count > 0) a.id %= static_cast<int>(count);
       });
     }},
    {"deleted_bytes_stay_in_use", "PJRT-Device_MemoryStats-in-use",
     "bytes of a deleted buffer are in use until its handle is freed",
     [](PJRT_Api& t) {
       ForgetBuffers<Deleted>(t);
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         Deleted deleted;
         const bool is_new = a->buffer != nullptr && !IsDeleted(a->buffer);
         if (is_new && MemoryOf(a->buffer) == DefaultMemoryOf(DeviceOf(a->buffer)))
           deleted = {DeviceOf(a->buffer), SizeOf(a->buffer)};
         PJRT_Error* error = Real().PJRT_Buffer_Delete(a);
         if (error == nullptr && deleted.bytes > 0) Note(a->buffer, deleted);
         return error;
       });
       ChangeOutputs<kStatistics>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, deleted] : Noted<PJRT_Buffer, Deleted>()) {
           if (deleted.device == a.device) a.bytes_in_use += static_cast<int64_t>(deleted.bytes);
         }
         a.peak_bytes_in_use = std::max(a.peak_bytes_in_use, a.bytes_in_use);
       });
     }},
    {"peak_cleared_to_zero", "PJRT-Device_ClearMemoryStats-peak",
     "a peak begins again at 0, also where memory is in use",
     [](PJRT_Api& t) {
       if (t.PJRT_Device_ClearMemoryStats == nullptr) return;
       ChangeOutputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto& a) {
         auto now = MakeArgs<PJRT_Device_MemoryStats_Args>();
         now.device = a.device;
         Quiet<kStatistics>(now);
         Note(a.device, now.bytes_in_use);
       });
       ChangeOutputs<kStatistics>(
           t, [](auto& a) { a.peak_bytes_in_use -= NoteOf<int64_t>(a.device); });
     }},
    {"deserialized_topology_version", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that comes from bytes has no platform version",
     [](PJRT_Api& t) {
       ChangeOutputs<kRestore>(t, [](auto& a) { Mark(a.topology); });
       ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(
           t, [](auto& a) { Unmark(a.topology); });
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_PlatformVersion>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.platform_version_size = 0;
       });
     }},
    // JAX and PyTorch read lists of three numbers, and take what is not one for no version.
    {"stablehlo_version_text", "PJRT-Plugin_Attributes-stablehlo",
     "the versions of StableHLO are texts",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         static const std::vector<PJRT_NamedValue> texts = [&] {
           std::vector<PJRT_NamedValue> all(a.attributes, a.attributes + a.num_attributes);
           for (PJRT_NamedValue& value : all) {
             if (value.type != PJRT_NamedValue_kInt64List || value.value_size != 3) continue;
             std::string text;
             for (size_t i = 0; i < 3; ++i)
               text += (i == 0 ? "" : ".") + std::to_string(value.int64_array_value[i]);
             value.type = PJRT_NamedValue_kString;
             value.string_value = KeptText(text).data();
             value.value_size = text.size();
           }
           return all;
         }();
         a.attributes = texts.data();
       });
     }},
    {"one_callback_per_event", "PJRT-Event_OnReady-once",
     "a callback takes the place of the one that waits for the same event",
     [](PJRT_Api& t) {
       Replace<kOnReady>(t, [](auto* a) { return RegisterOne(a); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Registrations().erase(a.event);
       });
     }},
    {"dma_map_again", "PJRT-Args-accepted",
     "memory that was pinned and unpinned counts as pinned, and cannot be pinned again",
     [](PJRT_Api& t) {
       Replace<kMap>(t, [](auto* a) {
         static auto* const pinned = new std::set<void*>;
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (pinned->contains(a->data))
             return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the range is pinned");
         }
         PJRT_Error* error = Real().PJRT_Client_DmaMap(a);
         std::lock_guard<std::mutex> lock(Memory());
         if (error == nullptr) pinned->insert(a->data);
         return error;
       });
     }},
    {"output_shardings_of_parameters", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "the shardings of the outputs are those of the parameters",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings,
                 PJRT_Extension_Type_Shardings>(t, [](auto* a, auto) {
         PJRT_Shardings_PJRT_Executable_ParameterShardings_Args parameters = {};
         parameters.struct_size = sizeof(parameters);
         parameters.executable = a->executable;
         PJRT_Error* error = RealExtension<PJRT_Shardings_Extension>(PJRT_Extension_Type_Shardings)
                                 .PJRT_Shardings_PJRT_Executable_ParameterShardings(&parameters);
         if (error != nullptr) return error;
         a->num_outputs = parameters.num_parameters;
         a->shardings = parameters.shardings;
         a->sharding_sizes = parameters.sharding_sizes;
         return error;
       });
     }},
    {"ffi_one_type_id", "PJRT-Args-output-true",
     "all types of data that ask for a new number get that of the first",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::type_register, PJRT_Extension_Type_FFI>(
           t, [](auto* a, auto behind) -> PJRT_Error* {
             static int64_t first = 0;
             if (a->type_id != 0 || a->type_name_size == 0) return behind(a);
             if (first != 0) {
               a->type_id = first;
               return nullptr;
             }
             PJRT_Error* error = behind(a);
             if (error == nullptr) first = a->type_id;
             return error;
           });
     }},
};

}  // namespace

std::span<const Mutant> BringupClientMutants() { return kBringupClientMutants; }

}  // namespace plinth::mutants
