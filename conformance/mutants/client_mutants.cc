// SPDX-License-Identifier: Apache-2.0
// Clients, devices, events and errors as vendors get them wrong, and what is left behind.

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr char kSame[] = "PJRT-Args-output-same";
constexpr char kTrue[] = "PJRT-Args-output-true";
constexpr char kMemory[] = "PJRT-Process-memory";
constexpr auto kUpload = &PJRT_Api::PJRT_Client_BufferFromHostBuffer;
constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;

struct Outcome {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  const char* text = nullptr;
  size_t size = 0;
};
struct Waiting {
  PJRT_Event_OnReadyCallback callback = nullptr;
  void* argument = nullptr;
};
using AllWaiting = std::vector<Waiting>;

// What is running callbacks holds.
std::mutex& Running() {
  static auto* const running = new std::mutex;
  return *running;
}

std::vector<PJRT_Device*>& Devices() {
  static auto* const devices = new std::vector<PJRT_Device*>;
  return *devices;
}

// Registers what waits for an event, which so far was kept here.
void RunWaiting(PJRT_Event* event) {
  AllWaiting all = NoteOf<AllWaiting>(event);
  if (all.empty()) return;
  Note(event, AllWaiting{});
  for (const Waiting& one : all) {
    auto on = MakeArgs<PJRT_Event_OnReady_Args>();
    on.event = event;
    on.callback = one.callback;
    on.user_arg = one.argument;
    FreeError(Real().PJRT_Event_OnReady(&on));
  }
}

