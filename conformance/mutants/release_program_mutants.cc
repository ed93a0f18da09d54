// SPDX-License-Identifier: Apache-2.0
// Bugs of a plugin's first releases: how programs are compiled, described, kept and run.

#include <algorithm>
#include <array>
#include <cctype>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "conformance/mutants/release_mutants.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

using Loaded = PJRT_LoadedExecutable;
constexpr auto kCompile = &PJRT_Api::PJRT_Client_Compile;
constexpr auto kExecute = &PJRT_Api::PJRT_LoadedExecutable_Execute;
constexpr auto kFromBytes = &PJRT_Api::PJRT_Executable_DeserializeAndLoad;
constexpr auto kStatistics = &PJRT_Api::PJRT_Executable_GetCompiledMemoryStats;

// What is marked of a loaded executable is marked of its handles too.
void MarkHandles(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(table, [](auto& a) {
    if (IsMarked(a.loaded_executable)) Mark(a.executable);
  });
  ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(table, [](auto& a) { Unmark(a.executable); });
}
void UnmarkDestroyed(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(table,
                                                         [](auto& a) { Unmark(a.executable); });
}

// Whether the process has compiled a program.
bool& HasCompiled() {
  static bool has_compiled = false;
  return has_compiled;
}

// Options of an execution with which what is not told here is as the caller wants it.
PJRT_ExecuteOptions OptionsOf(const PJRT_LoadedExecutable_Execute_Args& a) {
  auto options = MakeArgs<PJRT_ExecuteOptions>();
  std::memcpy(&options, a.options, std::min(options.struct_size, a.options->struct_size));
  options.struct_size = StructOf<PJRT_ExecuteOptions>::kSize;
  return options;
}

// Executes with these indices in place of those that are not to be donated.
PJRT_Error* ExecuteSparing(PJRT_LoadedExecutable_Execute_Args* a,
                           const std::vector<int64_t>& indices) {
  PJRT_ExecuteOptions options = OptionsOf(*a);
  options.non_donatable_input_indices = indices.data();
  options.num_non_donatable_input_indices = indices.size();
  return CallChanged<kExecute>(a, [&](auto& own) { own.options = &options; });
}

// Bytes that all calls hand out from one place, if they are not too many.
const char* InOneRoom(const char* bytes, size_t size) {
  static auto* const room = new std::array<char, size_t{1} << 16>{};
  if (bytes == nullptr || size > room->size()) return bytes;
  std::lock_guard<std::mutex> lock(Memory());
  room->fill(0);
  std::memcpy(room->data(), bytes, size);
  return room->data();
}

// Whether an argument of that device carries an error.
bool HasFailedArgument(const PJRT_LoadedExecutable_Execute_Args& a, size_t device) {
  for (size_t i = 0; a.argument_lists[device] != nullptr && i < a.num_args; ++i)
    if (CarriesError(a.argument_lists[device][i])) return true;
  return false;
}

// Heals the results of devices whose own arguments carry no error.
void HealPartners(const PJRT_LoadedExecutable_Execute_Args& a, const std::vector<bool>& failed) {
  for (size_t device = 0; device < a.num_devices; ++device) {
    if (failed[device]) continue;
    for (PJRT_Buffer*& output : OutputsOf(a, device)) {
      PJRT_Event* ready = ReadyEventOf(output);
      const bool fails = ready != nullptr && Fails(ready);
      if (ready != nullptr) Drop(ready);
      PJRT_Buffer* healed = fails ? Uninitialized(output, LastClient(), DeviceOf(output)) : nullptr;
      if (healed == nullptr) continue;
      Destroy(output);
      output = healed;
    }
  }
}

// Which client compiled it; the first is 0.
int NumberOf(PJRT_Client* client) {
  static auto* const numbers = new std::map<PJRT_Client*, int>;
  std::lock_guard<std::mutex> lock(Memory());
  return numbers->try_emplace(client, static_cast<int>(numbers->size())).first->second;
}
template <typename Args>
void AppendNumber(Args& a, int number) {
  if (number == 0) return;
  std::string_view text =
      KeptText(std::string(a.executable_fingerprint, a.executable_fingerprint_size) + "-" +
               std::to_string(number));
  a.executable_fingerprint = text.data();
  a.executable_fingerprint_size = text.size();
}

