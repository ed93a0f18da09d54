// SPDX-License-Identifier: Apache-2.0
// More bugs of a plugin's first releases: errors, events, clients and what stands around them.

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/debut_mutants.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

constexpr auto kCreate = &PJRT_Api::PJRT_Client_Create;
constexpr auto kClose = &PJRT_Api::PJRT_Client_Destroy;
constexpr auto kOnReady = &PJRT_Api::PJRT_Event_OnReady;
constexpr auto kDropEvent = &PJRT_Api::PJRT_Event_Destroy;
constexpr auto kStats = &PJRT_Api::PJRT_Device_MemoryStats;

std::vector<PJRT_Device*> DevicesOf(PJRT_Client* client) {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = client;
  if (client != nullptr) Quiet<&PJRT_Api::PJRT_Client_AddressableDevices>(args);
  return {args.addressable_devices, args.addressable_devices + args.num_addressable_devices};
}

// What was attached to memories.
using Attached = std::pair<PJRT_Memory*, const void*>;
std::set<Attached>& AllAttached() {
  static auto* const all = new std::set<Attached>;
  return *all;
}

// A callback of an event, and what became of the event.
struct Call {
  PJRT_Event_OnReadyCallback callback = nullptr;
  void* argument = nullptr;
  PJRT_Event* event = nullptr;
  bool is_orphan = false;
};
std::set<Call*>& Calls() {
  static auto* const calls = new std::set<Call*>;
  return *calls;
}
// A mutant that runs callbacks by `run(call, error)`.
template <typename Run>
void RunCalls(PJRT_Api& table, Run) {
  ChangeInputs<kOnReady>(table, [](auto& a) {
    if (a.callback == nullptr || a.event == nullptr) return;
    auto* call = new Call{a.callback, a.user_arg, a.event};
    {
      std::lock_guard<std::mutex> lock(Memory());
      Calls().insert(call);
    }
    a.user_arg = call;
    a.callback = [](PJRT_Error* error, void* argument) {
      Call own = *static_cast<Call*>(argument);
      {
        std::lock_guard<std::mutex> lock(Memory());
        own = *static_cast<Call*>(argument);
        Calls().erase(static_cast<Call*>(argument));
      }
      delete static_cast<Call*>(argument);
      Run{}(own, error);
    };
  });
}
// The event whose callback runs on this thread.
PJRT_Event*& EventOfThread() {
  static thread_local PJRT_Event* event = nullptr;
  return event;
}

// What runs callbacks and says whose they are.
PJRT_Event_OnReady*& OnReadyBehind() {
  static PJRT_Event_OnReady* behind = nullptr;
  return behind;
}

// The same code and text, and nothing else.
PJRT_Error* Rebuilt(PJRT_Error* error) {
  if (error == nullptr) return nullptr;
  auto code = MakeArgs<PJRT_Error_GetCode_Args>();
  code.error = error;
  FreeError(Real().PJRT_Error_GetCode(&code));
  auto text = MakeArgs<PJRT_Error_Message_Args>();
  text.error = error;
  Real().PJRT_Error_Message(&text);
  PJRT_Error* made = MakeError(code.code, {text.message, text.message_size});
  FreeError(error);
  return made;
}

// Fails all events that callers made and have not set.
void CancelEvents() {
  std::unique_lock<std::mutex> lock(Memory());
  const auto events = Marked<PJRT_Event>();
  lock.unlock();
  constexpr std::string_view kText = "a client was destroyed";
  for (PJRT_Event* event : events) {
    auto set = MakeArgs<PJRT_Event_Set_Args>();
    set.event = event;
    set.error_code = PJRT_Error_Code_CANCELLED;
    set.error_message = kText.data();
    set.error_message_size = kText.size();
    Quiet<&PJRT_Api::PJRT_Event_Set>(set);
  }
}

// Bytes that are added to, or taken from, what a device says to be in use.
std::map<PJRT_Device*, int64_t>& Skew() {
  static auto* const skew = new std::map<PJRT_Device*, int64_t>;
  return *skew;
}
void SkewStats(PJRT_Api& table) {
  ChangeOutputs<kStats>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    a.bytes_in_use = std::max<int64_t>(0, a.bytes_in_use + Skew()[a.device]);
    if (a.peak_bytes_in_use_is_set)
      a.peak_bytes_in_use = std::max(a.peak_bytes_in_use, a.bytes_in_use);
  });
}

// Bytes of a buffer that was deleted and not freed.
struct Left {
  PJRT_Device* device = nullptr;
  int64_t bytes = 0;
};

