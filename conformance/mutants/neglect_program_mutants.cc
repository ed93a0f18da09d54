// SPDX-License-Identifier: Apache-2.0
// Bugs of authors who wrap a runtime of their own and forget what it does not ask for: the second
// time, the other thread, the failing path, the object that goes first. Here of programs,
// executions, topologies and extensions. Written from the header and the registry, before a look at
// the cases.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

// What a runtime loses where its author thought of success alone.
constexpr size_t kLost = 64 << 10;

struct LoadedFrom {
  PJRT_LoadedExecutable* loaded = nullptr;
};

// Handles of an executable that were freed.
struct Freed {
  int handles = 0;
};

struct OnOtherThread {
  bool is_so = false;
};

struct Text {
  std::string bytes;
};

struct LayoutOfBuffer {
  PJRT_Buffer* buffer = nullptr;
};

const Mutant kNeglectProgramMutants[] = {
    // Programs.
    {"name_gone_after_unload", "PJRT-Args-output-same",
     "An executable of a program that was unloaded has an empty name.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, LoadedFrom{a.loaded_executable}); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) { Mark(a.executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, LoadedFrom>().erase(a.executable);
       });
       ChangeOutputs<&Api::PJRT_Executable_Name>(t, [](auto& a) {
         if (IsMarked(NoteOf<LoadedFrom>(a.executable).loaded)) a.executable_name_size = 0;
       });
     }},
    {"scalar_dim_sizes_null", "PJRT-Args-output-array",
     "Where all outputs are scalars the list of their ranks is null.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         if (std::all_of(a.dim_sizes, a.dim_sizes + a.num_outputs,
                         [](size_t rank) { return rank == 0; })) {
           a.dim_sizes = nullptr;
         }
       });
     }},
    {"optimized_needs_question", "PJRT-Executable_OptimizedProgram-two-calls",
     "The optimized program is printed when its size is asked for: without that there is none.",
     [](Api& t) {
       Replace<&Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) -> PJRT_Error* {
         if (a->executable == nullptr || a->program == nullptr) {
           return Real().PJRT_Executable_OptimizedProgram(a);
         }
         if (a->program->code == nullptr) {
           Mark(a->executable);
         } else if (!IsMarked(a->executable)) {
           return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "the program was not printed");
         }
         return Real().PJRT_Executable_OptimizedProgram(a);
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
     }},
    {"unaligned_bytes_refused", "PJRT-Args-accepted",
     "Bytes of an executable that do not begin at a multiple of 8 are refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         return reinterpret_cast<uintptr_t>(a.serialized_executable) % 8 != 0;
       });
     }},
    {"second_handle_unloads", "PJRT-LoadedExecutable_GetExecutable-independent",
     "A program does not run any more once two handles that it gave out were freed.",
     [](Api& t) {
       ForgetExecutables<Freed>(t);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, LoadedFrom{a.loaded_executable}); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         PJRT_LoadedExecutable* loaded = NoteOf<LoadedFrom>(a.executable).loaded;
         if (loaded == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, LoadedFrom>().erase(a.executable);
         ++Noted<PJRT_LoadedExecutable, Freed>()[loaded].handles;
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return NoteOf<Freed>(a.executable).handles >= 2; });
     }},
    {"unload_cancels_waiting", "PJRT-LoadedExecutable_Execute-results",
     "Executions that wait for their arguments when the program is unloaded are cancelled.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         for (size_t device = 0; device < a.num_devices; ++device) {
           for (PJRT_Buffer* output : OutputsOf(a, device)) Note(output, LoadedFrom{a.executable});
         }
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [output, from] : Noted<PJRT_Buffer, LoadedFrom>()) {
           if (from.loaded != nullptr && from.loaded == a.executable && IsPending(output)) {
             Marked<PJRT_Buffer>().insert(output);
           }
         }
       });
       Replace<&Api::PJRT_Buffer_ReadyEvent>(t, [](auto* a) -> PJRT_Error* {
         if (!IsMarked(a->buffer)) return Real().PJRT_Buffer_ReadyEvent(a);
         a->event = FailedEvent("the program was unloaded");
         return nullptr;
       });
       Refuse<&Api::PJRT_Buffer_ToHostBuffer, PJRT_Error_Code_CANCELLED>(
           t, [](auto& a) { return IsMarked(a.src); });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Buffer, LoadedFrom>().erase(a.buffer);
         Marked<PJRT_Buffer>().erase(a.buffer);
       });
     }},
    {"fingerprint_of_thread", "PJRT-Executable_Fingerprint-stable",
     "What is compiled on a thread that made no client has another fingerprint.",
     [](Api& t) {
       RememberThread(t);
       ForgetExecutables<OnOtherThread>(t);
       ChangeOutputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         Note(a.executable, OnOtherThread{ThreadOfClient() != std::this_thread::get_id()});
       });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note(a.executable, NoteOf<OnOtherThread>(a.loaded_executable)); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, OnOtherThread>().erase(a.executable);
       });
       auto change = [](auto& a) {
         if (!NoteOf<OnOtherThread>(a.executable).is_so) return;
         const std::string_view text = KeptText(
             std::string(a.executable_fingerprint, a.executable_fingerprint_size) + "-thread");
         a.executable_fingerprint = text.data();
         a.executable_fingerprint_size = text.size();
       };
       ChangeOutputs<&Api::PJRT_Executable_Fingerprint>(t, change);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Fingerprint>(t, change);
     }},
    {"alias_counts_every_argument", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "Where one argument is donated all are counted as shared with outputs.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (a.alias_size_in_bytes > 0) a.alias_size_in_bytes = a.argument_size_in_bytes;
       });
     }},
    {"logical_ids_scratch", "PJRT-Args-output-lifetime",
     "The logical ids of a program lie where a thread gets those of the next program.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         static thread_local PJRT_LogicalDeviceIds scratch[64];
         if (a.num_addressable_device_logical_ids > std::size(scratch)) return;
         std::copy_n(a.addressable_device_logical_ids, a.num_addressable_device_logical_ids,
                     scratch);
         a.addressable_device_logical_ids = scratch;
       });
     }},
    {"second_load_borrows_first", "PJRT-Client_Load-again",
     "What is loaded again shares the code of what was loaded first, and runs as long as that is "
     "there.",
     [](Api& t) {
       if (t.PJRT_Client_Load == nullptr) return;
       ChangeOutputs<&Api::PJRT_Client_Load>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         LoadedFrom& first = Noted<PJRT_Executable, LoadedFrom>()[a.executable];
         if (first.loaded == nullptr) {
           first.loaded = a.loaded_executable;
         } else {
           Noted<PJRT_LoadedExecutable, LoadedFrom>()[a.loaded_executable] = first;
         }
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, LoadedFrom>().erase(a.executable);
       });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         if (a.executable == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, LoadedFrom>().erase(a.executable);
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
         for (const auto& [later, first] : Noted<PJRT_LoadedExecutable, LoadedFrom>()) {
           if (first.loaded == a.executable) Marked<PJRT_LoadedExecutable>().insert(later);
         }
         std::erase_if(Noted<PJRT_Executable, LoadedFrom>(),
                       [&](const auto& it) { return it.second.loaded == a.executable; });
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
     }},

    // Executions.
    {"old_events_kept", "PJRT-LoadedExecutable_Execute-done",
     "The place for a device's event is filled if it holds null, and left if it holds an old one.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Event** const places = a->device_complete_events;
         if (places == nullptr || a->num_devices > 64) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         std::vector<PJRT_Event*> events(a->num_devices);
         PJRT_Error* error = CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.device_complete_events = events.data(); });
         a->device_complete_events = places;
         if (error != nullptr) return error;
         for (size_t i = 0; i < events.size(); ++i) {
           if (places[i] == nullptr) {
             places[i] = events[i];
           } else {
             Drop(events[i]);
           }
         }
         return error;
       });
     }},
    {"portable_run_donates_nothing", "PJRT-LoadedExecutable_Execute-donation",
     "A run whose device is chosen when it starts takes no argument that the program donates.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->execute_device == nullptr || a->options == nullptr || a->num_args > 4096 ||
             !HasField(*a->options, &PJRT_ExecuteOptions::num_non_donatable_input_indices)) {
           return Real().PJRT_LoadedExecutable_Execute(a);
         }
         PJRT_ExecuteOptions options = {};
         const size_t size =
             std::min(a->options->struct_size, StructOf<PJRT_ExecuteOptions>::kSize);
         std::memcpy(&options, a->options, size);
         options.struct_size = size;
         std::vector<int64_t> all(a->num_args);
         std::iota(all.begin(), all.end(), 0);
         options.non_donatable_input_indices = all.data();
         options.num_non_donatable_input_indices = all.size();
         return CallChanged<&Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& own) { own.options = &options; });
       });
     }},
    {"refused_run_leaks", "PJRT-Process-memory",
     "A run that is refused leaves behind what was set up for it.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr) Forget(kLost);
         return error;
       });
     }},

    // Topologies.
    {"read_topologies_share_state", "PJRT-Args-output-lifetime",
     "Topologies that were read from equal bytes are emptied when one of them is destroyed.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         Note(a.topology, Text{std::string(a.serialized_topology, a.serialized_topology_size)});
       });
       ChangeInputs<&Api::PJRT_TopologyDescription_Destroy>(t, [](auto& a) {
         const std::string bytes = NoteOf<Text>(a.topology).bytes;
         std::lock_guard<std::mutex> lock(Memory());
         auto& all = Noted<PJRT_TopologyDescription, Text>();
         all.erase(a.topology);
         Marked<PJRT_TopologyDescription>().erase(a.topology);
         for (const auto& [topology, text] : all) {
           if (text.bytes == bytes) Marked<PJRT_TopologyDescription>().insert(topology);
         }
       });
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.num_descriptions = 0;
       });
     }},
    {"kind_ids_per_memory", "PJRT-TopologyDescription_GetMemorySpaceKindIds-all",
     "A kind of memory is listed once for each device that has such a memory.",
     [](Api& t) {
       if (t.PJRT_TopologyDescription_GetMemorySpaceKindIds == nullptr) return;
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(t, [](auto& a) {
         auto devices = MakeArgs<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
         devices.topology = a.topology;
         Quiet<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(devices);
         std::vector<int> ids;
         for (size_t i = 0; i < devices.num_descriptions; ++i) {
           ids.insert(ids.end(), a.memory_space_kind_ids,
                      a.memory_space_kind_ids + a.num_memory_space_kind_ids);
         }
         static auto* const lists = new std::set<std::vector<int>>;
         std::lock_guard<std::mutex> lock(Memory());
         const auto& kept = *lists->insert(std::move(ids)).first;
         a.memory_space_kind_ids = kept.data();
         a.num_memory_space_kind_ids = kept.size();
       });
     }},

    // Extensions.
    {"buffer_layout_dies_with_buffer", "PJRT-Args-output-lifetime",
     "The layout of a buffer is that of a scalar once the buffer was destroyed.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr) Note(a->layout, LayoutOfBuffer{a->buffer});
         return error;
       });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         {
           std::lock_guard<std::mutex> lock(Memory());
           Noted<PJRT_Layouts_MemoryLayout, LayoutOfBuffer>().erase(a->layout);
           Marked<PJRT_Layouts_MemoryLayout>().erase(a->layout);
         }
         return behind(a);
       });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || !IsMarked(a->layout)) return error;
         a->serialized_bytes = "{}";
         a->serialized_bytes_size = 2;
         return error;
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) {
         if (a.buffer == nullptr) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [layout, of] : Noted<PJRT_Layouts_MemoryLayout, LayoutOfBuffer>()) {
           if (of.buffer == a.buffer) Marked<PJRT_Layouts_MemoryLayout>().insert(layout);
         }
       });
     }},
    {"layout_serialized_once", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "The text of a layout is moved out of it: the second time it is empty.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr) return error;
         if (IsMarked(a->layout)) a->serialized_bytes_size = 0;
         Mark(a->layout);
         return error;
       });
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Destroy,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         Unmark(a->layout);
         return behind(a);
       });
     }},
};

}  // namespace

std::span<const Mutant> NeglectProgramMutants() { return kNeglectProgramMutants; }

}  // namespace plinth::mutants