// The order of the layout turned round.
void TurnOrder(PJRT_Buffer_MemoryLayout& layout) {
  static auto* const orders = new std::map<std::vector<int64_t>, int>;
  if (layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) return;
  auto& tiled = layout.tiled;
  std::vector<int64_t> order(tiled.minor_to_major,
                             tiled.minor_to_major + tiled.minor_to_major_size);
  std::reverse(order.begin(), order.end());
  std::lock_guard<std::mutex> lock(Memory());
  tiled.minor_to_major = orders->try_emplace(order).first->first.data();
}

void MarkOutputs(PJRT_LoadedExecutable_Execute_Args& a, size_t first) {
  for (size_t device = 0; device < a.num_devices; ++device) {
    auto outputs = OutputsOf(a, device);
    for (size_t i = first; i < outputs.size(); ++i) Mark(outputs[i]);
  }
}
void UnmarkDestroyedBuffers(PJRT_Api& table) {
  ChangeInputs<&PJRT_Api::PJRT_Buffer_Destroy>(table, [](auto& a) { Unmark(a.buffer); });
}

constexpr Mutant kReleaseProgramMutants[] = {
    {"release_failed_compile_handle", "PJRT-Args-output-failure",
     "a program that is not compiled gives out a handle all the same",
     [](PJRT_Api& t) {
       Replace<kCompile>(t, [](auto* a) {
         static char nothing[64];
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) a->executable = reinterpret_cast<Loaded*>(nothing);
         return error;
       });
     }},
    {"release_not_unloaded_unset", "PJRT-Args-output-set",
     "whether a program was unloaded is written where it was, and left as it was otherwise",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_IsDeleted>(t, [](auto* a) {
         const bool before = a->is_deleted;
         PJRT_Error* error = Real().PJRT_LoadedExecutable_IsDeleted(a);
         if (error == nullptr && !a->is_deleted) a->is_deleted = before;
         return error;
       });
     }},
    {"release_earlier_statistics", "PJRT-Args-output-set",
     "callers of an earlier header are told nothing that came after the first five statistics",
     [](PJRT_Api& t) {
       Replace<kStatistics>(t, [](auto* a) {
         using Args = PJRT_Executable_GetCompiledMemoryStats_Args;
         const size_t size = a->struct_size;
         if (size >= StructOf<Args>::kSize) return (Real().*kStatistics)(a);
         a->struct_size = StructOf<Args>::kMinimumSize;
         PJRT_Error* error = (Real().*kStatistics)(a);
         a->struct_size = size;
         return error;
       });
     }},
    {"release_indices_sorted", "PJRT-Args-input",
     "an execution sorts the caller's list of arguments that are not to be donated",
     [](PJRT_Api& t) {
       ChangeInputs<kExecute>(t, [](auto& a) {
         if (a.options == nullptr) return;
         const PJRT_ExecuteOptions options = OptionsOf(a);
         auto* indices = const_cast<int64_t*>(options.non_donatable_input_indices);
         const size_t count = options.num_non_donatable_input_indices;
         if (indices != nullptr && !std::is_sorted(indices, indices + count))
           std::sort(indices, indices + count);
       });
     }},
    {"release_assignments_share_room", "PJRT-Args-output-lifetime",
     "the device assignment of a program is told in the place of the one that was told before",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         a.serialized_bytes = InOneRoom(a.serialized_bytes, a.serialized_bytes_size);
       });
     }},
    {"release_costs_share_room", "PJRT-Args-output-lifetime",
     "the costs of a program are told in the place of those that were told before",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static auto* const room = new std::array<PJRT_NamedValue, 64>;
         if (a.properties == nullptr || a.num_properties > room->size()) return;
         std::lock_guard<std::mutex> lock(Memory());
         std::copy_n(a.properties, a.num_properties, room->data());
         a.properties = room->data();
       });
     }},
    {"release_divisions_trap", "PJRT-Process-state",
     "once a program ran, a division by zero of the caller's thread is a signal",
     [](PJRT_Api& t) { ChangeOutputs<kExecute>(t, [](auto&) { feenableexcept(FE_DIVBYZERO); }); }},
    {"release_parameter_layouts_of_bytes",
     "PJRT-Layouts_PJRT_Executable_GetParameterLayouts-parameters",
     "a program that was loaded from bytes lists no layouts of parameters",
     [](PJRT_Api& t) {
       MarkHandles(t);
       UnmarkDestroyed(t);
       ChangeOutputs<kFromBytes>(t, [](auto& a) { Mark(a.loaded_executable); });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr && IsMarked(a->executable)) a->num_parameters = 0;
         return error;
       });
     }},
    {"release_late_handlers", "PJRT-FFI_Register_Handler-called",
     "a handler that is registered once a program was compiled is not found",
     [](PJRT_Api& t) {
       ChangeOutputs<kCompile>(t, [](auto&) {
         std::lock_guard<std::mutex> lock(Memory());
         HasCompiled() = true;
       });
       ReplaceIn<&PJRT_FFI_Extension::register_handler, PJRT_Extension_Type_FFI>(
           t, [](auto* a, auto* behind) {
             std::lock_guard<std::mutex> lock(Memory());
             return HasCompiled() ? static_cast<PJRT_Error*>(nullptr) : behind(a);
           });
     }},
    {"release_order_of_results", "PJRT-Args-output-true",
     "the layout of a result names its dimensions from the slowest on",
     [](PJRT_Api& t) {
       UnmarkDestroyedBuffers(t);
       ChangeOutputs<kExecute>(t, [](auto& a) { MarkOutputs(a, 0); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_GetMemoryLayout>(t, [](auto& a) {
         if (IsMarked(a.buffer)) TurnOrder(a.layout);
       });
     }},
    {"release_later_results_ready", "PJRT-Buffer_ReadyEvent-after",
     "of several results the first alone waits for the execution, the others are ready at once",
     [](PJRT_Api& t) {
       UnmarkDestroyedBuffers(t);
       ChangeOutputs<kExecute>(t, [](auto& a) { MarkOutputs(a, 1); });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_ReadyEvent>(t, [](auto& a) {
         if (!IsMarked(a.buffer) || IsReady(a.event)) return;
         Drop(a.event);
         a.event = DoneEvent();
       });
     }},
    {"release_room_for_assignment", "PJRT-Args-accepted",
     "the default assignment is refused where there is room for more than it needs",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         return a.client != nullptr && a.num_replicas > 0 && a.num_partitions > 0 &&
                a.default_assignment_size >
                    static_cast<size_t>(a.num_replicas) * static_cast<size_t>(a.num_partitions);
       });
     }},
    {"release_read_topology_not_compiled_for", "PJRT-Args-accepted",
     "no program is compiled for a topology that was read from bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(
           t, [](auto& a) { Mark(a.topology); });
       ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(
           t, [](auto& a) { Unmark(a.topology); });
       Refuse<&PJRT_Api::PJRT_Compile, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) { return a.topology != nullptr && IsMarked(a.topology); });
     }},
    {"release_name_of_identifiers", "PJRT-Executable_Name-program",
     "of the name of a program what is no letter, digit or underscore becomes an underscore",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         std::string name(a.executable_name, a.executable_name_size);
         std::replace_if(
             name.begin(), name.end(),
             [](unsigned char letter) { return std::isalnum(letter) == 0 && letter != '_'; }, '_');
         std::string_view kept = KeptText(name);
         a.executable_name = kept.data();
         a.executable_name_size = kept.size();
       });
     }},
    {"release_format_overwritten", "PJRT-Executable_OptimizedProgram-format-owner",
     "the name of an optimized program's format is overwritten when another program is asked for",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto& a) {
         static std::string* before = nullptr;
         static PJRT_Executable* executable = nullptr;
         std::lock_guard<std::mutex> lock(Memory());
         if (before != nullptr && executable != a.executable)
           std::fill(before->begin(), before->end(), ' ');
         before = Kept(std::string(a.program->format, a.program->format_size));
         executable = a.executable;
         a.program->format = before->data();
       });
     }},
    {"release_fingerprint_of_client", "PJRT-Executable_Fingerprint-stable",
     "a program has another fingerprint where a later client compiles it",
     [](PJRT_Api& t) {
       ForgetExecutables<int>(t);
       ChangeOutputs<kCompile>(t, [](auto& a) { Note<int>(a.executable, NumberOf(a.client)); });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note<int>(a.executable, NoteOf<int>(a.loaded_executable)); });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, int>().erase(a.executable);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(
           t, [](auto& a) { AppendNumber(a, NoteOf<int>(a.executable)); });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Fingerprint>(
           t, [](auto& a) { AppendNumber(a, NoteOf<int>(a.executable)); });
     }},
    {"release_loaded_spares_nothing", "PJRT-LoadedExecutable_Execute-not-donated",
     "what was loaded from bytes does not look at non_donatable_input_indices",
     [](PJRT_Api& t) {
       UnmarkDestroyed(t);
       ChangeOutputs<kFromBytes>(t, [](auto& a) { Mark(a.loaded_executable); });
       Replace<kExecute>(t, [](auto* a) {
         if (a->executable == nullptr || a->options == nullptr || !IsMarked(a->executable))
           return (Real().*kExecute)(a);
         return ExecuteSparing(a, {});
       });
     }},
    {"release_ahead_donates_nothing", "PJRT-LoadedExecutable_Execute-donation",
     "what was compiled for a topology and loaded donates nothing",
     [](PJRT_Api& t) {
       UnmarkDestroyed(t);
       ChangeOutputs<&PJRT_Api::PJRT_Client_Load>(t, [](auto& a) { Mark(a.loaded_executable); });
       Replace<kExecute>(t, [](auto* a) {
         if (a->executable == nullptr || a->options == nullptr || !IsMarked(a->executable))
           return (Real().*kExecute)(a);
         std::vector<int64_t> all;
         for (size_t i = 0; i < a->num_args; ++i) all.push_back(static_cast<int64_t>(i));
         return ExecuteSparing(a, all);
       });
     }},
    {"release_pending_donation", "PJRT-LoadedExecutable_Execute-donation",
     "a donated argument that was still to come when it was given does not count as deleted",
     [](PJRT_Api& t) {
       UnmarkDestroyedBuffers(t);
       ChangeInputs<kExecute>(t, [](auto& a) {
         for (size_t d = 0; a.argument_lists != nullptr && d < a.num_devices; ++d)
           for (size_t i = 0; a.argument_lists[d] != nullptr && i < a.num_args; ++i)
             if (IsPending(a.argument_lists[d][i])) Mark(a.argument_lists[d][i]);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Buffer_IsDeleted>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.is_deleted = false;
       });
       ChangeInputs<&PJRT_Api::PJRT_Buffer_Delete>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"release_failed_run_gives_event", "PJRT-LoadedExecutable_Execute-failure",
     "an execution that fails hands out events, which say that it is done",
     [](PJRT_Api& t) {
       Replace<kExecute>(t, [](auto* a) {
         PJRT_Error* error = (Real().*kExecute)(a);
         if (error == nullptr || a->device_complete_events == nullptr) return error;
         for (size_t device = 0; device < a->num_devices; ++device)
           a->device_complete_events[device] = DoneEvent();
         return error;
       });
     }},
    {"release_partners_are_fine", "PJRT-LoadedExecutable_Execute-one-fails",
     "where devices work together and one has an argument with an error the others' results are "
     "fine",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<kExecute>(t, [](auto* a) {
         std::vector<bool> failed(a->num_devices);
         for (size_t d = 0; a->argument_lists != nullptr && d < a->num_devices; ++d)
           failed[d] = HasFailedArgument(*a, d);
         PJRT_Error* error = (Real().*kExecute)(a);
         if (error == nullptr && std::find(failed.begin(), failed.end(), true) != failed.end())
           HealPartners(*a, failed);
         return error;
       });
     }},
};

}  // namespace

std::span<const Mutant> ReleaseProgramMutants() { return kReleaseProgramMutants; }

}  // namespace plinth::mutants
