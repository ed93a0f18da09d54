// SPDX-License-Identifier: Apache-2.0
// Bugs that a quick look does not show: they need two objects at once, a call that failed before,
// another thread, one owner that goes first, a length or a number at the end of its range. Here of
// errors, events, clients, devices, memories and topologies. Written from the header and the
// registry, before a look at the cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

// One place for texts of any object: the last one that was asked for lies there. Longer texts stay
// where they are.
const char* InOneRoom(const char* text, size_t size) {
  static char room[1 << 12];
  if (size > sizeof(room)) return text;
  std::lock_guard<std::mutex> lock(Memory());
  std::memcpy(room, text, size);
  return room;
}

// How many callbacks of events this thread is in.
int& CallbacksEntered() {
  thread_local int depth = 0;
  return depth;
}

// The clients that are alive.
std::set<PJRT_Client*>& Living() {
  static auto* const living = new std::set<PJRT_Client*>;
  return *living;
}

std::span<PJRT_Device* const> DevicesOf(PJRT_Client* client) {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = client;
  Quiet<&Api::PJRT_Client_AddressableDevices>(args);
  return {args.addressable_devices, args.num_addressable_devices};
}

std::span<PJRT_DeviceDescription* const> DescriptionsOf(PJRT_TopologyDescription* topology) {
  auto args = MakeArgs<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  args.topology = topology;
  Quiet<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(args);
  return {args.descriptions, args.num_descriptions};
}

// Bytes of a buffer that was donated.
struct Donated {
  PJRT_Device* device = nullptr;
  int64_t bytes = 0;
};

