// SPDX-License-Identifier: Apache-2.0
// Bugs of programs: what is said of them, how they are loaded from bytes, what they share.
// Written from the header, without looking at the cases.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

std::string NameOf(PJRT_Executable* executable) {
  auto args = MakeArgs<PJRT_Executable_Name_Args>();
  args.executable = executable;
  Quiet<&Api::PJRT_Executable_Name>(args);
  return std::string(args.executable_name, args.executable_name_size);
}

std::vector<PJRT_Device*> DevicesOf(PJRT_Client* client) {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = client;
  Quiet<&Api::PJRT_Client_AddressableDevices>(args);
  return {args.addressable_devices, args.addressable_devices + args.num_addressable_devices};
}

struct Sibling {
  PJRT_Executable* of = nullptr;
};

struct FromBytes {
  bool is = false;
};

struct Owner {
  PJRT_LoadedExecutable* loaded = nullptr;
};

// Remembers which loaded executable each executable came from, and which of those have ended.
template <auto kEnd>
void MarkEndedOwners(Api& t) {
  ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(
      t, [](auto& a) { Note<Owner>(a.executable, Owner{a.loaded_executable}); });
  ChangeOutputs<&Api::PJRT_Client_Compile>(t, [](auto& a) { Unmark(a.executable); });
  ChangeInputs<kEnd>(t, [](auto& a) {
    if (a.executable != nullptr) Mark(a.executable);
  });
  ChangeInputs<&Api::PJRT_Executable_Destroy>(t, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_Executable, Owner>().erase(a.executable);
  });
}
bool HasEndedOwner(PJRT_Executable* executable) {
  PJRT_LoadedExecutable* loaded = NoteOf<Owner>(executable).loaded;
  return loaded != nullptr && IsMarked(loaded);
}

struct Runs {
  int count = 0;
};

struct Broken {
  bool is = false;
};

bool HasEmptyOutput(PJRT_Executable* executable) {
  auto args = MakeArgs<PJRT_Executable_OutputDimensions_Args>();
  args.executable = executable;
  Quiet<&Api::PJRT_Executable_OutputDimensions>(args);
  const int64_t* at = args.dims;
  for (size_t i = 0; i < args.num_outputs; ++i) {
    for (size_t k = 0; k < args.dim_sizes[i]; ++k, ++at) {
      if (*at == 0) return true;
    }
  }
  return false;
}

// Keeps every argument of an execution.
void KeepAll(PJRT_LoadedExecutable_Execute_Args& a) {
  static thread_local PJRT_ExecuteOptions options;
  static thread_local std::vector<int64_t> indices;
  options = {};
  std::memcpy(&options, a.options, std::min(sizeof(options), a.options->struct_size));
  indices.clear();
  for (size_t i = 0; i < a.num_args; ++i) indices.push_back(static_cast<int64_t>(i));
  options.non_donatable_input_indices = indices.data();
  options.num_non_donatable_input_indices = indices.size();
  a.options = &options;
}

