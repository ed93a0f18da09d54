// SPDX-License-Identifier: Apache-2.0
// Bugs of what comes out of bytes: executables and topologies that were stored and loaded, or were
// compiled for a topology. Written from the requirements, without looking at the cases.

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

constexpr char kAccepted[] = "PJRT-Args-accepted";
constexpr char kSame[] = "PJRT-Executable_DeserializeAndLoad-same";
constexpr char kTrue[] = "PJRT-Args-output-true";

void NoteLoaded(PJRT_Api& table) {
  ForgetExecutables<Bytes>(table);
  ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(table, [](auto& a) {
    Note(a.loaded_executable,
         Bytes{a.serialized_executable,
               std::string(a.serialized_executable, a.serialized_executable_size)});
  });
}
// Handles of programs that were loaded from bytes.
void NoteLoadedPrograms(PJRT_Api& table) {
  NoteLoaded(table);
  ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(
      table, [](auto& a) { Note(a.executable, NoteOf<Bytes>(a.loaded_executable).at != nullptr); });
  ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(table, [](auto& a) {
    std::lock_guard<std::mutex> lock(Memory());
    Noted<PJRT_Executable, bool>().erase(a.executable);
  });
}

bool IsLoaded(PJRT_LoadedExecutable* executable) { return NoteOf<Bytes>(executable).at != nullptr; }

void MarkTopologiesOfBytes(PJRT_Api& table) {
  ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Deserialize>(table,
                                                                 [](auto& a) { Mark(a.topology); });
  ChangeInputs<&PJRT_Api::PJRT_TopologyDescription_Destroy>(table,
                                                            [](auto& a) { Unmark(a.topology); });
}