constexpr Mutant kClientMutants[] = {
    {"memory_says_what_it_holds", kSame, "the text of a memory says how much is in use",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Memory_DebugString>(t, [](auto& a) {
         static thread_local std::string text;
         auto devices = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
         devices.memory = a.memory;
         FreeError(Real().PJRT_Memory_AddressableByDevices(&devices));
         auto stats = MakeArgs<PJRT_Device_MemoryStats_Args>();
         if (devices.num_devices == 0) return;
         stats.device = devices.devices[0];
         FreeError(Real().PJRT_Device_MemoryStats(&stats));
         text.assign(a.debug_string, a.debug_string_size);
         text += ", " + std::to_string(stats.bytes_in_use) + " in use";
         a.debug_string = text.data();
         a.debug_string_size = text.size();
       });
     }},
    {"device_minus_one", "PJRT-Client_LookupAddressableDevice-unknown",
     "number -1 is that of the first device",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_LookupAddressableDevice>(t, [](auto* args) {
         if (args->client == nullptr || args->local_hardware_id != -1)
           return Real().PJRT_Client_LookupAddressableDevice(args);
         args->addressable_device = FirstDevice(args->client);
         return static_cast<PJRT_Error*>(nullptr);
       });
     }},
    {"late_codes_unknown", "PJRT-Event_Set-outcome",
     "errors ABORTED, DATA_LOSS and UNAUTHENTICATED become UNKNOWN",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Error_GetCode>(t, [](auto& a) {
         if (a.code == PJRT_Error_Code_ABORTED || a.code == PJRT_Error_Code_DATA_LOSS ||
             a.code == PJRT_Error_Code_UNAUTHENTICATED)
           a.code = PJRT_Error_Code_UNKNOWN;
       });
     }},
    {"error_moved_out", "PJRT-Event_Error-independent",
     "once Await has given the error of an event Error gives none",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* args) {
         PJRT_Error* error = Real().PJRT_Event_Await(args);
         if (error != nullptr && args->event != nullptr) Mark(args->event);
         return error;
       });
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* args) {
         return IsMarked(args->event) ? nullptr : Real().PJRT_Event_Error(args);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
     }},
    {"ready_when_awaited", "PJRT-LoadedExecutable_Execute-done",
     "an event of an execution is ready only once it was waited for",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         for (size_t i = 0; a.device_complete_events != nullptr && i < a.num_devices; ++i)
           Mark(a.device_complete_events[i]);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Await>(t, [](auto& a) { Unmark(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto& a) { Unmark(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
       ChangeOutputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) {
         if (IsMarked(a.event)) a.is_ready = false;
       });
     }},
    {"callbacks_when_polled", "PJRT-Event_OnReady-once",
     "callbacks run when somebody asks for the state of their event, or destroys it",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_OnReady>(t, [](auto* args) {
         if (args->event == nullptr || args->callback == nullptr)
           return Real().PJRT_Event_OnReady(args);
         AllWaiting all = NoteOf<AllWaiting>(args->event);
         all.push_back({args->callback, args->user_arg});
         Note(args->event, all);
         return static_cast<PJRT_Error*>(nullptr);
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Await>(t, [](auto& a) { RunWaiting(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_IsReady>(t, [](auto& a) { RunWaiting(a.event); });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { RunWaiting(a.event); });
     }},
    {"lock_held_in_callbacks", "PJRT-Callback-once",
     "a callback that destroys a buffer waits for itself",
     [](PJRT_Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         std::lock_guard<std::mutex> lock(Running());
         callback(error, argument);
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(
           t, [](auto&) { std::lock_guard<std::mutex> lock(Running()); });
     }},
    {"client_leaves_file", "PJRT-Process-memory", "each client leaves a file open",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(
           t, [](auto&) { (void)!open("/dev/null", O_RDONLY | O_CLOEXEC); });
     }},
    {"no_core_files", "PJRT-Process-state", "the first upload forbids core files",
     [](PJRT_Api& t) {
       ChangeInputs<kUpload>(t, [](auto&) {
         rlimit limit = {};
         getrlimit(RLIMIT_CORE, &limit);
         limit.rlim_cur = limit.rlim_cur == 0 ? limit.rlim_max : 0;
         static const int done = setrlimit(RLIMIT_CORE, &limit);
         (void)done;
       });
     }},
    {"warns_on_stderr", "PJRT-Process-alive", "the first execution warns on stderr",
     [](PJRT_Api& t) {
       ChangeInputs<kExecute>(t, [](auto&) {
         static const int done =
             std::fprintf(stderr, "WARNING: this platform is experimental and may be slow\n");
         (void)done;
       });
     }},
    {"value_size_in_bytes", kTrue, "value_size of a number is the size of its type",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         static std::vector<PJRT_NamedValue> values;
         std::lock_guard<std::mutex> lock(Memory());
         if (values.empty()) values.assign(a.attributes, a.attributes + a.num_attributes);
         for (PJRT_NamedValue& value : values) {
           if (value.type == PJRT_NamedValue_kInt64) value.value_size = 8;
           if (value.type == PJRT_NamedValue_kInt64List) value.value_size = 8;
         }
         a.attributes = values.data();
       });
     }},
    {"compile_needs_client", "PJRT-Args-accepted",
     "compiling for a topology without a client is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Compile>(t, [](const auto& a) { return a.client == nullptr; });
     }},
    {"devices_of_newest_client", "PJRT-Args-output-lifetime",
     "the list of devices is that of the client that was asked last",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_Devices>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Devices().reserve(64);
         Devices().assign(a.devices, a.devices + a.num_devices);
         a.devices = Devices().data();
       });
     }},
    {"client_takes_others_along", "PJRT-Client_Destroy-others",
     "after a client was destroyed others do not compile",
     [](PJRT_Api& t) {
       static bool was_destroyed = false;
       ChangeInputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto&) { was_destroyed = false; });
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto&) { was_destroyed = true; });
       Refuse<&PJRT_Api::PJRT_Client_Compile, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](const auto&) { return was_destroyed; });
     }},
    {"default_memory_is_last", kTrue,
     "the default memory of a device is not that in which its buffers are made",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_DefaultMemory>(t, [](auto& a) {
         auto memories = MakeArgs<PJRT_Device_AddressableMemories_Args>();
         memories.device = a.device;
         FreeError(Real().PJRT_Device_AddressableMemories(&memories));
         if (memories.num_memories != 0) a.memory = memories.memories[memories.num_memories - 1];
       });
     }},
    {"read_topology_leaks", kMemory, "each topology that is read from bytes leaves 512 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(t,
                                                                      [](auto&) { Forget(512); });
     }},
    {"compile_options_leak", kMemory, "compile options that are asked for are left",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(
           t, [](auto& a) { Forget(a.serialized_bytes_size + 64); });
     }},
    {"bitcast_leaks", kMemory, "each bitcast leaves 96 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_Bitcast>(t, [](auto&) { Forget(96); });
     }},
    {"text_of_event_not_copied", "PJRT-Event_Set-outcome",
     "the text of an outcome is read when the outcome is asked for",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Set>(t, [](auto* args) {
         PJRT_Error* error = Real().PJRT_Event_Set(args);
         if (error == nullptr && args->error_code != PJRT_Error_Code_OK) {
           Note(args->event,
                Outcome{args->error_code, args->error_message, args->error_message_size});
         }
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Event_Destroy>(t, [](auto& a) { Note(a.event, Outcome{}); });
       Replace<&PJRT_Api::PJRT_Event_Error>(t, [](auto* args) {
         Outcome outcome = NoteOf<Outcome>(args->event);
         if (outcome.text == nullptr) return Real().PJRT_Event_Error(args);
         return MakeError(outcome.code, {outcome.text, outcome.size});
       });
     }},
};

}  // namespace

std::span<const Mutant> ClientMutants() { return kClientMutants; }

}  // namespace plinth::mutants
