// SPDX-License-Identifier: Apache-2.0
// Bugs of what is said of devices, topologies, memories and programs. Written from the header,
// without looking at the cases.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "conformance/mutants/noted.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::mutants {
namespace {

using Api = PJRT_Api;

size_t DevicesOf(PJRT_LoadedExecutable* loaded) {
  auto args = MakeArgs<PJRT_LoadedExecutable_AddressableDevices_Args>();
  args.executable = loaded;
  Quiet<&Api::PJRT_LoadedExecutable_AddressableDevices>(args);
  return args.num_addressable_devices;
}

// Reads a number of the wire format and moves behind it.
uint64_t ReadVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[0]);
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

// A message of the wire format without the fields of that number.
std::string WithoutField(std::string_view bytes, uint64_t number) {
  std::string rest;
  while (!bytes.empty()) {
    const std::string_view field = bytes;
    const uint64_t tag = ReadVarint(bytes);
    size_t size = 0;
    switch (tag & 7) {
      case 0:
        ReadVarint(bytes);
        break;
      case 1:
        size = 8;
        break;
      case 2:
        size = ReadVarint(bytes);
        break;
      default:
        size = 4;
    }
    bytes.remove_prefix(std::min(size, bytes.size()));
    if (tag >> 3 != number) rest += field.substr(0, field.size() - bytes.size());
  }
  return rest;
}

// Data that is attached to memories, by its key alone.
struct Attached {
  void* data = nullptr;
};
std::map<const void*, Attached>& AttachedData() {
  static auto* const all = new std::map<const void*, Attached>;
  return *all;
}

// Writes a number where a newer struct has one and the caller's has ended.
template <typename Args>
void WriteBehind(Args& args, size_t offset) {
  const int64_t value = 0;
  if (args.struct_size >= offset + sizeof(value)) return;
  std::memcpy(reinterpret_cast<char*>(&args) + offset, &value, sizeof(value));
}

