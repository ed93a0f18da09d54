// SPDX-License-Identifier: Apache-2.0
// Bugs that plugins of vendors have had or could have: after some history, for some arguments, with
// several objects alive. Here of clients, devices, programs and extensions. Written from the header
// and the registry, before a look at the cases.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_shardings_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

std::string PrintOf(PJRT_LoadedExecutable* loaded) {
  auto args = MakeArgs<PJRT_LoadedExecutable_Fingerprint_Args>();
  args.executable = loaded;
  Quiet<&Api::PJRT_LoadedExecutable_Fingerprint>(args);
  if (args.executable_fingerprint == nullptr) return "";
  return std::string(args.executable_fingerprint, args.executable_fingerprint_size);
}

int64_t BytesInUse(PJRT_Device* device) {
  auto args = MakeArgs<PJRT_Device_MemoryStats_Args>();
  args.device = device;
  Quiet<&Api::PJRT_Device_MemoryStats>(args);
  return args.bytes_in_use;
}

// What was in use when a device's peaks were cleared.
struct Cleared {
  int64_t bytes = 0;
};

// The how-manieth topology it is that was asked, from 1.
struct Place {
  uint64_t number = 0;
};

struct Print {
  std::string text;
};

struct LoadedFrom {
  PJRT_Executable* executable = nullptr;
};

// The first type of data in a context.
struct FirstType {
  bool is_there = false;
  int64_t id = 0;
};

// Fingerprints of what has run.
std::set<std::string>& PrintsOfRuns() {
  static auto* const prints = new std::set<std::string>;
  return *prints;
}

// A device that was looked up, and for which client.
struct LookedUp {
  PJRT_Client* client;
  PJRT_Device* device;
};
std::map<int, LookedUp>& DevicesById() {
  static auto* const devices = new std::map<int, LookedUp>;
  return *devices;
}

// Bytes of an executable that are alive.
struct Serialized {
  const PJRT_Executable* executable;
  std::string bytes;
  void (*deleter)(PJRT_SerializedExecutable*);
};
std::map<PJRT_SerializedExecutable*, Serialized>& AllSerialized() {
  static auto* const all = new std::map<PJRT_SerializedExecutable*, Serialized>;
  return *all;
}

