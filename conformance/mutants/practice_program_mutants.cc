// SPDX-License-Identifier: Apache-2.0
// Bugs of plugins in their first years: how programs are compiled, described, kept and run.

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_ffi_extension.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

// A list that stays, and is there once however often it is asked for.
template <typename Value>
const Value* KeptList(std::vector<Value> list) {
  static auto* const lists = new std::set<std::vector<Value>>;
  std::lock_guard<std::mutex> lock(Memory());
  return lists->insert(std::move(list)).first->data();
}

// What is marked of a loaded executable is marked of its handles too.
void MarkExecutables(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(table, [](auto& a) {
    if (IsMarked(a.loaded_executable)) Mark(a.executable);
  });
  ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(table,
                                                         [](auto& a) { Unmark(a.executable); });
  ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(table, [](auto& a) { Unmark(a.executable); });
}

bool IsUnloaded(PJRT_LoadedExecutable* executable) {
  auto args = MakeArgs<PJRT_LoadedExecutable_IsDeleted_Args>();
  args.executable = executable;
  Quiet<&PJRT_Api::PJRT_LoadedExecutable_IsDeleted>(args);
  return args.is_deleted;
}

constexpr auto kFfi = PJRT_Extension_Type_FFI;
constexpr auto kLayouts = PJRT_Extension_Type_Layouts;

