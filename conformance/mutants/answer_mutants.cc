// SPDX-License-Identifier: Apache-2.0
// What is said wrongly of clients, devices, memories, topologies and executables: of some of them,
// after something else, or of some kind.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"

namespace plinth::mutants {
namespace {

std::span<PJRT_Device* const> DevicesOf(PJRT_Client* client) {
  auto all = MakeArgs<PJRT_Client_Devices_Args>();
  all.client = client;
  FreeError(Real().PJRT_Client_Devices(&all));
  return {all.devices, all.num_devices};
}

int64_t InUse(PJRT_Device* device) {
  auto stats = MakeArgs<PJRT_Device_MemoryStats_Args>();
  stats.device = device;
  FreeError(Real().PJRT_Device_MemoryStats(&stats));
  return stats.bytes_in_use;
}

// Copies of what a call gave out that live as long as the process.
template <typename Item>
std::vector<Item>& Own(const Item* from, size_t count) {
  return *new std::vector<Item>(from, from + count);
}

constexpr Mutant kAnswerMutants[] = {
    {"hardware_modulo", "PJRT-Client_LookupAddressableDevice-unknown",
     "numbers of hardware that are too large begin again at 0",
     [](PJRT_Api& t) {
       ChangeInputs<&PJRT_Api::PJRT_Client_LookupAddressableDevice>(t, [](auto& a) {
         const int count = static_cast<int>(DevicesOf(a.client).size());
         if (a.local_hardware_id >= count) a.local_hardware_id %= count;
       });
     }},
    {"devices_of_first_client", "PJRT-Args-output-true",
     "every client lists the addressable devices of the first",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_AddressableDevices>(t, [](auto& a) {
         static PJRT_Client* first = a.client;
         static auto& list = Own(a.addressable_devices, a.num_addressable_devices);
         if (a.client != first) a.addressable_devices = list.data();
       });
     }},
    {"topology_lacks_last", "PJRT-Client_TopologyDescription-devices",
     "a topology of several devices lacks the last",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (a.num_descriptions > 1) --a.num_descriptions;
       });
     }},
    {"process_of_last_device", "PJRT-DeviceDescription_ProcessIndex-addressable",
     "the fourth device is said to be of process 1",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_ProcessIndex>(t, [](auto& a) {
         auto id = MakeArgs<PJRT_DeviceDescription_Id_Args>();
         id.device_description = a.device_description;
         FreeError(Real().PJRT_DeviceDescription_Id(&id));
         if (id.id == 3) a.process_index = 1;
       });
     }},
    {"one_debug_string", "PJRT-Args-output-lifetime",
     "the debug string of a device is where that of the next will be",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_DeviceDescription_DebugString>(t, [](auto& a) {
         static char text[4096];
         if (a.debug_string_size > sizeof(text)) return;
         std::memcpy(text, a.debug_string, a.debug_string_size);
         a.debug_string = text;
       });
     }},
    {"memory_of_all_devices", "PJRT-Memory_AddressableByDevices-mutual",
     "the last memory is said to be reached by all devices",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Memory_AddressableByDevices>(t, [](auto& a) {
         auto all = MakeArgs<PJRT_Client_AddressableMemories_Args>();
         all.client = LastClient();
         FreeError(Real().PJRT_Client_AddressableMemories(&all));
         if (a.memory != all.addressable_memories[all.num_addressable_memories - 1]) return;
         a.devices = DevicesOf(LastClient()).data();
         a.num_devices = DevicesOf(LastClient()).size();
       });
     }},
    {"default_memory_follows", "PJRT-Args-output-same",
     "the default memory of a device is the one that was uploaded to last",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Client_BufferFromHostBuffer>(t, [](auto& a) {
         if (a.memory != nullptr) Note(DeviceOf(a.buffer), a.memory);
       });
       ChangeOutputs<&PJRT_Api::PJRT_Device_DefaultMemory>(t, [](auto& a) {
         if (PJRT_Memory* last = NoteOf<PJRT_Memory*>(a.device)) a.memory = last;
       });
     }},
    {"clear_forgets_use", "PJRT-Device_MemoryStats-in-use",
     "clearing the statistics makes bytes_in_use begin again at 0",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Device_ClearMemoryStats>(
           t, [](auto& a) { Note(a.device, InUse(a.device)); });
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         a.bytes_in_use = std::max<int64_t>(0, a.bytes_in_use - NoteOf<int64_t>(a.device));
       });
     }},
    {"clear_of_all_devices", "PJRT-Device_ClearMemoryStats-peak",
     "clearing the statistics of a device clears those of all",
     [](PJRT_Api& t) {
       RememberClient(t);
       Replace<&PJRT_Api::PJRT_Device_ClearMemoryStats>(t, [](auto* args) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Device_ClearMemoryStats(args);
         if (error != nullptr) return error;
         for (PJRT_Device* device : DevicesOf(LastClient())) {
           auto other = MakeArgs<PJRT_Device_ClearMemoryStats_Args>();
           other.device = device;
           FreeError(Real().PJRT_Device_ClearMemoryStats(&other));
         }
         return nullptr;
       });
     }},
    {"peak_of_first_device", "PJRT-Device_MemoryStats-peak",
     "the peak of a device is that of the first, or what is in use",
     [](PJRT_Api& t) {
       RememberClient(t);
       ChangeOutputs<&PJRT_Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         auto first = MakeArgs<PJRT_Device_MemoryStats_Args>();
         first.device = FirstDevice(LastClient());
         FreeError(Real().PJRT_Device_MemoryStats(&first));
         a.peak_bytes_in_use = std::max(a.bytes_in_use, first.peak_bytes_in_use);
       });
     }},
    {"cost_per_nothing", "PJRT-Executable_GetCostAnalysis-named",
     "an estimate is divided by the operations, also where there are none",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         auto& own = Own(a.properties, a.num_properties);
         float flops = 0;
         for (auto& property : own) {
           if (std::string_view(property.name, property.name_size) == "flops")
             flops = property.float_value;
         }
         if (flops != 0 || own.empty()) return;
         own.push_back(own.front());
         own.back().name = "bytes per operation";
         own.back().name_size = 19;
         own.back().type = PJRT_NamedValue_kFloat;
         own.back().float_value = std::numeric_limits<float>::quiet_NaN();
         a.properties = own.data();
         a.num_properties = own.size();
       });
     }},
    {"eight_arguments_sized", "PJRT-Executable_GetCompiledMemoryStats-sizes",
     "the size of arguments is that of the first eight",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         auto kinds = MakeArgs<PJRT_Executable_ParameterMemoryKinds_Args>();
         kinds.executable = a.executable;
         FreeError(Real().PJRT_Executable_ParameterMemoryKinds(&kinds));
         if (kinds.num_parameters > 8) {
           a.argument_size_in_bytes =
               a.argument_size_in_bytes * 8 / static_cast<int64_t>(kinds.num_parameters);
         }
       });
     }},
    {"loaded_shares_nothing", "PJRT-Executable_GetCompiledMemoryStats-alias",
     "what was loaded from bytes is said to share nothing with its arguments",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_DeserializeAndLoad>(
           t, [](auto& a) { Mark(a.loaded_executable); });
       ChangeInputs<&PJRT_Api::PJRT_LoadedExecutable_Destroy>(
           t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_LoadedExecutable_GetExecutable>(t, [](auto& a) {
         if (IsMarked(a.loaded_executable)) Mark(a.executable);
       });
       ChangeInputs<&PJRT_Api::PJRT_Executable_Destroy>(t, [](auto& a) { Unmark(a.executable); });
       ChangeOutputs<&PJRT_Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.alias_size_in_bytes = 0;
       });
     }},
    {"scalar_output_of_rank_one", "PJRT-Executable_NumOutputs-program",
     "an output that is a scalar is said to have one dimension of 1",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputDimensions>(t, [](auto& a) {
         auto& dims = *new std::vector<int64_t>;
         auto& sizes = Own(a.dim_sizes, a.num_outputs);
         const int64_t* next = a.dims;
         for (size_t& size : sizes) {
           dims.insert(dims.end(), next, next + size);
           next += size;
           if (size == 0) dims.push_back(1), size = 1;
         }
         a.dims = dims.data();
         a.dim_sizes = sizes.data();
       });
     }},
    {"predicate_output_as_byte", "PJRT-Executable_NumOutputs-program",
     "an output of type PRED is said to be U8",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputElementTypes>(t, [](auto& a) {
         auto& types = Own(a.output_types, a.num_output_types);
         std::replace(types.begin(), types.end(), PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_U8);
         a.output_types = types.data();
       });
     }},
    {"kinds_of_eight_outputs", "PJRT-Executable_NumOutputs-program",
     "the memory kinds of outputs after the eighth are empty",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_OutputMemoryKinds>(t, [](auto& a) {
         auto& sizes = Own(a.memory_kind_sizes, a.num_outputs);
         for (size_t i = 8; i < sizes.size(); ++i) sizes[i] = 0;
         a.memory_kind_sizes = sizes.data();
       });
     }},
    {"sixteen_parameters", "PJRT-Executable_ParameterMemoryKinds-program",
     "memory kinds are given of sixteen parameters at most",
     [](PJRT_Api& t) {
       ChangeOutputs<&PJRT_Api::PJRT_Executable_ParameterMemoryKinds>(
           t, [](auto& a) { a.num_parameters = std::min<size_t>(a.num_parameters, 16); });
     }},
};

}  // namespace

std::span<const Mutant> AnswerMutants() { return kAnswerMutants; }

}  // namespace plinth::mutants