constexpr Mutant kLoadedMutants[] = {
    {"bytes_are_callers", kSame, "an executable needs the bytes that it was loaded from",
     [](PJRT_Api& t) {
       NoteLoaded(t);
       Refuse<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](const auto& a) {
         Bytes bytes = NoteOf<Bytes>(a.executable);
         return bytes.at != nullptr &&
                std::memcmp(bytes.at, bytes.were.data(), bytes.were.size()) != 0;
       });
     }},
    {"loaded_has_one_replica", kSame, "what is loaded from bytes says that it is one replica",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumReplicas>(t, [](auto& a) {
         if (NoteOf<bool>(a.executable)) a.num_replicas = 1;
       });
     }},
    {"loaded_has_one_partition", kSame, "what is loaded from bytes says that it is one partition",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumPartitions>(t, [](auto& a) {
         if (NoteOf<bool>(a.executable)) a.num_partitions = 1;
       });
     }},
    {"loaded_bf16_is_u16", kSame, "what is loaded from bytes says u16 for bf16",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         static auto* const kept = new std::set<std::vector<PJRT_Buffer_Type>>;
         if (!NoteOf<bool>(a.executable) || a.num_output_types == 0) return;
         std::vector<PJRT_Buffer_Type> types(a.output_types, a.output_types + a.num_output_types);
         std::replace(types.begin(), types.end(), PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_U16);
         std::lock_guard<std::mutex> lock(Memory());
         a.output_types = const_cast<PJRT_Buffer_Type*>(kept->insert(types).first->data());
       });
     }},
    {"loaded_has_another_name", kSame, "what is loaded from bytes has a name of its own",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Name>(t, [](auto& a) {
         if (!NoteOf<bool>(a.executable)) return;
         a.executable_name = "loaded";
         a.executable_name_size = 6;
       });
     }},
    {"loaded_has_no_costs", kSame, "what is loaded from bytes has no estimates",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         if (NoteOf<bool>(a.executable)) a.num_properties = 0;
       });
     }},
    {"loaded_takes_nothing", kSame, "what is loaded from bytes says sizes of 0",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (!NoteOf<bool>(a.executable)) return;
         a.argument_size_in_bytes = 0;
         a.output_size_in_bytes = 0;
       });
     }},
    {"loaded_has_other_fingerprint", kSame,
     "what is loaded from bytes has another fingerprint than what was serialized",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_Fingerprint>(t, [](auto& a) {
         if (NoteOf<bool>(a.executable) && a.executable_fingerprint_size != 0)
           --a.executable_fingerprint_size;
       });
     }},
    {"devices_of_bytes_turned", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was loaded from bytes lists its devices in the other order",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (!IsMarked(a.topology)) return;
         auto* own = new std::vector<PJRT_DeviceDescription*>(a.descriptions,
                                                              a.descriptions + a.num_descriptions);
         std::reverse(own->begin(), own->end());
         a.descriptions = own->data();
       });
     }},
    {"topology_of_bytes_has_own_number", "PJRT-TopologyDescription_Fingerprint-equal",
     "a topology that was loaded from bytes has another number",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_Fingerprint>(t, [](auto& a) {
         if (IsMarked(a.topology)) ++a.fingerprint;
       });
     }},
    {"topology_of_bytes_has_other_version", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was loaded from bytes is of another version of the platform",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_PlatformVersion>(t, [](auto& a) {
         if (IsMarked(a.topology) && a.platform_version_size > 0) --a.platform_version_size;
       });
     }},
    {"topology_of_bytes_cut", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was loaded from bytes has one device",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.num_descriptions = std::min<size_t>(a.num_descriptions, 1);
       });
     }},
    {"compiled_ahead_is_one_replica", "PJRT-Executable_NumReplicas-options",
     "what is compiled for a topology says that it is one replica",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Compile>(t, [](auto& a) { Mark(a.executable); });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumReplicas>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.num_replicas = 1;
       });
     }},
    {"compiled_ahead_is_one_partition", "PJRT-Executable_NumPartitions-options",
     "what is compiled for a topology says that it is one partition",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Compile>(t, [](auto& a) { Mark(a.executable); });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_NumPartitions>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.num_partitions = 1;
       });
     }},
    {"compiled_ahead_has_default_options", "PJRT-Executable_GetCompileOptions-same",
     "what is compiled for a topology has options of nobody",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Compile>(t, [](auto& a) { Mark(a.executable); });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.serialized_bytes_size = 0;
       });
     }},
    {"read_topology_version_of_none", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was read has an empty platform version",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_PlatformVersion>(t, [](auto& a) {
         if (IsMarked(a.topology)) a.platform_version_size = 0;
       });
     }},
    {"read_topology_kinds", "PJRT-TopologyDescription_Deserialize-same",
     "a topology that was read lists its first memory kind alone",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       if (t.PJRT_TopologyDescription_GetMemorySpaceKindIds == nullptr) return;
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetMemorySpaceKindIds>(t, [](auto& a) {
         if (IsMarked(a.topology) && a.num_memory_space_kind_ids > 1)
           a.num_memory_space_kind_ids = 1;
       });
     }},
    {"read_topology_is_not_stored", kAccepted,
     "a topology that was read cannot be serialized again",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       Refuse<&PJRT_Api::PJRT_TopologyDescription_Serialize, PJRT_Error_Code_UNIMPLEMENTED>(
           t, [](auto& a) { return IsMarked(a.topology); });
     }},
    {"ahead_for_read_topology", kAccepted, "compiling for a topology that was read is refused",
     [](PJRT_Api& t) {
       MarkTopologiesOfBytes(t);
       Refuse<&PJRT_Api::PJRT_Compile>(t, [](auto& a) { return IsMarked(a.topology); });
     }},
    {"ahead_needs_client", kAccepted, "compiling for a topology without a client is refused",
     [](PJRT_Api& t) {
       Refuse<&PJRT_Api::PJRT_Compile>(t, [](auto& a) { return a.client == nullptr; });
     }},
    {"loads_on_first_client", kSame,
     "bytes are loaded for the client of the process that was made first",
     [](PJRT_Api& t) {
       static PJRT_Client* first = nullptr;
       ChangeOutputs<&PJRT_Api::PJRT_Client_Create>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (first == nullptr) first = a.client;
       });
       ChangeInputs<&PJRT_Api::PJRT_Client_Destroy>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (first == a.client) first = nullptr;
       });
       ChangeInputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         if (first != nullptr) a.client = first;
       });
     }},
    {"loaded_protects_nothing", kSame,
     "what was loaded from bytes donates also what the caller protects",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Execute>(t, [](auto& a) {
         if (!IsLoaded(a.executable)) return;
         if (a.options == nullptr || a.options->struct_size < sizeof(PJRT_ExecuteOptions)) return;
         static thread_local PJRT_ExecuteOptions own;
         own = *a.options;
         own.non_donatable_input_indices = nullptr;
         own.num_non_donatable_input_indices = 0;
         a.options = &own;
       });
     }},
    {"loaded_kinds_of_outputs", kTrue,
     "what was loaded from bytes tells no memory kinds of outputs",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         if (NoteOf<bool>(a.executable)) a.num_outputs = 0;
       });
     }},
    {"loaded_has_no_options", kTrue, "what was loaded from bytes has empty compile options",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         if (NoteOf<bool>(a.executable)) a.serialized_bytes_size = 0;
       });
     }},
    {"loaded_is_not_stored", kAccepted, "what was loaded from bytes cannot be serialized again",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       Refuse<&PJRT_Api::PJRT_Executable_Serialize>(
           t, [](auto& a) { return NoteOf<bool>(const_cast<PJRT_Executable*>(a.executable)); });
     }},
    {"loaded_assignment_sorted", kSame, "what was loaded from bytes tells its devices in reverse",
     [](PJRT_Api& t) {
       NoteLoadedPrograms(t);
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_AddressableDevices>(t, [](auto& a) {
         if (!IsLoaded(a.executable) || a.num_addressable_devices < 2) return;
         auto* own = new std::vector<PJRT_Device*>(
             a.addressable_devices, a.addressable_devices + a.num_addressable_devices);
         std::reverse(own->begin(), own->end());
         a.addressable_devices = own->data();
       });
     }},
};

}  // namespace

std::span<const Mutant> LoadedMutants() { return kLoadedMutants; }

}  // namespace plinth::mutants