const Mutant kQueryMutants[] = {
    {"limit_is_what_is_left", "PJRT-Args-output-true",
     "The limit of a device is what is still free.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         if (a.bytes_limit_is_set) a.bytes_limit -= a.bytes_in_use;
       });
     }},
    {"assignment_wraps", "PJRT-Client_DefaultDeviceAssignment-devices",
     "More computations than devices begin again at the first device.",
     [](Api& t) {
       Replace<&Api::PJRT_Client_DefaultDeviceAssignment>(t, [](auto* a) -> PJRT_Error* {
         PJRT_Error* error = Real().PJRT_Client_DefaultDeviceAssignment(a);
         if (error == nullptr || a->client == nullptr || a->default_assignment == nullptr ||
             a->num_replicas < 1 || a->num_partitions < 1) {
           return error;
         }
         const auto wanted = static_cast<size_t>(a->num_replicas) * a->num_partitions;
         if (wanted > a->default_assignment_size) return error;
         auto devices = MakeArgs<PJRT_Client_Devices_Args>();
         devices.client = a->client;
         Quiet<&Api::PJRT_Client_Devices>(devices);
         if (devices.num_devices == 0 || wanted <= devices.num_devices) return error;
         FreeError(error);
         for (size_t i = 0; i < wanted; ++i) {
           a->default_assignment[i] = static_cast<int>(i % devices.num_devices);
         }
         return nullptr;
       });
     }},
    {"topology_kind_is_platform", "PJRT-Client_TopologyDescription-devices",
     "The devices of a topology have the kind of a description, not of the device.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_GetDeviceDescriptions>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_descriptions; ++i) Mark(a.descriptions[i]);
       });
       ChangeOutputs<&Api::PJRT_DeviceDescription_Kind>(t, [](auto& a) {
         static constexpr std::string_view kKind = "generic";
         if (!IsMarked(a.device_description)) return;
         a.device_kind = kKind.data();
         a.device_kind_size = kKind.size();
       });
     }},
    {"topology_version_shortened", "PJRT-Args-output-true",
     "The version of a topology is the first four letters of the client's.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_TopologyDescription_PlatformVersion>(t, [](auto& a) {
         a.platform_version_size = std::min<size_t>(a.platform_version_size, 4);
       });
     }},
    {"statistics_of_today", "PJRT-Args-struct_size",
     "Statistics of a device are written as far as they go today.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Device_MemoryStats>(t, [](auto& a) {
         WriteBehind(a, offsetof(PJRT_Device_MemoryStats_Args, peak_allocated_bytes));
       });
     }},
    {"compiled_statistics_of_today", "PJRT-Args-struct_size",
     "What a program needs is written as far as it goes today.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         WriteBehind(a, offsetof(PJRT_Executable_GetCompiledMemoryStats_Args, total_size_in_bytes));
       });
     }},
    {"peak_of_temporaries", "PJRT-Args-output-true",
     "The most memory that a program needs at a time counts temporaries alone.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCompiledMemoryStats>(t, [](auto& a) {
         if (a.struct_size >=
             offsetof(PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes) +
                 sizeof(a.peak_memory_in_bytes)) {
           a.peak_memory_in_bytes = a.temp_size_in_bytes;
         }
       });
     }},
    {"properties_have_no_size", "PJRT-Args-nested-struct_size",
     "The structs of a program's costs say that they have a size of 0.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCostAnalysis>(t, [](auto& a) {
         for (size_t i = 0; i < a.num_properties; ++i) {
           const_cast<PJRT_NamedValue&>(a.properties[i]).struct_size = 0;
         }
       });
     }},
    {"format_told_with_code", "PJRT-Executable_OptimizedProgram-two-calls",
     "The format of the optimized program is set when the program is, and not with its size.",
     [](Api& t) {
       Replace<&Api::PJRT_Executable_OptimizedProgram>(t, [](auto* a) {
         const bool is_question = a->program != nullptr && a->program->code == nullptr;
         PJRT_Error* error = Real().PJRT_Executable_OptimizedProgram(a);
         if (error == nullptr && is_question) {
           a->program->format = nullptr;
           a->program->format_size = 0;
         }
         return error;
       });
     }},
    {"name_lacks_jit", "PJRT-Executable_Name-program", "The name of a program lacks its `jit_`.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_Name>(t, [](auto& a) {
         if (!std::string_view(a.executable_name, a.executable_name_size).starts_with("jit_"))
           return;
         a.executable_name += 4;
         a.executable_name_size -= 4;
       });
     }},
    {"one_device_no_assignment", "PJRT-LoadedExecutable_GetDeviceAssignment-options",
     "A program of one device has an empty device assignment.",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_LoadedExecutable_GetDeviceAssignment>(t, [](auto& a) {
         if (DevicesOf(a.executable) == 1) a.serialized_bytes_size = 0;
       });
     }},
    {"options_lose_overrides", "PJRT-Executable_GetCompileOptions-same",
     "The options that are told lack those that were given by name (env_option_overrides).",
     [](Api& t) {
       ChangeOutputs<&Api::PJRT_Executable_GetCompileOptions>(t, [](auto& a) {
         const std::string_view all(a.serialized_bytes, a.serialized_bytes_size);
         const std::string rest = WithoutField(all, 7);
         std::memcpy(const_cast<char*>(a.serialized_bytes), rest.data(), rest.size());
         a.serialized_bytes_size = rest.size();
       });
     }},
    {"layout_text_of_scalar_empty", "PJRT-Layouts_MemoryLayout_Serialize-text",
     "The text of a scalar's layout is empty.",
     [](Api& t) {
       ReplaceIn<&PJRT_Layouts_Extension::PJRT_Layouts_MemoryLayout_Serialize,
                 PJRT_Extension_Type_Layouts>(t, [](auto* a, auto* behind) {
         PJRT_Error* error = behind(a);
         if (error == nullptr &&
             std::string_view(a->serialized_bytes, a->serialized_bytes_size) == "{}") {
           a->serialized_bytes_size = 0;
         }
         return error;
       });
     }},
    {"user_data_of_all_memories", "PJRT-Memory-head",
     "What is attached to a memory under a key is found at every other memory.",
     [](Api& t) {
       ChangeMemories(t, [](auto& own) {
         own.get_user_data = [](PJRT_Memory*, const void* key) {
           std::lock_guard<std::mutex> lock(Memory());
           return AttachedData()[key].data;
         };
         own.set_user_data = [](PJRT_Memory* m, const void* key, void* data,
                                void (*destroy)(void*)) {
           {
             std::lock_guard<std::mutex> lock(Memory());
             AttachedData()[key].data = data;
           }
           MemoriesBehind()->set_user_data(m, key, data, destroy);
         };
       });
     }},
};

}  // namespace

std::span<const Mutant> QueryMutants() { return kQueryMutants; }

}  // namespace plinth::mutants
