// SPDX-License-Identifier: Apache-2.0
// What is wrong in how programs are compiled, kept and run, at some numbers and in some orders.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_ffi_extension.h"

namespace plinth::mutants {
namespace {

using ExecuteArgs = PJRT_LoadedExecutable_Execute_Args;
constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;

// Runs with other arguments: `change` gets the list of one device.
template <typename Change>
PJRT_Error* ExecuteChanged(ExecuteArgs* args, Change change) {
  if (args->argument_lists == nullptr || args->num_args == 0) return (Real().*kExecute)(args);
  std::vector<std::vector<PJRT_Buffer*>> lists;
  std::vector<PJRT_Buffer* const*> pointers;
  for (size_t i = 0; i < args->num_devices; ++i) {
    lists.emplace_back(args->argument_lists[i], args->argument_lists[i] + args->num_args);
    change(i, lists.back());
  }
  pointers.reserve(lists.size());
  for (auto& list : lists) pointers.push_back(list.data());
  return CallChanged<kExecute>(args, [&](auto& a) { a.argument_lists = pointers.data(); });
}

// Runs with other options.
template <typename Change>
PJRT_Error* ExecuteOptioned(ExecuteArgs* args, Change change) {
  if (args->options == nullptr) return (Real().*kExecute)(args);
  PJRT_ExecuteOptions options = {};
  std::memcpy(&options, args->options, std::min(sizeof(options), args->options->struct_size));
  options.struct_size = std::min(sizeof(options), args->options->struct_size);
  change(options);
  return CallChanged<kExecute>(args, [&](auto& a) { a.options = &options; });
}
size_t NotDonated(const PJRT_ExecuteOptions& options) {
  return options.non_donatable_input_indices == nullptr ? 0
                                                        : options.num_non_donatable_input_indices;
}

struct Result {
  std::vector<PJRT_Buffer*> of;
  std::vector<PJRT_Buffer*> outputs;
};

struct Kept {
  const char* at = nullptr;
  std::string were;
};

// The program that is being compiled by some thread.
struct Compiling {
  const PJRT_Program* program = nullptr;
};

constexpr Mutant kRunMutants[] = {
    {"serialize_after_delete", "PJRT-LoadedExecutable_GetExecutable-independent",
     "an executable whose loaded one is deleted is not serialized",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, a.loaded_executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Delete>(t,
                                                             [](auto& a) { Mark(a.executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(
           t, [](auto& a) { Unmark(a.executable); });
       Refuse<&PJRT_Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         return IsMarked(
             NoteOf<PJRT_LoadedExecutable*>(const_cast<PJRT_Executable*>(a.executable)));
       });
     }},
    {"bytes_read_at_first_run", "PJRT-Executable_DeserializeAndLoad-same",
     "what was loaded reads its bytes again when it runs",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         Note(a.loaded_executable,
              Kept{a.serialized_executable,
                   std::string(a.serialized_executable, a.serialized_executable_size)});
       });
       ForgetExecutables<Kept>(t);
       Refuse<kExecute, PJRT_Error_Code_INTERNAL>(t, [](auto& a) {
         Kept kept = NoteOf<Kept>(a.executable);
         return kept.at != nullptr && std::memcmp(kept.at, kept.were.data(), kept.were.size()) != 0;
       });
     }},
    {"overrides_dropped", "PJRT-Executable_DeserializeAndLoad-overrides",
     "options that are given at loading are not looked at",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         a.overridden_serialized_compile_options = nullptr;
         a.overridden_serialized_compile_options_size = 0;
       });
     }},
    {"argument_sixty_five", "PJRT-LoadedExecutable_Execute-results",
     "from the 65th on arguments are the 64th",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         return ExecuteChanged(args, [](size_t, auto& list) {
           for (size_t i = 64; i < list.size(); ++i) list[i] = list[63];
         });
       });
     }},
    {"outputs_exchanged", "PJRT-LoadedExecutable_Execute-results",
     "the 17th and 18th output are exchanged",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_devices; ++i) {
           auto outputs = OutputsOf(a, i);
           if (outputs.size() > 17) std::swap(outputs[16], outputs[17]);
         }
       });
     }},
    {"indices_in_order_only", "PJRT-LoadedExecutable_Execute-not-donated",
     "indices that are not donated are found where they are sorted",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         return ExecuteOptioned(args, [](auto& options) {
           const int64_t* indices = options.non_donatable_input_indices;
           const size_t count = NotDonated(options);
           if (count > 1 && !std::is_sorted(indices, indices + count))
             options.num_non_donatable_input_indices = 0;
         });
       });
     }},
    {"donated_on_first_device", "PJRT-LoadedExecutable_Execute-donation",
     "arguments of devices after the first stay where they were donated",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         return ExecuteChanged(args, [](size_t device, auto& list) {
           if (device == 0) return;
           for (PJRT_Buffer*& buffer : list) {
             if (!IsPending(buffer) && !IsDeleted(buffer) && !CarriesError(buffer))
               buffer = CopyOf(buffer);
           }
         });
       });
     }},
    {"failure_takes_first", "PJRT-LoadedExecutable_Execute-failure",
     "a run that is refused for a deleted later argument deletes the first",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         PJRT_Error* error = (Real().*kExecute)(args);
         if (error != nullptr && args->num_devices > 0 && args->num_args > 1 &&
             args->argument_lists != nullptr &&
             IsDeleted(args->argument_lists[0][args->num_args - 1]))
           Delete(args->argument_lists[0][0]);
         return error;
       });
     }},
    {"error_of_later_argument", "PJRT-LoadedExecutable_Execute-error-input",
     "the error of an argument after the first is not looked at",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<kExecute>(t, [](auto* args) {
         return ExecuteChanged(args, [](size_t, auto& list) {
           for (size_t i = 1; i < list.size(); ++i) {
             if (CarriesError(list[i]))
               list[i] = Uninitialized(list[i], LastClient(), DeviceOf(list[i]));
           }
         });
       });
     }},
    {"no_output_no_event", "PJRT-LoadedExecutable_Execute-done",
     "a program without outputs gives no complete event",
     [](PJRT_Api& t) {
       ChangeOutputs<kExecute>(t, [](auto& a) {
         if (a.device_complete_events == nullptr || NumOutputsOf(a.executable) != 0) return;
         for (size_t i = 0; i < a.num_devices; ++i) {
           Drop(a.device_complete_events[i]);
           a.device_complete_events[i] = nullptr;
         }
       });
     }},
    {"launch_of_16_bits", "PJRT-Args-accepted", "launch ids above 65535 are refused",
     [](PJRT_Api& t) {
       Refuse<kExecute>(
           t, [](auto& a) { return a.options != nullptr && a.options->launch_id > 65535; });
     }},
    {"device_at_run_dropped", "PJRT-LoadedExecutable_Execute-results",
     "execute_device is not looked at",
     [](PJRT_Api& t) { ChangeInputs<kExecute>(t, [](auto& a) { a.execute_device = nullptr; }); }},
    {"results_by_handle", "PJRT-LoadedExecutable_Execute-results",
     "a run on the same handles gives what it gave before, though they are other buffers",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) -> PJRT_Error* {
         static auto* const kept = new std::map<PJRT_LoadedExecutable*, Result>;
         PJRT_Error* error = (Real().*kExecute)(args);
         if (error != nullptr || args->num_devices != 1 || args->num_args == 0) return error;
         auto outputs = OutputsOf(*args);
         std::vector<PJRT_Buffer*> of(args->argument_lists[0],
                                      args->argument_lists[0] + args->num_args);
         std::lock_guard<std::mutex> lock(Memory());
         for (PJRT_Buffer* output : outputs)
           if (IsPending(output) || CarriesError(output)) return nullptr;
         Result& before = (*kept)[args->executable];
         if (before.of == of && before.outputs.size() == outputs.size()) {
           for (size_t i = 0; i < outputs.size(); ++i) {
             if (SizeOf(outputs[i]) == SizeOf(before.outputs[i]) && SizeOf(outputs[i]) != 0)
               std::memcpy(BytesOf(outputs[i]), BytesOf(before.outputs[i]), SizeOf(outputs[i]));
           }
           return nullptr;
         }
         before.of = of;
         before.outputs.clear();
         for (PJRT_Buffer* output : outputs) before.outputs.push_back(CopyOf(output));
         return nullptr;
       });
       ForgetExecutables<Kept>(t);
     }},
    {"shared_scratch", "PJRT-LoadedExecutable_Execute-results",
     "runs of one program at the same time spoil each other's results",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         static std::atomic<int> running = 0;
         const bool alone = running.fetch_add(1) == 0;
         PJRT_Error* error = (Real().*kExecute)(args);
         std::this_thread::sleep_for(std::chrono::microseconds(200));
         if (error == nullptr && !alone)
           for (PJRT_Buffer* output : OutputsOf(*args)) Clear(output);
         --running;
         return error;
       });
     }},
    {"options_read_beyond", "PJRT-Args-nested-struct_size",
     "execute options are read to their newest field",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* args) {
         if (args->options == nullptr || args->options->struct_size >= sizeof(PJRT_ExecuteOptions))
           return (Real().*kExecute)(args);
         PJRT_ExecuteOptions options = *args->options;
         options.struct_size =
             PJRT_STRUCT_SIZE(PJRT_ExecuteOptions, num_non_donatable_input_indices);
         return CallChanged<kExecute>(args, [&](auto& a) { a.options = &options; });
       });
     }},
    {"second_extension_refused", "PJRT-Args-extension_start",
     "an upload with two unknown extensions is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         return a.extension_start != nullptr && a.extension_start->next != nullptr;
       });
     }},
    {"newer_layout_refused", "PJRT-Args-nested-struct_size",
     "a host layout of a newer size is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Buffer_ToHostBuffer>(t, [](auto& a) {
         return a.host_layout != nullptr &&
                a.host_layout->struct_size > sizeof(PJRT_Buffer_MemoryLayout);
       });
     }},
    {"option_by_prefix", "PJRT-Client_Create-unknown-option",
     "a create option that begins as a known one does is taken for it",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_Create>(t, [](auto* args) {
         std::vector<PJRT_NamedValue> options;
         for (size_t i = 0; args->create_options != nullptr && i < args->num_options; ++i) {
           options.push_back(args->create_options[i]);
           const std::string_view name(options.back().name, options.back().name_size);
           if (name.starts_with("num_devices")) options.back().name_size = 11;
         }
         if (options.size() != args->num_options) return Real().PJRT_Client_Create(args);
         return CallChanged<&PJRT_Api::PJRT_Client_Create>(
             args, [&](auto& a) { a.create_options = options.data(); });
       });
     }},
    {"attributes_leak", "PJRT-Process-memory", "asking for the plugin's attributes loses 80 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Plugin_Attributes>(t, [](auto&) { Forget(80); });
     }},
    {"optimized_program_leaks", "PJRT-Process-memory",
     "asking for the optimized program loses 300 bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto&) { Forget(300); });
     }},
    {"one_region_mapped", "PJRT-Args-accepted", "a second region is not mapped beside the first",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_Client_DmaMap>(t, [](auto* args) {
         if (!Marked<void>().empty())
           return MakeError(PJRT_Error_Code_RESOURCE_EXHAUSTED, "one region is mapped");
         PJRT_Error* error = Real().PJRT_Client_DmaMap(args);
         if (error == nullptr) Mark(args->data);
         return error;
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_DmaUnmap>(t, [](auto& a) { Unmark(a.data); });
     }},
};

}  // namespace

std::span<const Mutant> RunMutants() { return kRunMutants; }

}  // namespace plinth::mutants
