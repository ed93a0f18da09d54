// SPDX-License-Identifier: Apache-2.0
// Bugs of plugins in their first years: what is said of clients, devices, memories, topologies and
// layouts, and how events and errors go on.

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

constexpr auto kLayouts = PJRT_Extension_Type_Layouts;

PJRT_Device_MemoryStats_Args StatsOf(PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
  args.device = device;
  Quiet<&PJRT_Api::PJRT_Device_MemoryStats>(args);
  return args;
}

// The bytes that a topology was serialized to.
std::multimap<const void*, std::string*>& Serialized() {
  static auto* const all = new std::multimap<const void*, std::string*>;
  return *all;
}
void Overwrite(const void* topology) {
  std::lock_guard<std::mutex> lock(Memory());
  auto [first, last] = Serialized().equal_range(topology);
  for (auto at = first; at != last; ++at) std::fill(at->second->begin(), at->second->end(), '\x5A');
  Serialized().erase(topology);
}

std::set<PJRT_Client*>& Clients() {
  static auto* const clients = new std::set<PJRT_Client*>;
  return *clients;
}

constexpr Mutant kPracticeClientMutants[] = {
    {"practice_scalar_layout", "PJRT-Layouts_PJRT_Client_GetDefaultLayout-default",
     "the default layout of a scalar has one dimension",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Client_GetDefaultLayout, kLayouts>(
           t, [](auto* args, auto* behind) {
             static const int64_t one = 1;
             if (args->num_dims != 0) return behind(args);
             auto own = *args;
             own.dims = &one;
             own.num_dims = 1;
             PJRT_Error* error = behind(&own);
             args->layout = own.layout;
             return error;
           });
     }},
    {"practice_layout_of_new_types", "PJRT-Layouts_PJRT_Topology_GetDefaultLayout-same",
     "a topology knows no default layout for types below a byte",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Topology_GetDefaultLayout, kLayouts>(
           t, [](auto* args, auto* behind) {
             if (args->type == PJRT_Buffer_Type_S4 || args->type == PJRT_Buffer_Type_U4 ||
                 args->type == PJRT_Buffer_Type_S2 || args->type == PJRT_Buffer_Type_U2)
               return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "no layout for this type");
             return behind(args);
           });
     }},
    {"practice_layout_nul", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "the size of a layout's text counts the NUL behind it",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize, kLayouts>(
           t, [](auto* args, auto* behind) {
             PJRT_Error* error = behind(args);
             if (error == nullptr) ++args->serialized_bytes_size;
             return error;
           });
     }},
    {"practice_kinds_of_each", "PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
     "the kinds of memory are listed for each device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(t, [](auto& a) {
         static auto* const all = new std::set<std::vector<int>>;
         auto devices = MakeArgs<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
         devices.topology = a.topology;
         Quiet<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(devices);
         std::vector<int> ids;
         for (size_t i = 0; i < devices.num_descriptions; ++i)
           ids.insert(ids.end(), a.memory_space_kind_ids,
                      a.memory_space_kind_ids + a.num_memory_space_kind_ids);
         if (ids.empty()) return;
         std::lock_guard<std::mutex> lock(Memory());
         const std::vector<int>& kept = *all->insert(std::move(ids)).first;
         a.memory_space_kind_ids = kept.data();
         a.num_memory_space_kind_ids = kept.size();
       });
     }},
    {"practice_peak_from_zero", "PJRT-Device_ClearMemoryStats-peak",
     "a cleared peak begins at 0, whatever is in use",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Device, int64_t>().clear();
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(
           t, [](auto& a) { Note<int64_t>(a.device, StatsOf(a.device).bytes_in_use); });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         const auto cleared = NoteOf<int64_t>(a.device);
         a.peak_bytes_in_use = std::max<int64_t>(a.peak_bytes_in_use - cleared, 0);
       });
     }},
    {"practice_fingerprint_of_bytes", "PJRT-TopologyDescription_Fingerprint-equal",
     "a topology that comes from bytes has another fingerprint",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(
           t, [](auto& a) { Mark(a.topology); });
       ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(
           t, [](auto& a) { Unmark(a.topology); });
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Fingerprint>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.fingerprint = a.fingerprint * 31 + 7;
       });
     }},
    {"practice_payload_nul", "PJRT-Args-output-true",
     "the value of a payload ends at its first NUL",
     [](PJRT_Api& t) {
       ChangePayloads(t, [](int, auto key, auto value, auto pass) {
         pass(key, value.substr(0, value.find('\0')));
       });
     }},
    {"practice_event_text", "PJRT-Event_Set-outcome", "of the text of an error 255 bytes are kept",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_message != nullptr)
           a.error_message_size = std::min<size_t>(a.error_message_size, 255);
       });
     }},
    {"practice_kind_of_one", "PJRT-Memory_Kind_Id-kinds",
     "each memory has a number of its kind for itself",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_Kind_Id>(t, [](auto& a) {
         auto id = MakeArgs<PJRT_Memory_Id_Args>();
         id.memory = a.memory;
         Quiet<&PJRT_Api::PJRT_Memory_Id>(id);
         a.kind_id = id.id;
       });
     }},
    {"practice_bytes_of_topology", "PJRT-Args-output-lifetime",
     "the bytes of a serialized topology go with it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Serialize>(t, [](auto& a) {
         auto* bytes = Kept(std::string(a.serialized_bytes, a.serialized_bytes_size));
         a.serialized_bytes = bytes->data();
         std::lock_guard<std::mutex> lock(Memory());
         Serialized().emplace(a.topology, bytes);
       });
       ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(
           t, [](auto& a) { Overwrite(a.topology); });
     }},
    {"practice_kilobytes", "PJRT-Device_MemoryStats-in-use", "bytes_in_use counts kilobytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t,
                                                         [](auto& a) { a.bytes_in_use /= 1024; });
     }},
    {"practice_devices_again", "PJRT-Client_DefaultDeviceAssignment-devices",
     "where there are more computations than devices, devices are used again",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_DefaultDeviceAssignment(a);
         if (error == nullptr || a->client == nullptr || a->default_assignment == nullptr ||
             a->num_replicas <= 0 || a->num_partitions <= 0)
           return error;
         const auto count =
             static_cast<size_t>(a->num_replicas) * static_cast<size_t>(a->num_partitions);
         auto devices = MakeArgs<PJRT_Client_AddressableDevices_Args>();
         devices.client = a->client;
         Quiet<&PJRT_Api::PJRT_Client_AddressableDevices>(devices);
         if (count > a->default_assignment_size || devices.num_addressable_devices == 0)
           return error;
         FreeError(error);
         for (size_t i = 0; i < count; ++i)
           a->default_assignment[i] =
               IdOf(devices.addressable_devices[i % devices.num_addressable_devices]);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"practice_last_client_out", "PJRT-Client_Destroy-others",
     "once a client is gone the others compile nothing more",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto& a) {
         Unmark(a.client);
         std::lock_guard<std::mutex> lock(Memory());
         Clients().insert(a.client);
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (Clients().erase(a.client) == 0) return;
         for (PJRT_Client* other : Clients()) Marked<PJRT_Client>().insert(other);
       });
       Refuse<&PJRT_Api::PJRT_Client_Compile, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.client != nullptr && IsMarked(a.client); });
     }},
    {"practice_late_callback", "PJRT-Event_Set-outcome",
     "a callback that is registered after an event has failed is told of no error",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto& a) {
         struct Call {
           PJRT_Event_OnReadyCallback callback;
           void* argument;
         };
         if (a.callback == nullptr || a.event == nullptr || !IsReady(a.event)) return;
         a.user_arg = new Call{a.callback, a.user_arg};
         a.callback = [](PJRT_Error* error, void* argument) {
           const Call call = *static_cast<Call*>(argument);
           delete static_cast<Call*>(argument);
           FreeError(error);
           call.callback(nullptr, call.argument);
         };
       });
     }},
    {"practice_awaited_once", "PJRT-Event_Await-twice",
     "who waits for a failed event again is told of no error",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) -> PJRT_Error* {
         if (a->event != nullptr && IsMarked(a->event)) return nullptr;
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error != nullptr && a->event != nullptr) Mark(a->event);
         return error;
       });
     }},
    {"practice_sixteen", "PJRT-Event_Set-outcome", "the code UNAUTHENTICATED is given as UNKNOWN",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Error_GetCode>(t, [](auto& a) {
         if (a.code >= PJRT_Error_Code_UNAUTHENTICATED) a.code = PJRT_Error_Code_UNKNOWN;
       });
     }},
};

}  // namespace

std::span<const Mutant> PracticeClientMutants() { return kPracticeClientMutants; }

}  // namespace plinth::mutants
