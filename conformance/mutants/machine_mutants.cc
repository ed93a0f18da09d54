// SPDX-License-Identifier: Apache-2.0
// Bugs in what a plugin tells of itself, its clients, devices, memories and topologies, and in
// errors and events. Written from the requirements, without looking at the cases.

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"

namespace plinth::mutants {
namespace {

constexpr char kLifetime[] = "PJRT-Args-output-lifetime";

std::set<PJRT_TopologyDescription*>& Deserialized() {
  static auto* const topologies = new std::set<PJRT_TopologyDescription*>;
  return *topologies;
}

thread_local bool in_callback = false;

constexpr Mutant kMachineMutants[] = {
    {"attributes_move", "PJRT-Plugin_Attributes-lifetime",
     "attributes of the plugin are valid until they are asked for again",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         static std::vector<PJRT_NamedValue> lists[2];
         static int turn = 0;
         std::lock_guard<std::mutex> lock(Memory());
         for (PJRT_NamedValue& value : lists[turn]) value.name_size = 0;
         turn ^= 1;
         lists[turn].assign(a.attributes, a.attributes + a.num_attributes);
         a.attributes = lists[turn].data();
       });
     }},
    {"texts_of_errors_share", "PJRT-Error_Message-const", "the texts of errors share one place",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Error_Message>(t, [](auto* a) {
         static char place[1 << 16];
         Real().PJRT_Error_Message(a);
         std::lock_guard<std::mutex> lock(Memory());
         a->message_size = std::min(a->message_size, sizeof(place));
         if (a->message != nullptr) std::memcpy(place, a->message, a->message_size);
         a->message = place;
       });
     }},
    {"payloads_twice", "PJRT-Error_ForEachPayload-once", "payloads of errors are visited twice",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Error_ForEachPayload>(t, [](auto* a) {
         FreeError(Real().PJRT_Error_ForEachPayload(a));
         return Real().PJRT_Error_ForEachPayload(a);
       });
     }},
    {"payloads_lost", "PJRT-Client_CreateErrorBuffer-carries",
     "payloads of a buffer's error are lost",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_CreateErrorBuffer>(t,
                                                              [](auto& a) { a.num_payload = 0; });
     }},
    {"client_once", "PJRT-Args-accepted", "after a client was destroyed none can be made",
     [](PJRT_Api& t) {
       static bool destroyed = false;
       Refuse<&PJRT_Api::PJRT_Client_Create, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto&) { return destroyed; });
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) {
         if (a.client != nullptr) destroyed = true;
       });
     }},
    {"first_option_counts", "PJRT-Client_Create-unknown-option",
     "the second option of a client is not read",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto& a) {
         if (a.num_options > 1) a.num_options = 1;
       });
     }},
    {"option_names_need_nul", "PJRT-Strings-size", "names of options are read to a NUL",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_Create>(t, [](const auto& a) {
         for (size_t i = 0; i < a.num_options; ++i) {
           const PJRT_NamedValue& option = a.create_options[i];
           if (option.name != nullptr && option.name_size > 0 &&
               option.name[option.name_size] != '\0')
             return true;
         }
         return false;
       });
     }},
    {"device_of_minus_one", "PJRT-Client_LookupDevice-unknown", "the id -1 is the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupDevice>(t, [](auto* a) {
         if (a->id != -1 || a->client == nullptr) return Real().PJRT_Client_LookupDevice(a);
         a->device = FirstDevice(a->client);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"any_local_number", "PJRT-Client_LookupAddressableDevice-unknown",
     "a number that no device has is the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupAddressableDevice>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_LookupAddressableDevice(a);
         if (error == nullptr || a->client == nullptr) return error;
         FreeError(error);
         a->addressable_device = FirstDevice(a->client);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"descriptions_backwards", "PJRT-Client_TopologyDescription-devices",
     "a topology describes the first device alone",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(
           t, [](auto& a) { a.num_descriptions = std::min<size_t>(a.num_descriptions, 1); });
     }},
    {"deserialized_is_smaller", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was serialized has one device",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Deserialized().insert(a.topology);
       });
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (Deserialized().contains(const_cast<PJRT_TopologyDescription*>(a.topology)))
           a.num_descriptions = 1;
       });
     }},
    {"fingerprint_of_address", "PJRT-TopologyDescription_Fingerprint-equal",
     "the fingerprint of a topology is its address",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Fingerprint>(
           t, [](auto& a) { a.fingerprint = reinterpret_cast<uintptr_t>(a.topology); });
     }},
    {"default_is_last", "PJRT-Buffer_Memory-asked-for",
     "the default memory of a device is not the one that buffers lie in",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_DefaultMemory>(t, [](auto& a) {
         auto all = MakeArgs<PJRT_Device_AddressableMemories_Args>();
         all.device = a.device;
         FreeError(Real().PJRT_Device_AddressableMemories(&all));
         if (all.num_memories > 0) a.memory = all.memories[all.num_memories - 1];
       });
     }},
    {"memory_has_no_devices", "PJRT-Memory_AddressableByDevices-mutual",
     "a memory that is not the default one names no devices",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_AddressableByDevices>(t, [](auto& a) {
         if (a.num_devices > 0 && DefaultMemoryOf(a.devices[0]) != a.memory) a.num_devices = 0;
       });
     }},
    {"stub_is_unknown", "PJRT-Api-stub", "what is not implemented answers UNKNOWN",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Device_PoisonExecution>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Device_PoisonExecution(a);
         if (error == nullptr) return error;
         FreeError(error);
         return MakeError(PJRT_Error_Code_UNKNOWN, "PJRT_Device_PoisonExecution");
       });
     }},
    {"devices_share_a_place", kLifetime, "lists of executables' devices share one place",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         static PJRT_Device* place[64];
         std::lock_guard<std::mutex> lock(Memory());
         if (a.num_addressable_devices > 64) return;
         std::copy_n(a.addressable_devices, a.num_addressable_devices, place);
         a.addressable_devices = place;
       });
     }},
    // A test that is bound to one sees that it is not any more.
    {"pins_thread", "PJRT-Process-state",
     "making a client binds the caller to one processor, or frees one that is bound",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) {
         cpu_set_t set;
         sched_getaffinity(0, sizeof(set), &set);
         const bool is_bound = CPU_COUNT(&set) == 1;
         CPU_ZERO(&set);
         for (size_t i = 0; is_bound && i < CPU_SETSIZE; ++i) CPU_SET(i, &set);
         if (!is_bound) CPU_SET(static_cast<size_t>(sched_getcpu()), &set);
         sched_setaffinity(0, sizeof(set), &set);
       });
     }},
    {"names_thread", "PJRT-Process-state", "an execution names the caller's thread",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto&) { prctl(PR_SET_NAME, "vendor"); });
     }},
    {"ninth_callback_lost", "PJRT-Event_OnReady-once", "an event calls back eight times at most",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         static std::map<PJRT_Event*, int> counts;
         std::lock_guard<std::mutex> lock(Memory());
         if (a->event != nullptr && a->callback != nullptr && !IsReady(a->event) &&
             ++counts[a->event] > 8)
           return static_cast<PJRT_Error*>(nullptr);
         return Real().PJRT_Event_OnReady(a);
       });
     }},
    {"argument_of_latest", "PJRT-Event_OnReady-once",
     "callbacks of two events get the argument of the latter",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto& a) {
         struct Call {
           PJRT_Event_OnReadyCallback callback;
           void* arg;
         };
         static std::map<PJRT_Event_OnReadyCallback, void*> latest;
         if (a.callback == nullptr || a.event == nullptr || IsReady(a.event)) return;
         std::lock_guard<std::mutex> lock(Memory());
         latest[a.callback] = a.user_arg;
         a.user_arg = new Call{a.callback, a.user_arg};
         a.callback = [](PJRT_Error* error, void* arg) {
           Call call = *static_cast<Call*>(arg);
           delete static_cast<Call*>(arg);
           void* argument;
           {
             std::lock_guard<std::mutex> inner(Memory());
             argument = latest[call.callback];
           }
           call.callback(error, argument);
         };
       });
     }},
    {"destroying_waits", "PJRT-Event_Destroy-callbacks", "destroying a pending event waits for it",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) {
         if (a.event != nullptr) (void)Fails(a.event);
       });
     }},
    {"not_ready_in_callback", "PJRT-Event_IsReady-monotone", "in a callback its event is not ready",
     [](PJRT_Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         in_callback = true;
         callback(error, argument);
         in_callback = false;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) {
         if (in_callback) a.is_ready = false;
       });
     }},
    {"error_of_event_twice_same", "PJRT-Event_Error-independent",
     "an event gives the same error object again",
     [](PJRT_Api& t) {
       static std::map<PJRT_Event*, PJRT_Error*> errors;
       static std::set<PJRT_Error*> kept;
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* a) {
         std::lock_guard<std::mutex> lock(Memory());
         auto found = errors.find(a->event);
         if (found != errors.end()) return found->second;
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         if (error == nullptr || a->event == nullptr || !IsReady(a->event)) return error;
         errors[a->event] = error;
         kept.insert(error);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto* a) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           errors.erase(a->event);
         }
         return Real().PJRT_Event_Destroy(a);
       });
     }},
    {"forgets_attributes", "PJRT-Process-memory", "asking for attributes leaves 64 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_GetAttributes>(t, [](auto&) { Forget(64); });
     }},
    {"forgets_topologies", "PJRT-Process-memory", "serializing a topology leaves 80 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Serialize>(t, [](auto&) { Forget(80); });
     }},
    {"forgets_events", "PJRT-Process-memory", "every event of a caller leaves 40 bytes behind",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Event_Create>(t, [](auto&) { Forget(40); });
     }},
    {"usage_of_first", "PJRT-Device_MemoryStats-in-use",
     "every device says what the first one uses",
     [](PJRT_Api& t) {
       static PJRT_Device* first = nullptr;
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableDevices>(t, [](auto& a) {
         if (a.num_addressable_devices > 0) first = a.addressable_devices[0];
       });
       Replace<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto* a) {
         PJRT_Device* asked = a->device;
         if (asked != nullptr && first != nullptr) a->device = first;
         PJRT_Error* error = Real().PJRT_Device_MemoryStats(a);
         a->device = asked;
         return error;
       });
     }},
    {"peaks_stay", "PJRT-Device_ClearMemoryStats-peak", "clearing the statistics clears nothing",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto* a) -> PJRT_Error* {
         return a->device == nullptr ? Real().PJRT_Device_ClearMemoryStats(a) : nullptr;
       });
     }},
    {"replicas_share_devices", "PJRT-Client_DefaultDeviceAssignment-devices",
     "the second replica has the devices of the first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         if (a.num_replicas < 2 || a.num_partitions < 2) return;
         std::copy_n(a.default_assignment, a.num_partitions,
                     a.default_assignment + a.num_partitions);
       });
     }},
    {"last_code_unknown", "PJRT-Event_Set-outcome", "UNAUTHENTICATED becomes UNKNOWN",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) {
         if (RawEnum(a.error_code) == PJRT_Error_Code_UNAUTHENTICATED)
           a.error_code = PJRT_Error_Code_UNKNOWN;
       });
     }},
    {"callback_text_lost", "PJRT-Event_Await-independent",
     "the error that a callback gets has a code and no text",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* a) {
         if (a->callback == nullptr) return Real().PJRT_Event_OnReady(a);
         struct Given {
           PJRT_Event_OnReadyCallback callback;
           void* arg;
         };
         auto own = *a;
         own.user_arg = new Given{a->callback, a->user_arg};
         own.callback = [](PJRT_Error* error, void* arg) {
           auto* given = static_cast<Given*>(arg);
           if (error != nullptr) {
             auto code = MakeArgs<PJRT_Error_GetCode_Args>();
             code.error = error;
             FreeError(Real().PJRT_Error_GetCode(&code));
             FreeError(error);
             error = MakeError(code.code, "");
           }
           given->callback(error, given->arg);
           delete given;
         };
         return Real().PJRT_Event_OnReady(&own);
       });
     }},
    {"event_error_internal", "PJRT-Event_Set-outcome",
     "PJRT_Event_Error says INTERNAL whatever happened",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Error(a);
         if (error == nullptr) return error;
         auto message = MakeArgs<PJRT_Error_Message_Args>();
         message.error = error;
         Real().PJRT_Error_Message(&message);
         PJRT_Error* other =
             MakeError(PJRT_Error_Code_INTERNAL, {message.message, message.message_size});
         FreeError(error);
         return other;
       });
     }},
};

}  // namespace

std::span<const Mutant> MachineMutants() { return kMachineMutants; }

}  // namespace plinth::mutants
