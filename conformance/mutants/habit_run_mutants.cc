// SPDX-License-Identifier: Apache-2.0
// Bugs that plugins of vendors have had or could have: after some history, for some arguments, with
// several objects alive. Here of executions, events and errors. Written from the header and the
// registry, before a look at the cases.

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;
using Execute = PJRT_LoadedExecutable_Execute_Args;

// Calls visit(device, index, buffer) for each argument of an execution.
template <typename Visit>
void ForEachArgument(const Execute& args, Visit visit) {
  if (args.argument_lists == nullptr) return;
  for (size_t device = 0; device < args.num_devices; ++device) {
    if (args.argument_lists[device] == nullptr) continue;
    for (size_t i = 0; i < args.num_args; ++i) {
      if (PJRT_Buffer* buffer = args.argument_lists[device][i]) visit(device, i, buffer);
    }
  }
}

// Executes with options that `change` has changed; the caller's own stay as they are.
template <typename Change>
PJRT_Error* ExecuteWith(Execute* args, Change change) {
  if (args->options == nullptr ||
      args->options->struct_size < StructOf<PJRT_ExecuteOptions>::kMinimumSize) {
    return Real().PJRT_LoadedExecutable_Execute(args);
  }
  PJRT_ExecuteOptions options = {};
  const size_t size = std::min(args->options->struct_size, StructOf<PJRT_ExecuteOptions>::kSize);
  std::memcpy(&options, args->options, size);
  options.struct_size = size;
  change(options);
  return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
      args, [&](auto& own) { own.options = &options; });
}

// Which arguments a run that succeeded has taken.
struct Taken {
  std::set<size_t> indices;
};

// The scalars of an executable's first run, by device and index.
struct Scalars {
  std::map<std::pair<size_t, size_t>, PJRT_Buffer*> values;
};

// Callbacks of an event.
struct Registered {
  int count = 0;
};

// How deep this thread is in callbacks of events.
int& CallbackDepth() {
  static thread_local int depth = 0;
  return depth;
}

// A callback that was registered and has not run.
struct Waiting {
  PJRT_Event* event;
  PJRT_Event_OnReadyCallback callback;
  void* argument;
  bool is_told = false;
};
std::map<PJRT_Event*, std::vector<Waiting*>>& AllWaiting() {
  static auto* const waiting = new std::map<PJRT_Event*, std::vector<Waiting*>>;
  return *waiting;
}