const Mutant kUnitMutants[] = {
    {"name_cut_at_63", "PJRT-Executable_Name-program",
     "A name of a program longer than 63 bytes is cut.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Name>(t, [](auto& a) {
         a.executable_name_size = std::min<size_t>(a.executable_name_size, 63);
       });
     }},
    {"parameter_kinds_stop_at_16", "PJRT-Executable_ParameterMemoryKinds-program",
     "Kinds of the first 16 parameters are given.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_ParameterMemoryKinds>(
           t, [](auto& a) { a.num_parameters = std::min<size_t>(a.num_parameters, 16); });
     }},
    {"scalars_have_a_dimension", "PJRT-Executable_NumOutputs-program",
     "An output of rank 0 is described as an array of one dimension, 1.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         auto* dims = Kept(std::vector<int64_t>{});
         auto* sizes = Kept(std::vector<size_t>{});
         const int64_t* at = a.dims;
         for (size_t i = 0; i < a.num_outputs; ++i) {
           if (a.dim_sizes[i] == 0) dims->push_back(1);
           dims->insert(dims->end(), at, at + a.dim_sizes[i]);
           at += a.dim_sizes[i];
           sizes->push_back(std::max<size_t>(a.dim_sizes[i], 1));
         }
         a.dims = dims->data();
         a.dim_sizes = sizes->data();
       });
     }},
    {"bool_outputs_are_u8", "PJRT-Executable_NumOutputs-program",
     "Outputs of type PRED are described as U8.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         auto* types = Kept(
             std::vector<PJRT_Buffer_Type>(a.output_types, a.output_types + a.num_output_types));
         for (auto& type : *types) {
           if (type == PJRT_Buffer_Type_PRED) type = PJRT_Buffer_Type_U8;
         }
         a.output_types = types->data();
       });
     }},
    {"fingerprint_of_a_moment", "PJRT-Args-output-true",
     "The same program compiled again has another fingerprint.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         static auto* const texts = new std::map<PJRT_Executable*, std::string>;
         std::string& text = (*texts)[a.executable];
         if (text.empty()) {
           static int number = 0;
           text = std::string(a.executable_fingerprint, a.executable_fingerprint_size) + "-" +
                  std::to_string(++number);
         }
         a.executable_fingerprint = text.data();
         a.executable_fingerprint_size = text.size();
       });
     }},
    {"options_of_loaded_are_empty", "PJRT-Executable_GetCompileOptions-same",
     "The compile options of what was loaded from bytes are empty.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Note<FromBytes>(a.loaded_executable, FromBytes{true}); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         Note<FromBytes>(a.executable, NoteOf<FromBytes>(a.loaded_executable));
       });
       ForgetExecutables<FromBytes>(t);
       ChangeOutputs<&Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (NoteOf<FromBytes>(a.executable).is) a.serialized_bytes_size = 0;
       });
     }},
    {"delete_takes_siblings", "PJRT-Client_Load-again",
     "Unloading one of two programs that were loaded from one executable unloads the other.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Client_Load>(
           t, [](auto& a) { Note<Sibling>(a.loaded_executable, Sibling{a.executable}); });
       ForgetExecutables<Sibling>(t);
       ChangeInputs<&Api::PJRT_LoadedExecutable_Delete>(t, [](auto& a) {
         PJRT_Executable* of = NoteOf<Sibling>(a.executable).of;
         if (of == nullptr) return;
         std::vector<PJRT_LoadedExecutable*> others;
         {
           std::lock_guard<std::mutex> lock(Memory());
           for (const auto& [loaded, sibling] : Noted<PJRT_LoadedExecutable, Sibling>()) {
             if (sibling.of == of && loaded != a.executable) others.push_back(loaded);
           }
         }
         for (PJRT_LoadedExecutable* other : others) {
           auto args = MakeArgs<PJRT_LoadedExecutable_Delete_Args>();
           args.executable = other;
           Quiet<&Api::PJRT_LoadedExecutable_Delete>(args);
         }
       });
     }},
    {"get_executable_is_shared", "PJRT-LoadedExecutable_GetExecutable-executable-owner",
     "Each call gives the same handle, which no longer answers once one of them was destroyed.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Executable* known = NoteOf<Sibling>(a->loaded_executable).of;
         if (known != nullptr) {
           a->executable = known;
           return nullptr;
         }
         PJRT_Error* error = Real().PJRT_LoadedExecutable_GetExecutable(a);
         if (error == nullptr) Note<Sibling>(a->loaded_executable, Sibling{a->executable});
         return error;
       });
       ForgetExecutables<Sibling>(t);
       Replace<&Api::PJRT_Executable_Destroy>(t, [](auto* a) -> PJRT_Error* {
         if (a->executable != nullptr) Mark(a->executable);
         return nullptr;
       });
       Refuse<&Api::PJRT_Executable_Name>(t, [](auto& a) { return IsMarked(a.executable); });
       Refuse<&Api::PJRT_Executable_NumOutputs>(t, [](auto& a) { return IsMarked(a.executable); });
       Refuse<&Api::PJRT_Executable_Serialize>(t, [](auto& a) { return IsMarked(a.executable); });
     }},
    {"cost_by_name", "PJRT-Args-output-true",
     "Costs are kept by the name of the program: a second one of the name has those of the first.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         struct Owned {
           std::string name;
           PJRT_NamedValue value;
         };
         const std::string name = NameOf(a.executable);
         std::lock_guard<std::mutex> lock(Memory());
         static auto* const all = new std::map<std::string, std::vector<PJRT_NamedValue>>;
         auto found = all->find(name);
         if (found == all->end()) {
           std::vector<PJRT_NamedValue> copy(a.properties, a.properties + a.num_properties);
           for (auto& value : copy) {
             auto* text = Kept(std::string(value.name, value.name_size));
             value.name = text->data();
           }
           found = all->emplace(name, std::move(copy)).first;
         }
         a.properties = found->second.data();
         a.num_properties = found->second.size();
       });
     }},
    {"sizes_of_last_argument", "PJRT-Args-output-true",
     "The size of arguments grows for the first three only.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         auto kinds = MakeArgs<PJRT_Executable_ParameterMemoryKinds_Args>();
         kinds.executable = a.executable;
         Quiet<&Api::PJRT_Executable_ParameterMemoryKinds>(kinds);
         if (kinds.num_parameters > 3) {
           a.argument_size_in_bytes =
               a.argument_size_in_bytes * 3 / static_cast<int64_t>(kinds.num_parameters);
         }
       });
     }},
    {"program_fills_buffer", "PJRT-Executable_OptimizedProgram-two-calls",
     "A buffer larger than the program is said to be full, and cleared to its end.",
     [](Api& t) {
       Replace<&Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) {
         if (a->program == nullptr || a->program->code == nullptr) {
           return Real().PJRT_Executable_OptimizedProgram(a);
         }
         const size_t capacity = a->program->code_size;
         PJRT_Error* error = Real().PJRT_Executable_OptimizedProgram(a);
         if (error == nullptr && a->program->code_size < capacity) {
           std::memset(a->program->code + a->program->code_size, 0,
                       capacity - a->program->code_size);
           a->program->code_size = capacity;
         }
         return error;
       });
     }},
    {"logical_ids_swapped", "PJRT-LoadedExecutable_AddressableDeviceLogicalIds-order",
     "Replica and partition of each device are exchanged.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDeviceLogicalIds>(t, [](auto& a) {
         auto* ids = Kept(std::vector<PJRT_LogicalDeviceIds>(
             a.addressable_device_logical_ids,
             a.addressable_device_logical_ids + a.num_addressable_device_logical_ids));
         for (auto& id : *ids) std::swap(id.replica, id.partition);
         a.addressable_device_logical_ids = ids->data();
       });
     }},
    {"complete_before_arguments", "PJRT-LoadedExecutable_Execute-done",
     "An execution counts as done although its arguments are still to come.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         bool pending = false;
         for (size_t d = 0; a->argument_lists != nullptr && d < a->num_devices; ++d) {
           for (size_t i = 0; i < a->num_args; ++i) {
             pending |= IsPending(a->argument_lists[d][i]);
           }
         }
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr || !pending || a->device_complete_events == nullptr) return error;
         for (size_t d = 0; d < a->num_devices; ++d) {
           Drop(a->device_complete_events[d]);
           a->device_complete_events[d] = DoneEvent();
         }
         return error;
       });
     }},
    {"first_non_donatable_only", "PJRT-LoadedExecutable_Execute-not-donated",
     "Of the arguments that may not be donated only the first is kept.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.options == nullptr || a.options->num_non_donatable_input_indices < 2) return;
         static thread_local PJRT_ExecuteOptions options;
         options = {};
         std::memcpy(&options, a.options, std::min(sizeof(options), a.options->struct_size));
         options.num_non_donatable_input_indices = 1;
         a.options = &options;
       });
     }},
    {"execute_device_is_first", "PJRT-LoadedExecutable_Execute-results",
     "A program without an assignment runs on the first device, whatever `execute_device` says.",
     [](Api& t) {
       RememberClient(t);
       ChangeInputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.execute_device != nullptr) a.execute_device = FirstDevice(LastClient());
       });
     }},
    {"unloaded_has_no_devices", "PJRT-Args-output-same",
     "A program that was unloaded lists no devices.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         auto deleted = MakeArgs<PJRT_LoadedExecutable_IsDeleted_Args>();
         deleted.executable = a.executable;
         Quiet<&Api::PJRT_LoadedExecutable_IsDeleted>(deleted);
         if (deleted.is_deleted) a.num_addressable_devices = 0;
       });
     }},
    {"loaded_has_no_name", "PJRT-Executable_DeserializeAndLoad-same",
     "What was loaded from bytes has the name `main`.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Note<FromBytes>(a.loaded_executable, FromBytes{true}); });
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         Note<FromBytes>(a.executable, NoteOf<FromBytes>(a.loaded_executable));
       });
       ForgetExecutables<FromBytes>(t);
       ChangeOutputs<&Api::PJRT_Executable_Name>(t, [](auto& a) {
         if (!NoteOf<FromBytes>(a.executable).is) return;
         a.executable_name = "main";
         a.executable_name_size = 4;
       });
     }},
    {"loaded_lists_first_devices", "PJRT-Executable_DeserializeAndLoad-same",
     "What was loaded from bytes lists the first devices of the client, not its own.",
     [](Api& t) {
       RememberClient(t);
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Note<FromBytes>(a.loaded_executable, FromBytes{true}); });
       ForgetExecutables<FromBytes>(t);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (!NoteOf<FromBytes>(a.executable).is) return;
         auto* devices = Kept(DevicesOf(LastClient()));
         a.addressable_devices = devices->data();
         a.num_addressable_devices = std::min(a.num_addressable_devices, devices->size());
       });
     }},
    {"no_output_is_one", "PJRT-Executable_NumOutputs-program",
     "A program without outputs is said to have one.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_NumOutputs>(
           t, [](auto& a) { a.num_outputs = std::max<size_t>(a.num_outputs, 1); });
     }},
    {"name_of_last_compiled", "PJRT-Args-output-lifetime",
     "An executable has the name of what was asked for last, once two are alive.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Name>(t, [](auto& a) {
         static thread_local char name[4096];
         a.executable_name_size = std::min(a.executable_name_size, sizeof(name));
         std::memcpy(name, a.executable_name, a.executable_name_size);
         a.executable_name = name;
       });
     }},
    {"loaded_fingerprint_differs", "PJRT-Executable_DeserializeAndLoad-same",
     "A program loaded from bytes has another fingerprint than the one that was serialized.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Note<Broken>(a.loaded_executable, Broken{true}); });
       ForgetExecutables<Broken>(t);
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Fingerprint>(t, [](auto& a) {
         if (NoteOf<Broken>(a.executable).is && a.executable_fingerprint_size > 1) {
           --a.executable_fingerprint_size;
         }
       });
     }},
    {"cost_of_nothing_is_nan", "PJRT-Executable_GetCostAnalysis-named",
     "Costs of a program with an empty output are no numbers.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         if (!HasEmptyOutput(a.executable)) return;
         auto* all =
             Kept(std::vector<PJRT_NamedValue>(a.properties, a.properties + a.num_properties));
         for (auto& value : *all) {
           if (value.type == PJRT_NamedValue_kFloat) value.float_value = std::nanf("");
         }
         a.properties = all->data();
       });
     }},
    {"types_need_the_loaded", "PJRT-LoadedExecutable_GetExecutable-independent",
     "An executable says no types once the loaded one that it came from is gone.",
     [](Api& t) {
       MarkEndedOwners<&Api::PJRT_LoadedExecutable_Destroy>(t);
       Refuse<&Api::PJRT_Executable_OutputElementTypes>(
           t, [](auto& a) { return HasEndedOwner(a.executable); });
     }},
    {"assignment_by_count", "PJRT-Args-output-true",
     "Programs of as many devices have one device assignment, that of the first.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         static auto* const all = new std::map<size_t, std::string>;
         auto [found, fresh] = all->try_emplace(
             a.serialized_bytes_size, std::string(a.serialized_bytes, a.serialized_bytes_size));
         a.serialized_bytes = found->second.data();
       });
     }},
    {"unloaded_not_serialized", "PJRT-LoadedExecutable_GetExecutable-independent",
     "A program that was unloaded is not serialized.",
     [](Api& t) {
       MarkEndedOwners<&Api::PJRT_LoadedExecutable_Delete>(t);
       Refuse<&Api::PJRT_Executable_Serialize>(
           t, [](auto& a) { return HasEndedOwner(const_cast<PJRT_Executable*>(a.executable)); });
     }},
    {"failure_sticks", "PJRT-Args-accepted",
     "A program that was refused once for its arguments is refused from then on.",
     [](Api& t) {
       Replace<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto* a) {
         if (a->executable != nullptr && NoteOf<Broken>(a->executable).is) {
           return MakeError(PJRT_Error_Code_INTERNAL, "broken before");
         }
         PJRT_Error* error = Real().PJRT_LoadedExecutable_Execute(a);
         if (error != nullptr && a->executable != nullptr) {
           Note<Broken>(a->executable, Broken{true});
         }
         return error;
       });
       ForgetExecutables<Broken>(t);
     }},
    {"no_event_without_arguments", "PJRT-Args-output-handle",
     "Programs without arguments give no events.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.num_args > 0 || a.device_complete_events == nullptr) return;
         for (size_t d = 0; d < a.num_devices; ++d) {
           Drop(a.device_complete_events[d]);
           a.device_complete_events[d] = nullptr;
         }
       });
     }},
    {"donates_once", "PJRT-LoadedExecutable_Execute-donation",
     "A program donates in its first two runs alone.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (a.options == nullptr || a.executable == nullptr) return;
         Runs runs = NoteOf<Runs>(a.executable);
         Note<Runs>(a.executable, Runs{runs.count + 1});
         if (runs.count >= 2) KeepAll(a);
       });
       ForgetExecutables<Runs>(t);
     }},
    {"launch_ids_of_16_bits", "PJRT-Args-accepted", "A launch id above 65535 is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_LoadedExecutable_Execute>(
           t, [](auto& a) { return a.options != nullptr && a.options->launch_id > 65535; });
     }},
};

}  // namespace

std::span<const Mutant> UnitMutants() { return kUnitMutants; }

}  // namespace plinth::mutants
