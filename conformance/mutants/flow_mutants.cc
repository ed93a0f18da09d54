// SPDX-License-Identifier: Apache-2.0
// Bugs of how executions, events and errors go on. Written from the header, without looking at the
// cases.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;
using std::chrono::milliseconds;

// Calls `body` with each argument of an execution.
template <typename Args, typename Body>
void ForEachArgument(const Args& args, Body body) {
  if (args.argument_lists == nullptr) return;
  for (size_t d = 0; d < args.num_devices; ++d) {
    for (size_t i = 0; i < args.num_args; ++i) body(args.argument_lists[d][i]);
  }
}

void Wait(PJRT_Event* event) {
  (void)Fails(event);
  Drop(event);
}

// Executes with these arguments protected.
PJRT_Error* ExecuteProtecting(PJRT_LoadedExecutable_Execute_Args* args,
                              const std::vector<int64_t>& indices) {
  PJRT_ExecuteOptions options = {};
  std::memcpy(&options, args->options, std::min(sizeof(options), args->options->struct_size));
  options.struct_size = sizeof(options);
  options.non_donatable_input_indices = indices.data();
  options.num_non_donatable_input_indices = indices.size();
  return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
      args, [&](auto& own) { own.options = &options; });
}

bool ReachesProtected(const PJRT_ExecuteOptions* options) {
  return options != nullptr &&
         options->struct_size >= offsetof(PJRT_ExecuteOptions, num_non_donatable_input_indices) +
                                     sizeof(options->num_non_donatable_input_indices);
}

const PJRT_Error_FunctionTable*& TableBehind() {
  static const PJRT_Error_FunctionTable* behind = nullptr;
  return behind;
}

// Gives an error a function table that `Change` has changed.
template <typename Change>
PJRT_Error* WithOwnTable(PJRT_Error* error) {
  if (error == nullptr || error->vtable == nullptr) return error;
  static const PJRT_Error_FunctionTable* const own = [&] {
    TableBehind() = error->vtable;
    auto* table = Kept(*error->vtable);
    Change{}(*table);
    return table;
  }();
  error->vtable = own;
  return error;
}

// A mutant whose events give errors with a function table that is wrong; the functions of the API
// answer as before.
template <typename Change>
void ChangeTablesOfErrors(Api& t, Change) {
  Replace<&Api::PJRT_Event_Await>(
      t, [](auto* a) { return WithOwnTable<Change>(Real().PJRT_Event_Await(a)); });
  Replace<&Api::PJRT_Event_Error>(
      t, [](auto* a) { return WithOwnTable<Change>(Real().PJRT_Event_Error(a)); });
  Replace<&Api::PJRT_Error_GetCode>(t, [](auto* a) -> PJRT_Error* {
    if (a->error == nullptr || TableBehind() == nullptr) return Real().PJRT_Error_GetCode(a);
    a->code = TableBehind()->get_code(a->error);
    return nullptr;
  });
  Replace<&Api::PJRT_Error_ForEachPayload>(t, [](auto* a) -> PJRT_Error* {
    if (a->error == nullptr || a->visitor == nullptr || TableBehind() == nullptr) {
      return Real().PJRT_Error_ForEachPayload(a);
    }
    TableBehind()->for_each_payload(a->error, a->visitor, a->user_arg);
    return nullptr;
  });
}

// An execution and the event that is handed out for it in place of the plugin's.
struct Run {
  PJRT_Event* event = nullptr;
  bool has_lost_output = false, is_set = false, is_destroyed = false;
};
struct RunOf {
  Run* run = nullptr;
};

// Sets the event of an execution that is done; takes the error.
void FinishRun(PJRT_Error* error, void* argument) {
  auto* run = static_cast<Run*>(argument);
  auto set = MakeArgs<PJRT_Event_Set_Args>();
  set.event = run->event;
  std::string text;
  if (error != nullptr) {
    auto code = MakeArgs<PJRT_Error_GetCode_Args>();
    code.error = error;
    Quiet<&Api::PJRT_Error_GetCode>(code);
    auto message = MakeArgs<PJRT_Error_Message_Args>();
    message.error = error;
    Real().PJRT_Error_Message(&message);
    set.error_code = code.code;
    text.assign(message.message, message.message_size);
    FreeError(error);
  }
  {
    std::lock_guard<std::mutex> lock(Memory());
    if (run->has_lost_output) {
      set.error_code = PJRT_Error_Code_INTERNAL;
      text = "an output is gone";
    }
  }
  set.error_message = text.data();
  set.error_message_size = text.size();
  Quiet<&Api::PJRT_Event_Set>(set);
  std::unique_lock<std::mutex> lock(Memory());
  run->is_set = true;
  const bool is_destroyed = run->is_destroyed;
  lock.unlock();
  if (is_destroyed) Drop(run->event);
}