constexpr Mutant kDebutClientMutants[] = {
    {"debut_attached_goes_with_any_client", "PJRT-Client_Destroy-others",
     "what is attached to memories of other clients is freed when a client is destroyed",
     [](PJRT_Api& t) {
       ChangeMemories(t, [](PJRT_Memory_FunctionTable& own) {
         own.set_user_data = [](PJRT_Memory* memory, const void* key, void* data,
                                void (*dtor)(void*)) {
           {
             std::lock_guard<std::mutex> lock(Memory());
             AllAttached().emplace(memory, key);
           }
           MemoriesBehind()->set_user_data(memory, key, data, dtor);
         };
       });
       ChangeInputs<kClose>(t, [](auto& a) {
         if (a.client == nullptr) return;
         std::unique_lock<std::mutex> lock(Memory());
         const auto all = std::exchange(AllAttached(), {});
         lock.unlock();
         for (auto& [memory, key] : all)
           MemoriesBehind()->set_user_data(memory, key, nullptr, nullptr);
       });
     }},
    {"debut_orphans_succeed", "PJRT-Event_Destroy-callbacks",
     "callbacks of an event that was freed before it was ready are told that all went well",
     [](PJRT_Api& t) {
       RunCalls(t, [](const Call& call, PJRT_Error* error) {
         if (call.is_orphan) FreeError(std::exchange(error, nullptr));
         call.callback(error, call.argument);
       });
       ChangeInputs<kDropEvent>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (Call* call : Calls())
           if (call->event == a.event) call->is_orphan = true;
       });
     }},
    {"debut_room_for_sixteen", "PJRT-Event_OnReady-once",
     "an event that is not ready keeps 16 callbacks; more are lost",
     [](PJRT_Api& t) {
       Replace<kOnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr || IsReady(a->event))
           return Real().PJRT_Event_OnReady(a);
         const int count = NoteOf<int>(a->event);
         if (count == 16) return nullptr;
         Note(a->event, count + 1);
         return Real().PJRT_Event_OnReady(a);
       });
       ChangeInputs<kDropEvent>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, int>().erase(a.event);
       });
     }},
    {"debut_callback_registers_in_vain", "PJRT-Event_OnReady-reentrant",
     "a callback that is registered with an event by another one of its callbacks never runs",
     [](PJRT_Api& t) {
       RunCalls(t, [](const Call& call, PJRT_Error* error) {
         PJRT_Event* before = std::exchange(EventOfThread(), call.event);
         call.callback(error, call.argument);
         EventOfThread() = before;
       });
       OnReadyBehind() = t.PJRT_Event_OnReady;
       Replace<kOnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event != nullptr && a->event == EventOfThread()) return nullptr;
         return OnReadyBehind()(a);
       });
     }},
    {"debut_callbacks_get_no_payload", "PJRT-Error_ForEachPayload-once",
     "the errors that callbacks get have code and text, and no payload",
     [](PJRT_Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         callback(Rebuilt(error), argument);
       });
     }},
    {"debut_text_of_1023", "PJRT-Event_Set-outcome", "the text of an outcome ends after 1023 bytes",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Event_Set>(
           t, [](auto& a) { a.error_message_size = std::min<size_t>(a.error_message_size, 1023); });
     }},
    {"debut_wait_gives_up", "PJRT-Event_Set-outcome",
     "waiting for an event ends with DEADLINE_EXCEEDED after a second",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Event_Await>(t, [](auto* a) {
         for (int i = 0; a->event != nullptr && !IsReady(a->event); ++i) {
           if (i == 500) return MakeError(PJRT_Error_Code_DEADLINE_EXCEEDED, "waited too long");
           std::this_thread::sleep_for(std::chrono::milliseconds(2));
         }
         return Real().PJRT_Event_Await(a);
       });
     }},
    {"debut_events_go_with_client", "PJRT-Client_Destroy-others",
     "when a client is destroyed all events fail that callers made and have not set",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Event_Create>(t, [](auto& a) { Mark(a.event); });
       ChangeOutputs<&PJRT_Api::PJRT_Event_Set>(t, [](auto& a) { Unmark(a.event); });
       ChangeInputs<kDropEvent>(t, [](auto& a) { Unmark(a.event); });
       ChangeInputs<kClose>(t, [](auto& a) {
         if (a.client != nullptr) CancelEvents();
       });
     }},
    {"debut_failed_start_locks", "PJRT-Args-accepted",
     "after options that are refused no client can be made any more",
     [](PJRT_Api& t) {
       Replace<kCreate>(t, [](auto* a) {
         static bool is_locked = false;
         if (is_locked) return MakeError(PJRT_Error_Code_UNAVAILABLE, "the device is in use");
         PJRT_Error* error = Real().PJRT_Client_Create(a);
         is_locked = error != nullptr;
         return error;
       });
     }},
    {"debut_rounding_after_failure", "PJRT-Process-state",
     "a compilation that fails leaves rounding toward zero behind",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) std::fesetround(FE_TOWARDZERO);
         return error;
       });
     }},
    {"debut_peaks_cleared_together", "PJRT-Args-output-true",
     "clearing the counters of a device clears those of all",
     [](PJRT_Api& t) {
       RememberClientsOfDevices(t);
       ChangeOutputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto& a) {
         for (PJRT_Device* device : DevicesOf(ClientOf(a.device))) {
           auto args = MakeArgs<PJRT_Device_ClearMemoryStats_Args>();
           args.device = device;
           Quiet<&PJRT_Api::PJRT_Device_ClearMemoryStats>(args);
         }
       });
     }},
    {"debut_deleted_counts", "PJRT-Device_MemoryStats-in-use",
     "the bytes of a deleted array count until its handle is freed",
     [](PJRT_Api& t) {
       SkewStats(t);
       Replace<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         Left left;
         if (a->buffer != nullptr && !IsDeleted(a->buffer))
           left = {DeviceOf(a->buffer), static_cast<int64_t>(SizeOf(a->buffer))};
         PJRT_Error* error = Real().PJRT_Buffer_Delete(a);
         if (error != nullptr || left.device == nullptr) return error;
         Note(a->buffer, left);
         std::lock_guard<std::mutex> lock(Memory());
         Skew()[left.device] += left.bytes;
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         const Left left = NoteOf<Left>(a.buffer);
         std::lock_guard<std::mutex> lock(Memory());
         if (left.device != nullptr) Skew()[left.device] -= left.bytes;
         Noted<PJRT_Buffer, Left>().erase(a.buffer);
       });
     }},
    {"debut_second_start_resets", "PJRT-Plugin_Initialize-again",
     "PJRT_Plugin_Initialize sets the counters of the last client's devices to 0",
     [](PJRT_Api& t) {
       RememberClient(t);
       SkewStats(t);
       ChangeInputs<kClose>(t, [](auto& a) {
         if (a.client == LastClient()) LastClient() = nullptr;
       });
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Initialize>(t, [](auto&) {
         for (PJRT_Device* device : DevicesOf(LastClient())) {
           auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
           args.device = device;
           Quiet<kStats>(args);
           std::lock_guard<std::mutex> lock(Memory());
           Skew()[device] = -args.bytes_in_use;
         }
       });
     }},
    {"debut_kinds_lost_in_bytes", "PJRT-TopologyDescription_Deserialize-same",
     "a topology from bytes lists the first kind of memory only",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(
           t, [](auto& a) { Mark(a.topology); });
       ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(
           t, [](auto& a) { Unmark(a.topology); });
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(t, [](auto& a) {
         if (IsMarked(a.topology))
           a.num_memory_space_kind_ids = std::min<size_t>(a.num_memory_space_kind_ids, 1);
       });
     }},
    {"debut_layout_goes_with_array", "PJRT-Args-output-lifetime",
     "the layout of an array has no dimensions in its text once the array is freed",
     [](PJRT_Api& t) {
       using Extension = PJRT_Layouts_Extension;
       constexpr auto kType = PJRT_Extension_Type_Layouts;
       ReplaceIn<&Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout, kType>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error == nullptr) Note(a->layout, a->buffer);
             return error;
           });
       ReplaceIn<&Extension::PJRT_Layouts_MemoryLayout_Destroy, kType>(
           t, [](auto* a, auto* behind) {
             Unmark(a->layout);
             std::unique_lock<std::mutex> lock(Memory());
             Noted<PJRT_Layouts_MemoryLayout, PJRT_Buffer*>().erase(a->layout);
             lock.unlock();
             return behind(a);
           });
       ReplaceIn<&Extension::PJRT_Layouts_MemoryLayout_Serialize, kType>(
           t, [](auto* a, auto* behind) {
             PJRT_Error* error = behind(a);
             if (error == nullptr && IsMarked(a->layout)) {
               a->serialized_bytes = "{}";
               a->serialized_bytes_size = 2;
             }
             return error;
           });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (auto& [layout, buffer] : Noted<PJRT_Layouts_MemoryLayout, PJRT_Buffer*>())
           if (buffer == a.buffer) Marked<PJRT_Layouts_MemoryLayout>().insert(layout);
       });
     }},
};

}  // namespace

std::span<const Mutant> DebutClientMutants() { return kDebutClientMutants; }

}  // namespace plinth::mutants