const Mutant kHabitProgramMutants[] = {
    // Clients, devices, topologies.
    {"lookup_cached", "PJRT-Args-output-true",
     "A device that was looked up for one client is given to another that asks for the same id.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_LookupDevice>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         a.device = DevicesById().emplace(a.id, LookedUp{a.client, a.device}).first->second.device;
       });
       ChangeInputs<&Api::PJRT_Client_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         std::erase_if(DevicesById(), [&](const auto& it) { return it.second.client == a.client; });
       });
     }},
    {"float_option_ignored", "PJRT-Client_Create-unknown-option",
     "Options that are floats are skipped: the platform knows none.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Create>(t, [](auto& a) {
         if (a.create_options == nullptr) return;
         static thread_local std::vector<PJRT_NamedValue> options;
         options.assign(a.create_options, a.create_options + a.num_options);
         std::erase_if(options, [](auto& it) { return it.type == PJRT_NamedValue_kFloat; });
         a.create_options = options.data();
         a.num_options = options.size();
       });
     }},
    {"assignment_repeats", "PJRT-Client_DefaultDeviceAssignment-devices",
     "With replicas and partitions every replica is assigned the devices of the first.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto& a) {
         if (a.num_replicas < 2 || a.num_partitions < 2 || a.default_assignment == nullptr) return;
         for (int i = a.num_partitions; i < a.num_replicas * a.num_partitions; ++i) {
           a.default_assignment[i] = a.default_assignment[i % a.num_partitions];
         }
       });
     }},
    {"clear_peak_to_zero", "PJRT-Device_ClearMemoryStats-peak",
     "Peaks begin again at 0, and count what comes above what is in use already.",
     [](Api& t) {
       if (t.PJRT_Device_ClearMemoryStats == nullptr) return;
       ChangeOutputs<&Api::PJRT_Device_ClearMemoryStats>(
           t, [](auto& a) { Note(a.device, Cleared{BytesInUse(a.device)}); });
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         const int64_t before = NoteOf<Cleared>(a.device).bytes;
         if (!HasField(a, &PJRT_Device_MemoryStats_Args::peak_bytes_in_use)) return;
         a.peak_bytes_in_use = std::max<int64_t>(a.peak_bytes_in_use - before, 0);
       });
     }},
    {"fingerprint_by_client", "PJRT-TopologyDescription_Fingerprint-equal",
     "The number of the client that a topology came from goes into its fingerprint.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Fingerprint>(t, [](auto& a) {
         static uint64_t asked = 0;
         std::lock_guard<std::mutex> lock(Memory());
         Place& place = Noted<const PJRT_TopologyDescription, Place>()[a.topology];
         if (place.number == 0) place.number = ++asked;
         a.fingerprint += place.number - 1;
       });
     }},
    {"attributes_rebuilt", "PJRT-Plugin_Attributes-lifetime",
     "Each call lists the plugin's attributes anew and empties the names of the list before.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Plugin_Attributes>(t, [](auto& a) {
         static std::vector<PJRT_NamedValue>* last = nullptr;
         std::lock_guard<std::mutex> lock(Memory());
         if (last != nullptr) {
           for (PJRT_NamedValue& value : *last) value.name_size = 0;
         }
         last = Kept(std::vector<PJRT_NamedValue>(a.attributes, a.attributes + a.num_attributes));
         a.attributes = last->data();
       });
     }},

    // Programs.
    {"fingerprint_after_run", "PJRT-Executable_Fingerprint-stable",
     "What is measured when a program runs goes into its fingerprint.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         std::string print = PrintOf(a.executable);
         std::lock_guard<std::mutex> lock(Memory());
         PrintsOfRuns().insert(std::move(print));
       });
       ChangeOutputs<&Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         std::string print(a.executable_fingerprint, a.executable_fingerprint_size);
         {
           std::lock_guard<std::mutex> lock(Memory());
           if (!PrintsOfRuns().contains(print)) return;
         }
         const auto* text = Kept(print + "-profiled");
         a.executable_fingerprint = text->data();
         a.executable_fingerprint_size = text->size();
       });
     }},
    {"options_of_loaded_lost", "PJRT-Executable_GetCompileOptions-same",
     "A program that came from bytes has no compile options.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         if (IsMarked(a.loaded_executable)) Mark(a.executable);
       });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.serialized_bytes_size = 0;
       });
     }},
    {"output_dims_of_scalar", "PJRT-Executable_NumOutputs-program",
     "A scalar among several outputs is said to have one dimension of 1.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         if (a.num_outputs < 2) return;
         auto* sizes = Kept(std::vector<size_t>(a.dim_sizes, a.dim_sizes + a.num_outputs));
         auto* dims = Kept(std::vector<int64_t>());
         const int64_t* at = a.dims;
         for (size_t& size : *sizes) {
           dims->insert(dims->end(), at, at + size);
           at += size;
           if (size > 0) continue;
           dims->push_back(1);
           size = 1;
         }
         a.dims = dims->data();
         a.dim_sizes = sizes->data();
       });
     }},
    {"optimized_exact_only", "PJRT-Executable_OptimizedProgram-two-calls",
     "Room for the optimized program that is larger than need be is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Executable_OptimizedProgram>(t, [](auto& a) {
         if (a.executable == nullptr || a.program == nullptr || a.program->code == nullptr) {
           return false;
         }
         auto program = MakeArgs<PJRT_Program>();
         auto ask = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
         ask.executable = a.executable;
         ask.program = &program;
         PJRT_Error* error = Real().PJRT_Executable_OptimizedProgram(&ask);
         FreeError(error);
         return error == nullptr && a.program->code_size > program.code_size;
       });
     }},
    {"serialized_again", "PJRT-Executable_Serialize-lifetime",
     "The bytes of an executable are cleared when it is serialized once more.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Serialize>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (auto& [holder, other] : AllSerialized()) {
           if (other.executable == a.executable)
             std::fill(other.bytes.begin(), other.bytes.end(), 0);
         }
         Serialized& own = AllSerialized()[a.serialized_executable];
         own.executable = a.executable;
         own.bytes.assign(a.serialized_bytes, a.serialized_bytes_size);
         own.deleter = a.serialized_executable_deleter;
         a.serialized_bytes = own.bytes.data();
         a.serialized_executable_deleter = [](PJRT_SerializedExecutable* holder) {
           std::unique_lock<std::mutex> deleting(Memory());
           auto found = AllSerialized().find(holder);
           if (found == AllSerialized().end()) return;
           auto* deleter = found->second.deleter;
           AllSerialized().erase(found);
           deleting.unlock();
           deleter(holder);
         };
       });
     }},
    {"compile_cache_without_options", "PJRT-Client_Compile-assignment",
     "A program that was compiled before keeps the options of then.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_Compile>(t, [](auto& a) {
         if (a.program == nullptr || a.program->code == nullptr || a.compile_options == nullptr) {
           return;
         }
         static auto* const options_of = new std::map<std::string, std::string>;
         std::lock_guard<std::mutex> lock(Memory());
         const std::string& options =
             options_of
                 ->emplace(std::string(a.program->code, a.program->code_size),
                           std::string(a.compile_options, a.compile_options_size))
                 .first->second;
         a.compile_options = options.data();
         a.compile_options_size = options.size();
       });
     }},
    {"addressable_sorted", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "The devices of a program are listed by their ids, not in the order of their logical ids.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (a.num_addressable_devices < 2) return;
         auto* devices = Kept(std::vector<PJRT_Device*>(
             a.addressable_devices, a.addressable_devices + a.num_addressable_devices));
         std::sort(devices->begin(), devices->end(),
                   [](auto* one, auto* other) { return IdOf(one) < IdOf(other); });
         a.addressable_devices = devices->data();
       });
     }},
    {"twin_unloaded", "PJRT-LoadedExecutable_IsDeleted-truth",
     "With a program all others that were compiled from the same text are unloaded.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Compile>(
           t, [](auto& a) { Note(a.executable, Print{PrintOf(a.executable)}); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         const std::string text = NoteOf<Print>(a.executable).text;
         if (text.empty()) return;
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [loaded, print] : Noted<PJRT_LoadedExecutable, Print>()) {
           if (print.text == text) Marked<PJRT_LoadedExecutable>().insert(loaded);
         }
       });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_IsDeleted>(
           t, [](auto& a) { a.is_deleted |= IsMarked(a.executable); });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, Print>().erase(a.executable);
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
       });
     }},
    {"load_borrows_executable", "PJRT-Client_Load-again",
     "What was loaded from an executable runs only as long as the executable is there.",
     [](Api& t) {
       if (t.PJRT_Client_Load == nullptr) return;
       ChangeOutputs<&Api::PJRT_Client_Load>(
           t, [](auto& a) { Note(a.loaded_executable, LoadedFrom{a.executable}); });
       ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [loaded, from] : Noted<PJRT_LoadedExecutable, LoadedFrom>()) {
           if (from.executable == a.executable) Marked<PJRT_LoadedExecutable>().insert(loaded);
         }
       });
       Refuse<&Api::PJRT_LoadedExecutable_Execute, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return IsMarked(a.executable); });
       ChangeInputs<&Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_LoadedExecutable, LoadedFrom>().erase(a.executable);
         Marked<PJRT_LoadedExecutable>().erase(a.executable);
       });
     }},
    {"failed_compile_leaks", "PJRT-Process-memory",
     "A program that is not compiled leaves the compiler's arena behind.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_Compile>(t, [](auto* a) {
         PJRT_Error* error = Real().PJRT_Client_Compile(a);
         if (error != nullptr) Forget(1 << 20);
         return error;
       });
     }},

    // Extensions.
    {"scalar_layout_text", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "The layout of a scalar is the empty text.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize;
       ReplaceIn<kSlot, PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr && a->serialized_bytes_size == 2) a->serialized_bytes_size = 0;
         return error;
       });
     }},
    {"output_layouts_scratch", "PJRT-Args-output-lifetime",
     "The list of the layouts of an executable's outputs is overwritten by that of the next.",
     [](Api& t) {
       constexpr auto kSlot =
           &PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
       ReplaceIn<kSlot, PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         static thread_local PJRT_Layouts_MemoryLayout* scratch[64];
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->num_outputs > std::size(scratch)) return error;
         std::copy_n(a->layouts, a->num_outputs, scratch);
         a->layouts = scratch;
         return error;
       });
     }},
    {"output_sharding_first", "PJRT-Shardings_PJRT_Executable_OutputShardings-outputs",
     "All outputs are said to be sharded as the first is.",
     [](Api& t) {
       constexpr auto kSlot =
           &PJRT_Shardings_Extension::PJRT_Shardings_PJRT_Executable_OutputShardings;
       ReplaceIn<kSlot, PJRT_Extension_Type_Shardings>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr || a->num_outputs < 2 || a->shardings == nullptr) return error;
         a->shardings = Kept(std::vector<const char*>(a->num_outputs, a->shardings[0]))->data();
         a->sharding_sizes =
             Kept(std::vector<size_t>(a->num_outputs, a->sharding_sizes[0]))->data();
         return error;
       });
     }},
    {"ffi_type_names_cut", "PJRT-FFI_Type_Register-ids",
     "Types whose names agree in their first 16 bytes have one id.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_FFI_Extension::type_register;
       ReplaceIn<kSlot, PJRT_Extension_Type_FFI>(t, [](auto* a, auto* behind) -> PJRT_Error* {
         static auto* const ids = new std::map<std::string, int64_t>;
         if (a->type_name == nullptr || a->type_name_size <= 16 || a->type_id != 0) {
           return behind(a);
         }
         const std::string head(a->type_name, 16);
         {
           std::lock_guard<std::mutex> lock(Memory());
           auto found = ids->find(head);
           if (found != ids->end()) {
             a->type_id = found->second;
             return nullptr;
           }
         }
         PJRT_Error* error = behind(a);
         if (error != nullptr) return error;
         std::lock_guard<std::mutex> lock(Memory());
         ids->emplace(head, a->type_id);
         return nullptr;
       });
     }},
    {"ffi_second_user_data", "PJRT-FFI_UserData_Add-found",
     "A context has room for data of one type: those of others are dropped.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_FFI_Extension::user_data_add;
       ReplaceIn<kSlot, PJRT_Extension_Type_FFI>(t, [](auto* a, auto* behind) -> PJRT_Error* {
         const FirstType first = NoteOf<FirstType>(a->context);
         if (first.is_there && first.id != a->user_data.type_id) return nullptr;
         PJRT_Error* error = behind(a);
         if (error == nullptr) Note(a->context, FirstType{true, a->user_data.type_id});
         return error;
       });
       ChangeInputs<&Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_ExecuteContext, FirstType>().erase(a.context);
       });
     }},
    {"handler_name_cut", "PJRT-FFI_Register_Handler-called",
     "Of the name of a handler the first 31 bytes are kept: programs do not find a longer one.",
     [](Api& t) {
       constexpr auto kSlot = &PJRT_FFI_Extension::register_handler;
       ReplaceIn<kSlot, PJRT_Extension_Type_FFI>(t, [](auto* a, auto* behind) {
         auto own = *a;
         own.target_name_size = std::min<size_t>(own.target_name_size, 31);
         return behind(&own);
       });
     }},
};

}  // namespace

std::span<const Mutant> HabitProgramMutants() { return kHabitProgramMutants; }

}  // namespace plinth::mutants