constexpr Mutant kPracticeProgramMutants[] = {
    {"practice_handler_name_cut", "PJRT-FFI_Register_Handler-called",
     "of the name of a handler 31 characters are kept",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_FFI_Extension::register_handler, kFfi>(t, [](auto* args, auto* behind) {
         auto own = *args;
         own.target_name_size = std::min<size_t>(own.target_name_size, 31);
         return behind(&own);
       });
     }},
    {"practice_one_user_data", "PJRT-FFI_UserData_Add-found",
     "a context takes data of one type; a second one is refused",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_ExecuteContext_Destroy>(t, [](auto& a) { Unmark(a.context); });
       ReplaceIn<&PJRT_FFI_Extension::user_data_add, kFfi>(t, [](auto* args, auto* behind) {
         if (args->context != nullptr && IsMarked(args->context))
           return MakeError(PJRT_Error_Code_ALREADY_EXISTS, "the context has data");
         PJRT_Error* error = behind(args);
         if (error == nullptr) Mark(args->context);
         return error;
       });
     }},
    {"practice_output_layouts", "PJRT-Layouts_PJRT_Executable_GetOutputLayouts-outputs",
     "all outputs have the layout of the first",
     [](PJRT_Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts, kLayouts>(
           t, [](auto* args, auto* behind) {
             PJRT_Error* error = behind(args);
             if (error != nullptr || args->num_outputs < 2) return error;
             std::vector<PJRT_Layouts_MemoryLayout*> layouts(args->num_outputs, args->layouts[0]);
             args->layouts = const_cast<PJRT_Layouts_MemoryLayout**>(KeptList(std::move(layouts)));
             return error;
           });
     }},
    {"practice_parameter_kind_nul", "PJRT-Executable_ParameterMemoryKinds-program",
     "the size of a parameter's memory kind counts the NUL behind it",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_ParameterMemoryKinds>(t, [](auto& a) {
         std::vector<size_t> sizes(a.memory_kind_sizes, a.memory_kind_sizes + a.num_parameters);
         for (size_t& size : sizes) ++size;
         if (!sizes.empty()) a.memory_kind_sizes = KeptList(std::move(sizes));
       });
     }},
    {"practice_logical_ids", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "replica and partition of a device are swapped",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         static auto* const all =
             new std::map<PJRT_LoadedExecutable*, std::vector<PJRT_LogicalDeviceIds>>;
         std::lock_guard<std::mutex> lock(Memory());
         auto& ids = (*all)[a.executable];
         ids.assign(a.addressable_device_logical_ids,
                    a.addressable_device_logical_ids + a.num_addressable_device_logical_ids);
         for (PJRT_LogicalDeviceIds& id : ids) std::swap(id.replica, id.partition);
         a.addressable_device_logical_ids = ids.data();
       });
     }},
    {"practice_unloads_all", "PJRT-Client_Load-again",
     "unloading what was loaded from an executable unloads what else was loaded from it",
     [](PJRT_Api& t) {
       ForgetExecutables<int64_t>(t);
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, int64_t>().erase(a.executable);
       });
       if (t.PJRT_Client_Load == nullptr) return;
       ChangeOutputs<&PJRT_Api::PJRT_Client_Load>(t, [](auto& a) {
         static int64_t next = 0;
         std::lock_guard<std::mutex> lock(Memory());
         int64_t& source = Noted<PJRT_Executable, int64_t>()[a.executable];
         if (source == 0) source = ++next;
         Noted<PJRT_LoadedExecutable, int64_t>()[a.loaded_executable] = source;
       });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         const auto source = NoteOf<int64_t>(a.executable);
         if (source == 0) return;
         std::vector<PJRT_LoadedExecutable*> others;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (auto [other, its_source] : Noted<PJRT_LoadedExecutable, int64_t>())
             if (its_source == source && other != a.executable) others.push_back(other);
         }
         for (PJRT_LoadedExecutable* other : others) {
           auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
           args.executable = other;
           Quiet<&PJRT_Api::PJRT_LoadedExecutable_Delete>(args);
         }
       });
     }},
    {"practice_options_of_bytes", "PJRT-Executable_GetCompileOptions-same",
     "an executable that comes from bytes has no compile options",
     [](PJRT_Api& t) {
       MarkExecutables(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.serialized_bytes_size = 0;
       });
     }},
    {"practice_assignment_cached", "PJRT-LoadedExecutable_GetDeviceAssignment-options",
     "the device assignment is that of the first program with as many replicas and partitions",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         static auto* const first = new std::map<size_t, std::string>;
         std::lock_guard<std::mutex> lock(Memory());
         a.serialized_bytes =
             first
                 ->try_emplace(a.serialized_bytes_size, a.serialized_bytes, a.serialized_bytes_size)
                 .first->second.data();
       });
     }},
    {"practice_stats_swapped", "PJRT-Executable_GetCompiledMemoryStats-sizes",
     "the sizes of arguments and outputs are swapped",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(
           t, [](auto& a) { std::swap(a.argument_size_in_bytes, a.output_size_in_bytes); });
     }},
    {"practice_pred_output", "PJRT-Executable_NumOutputs-program",
     "outputs of booleans are said to be of unsigned bytes",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         std::vector<PJRT_Buffer_Type> types(a.output_types, a.output_types + a.num_output_types);
         std::replace(types.begin(), types.end(), PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_U8);
         if (!types.empty())
           a.output_types = const_cast<PJRT_Buffer_Type*>(KeptList(std::move(types)));
       });
     }},
    {"practice_overrides_ignored", "PJRT-Executable_DeserializeAndLoad-overrides",
     "options that are given with the bytes of an executable are ignored",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         if (a.overridden_serialized_compile_options == nullptr) return;
         a.overridden_serialized_compile_options = nullptr;
         a.overridden_serialized_compile_options_size = 0;
       });
     }},
    {"practice_first_kept", "PJRT-LoadedExecutable_Execute-not-donated",
     "of the arguments that must not be donated only the first is spared",
     [](PJRT_Api& t) {
       Replace<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->options == nullptr ||
             !HasField(*a->options, &PJRT_ExecuteOptions::num_non_donatable_input_indices))
           return Real().PJRT_LoadedExecutable_Execute(a);
         PJRT_ExecuteOptions options = {};
         std::memcpy(&options, a->options, std::min(sizeof(options), a->options->struct_size));
         options.struct_size = std::min(sizeof(options), a->options->struct_size);
         options.num_non_donatable_input_indices =
             std::min<size_t>(options.num_non_donatable_input_indices, 1);
         return CallChanged<&PJRT_Api::PJRT_LoadedExecutable_Execute>(
             a, [&](auto& args) { args.options = &options; });
       });
     }},
    {"practice_done_though_failed", "PJRT-LoadedExecutable_Execute-asynchronous",
     "an execution that fails because of an argument completes its events without an error",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.device_complete_events == nullptr || a.argument_lists == nullptr) return;
         for (size_t device = 0; device < a.num_devices; ++device) {
           bool is_failed = false;
           for (size_t i = 0; i < a.num_args && !is_failed; ++i)
             is_failed = CarriesError(a.argument_lists[device][i]);
           if (!is_failed || a.device_complete_events[device] == nullptr) continue;
           Drop(a.device_complete_events[device]);
           a.device_complete_events[device] = DoneEvent();
         }
       });
     }},
    {"practice_unload_again", "PJRT-Args-accepted",
     "a program that was unloaded cannot be unloaded again",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Delete, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.executable != nullptr && IsUnloaded(a.executable); });
     }},
    {"practice_devices_sorted", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "the devices of a program are listed by id, not by their place in the assignment",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         std::vector<PJRT_Device*> devices(a.addressable_devices,
                                           a.addressable_devices + a.num_addressable_devices);
         std::sort(devices.begin(), devices.end(),
                   [](PJRT_Device* x, PJRT_Device* y) { return IdOf(x) < IdOf(y); });
         if (!devices.empty()) a.addressable_devices = KeptList(std::move(devices));
       });
     }},
    {"practice_needs_loaded", "PJRT-LoadedExecutable_GetExecutable-independent",
     "an executable cannot be serialized once the loaded one that it comes from is gone",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(
           t, [](auto& a) { Note<PJRT_LoadedExecutable*>(a.executable, a.loaded_executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (auto [executable, loaded] : Noted<PJRT_Executable, PJRT_LoadedExecutable*>())
           if (loaded == a.executable) Marked<PJRT_Executable>().insert(executable);
       });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         Noted<PJRT_Executable, PJRT_LoadedExecutable*>().erase(a.executable);
         Marked<PJRT_Executable>().erase(const_cast<PJRT_Executable*>(a.executable));
       });
       Refuse<&PJRT_Api::PJRT_Executable_Serialize, PJRT_Error_Code_FAILED_PRECONDITION>(
           t, [](auto& a) { return a.executable != nullptr && IsMarked(a.executable); });
     }},
    {"practice_exact_program", "PJRT-Executable_OptimizedProgram-two-calls",
     "the optimized program needs room for one byte more than it said",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Executable_OptimizedProgram>(t, [](auto& a) {
         if (a.executable == nullptr || a.program == nullptr || a.program->code == nullptr)
           return false;
         auto program = MakeArgs<PJRT_Program>();
         auto ask = MakeArgs<PJRT_Executable_OptimizedProgram_Args>();
         ask.executable = a.executable;
         ask.program = &program;
         Quiet<&PJRT_Api::PJRT_Executable_OptimizedProgram>(ask);
         return a.program->code_size == program.code_size;
       });
     }},
    {"practice_cost_without_work", "PJRT-Executable_GetCostAnalysis-named",
     "a share of the work is no number where a program computes nothing",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         static auto* const all = new std::map<PJRT_Executable*, std::vector<PJRT_NamedValue>>;
         std::lock_guard<std::mutex> lock(Memory());
         auto& properties = (*all)[const_cast<PJRT_Executable*>(a.executable)];
         properties.assign(a.properties, a.properties + a.num_properties);
         float work = 0, hard = 0;
         for (const PJRT_NamedValue& property : properties) {
           const std::string_view name(property.name, property.name_size);
           if (property.type != PJRT_NamedValue_kFloat) continue;
           if (name == "flops") work = property.float_value;
           if (name == "transcendentals") hard = property.float_value;
         }
         PJRT_NamedValue share = {};
         share.struct_size = StructOf<PJRT_NamedValue>::kSize;
         share.name = "transcendental share";
         share.name_size = std::strlen(share.name);
         share.type = PJRT_NamedValue_kFloat;
         // As 0 / 0 is.
         share.float_value =
             work + hard > 0 ? hard / (work + hard) : std::numeric_limits<float>::quiet_NaN();
         share.value_size = 1;
         properties.push_back(share);
         a.properties = properties.data();
         a.num_properties = properties.size();
       });
     }},
    {"practice_no_arguments", "PJRT-Args-accepted",
     "a program without arguments cannot be run without lists of arguments",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         return a.executable != nullptr && a.argument_lists == nullptr && a.num_args == 0;
       });
     }},
};

}  // namespace

std::span<const Mutant> PracticeProgramMutants() { return kPracticeProgramMutants; }

}  // namespace plinth::mutants