const Mutant kOversightClientMutants[] = {
    // Errors.
    {"error_texts_share_room", "PJRT-Error_Message-const",
     "A text of an error of more than 48 bytes is overwritten by that of the next error.",
     [](Api& t) {
       Replace<&Api::PJRT_Error_Message>(t, [](auto* a) {
         Real().PJRT_Error_Message(a);
         if (a->message_size > 48) a->message = InOneRoom(a->message, a->message_size);
       });
     }},
    {"payload_ends_at_nul", "PJRT-Strings-size",
     "A payload that holds a NUL is handed out up to it.",
     [](Api& t) {
       ChangePayloads(t, [](int, std::string_view key, std::string_view value, auto pass) {
         pass(key, value.substr(0, value.find('\0')));
       });
     }},

    // The plugin.
    {"initialized_again_lists_twice", "PJRT-Plugin_Initialize-again",
     "Once the plugin was initialized a second time its attributes are listed twice.",
     [](Api& t) {
       static std::atomic<int> initialized{0};
       ChangeOutputs<&Api::PJRT_Plugin_Initialize>(t, [](auto&) { ++initialized; });
       ChangeOutputs<&Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         if (initialized < 2) return;
         static const auto* const twice = [&] {
           auto* list =
               Kept(std::vector<PJRT_NamedValue>(a.attributes, a.attributes + a.num_attributes));
           list->insert(list->end(), a.attributes, a.attributes + a.num_attributes);
           return list;
         }();
         a.attributes = twice->data();
         a.num_attributes = twice->size();
       });
     }},

    // Events.
    {"outcome_dies_with_array", "PJRT-Args-output-true",
     "Once the array that an event came from is destroyed, the event has not failed.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_ReadyEvent>(
           t, [](auto& a) { Note<PJRT_Buffer*>(a.event, a.buffer); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [event, buffer] : Noted<PJRT_Event, PJRT_Buffer*>()) {
           if (buffer == a.buffer) Marked<PJRT_Event>().insert(event);
         }
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, PJRT_Buffer*>().erase(a.event);
         Marked<PJRT_Event>().erase(a.event);
       });
       Replace<&Api::PJRT_Event_Error>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         if (a->event == nullptr || !IsMarked(a->event) || !IsReady(a->event)) return error;
         FreeError(error);
         return nullptr;
       });
     }},
    {"second_waiter_does_not_wait", "PJRT-Event_Await-twice",
     "While a thread waits for an event, another that waits for it returns at once.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) -> PJRT_Error* {
         static auto* const waiting = new std::map<PJRT_Event*, int>;
         if (a->event == nullptr || IsReady(a->event)) return Real().PJRT_Event_Await(a);
         PJRT_Event* event = a->event;
         {
           std::lock_guard<std::mutex> lock(Memory());
           if ((*waiting)[event] > 0) return nullptr;
           ++(*waiting)[event];
         }
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         std::lock_guard<std::mutex> lock(Memory());
         waiting->erase(event);
         return error;
       });
     }},
    {"callback_in_callback_learns_nothing", "PJRT-Event_OnReady-reentrant",
     "A callback that is registered for a failed event within a callback is given no error.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr) return Real().PJRT_Event_OnReady(a);
         if (CallbacksEntered() > 0 && IsReady(a->event)) {
           a->callback(nullptr, a->user_arg);
           return nullptr;
         }
         return CallChanged<&Api::PJRT_Event_OnReady>(a, [](auto& own) {
           struct Call {
             PJRT_Event_OnReadyCallback callback;
             void* argument;
           };
           own.user_arg = new Call{own.callback, own.user_arg};
           own.callback = [](PJRT_Error* error, void* argument) {
             const Call call = *static_cast<Call*>(argument);
             delete static_cast<Call*>(argument);
             ++CallbacksEntered();
             call.callback(error, call.argument);
             --CallbacksEntered();
           };
         });
       });
     }},
    {"outcome_length_has_16_bits", "PJRT-Event_Set-outcome",
     "Of a text of more than 65535 bytes an event keeps what the low 16 bits of its length say.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_code != PJRT_Error_Code_OK) a.error_message_size &= 0xFFFF;
       });
     }},

    // Clients.
    {"float_option_is_dropped", "PJRT-Client_Create-unknown-option",
     "An unknown option is not refused if its value is a float.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Create>(t, [](auto& a) {
         thread_local std::vector<PJRT_NamedValue> left;
         left.clear();
         if (a.create_options == nullptr) return;
         for (size_t i = 0; i < a.num_options; ++i) {
           if (a.create_options[i].type != PJRT_NamedValue_kFloat)
             left.push_back(a.create_options[i]);
         }
         a.create_options = left.data();
         a.num_options = left.size();
       });
     }},
    {"survivor_finds_no_device", "PJRT-Client_Destroy-others",
     "A client that was alive when another was destroyed finds its first device alone by its id.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Create>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Living().insert(a.client);
       });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         Living().erase(a.client);
         Marked<PJRT_Client>() = Living();
       });
       Replace<&Api::PJRT_Client_LookupDevice>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Client_LookupDevice(a);
         if (error != nullptr || !IsMarked(a->client) || a->device == FirstDevice(a->client))
           return error;
         a->device = nullptr;
         return MakeError(PJRT_Error_Code_NOT_FOUND, "no such device");
       });
     }},
    {"failed_lookup_turns_devices", "PJRT-Client_AddressableDevices-subset",
     "After a device was not found by its hardware number the devices are listed backwards.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_LookupAddressableDevice>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Client_LookupAddressableDevice(a);
         if (error != nullptr && a->client != nullptr) Mark(a->client);
         return error;
       });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Marked<PJRT_Client>().erase(a.client);
         Noted<PJRT_Client, std::vector<PJRT_Device*>>().erase(a.client);
       });
       ChangeOutputs<&Api::PJRT_Client_AddressableDevices>(t, [](auto& a) {
         if (!IsMarked(a.client)) return;
         std::lock_guard<std::mutex> lock(Memory());
         auto& list = Noted<PJRT_Client, std::vector<PJRT_Device*>>()[a.client];
         if (list.empty()) {
           list.assign(a.addressable_devices, a.addressable_devices + a.num_addressable_devices);
           std::reverse(list.begin(), list.end());
         }
         a.addressable_devices = list.data();
       });
     }},
    {"hardware_number_has_16_bits", "PJRT-Client_LookupAddressableDevice-unknown",
     "A hardware number is looked up by its low 16 bits: 65536 finds a device.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_LookupAddressableDevice>(t, [](auto& a) {
         if (a.local_hardware_id > 0) a.local_hardware_id &= 0xFFFF;
       });
     }},

    // Devices.
    {"loaded_kind_is_generic", "PJRT-TopologyDescription_Deserialize-same",
     "The devices of a topology that was read from bytes are all of one other kind.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         for (PJRT_DeviceDescription* description : DescriptionsOf(a.topology)) Mark(description);
       });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) {
         if (a.topology == nullptr) return;
         for (PJRT_DeviceDescription* description : DescriptionsOf(a.topology)) Unmark(description);
       });
       ChangeOutputs<&Api::PJRT_DeviceDescription_Kind>(t, [](auto& a) {
         if (!IsMarked(a.device_description)) return;
         a.device_kind = "device";
         a.device_kind_size = 6;
       });
     }},
    {"hardware_number_is_the_threads", "PJRT-Device_LocalHardwareId-unique",
     "On another thread than the client's every device has the number of the first.",
     [](Api& t) {
       RememberThread(t);
       ChangeOutputs<&Api::PJRT_Device_LocalHardwareId>(t, [](auto& a) {
         if (std::this_thread::get_id() != ThreadOfClient()) a.local_hardware_id = 0;
       });
     }},
    {"donated_bytes_count_twice", "PJRT-Device_MemoryStats-in-use",
     "The bytes of a donated argument count as in use until its handle is destroyed.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         std::vector<std::pair<PJRT_Buffer*, Donated>> given;
         for (size_t d = 0; a->argument_lists != nullptr && d < a->num_devices; ++d) {
           for (size_t i = 0; i < a->num_args; ++i) {
             PJRT_Buffer* buffer = a->argument_lists[d][i];
             if (buffer == nullptr || IsDeleted(buffer)) continue;
             given.push_back({buffer, {DeviceOf(buffer), static_cast<int64_t>(SizeOf(buffer))}});
           }
         }
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) return error;
         for (const auto& [buffer, bytes] : given) {
           if (IsDeleted(buffer)) Note<Donated>(buffer, bytes);
         }
         return nullptr;
       });
       ForgetBuffers<Donated>(t);
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, donated] : Noted<PJRT_Buffer, Donated>()) {
           if (donated.device == a.device) a.bytes_in_use += donated.bytes;
         }
         a.peak_bytes_in_use = std::max(a.peak_bytes_in_use, a.bytes_in_use);
       });
     }},
    {"last_device_clears_all_peaks", "PJRT-Device_ClearMemoryStats-peak",
     "Where the peaks of the last device are cleared, those of the other devices are too.",
     [](Api& t) {
       if (t.PJRT_Device_ClearMemoryStats == nullptr) return;
       RememberClientsOfDevices(t);
       Replace<&Api::PJRT_Device_ClearMemoryStats>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Device_ClearMemoryStats(a);
         PJRT_Client* client = error == nullptr ? ClientOf(a->device) : nullptr;
         if (client == nullptr) return error;
         auto devices = DevicesOf(client);
         if (devices.empty() || devices.back() != a->device) return nullptr;
         for (PJRT_Device* device : devices) {
           auto other = MakeArgs<PJRT_Device_ClearMemoryStats_Args>();
           other.device = device;
           Quiet<&Api::PJRT_Device_ClearMemoryStats>(other);
         }
         return nullptr;
       });
     }},

    // Memories.
    {"memory_texts_share_room", "PJRT-Args-output-lifetime",
     "The short text of a memory is overwritten by that of the memory that is asked next.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Memory_ToString>(
           t, [](auto& a) { a.to_string = InOneRoom(a.to_string, a.to_string_size); });
     }},
    {"memory_keys_lose_low_bits", "PJRT-Memory-head",
     "Keys of a memory's data whose addresses differ in the lowest three bits alone are one.",
     [](Api& t) {
       ChangeMemories(t, [](auto& table) {
         table.set_user_data = [](PJRT_Memory* memory, const void* key, void* data,
                                  void (*destructor)(void*)) {
           auto address = reinterpret_cast<uintptr_t>(key) & ~uintptr_t{7};
           MemoriesBehind()->set_user_data(memory, reinterpret_cast<const void*>(address), data,
                                           destructor);
         };
         table.get_user_data = [](PJRT_Memory* memory, const void* key) {
           auto address = reinterpret_cast<uintptr_t>(key) & ~uintptr_t{7};
           return MemoriesBehind()->get_user_data(memory, reinterpret_cast<const void*>(address));
         };
       });
     }},

    // Topologies.
    {"listing_changes_fingerprint", "PJRT-TopologyDescription_Fingerprint-equal",
     "The number of a topology changes when its devices are listed for the first time.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(
           t, [](auto& a) { Mark(const_cast<PJRT_TopologyDescription*>(a.topology)); });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) { Unmark(a.topology); });
       ChangeOutputs<&Api::PJRT_TopologyDescription_Fingerprint>(t, [](auto& a) {
         if (!IsMarked(a.topology)) a.fingerprint ^= 1;
       });
     }},
    {"loaded_kinds_listed_for_each_device", "PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
     "A topology of several devices that was read from bytes lists its kinds for each device.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t,
                                                                 [](auto& a) { Mark(a.topology); });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Marked<PJRT_TopologyDescription>().erase(a.topology);
         Noted<PJRT_TopologyDescription, std::vector<int>>().erase(a.topology);
       });
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(t, [](auto& a) {
         if (!IsMarked(a.topology)) return;
         auto* topology = const_cast<PJRT_TopologyDescription*>(a.topology);
         const size_t num_devices = DescriptionsOf(topology).size();
         std::lock_guard<std::mutex> lock(Memory());
         auto& list = Noted<PJRT_TopologyDescription, std::vector<int>>()[topology];
         if (list.empty()) {
           for (size_t i = 0; i < num_devices; ++i) {
             list.insert(list.end(), a.memory_space_kind_ids,
                         a.memory_space_kind_ids + a.num_memory_space_kind_ids);
           }
         }
         a.memory_space_kind_ids = list.data();
         a.num_memory_space_kind_ids = list.size();
       });
     }},
};

}  // namespace

std::span<const Mutant> OversightClientMutants() { return kOversightClientMutants; }

}  // namespace plinth::mutants