void LoseOutput(PJRT_Buffer* buffer) {
  Run* run = NoteOf<RunOf>(buffer).run;
  if (run == nullptr || !IsPending(buffer)) return;
  std::lock_guard<std::mutex> lock(Memory());
  run->has_lost_output = true;
}

// Handles of one address that the caller frees several times.
struct Holds {
  size_t more = 0;
};

// Takes what is noted of a handle.
template <typename Value, typename Handle>
Value TakeNote(Handle* handle) {
  Value value = NoteOf<Value>(handle);
  std::lock_guard<std::mutex> lock(Memory());
  Noted<Handle, Value>().erase(handle);
  return value;
}

using Buffers = std::vector<PJRT_Buffer*>;
using Events = std::vector<PJRT_Event*>;

const Mutant kFlowMutants[] = {
    {"success_is_an_error_object", "PJRT-Error-caller-frees",
     "A callback that waited for an event that succeeds gets an error that says OK.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_OnReady>(t, [](auto& a) {
         struct Call {
           PJRT_Event_OnReadyCallback callback;
           void* argument;
         };
         if (a.callback == nullptr || a.event == nullptr || IsReady(a.event)) return;
         a.user_arg = new Call{a.callback, a.user_arg};
         a.callback = [](PJRT_Error* error, void* argument) {
           const Call call = *static_cast<Call*>(argument);
           delete static_cast<Call*>(argument);
           if (error == nullptr) error = MakeError(PJRT_Error_Code_UNKNOWN, "OK");
           call.callback(error, call.argument);
         };
       });
     }},
    {"failed_is_never_ready", "PJRT-Args-output-true",
     "An event that has failed does not count as ready.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Event_IsReady>(t, [](auto& a) {
         if (a.is_ready && Fails(a.event)) a.is_ready = false;
       });
     }},
    {"await_gives_up", "PJRT-Args-accepted",
     "Who waits for an event longer than half a second gets DEADLINE_EXCEEDED.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) {
         if (a->event == nullptr) return Real().PJRT_Event_Await(a);
         const auto end = std::chrono::steady_clock::now() + milliseconds(500);
         while (!IsReady(a->event)) {
           if (std::chrono::steady_clock::now() > end) {
             return MakeError(PJRT_Error_Code_DEADLINE_EXCEEDED, "no answer of the device");
           }
           std::this_thread::sleep_for(std::chrono::microseconds(200));
         }
         return Real().PJRT_Event_Await(a);
       });
     }},
    {"success_with_text_fails", "PJRT-Event_Set-outcome",
     "An event that is set to OK with a text fails.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Event_Set>(t, [](auto& a) {
         if (a.error_code == PJRT_Error_Code_OK && a.error_message_size > 0) {
           a.error_code = PJRT_Error_Code_UNKNOWN;
         }
       });
     }},
    {"callbacks_one_at_a_time", "PJRT-Callback-once",
     "A callback of an event begins when those of other threads have ended.",
     [](Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         static std::recursive_mutex mutex;
         std::lock_guard<std::recursive_mutex> lock(mutex);
         callback(error, argument);
       });
     }},
    {"table_says_unknown", "PJRT-Error-head",
     "The function table of an event's error says UNKNOWN for every code.",
     [](Api& t) {
       ChangeTablesOfErrors(t, [](PJRT_Error_FunctionTable& table) {
         table.get_code = [](const PJRT_Error*) { return PJRT_Error_Code_UNKNOWN; };
       });
     }},
    {"table_has_no_payloads", "PJRT-Error-head",
     "The function table of an event's error visits no payload.",
     [](Api& t) {
       ChangeTablesOfErrors(t, [](PJRT_Error_FunctionTable& table) {
         table.for_each_payload = [](const PJRT_Error*, PJRT_Error_PayloadVisitor, void*) {};
       });
     }},
    {"run_waits_for_arguments", "PJRT-Args-accepted",
     "An execution returns when its arguments are there.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         ForEachArgument(a, [](PJRT_Buffer* buffer) {
           if (IsPending(buffer)) Wait(ReadyEventOf(buffer));
         });
       });
     }},
    {"error_input_keeps_donated", "PJRT-LoadedExecutable_Execute-donation",
     "An execution with an argument that carries an error does not take donated ones.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         bool carries = false;
         ForEachArgument(*a, [&](PJRT_Buffer* buffer) { carries |= CarriesError(buffer); });
         if (!carries || !ReachesProtected(a->options)) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         std::vector<int64_t> all(a->num_args);
         std::iota(all.begin(), all.end(), 0);
         return ExecuteProtecting(a, all);
       });
     }},
    {"mask_of_32_arguments", "PJRT-LoadedExecutable_Execute-not-donated",
     "Arguments that are not to be donated are kept in a mask of 32 bits.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (!ReachesProtected(a->options)) return Real().PJRT_LoadedExecutable_Execute(a);
         const PJRT_ExecuteOptions& given = *a->options;
         std::vector<int64_t> few(
             given.non_donatable_input_indices,
             given.non_donatable_input_indices + given.num_non_donatable_input_indices);
         const size_t all = few.size();
         std::erase_if(few, [](int64_t index) { return index >= 32; });
         return few.size() == all ? Real().PJRT_LoadedExecutable_Execute(a)
                                  : ExecuteProtecting(a, few);
       });
     }},
    {"no_list_of_no_outputs", "PJRT-Args-accepted",
     "A program without outputs wants a list for them that is not null.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         return a.output_lists != nullptr && a.num_devices > 0 && a.output_lists[0] == nullptr;
       });
     }},
    {"tokens_refused", "PJRT-Args-accepted", "A token is refused as an argument.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         bool has_token = false;
         ForEachArgument(a, [&](PJRT_Buffer* buffer) {
           has_token |= ElementTypeOf(buffer) == PJRT_Buffer_Type_TOKEN;
         });
         return has_token;
       });
     }},
    {"keeps_last_arguments", "PJRT-Device_MemoryStats-in-use",
     "An executable keeps the memory of the arguments of its last run.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (PJRT_Buffer* old : TakeNote<Buffers>(a.executable)) Destroy(old);
         Buffers kept;
         ForEachArgument(a, [&](PJRT_Buffer* buffer) {
           PJRT_Buffer* copy = IsDeleted(buffer) ? nullptr : CopyOf(buffer);
           if (copy != nullptr) kept.push_back(copy);
         });
         Note(a.executable, kept);
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         for (PJRT_Buffer* old : TakeNote<Buffers>(a.executable)) Destroy(old);
       });
     }},
    {"unused_output_fails_run", "PJRT-LoadedExecutable_Execute-done",
     "An execution counts as failed if an output is deleted or destroyed before it is there.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices != 1 || a.device_complete_events == nullptr) return;
         PJRT_Event* done = a.device_complete_events[0];
         if (done == nullptr || IsReady(done)) return;
         auto* run = new Run{PendingEvent()};
         Note(run->event, RunOf{run});
         for (PJRT_Buffer* output : OutputsOf(a)) Note(output, RunOf{run});
         auto on_ready = MakeArgs<PJRT_Event_OnReady_Args>();
         on_ready.event = done;
         on_ready.callback = FinishRun;
         on_ready.user_arg = run;
         Quiet<&Api::PJRT_Event_OnReady>(on_ready);
         Drop(done);
         a.device_complete_events[0] = run->event;
       });
       ChangeInputs<&Api::PJRT_Buffer_Delete>(t, [](auto& a) { LoseOutput(a.buffer); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         LoseOutput(a.buffer);
         (void)TakeNote<RunOf>(a.buffer);
       });
       Replace<&Api::PJRT_Event_Destroy>(t, [](auto* a) -> PJRT_Error* {
         if (Run* run = TakeNote<RunOf>(a->event).run) {
           std::lock_guard<std::mutex> lock(Memory());
           run->is_destroyed = true;
           if (!run->is_set) return nullptr;
         }
         return Real().PJRT_Event_Destroy(a);
       });
     }},
    {"one_event_for_all_devices", "PJRT-Args-output-new",
     "The complete events of a launch's devices are one event, held once for each.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_devices < 2 || a.device_complete_events == nullptr) return;
         for (size_t d = 1; d < a.num_devices; ++d) {
           Drop(a.device_complete_events[d]);
           a.device_complete_events[d] = a.device_complete_events[0];
         }
         Note(a.device_complete_events[0], Holds{a.num_devices - 1});
       });
       Replace<&Api::PJRT_Event_Destroy>(t, [](auto* a) -> PJRT_Error* {
         const Holds holds = TakeNote<Holds>(a->event);
         if (holds.more == 0) return Real().PJRT_Event_Destroy(a);
         Note(a->event, Holds{holds.more - 1});
         return nullptr;
       });
     }},
    {"unloading_waits", "PJRT-Args-accepted",
     "Unloading a program waits for the results of its runs.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         Events events = TakeNote<Events>(a.executable);
         std::erase_if(events, [](PJRT_Event* event) {
           const bool is_done = IsReady(event);
           if (is_done) Drop(event);
           return is_done;
         });
         for (size_t d = 0; d < a.num_devices; ++d) {
           for (PJRT_Buffer* output : OutputsOf(a, d)) {
             if (IsPending(output)) events.push_back(ReadyEventOf(output));
           }
         }
         Note(a.executable, events);
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         for (PJRT_Event* event : TakeNote<Events>(a.executable)) Wait(event);
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         for (PJRT_Event* event : TakeNote<Events>(a.executable)) Drop(event);
       });
     }},
};

}  // namespace

std::span<const Mutant> FlowMutants() { return kFlowMutants; }

}  // namespace plinth::mutants