const Mutant kHabitRunMutants[] = {
    // Executions.
    {"first_output_has_error", "PJRT-LoadedExecutable_Execute-error-input",
     "Of several outputs the first alone carries the error of an argument.",
     [](Api& t) {
       RememberClient(t);
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         bool has_error = false;
         ForEachArgument(*a, [&](size_t, size_t, PJRT_Buffer* buffer) {
           has_error = has_error || CarriesError(buffer);
         });
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || !has_error) return error;
         for (size_t device = 0; device < a->num_devices; ++device) {
           std::span<PJRT_Buffer*> outputs = OutputsOf(*a, device);
           for (size_t i = 1; i < outputs.size(); ++i) {
             PJRT_Buffer* made = Uninitialized(outputs[i], LastClient(), DeviceOf(outputs[i]));
             if (made == nullptr) continue;
             Destroy(outputs[i]);
             outputs[i] = made;
           }
         }
         return nullptr;
       });
     }},
    {"same_argument_twice", "PJRT-Args-accepted",
     "A buffer that stands twice among the arguments is refused, also where none is donated.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         std::set<PJRT_Buffer*> seen;
         bool is_twice = false;
         ForEachArgument(a, [&](size_t, size_t, PJRT_Buffer* buffer) {
           is_twice = is_twice || !seen.insert(buffer).second;
         });
         return is_twice;
       });
     }},
    {"failed_run_takes_donation", "PJRT-LoadedExecutable_Execute-failure",
     "A run that is refused takes the arguments that an earlier run of the program was donated.",
     [](Api& t) {
       ForgetExecutables<Taken>(t);
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         std::set<PJRT_Buffer*> gone;
         ForEachArgument(*a, [&](size_t, size_t, PJRT_Buffer* buffer) {
           if (IsDeleted(buffer)) gone.insert(buffer);
         });
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         Taken taken = NoteOf<Taken>(a->executable);
         ForEachArgument(*a, [&](size_t, size_t i, PJRT_Buffer* buffer) {
           if (gone.contains(buffer)) return;
           if (error == nullptr && IsDeleted(buffer)) taken.indices.insert(i);
           if (error != nullptr && taken.indices.contains(i)) Delete(buffer);
         });
         if (error == nullptr && !taken.indices.empty()) Note(a->executable, taken);
         return error;
       });
     }},
    {"one_non_donatable", "PJRT-LoadedExecutable_Execute-not-donated",
     "Of the arguments that must not be donated the first in the list is kept.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteWith(a, [](auto& options) {
           if (options.num_non_donatable_input_indices > 1) {
             options.num_non_donatable_input_indices = 1;
           }
         });
       });
     }},
    {"negative_launch_id", "PJRT-Args-accepted",
     "A launch id with its highest bit set, as hashes of run ids have it, is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto& a) { return a.options != nullptr && a.options->launch_id < 0; });
     }},
    {"context_used_once", "PJRT-FFI_UserData_Add-found",
     "A context serves one execution: those after it go without its data.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         return ExecuteWith(a, [](auto& options) {
           if (options.context == nullptr) return;
           if (IsMarked(options.context)) {
             options.context = nullptr;
           } else {
             Mark(options.context);
           }
         });
       });
       ChangeInputs<&Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) { Unmark(a.context); });
     }},
    {"scalar_argument_cached", "PJRT-LoadedExecutable_Execute-results",
     "Scalar integers are taken for constants: each run computes with those of the first.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto* a) -> PJRT_Error* {
         const Scalars scalars = NoteOf<Scalars>(a->executable);
         for (const auto& [place, buffer] : scalars.values) Destroy(buffer);
         {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_LoadedExecutable, Scalars>().erase(a->executable);
         }
         return Real().PJRT_LoadedExecutable_Destroy(a);
       });
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) -> PJRT_Error* {
         if (a->executable == nullptr || a->argument_lists == nullptr || a->num_args == 0) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         Scalars scalars = NoteOf<Scalars>(a->executable);
         std::vector<std::vector<PJRT_Buffer*>> lists(a->num_devices);
         for (size_t device = 0; device < a->num_devices; ++device) {
           PJRT_Buffer* const* list = a->argument_lists[device];
           if (list == nullptr) return Real().PJRT_LoadedExecutable_Execute(a);
           lists[device].assign(list, list + a->num_args);
         }
         std::vector<PJRT_Buffer*> made;
         ForEachArgument(*a, [&](size_t device, size_t i, PJRT_Buffer* buffer) {
           if (IsDeleted(buffer) || IsPending(buffer) || CarriesError(buffer) ||
               ElementTypeOf(buffer) != PJRT_Buffer_Type_S32 || RankOf(buffer) != 0) {
             return;
           }
           PJRT_Buffer*& kept = scalars.values[{device, i}];
           if (kept == nullptr) {
             kept = CopyOf(buffer);
           } else if (MemoryOf(kept) == MemoryOf(buffer)) {
             if (PJRT_Buffer* copy = CopyOf(kept)) {
               made.push_back(copy);
               lists[device][i] = copy;
             }
           }
         });
         std::erase_if(scalars.values, [](const auto& value) { return value.second == nullptr; });
         Note(a->executable, scalars);
         std::vector<PJRT_Buffer* const*> pointers;
         pointers.reserve(lists.size());
         for (const auto& list : lists) pointers.push_back(list.data());
         PJRT_Error* error = CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.argument_lists = pointers.data(); });
         for (PJRT_Buffer* buffer : made) Destroy(buffer);
         return error;
       });
     }},
    {"run_options_of_today", "PJRT-Args-nested-struct_size",
     "Options of an execution that are shorter than those of the newest header are refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         return a.options != nullptr &&
                a.options->struct_size < StructOf<PJRT_ExecuteOptions>::kSize;
       });
     }},
    {"profiler_node_refused", "PJRT-Args-extension_start",
     "An execution that brings the id of a trace along is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_UNIMPLEMENTED>(t, [](auto& a) {
         for (const PJRT_Extension_Base* node = a.extension_start; node; node = node->next) {
           if (node->type == PJRT_Extension_Type_Profiler) return true;
         }
         return false;
       });
     }},

    // Events and errors.
    {"call_in_callback_refused", "PJRT-Event_OnReady-reentrant",
     "A callback of an event may neither execute nor copy to the host.",
     [](Api& t) {
       ChangeCallbacks(t, [](auto callback, PJRT_Error* error, void* argument) {
         ++CallbackDepth();
         callback(error, argument);
         --CallbackDepth();
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto&) { return CallbackDepth() > 0; });
       Refuse<&Api::PJRT_Buffer_ToHostBuffer, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto&) { return CallbackDepth() > 0; });
     }},
    {"second_callback_lost", "PJRT-Event_OnReady-once",
     "An event that is not ready has room for one callback: those after it never run.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr || IsReady(a->event)) {
           return Real().PJRT_Event_OnReady(a);
         }
         const Registered registered = NoteOf<Registered>(a->event);
         if (registered.count > 0) return nullptr;
         Note(a->event, Registered{1});
         return Real().PJRT_Event_OnReady(a);
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Event, Registered>().erase(a.event);
       });
     }},
    {"error_after_await", "PJRT-Event_Error-independent",
     "A wait takes the error out of an event: who asks for it later gets none.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_Await>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Event_Await(a);
         if (error != nullptr && a->event != nullptr) Mark(a->event);
         return error;
       });
       Replace<&Api::PJRT_Event_Error>(t, [](auto* a) -> PJRT_Error* {
         return IsMarked(a->event) ? nullptr : Real().PJRT_Event_Error(a);
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) { Unmark(a.event); });
     }},
    {"error_text_ends_at_nul", "PJRT-Strings-size",
     "The text of an error ends at the first NUL in it.",
     [](Api& t) {
       Replace<&Api::PJRT_Error_Message>(t, [](auto* a) {
         Real().PJRT_Error_Message(a);
         if (a->message != nullptr) a->message_size = strnlen(a->message, a->message_size);
       });
     }},
    {"empty_payload_skipped", "PJRT-Error_ForEachPayload-once",
     "A payload whose value is empty is not shown.",
     [](Api& t) {
       ChangePayloads(t, [](int, std::string_view key, std::string_view value, auto pass) {
         if (!value.empty()) pass(key, value);
       });
     }},
    {"destroyed_event_callbacks_early", "PJRT-Event_Destroy-callbacks",
     "The callbacks of an event that is destroyed before it is ready run at once, without an "
     "error.",
     [](Api& t) {
       Replace<&Api::PJRT_Event_OnReady>(t, [](auto* a) -> PJRT_Error* {
         if (a->event == nullptr || a->callback == nullptr || IsReady(a->event)) {
           return Real().PJRT_Event_OnReady(a);
         }
         auto* waiting = new Waiting{a->event, a->callback, a->user_arg};
         {
           std::lock_guard<std::mutex> lock(Memory());
           AllWaiting()[a->event].push_back(waiting);
         }
         PJRT_Error* refused = CallChanged<&Api::PJRT_Event_OnReady>(a, [&](auto& own) {
           own.user_arg = waiting;
           own.callback = [](PJRT_Error* error, void* argument) {
             auto* it = static_cast<Waiting*>(argument);
             std::unique_lock<std::mutex> lock(Memory());
             const bool is_told = it->is_told;
             if (!is_told) std::erase(AllWaiting()[it->event], it);
             lock.unlock();
             if (is_told) {
               FreeError(error);
             } else {
               it->callback(error, it->argument);
             }
             delete it;
           };
         });
         if (refused == nullptr) return nullptr;
         std::lock_guard<std::mutex> lock(Memory());
         std::erase(AllWaiting()[a->event], waiting);
         delete waiting;
         return refused;
       });
       ChangeInputs<&Api::PJRT_Event_Destroy>(t, [](auto& a) {
         std::vector<Waiting> early;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (Waiting* waiting : AllWaiting()[a.event]) {
             waiting->is_told = true;
             early.push_back(*waiting);
           }
           AllWaiting().erase(a.event);
         }
         for (const Waiting& waiting : early) waiting.callback(nullptr, waiting.argument);
       });
     }},

};

}  // namespace

std::span<const Mutant> HabitRunMutants() { return kHabitRunMutants; }

}  // namespace plinth::mutants
