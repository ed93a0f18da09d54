// SPDX-License-Identifier: Apache-2.0
// Bugs of topologies, devices, memories and layouts: what is said of them, and of which. Written
// from the header, without looking at the cases.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"
#include "pjrt_c_api_memory_descriptions_extension.h"
#include "pjrt_c_api_raw_buffer_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

std::vector<PJRT_Device*> DevicesOf(PJRT_Client* client) {
  auto args = MakeArgs<PJRT_Client_AddressableDevices_Args>();
  args.client = client;
  Quiet<&Api::PJRT_Client_AddressableDevices>(args);
  return {args.addressable_devices, args.addressable_devices + args.num_addressable_devices};
}

std::span<PJRT_DeviceDescription* const> DescriptionsOf(const PJRT_TopologyDescription* topology) {
  auto args = MakeArgs<PJRT_TopologyDescription_GetDeviceDescriptions_Args>();
  args.topology = topology;
  Quiet<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(args);
  return {args.descriptions, args.num_descriptions};
}

const Mutant kMapMutants[] = {
    {"compile_ignores_options", "PJRT-Executable_NumReplicas-options",
     "A program compiled for a topology has one replica, whatever the options say.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Compile>(t, [](auto& a) { Mark(a.executable); });
       ChangeOutputs<&Api::PJRT_Executable_NumReplicas>(t, [](auto& a) {
         if (IsMarked(a.executable)) a.num_replicas = 1;
       });
     }},
    {"read_topology_reversed", "PJRT-TopologyDescription_Deserialize-same",
     "A topology that was read lists its devices the other way round.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t,
                                                                 [](auto& a) { Mark(a.topology); });
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         if (!IsMarked(a.topology)) return;
         auto* all = Kept(std::vector<PJRT_DeviceDescription*>(
             a.descriptions, a.descriptions + a.num_descriptions));
         std::reverse(all->begin(), all->end());
         a.descriptions = all->data();
       });
     }},
    {"lookup_from_the_end", "PJRT-Client_LookupDevice-unknown",
     "A negative id counts from the end.",
     [](Api& t) {
       ChangeInputs<&Api::PJRT_Client_LookupDevice>(t, [](auto& a) {
         if (a.client == nullptr || a.id >= 0) return;
         a.id += static_cast<int>(DevicesOf(a.client).size());
       });
     }},
    {"stats_after_delete", "PJRT-Device_MemoryStats-in-use",
     "What a deleted buffer held is in use until the buffer is destroyed.",
     [](Api& t) {
       struct Held {
         size_t bytes = 0;
         PJRT_Device* device = nullptr;
       };
       Replace<&Api::PJRT_Buffer_Delete>(t, [](auto* a) {
         if (a->buffer != nullptr && !IsDeleted(a->buffer)) {
           Note<Held>(a->buffer, Held{SizeOf(a->buffer), DeviceOf(a->buffer)});
         }
         return Real().PJRT_Buffer_Delete(a);
       });
       ForgetBuffers<Held>(t);
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         std::lock_guard<std::mutex> lock(Memory());
         for (const auto& [buffer, held] : Noted<PJRT_Buffer, Held>()) {
           if (held.device == a.device) a.bytes_in_use += static_cast<int64_t>(held.bytes);
         }
         a.peak_bytes_in_use = std::max(a.peak_bytes_in_use, a.bytes_in_use);
       });
     }},
    {"clearing_clears_all", "PJRT-Device_ClearMemoryStats-peak",
     "Clearing the counters of a device clears those of all devices.",
     [](Api& t) {
       RememberClient(t);
       ChangeOutputs<&Api::PJRT_Device_ClearMemoryStats>(t, [](auto&) {
         for (PJRT_Device* device : DevicesOf(LastClient())) {
           auto args = MakeArgs<PJRT_Device_ClearMemoryStats_Args>();
           args.device = device;
           Quiet<&Api::PJRT_Device_ClearMemoryStats>(args);
         }
       });
     }},
    {"peak_falls", "PJRT-Device_MemoryStats-peak", "The peak is what is in use now.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(
           t, [](auto& a) { a.peak_bytes_in_use = a.bytes_in_use; });
     }},
    {"one_key_of_a_memory", "PJRT-Memory-head",
     "A memory keeps one pointer of a user, whatever the key.",
     [](Api& t) {
       ChangeMemories(t, [](auto& own) {
         static constexpr char kOnly = 0;
         own.get_user_data = [](PJRT_Memory* m, const void*) {
           return MemoriesBehind()->get_user_data(m, &kOnly);
         };
         own.set_user_data = [](PJRT_Memory* m, const void*, void* data, void (*destroy)(void*)) {
           MemoriesBehind()->set_user_data(m, &kOnly, data, destroy);
         };
       });
     }},
    {"deleted_goes_home", "PJRT-Args-output-same",
     "A deleted buffer is said to be in the default memory of its device.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Buffer_Memory>(t, [](auto& a) {
         if (!IsDeleted(a.buffer)) return;
         if (PJRT_Device* device = DeviceOf(a.buffer)) a.memory = DefaultMemoryOf(device);
       });
     }},
    {"copy_to_memory_of_first_device", "PJRT-Buffer_Memory-asked-for",
     "What was copied to a memory names the first device as its own.",
     [](Api& t) {
       RememberClient(t);
       ChangeOutputs<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto& a) { Mark(a.dst_buffer); });
       ChangeOutputs<&Api::PJRT_Buffer_Device>(t, [](auto& a) {
         if (IsMarked(a.buffer)) a.device = FirstDevice(LastClient());
       });
       ChangeInputs<&Api::PJRT_Buffer_Destroy>(t, [](auto& a) { Unmark(a.buffer); });
     }},
    {"layout_bytes_shared", "PJRT-Args-output-lifetime",
     "The bytes of a layout are overwritten when another is asked for.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr) return error;
         static char bytes[4096];
         const size_t size = std::min(a->serialized_bytes_size, sizeof(bytes));
         std::memcpy(bytes, a->serialized_bytes, size);
         a->serialized_bytes = bytes;
         return error;
       });
     }},
    {"every_layout_is_default", "PJRT-Args-output-true",
     "The layout of a buffer is the default one, also if the buffer was made with another.",
     [](Api& t) {
       RememberClient(t);
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Buffer_MemoryLayout,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         auto dims = MakeArgs<PJRT_Buffer_Dimensions_Args>();
         dims.buffer = a->buffer;
         if (a->buffer == nullptr || IsDeleted(a->buffer)) return behind(a);
         Quiet<&Api::PJRT_Buffer_Dimensions>(dims);
         PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args layout = {};
         layout.struct_size = PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args_STRUCT_SIZE;
         layout.client = LastClient();
         layout.type = ElementTypeOf(a->buffer);
         layout.dims = dims.dims;
         layout.num_dims = dims.num_dims;
         PJRT_Error* error = RealExtension<PJRT_Layouts_Extension>(PJRT_Extension_Type_Layouts)
                                 .PJRT_Layouts_PJRT_Client_GetDefaultLayout(&layout);
         a->layout = layout.layout;
         return error;
       });
     }},
    {"eight_output_layouts", "PJRT-Args-output-true", "Layouts of eight outputs are given.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetOutputLayouts,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr) a->num_outputs = std::min<size_t>(a->num_outputs, 8);
         return error;
       });
     }},
    {"description_kind_ids", "PJRT-Args-output-true",
     "Kinds have other numbers in descriptions of memories than in memories.",
     [](Api& t) {
       ReplaceInAdded<&PJRT_MemoryDescriptions_Extension::PJRT_MemoryDescription_Kind,
                      PJRT_Extension_Type_MemoryDescriptions>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr) ++a->kind_id;
         return error;
       });
     }},
    {"no_attributes_no_deleter", "PJRT-Device_GetAttributes-device_attributes-owner",
     "There is no deleter for a list of no attributes.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Device_GetAttributes>(t, [](auto& a) {
         if (a.num_attributes == 0) a.attributes_deleter = nullptr;
       });
     }},
    {"largest_is_latest", "PJRT-Args-output-true", "The largest allocation is the latest upload.",
     [](Api& t) {
       static std::atomic<int64_t> latest = 0;
       ChangeOutputs<&Api::PJRT_Client_BufferFromHostBuffer>(
           t, [](auto& a) { latest = static_cast<int64_t>(SizeOf(a.buffer)); });
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (latest > 0) {
           a.largest_alloc_size = latest;
           a.largest_alloc_size_is_set = true;
         }
       });
     }},
    {"limit_in_kilobytes", "PJRT-Args-output-true", "The limit is counted in 64 KiB.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (!a.bytes_limit_is_set) a.bytes_limit = int64_t{1} << 33;
         a.bytes_limit_is_set = true;
         a.bytes_limit >>= 16;
       });
     }},
    {"memory_text_shared", "PJRT-Args-output-lifetime",
     "The text of a memory is overwritten when that of another is asked for.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Memory_ToString>(t, [](auto& a) {
         static thread_local char text[4096];
         a.to_string_size = std::min(a.to_string_size, sizeof(text));
         std::memcpy(text, a.to_string, a.to_string_size);
         a.to_string = text;
       });
     }},
    {"processes_told_once", "PJRT-Args-accepted",
     "What is known of processes is told once; a second time it is refused.",
     [](Api& t) {
       Refuse<&Api::PJRT_Client_UpdateGlobalProcessInfo>(t, [](auto&) {
         static std::atomic<int> calls = 0;
         return ++calls > 1;
       });
     }},
    {"bytes_have_a_number", "PJRT-Args-output-true",
     "The bytes of a topology differ whenever it is serialized.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Serialize>(t, [](auto& a) {
         static std::atomic<int> number = 0;
         auto* bytes = Kept(std::string(a.serialized_bytes, a.serialized_bytes_size));
         bytes->push_back(static_cast<char>(++number));
         a.serialized_bytes = bytes->data();
         a.serialized_bytes_size = bytes->size();
       });
       ChangeInputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         if (a.serialized_topology_size > 0) --a.serialized_topology_size;
       });
     }},
    {"read_devices_without_text", "PJRT-TopologyDescription_Deserialize-same",
     "The devices of a topology that was read have another text.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_Deserialize>(t, [](auto& a) {
         for (PJRT_DeviceDescription* each : DescriptionsOf(a.topology)) Mark(each);
       });
       ChangeOutputs<&Api::PJRT_DeviceDescription_ToString>(t, [](auto& a) {
         if (IsMarked(a.device_description) && a.to_string_size > 1) --a.to_string_size;
       });
     }},
    {"replaced_data_leaks", "PJRT-Memory-head",
     "Data attached to a memory is not destroyed when other data takes its place.",
     [](Api& t) {
       ChangeMemories(t, [](auto& own) {
         own.set_user_data = [](PJRT_Memory* m, const void* key, void* data, void (*)(void*)) {
           MemoriesBehind()->set_user_data(m, key, data, nullptr);
         };
       });
     }},
    {"copy_in_place_moves", "PJRT-Args-input",
     "A copy to the memory that a buffer is in takes its contents away.",
     [](Api& t) {
       Replace<&Api::PJRT_Buffer_CopyToMemory>(t, [](auto* a) {
         const bool same = a->buffer != nullptr && MemoryOf(a->buffer) == a->dst_memory;
         PJRT_Error* error = Real().PJRT_Buffer_CopyToMemory(a);
         if (error == nullptr && same) Delete(a->buffer);
         return error;
       });
     }},
    {"kind_cut", "PJRT-Args-output-true",
     "Kinds of parameters are longer by a NUL than kinds of memories.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_ParameterMemoryKinds>(t, [](auto& a) {
         auto* sizes =
             Kept(std::vector<size_t>(a.memory_kind_sizes, a.memory_kind_sizes + a.num_parameters));
         auto* texts = Kept(std::vector<const char*>{});
         for (size_t i = 0; i < a.num_parameters; ++i) {
           auto* text = Kept(std::string(a.memory_kinds[i], (*sizes)[i]));
           texts->push_back(text->c_str());
           ++(*sizes)[i];
         }
         a.memory_kinds = texts->data();
         a.memory_kind_sizes = sizes->data();
       });
     }},
    {"layout_of_first_parameter", "PJRT-Args-output-true",
     "Every parameter is said to have the layout of the first.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr && a->num_parameters > 1) {
           a->layouts =
               Kept(std::vector<PJRT_Layouts_MemoryLayout*>(a->num_parameters, a->layouts[0]))
                   ->data();
         }
         return error;
       });
     }},
    {"raw_in_default_memory", "PJRT-Args-output-true",
     "A raw buffer names the default memory of its device.",
     [](Api& t) {
       ReplaceInAdded<&PJRT_RawBuffer_Extension::PJRT_RawBuffer_GetMemorySpace,
                      PJRT_Extension_Type_RawBuffer>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error != nullptr) return error;
         auto args = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
         args.memory = a->memory_space;
         Quiet<&Api::PJRT_Memory_AddressableByDevices>(args);
         if (args.num_devices > 0) a->memory_space = DefaultMemoryOf(args.devices[0]);
         return error;
       });
     }},
};

}  // namespace

std::span<const Mutant> MapMutants() { return kMapMutants; }

}  // namespace plinth::mutants
