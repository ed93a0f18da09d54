// SPDX-License-Identifier: Apache-2.0
// Bugs of extensions that the plugin behind does not have: each mutant adds one that is right, with
// one function that is wrong. Written from the headers, without looking at the cases.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "conformance/mutants/behind.h"
#include "conformance/mutants/changes.h"
#include "conformance/mutants/extensions.h"
#include "conformance/mutants/mutant.h"
#include "pjrt_c_api_abi_version_extension.h"
#include "pjrt_c_api_callback_extension.h"
#include "pjrt_c_api_memory_descriptions_extension.h"
#include "pjrt_c_api_phase_compile_extension.h"
#include "pjrt_c_api_profiler_extension.h"
#include "pjrt_c_api_raw_buffer_extension.h"
#include "pjrt_c_api_stream_extension.h"

struct PJRT_MemoryDescription {
  std::string kind;
  int kind_id;
};

struct PJRT_RuntimeAbiVersion {
  uint64_t platform;
};

struct PJRT_ExecutableAbiVersion {
  uint64_t platform;
};

struct PJRT_SerializedProto {
  std::string text;
};

struct PJRT_PhaseCompiler {
  int unused;
};

namespace plinth::mutants {
namespace {

constexpr char kTrue[] = "PJRT-Args-output-true";
constexpr char kSet[] = "PJRT-Args-output-set";

template <typename Node>
Node& Add(PJRT_Api& table, PJRT_Extension_Type type) {
  static Node node = {};
  node.base.struct_size = sizeof(Node);
  node.base.type = type;
  node.base.next = table.extension_start;
  table.extension_start = &node.base;
  return node;
}

// ---- Memory descriptions: every device of the plugin behind has the same three kinds.

const PJRT_MemoryDescription* const* Descriptions() {
  static const PJRT_MemoryDescription kKinds[] = {
      {"device", 0}, {"pinned_host", 1}, {"unpinned_host", 2}};
  static const PJRT_MemoryDescription* const kList[] = {&kKinds[0], &kKinds[1], &kKinds[2]};
  return kList;
}

PJRT_Error* ListMemories(PJRT_DeviceDescription_MemoryDescriptions_Args* a) {
  a->memory_descriptions = Descriptions();
  a->num_memory_descriptions = 3;
  a->default_memory_index = 0;
  return nullptr;
}

PJRT_Error* TellKind(PJRT_MemoryDescription_Kind_Args* a) {
  a->kind = a->memory_description->kind.data();
  a->kind_size = a->memory_description->kind.size();
  a->kind_id = a->memory_description->kind_id;
  return nullptr;
}

PJRT_MemoryDescriptions_Extension& AddMemoryDescriptions(PJRT_Api& table) {
  auto& node =
      Add<PJRT_MemoryDescriptions_Extension>(table, PJRT_Extension_Type_MemoryDescriptions);
  node.PJRT_DeviceDescription_MemoryDescriptions = &ListMemories;
  node.PJRT_MemoryDescription_Kind = &TellKind;
  return node;
}

// ---- Raw buffers, which keep the memory of a buffer.

struct Raw {
  PJRT_RawBuffer head = {};
  PJRT_Buffer* view = nullptr;  // what an external reference is held on
  char* bytes = nullptr;
  size_t size = 0;
  PJRT_Memory* memory = nullptr;
};

Raw& RawOf(PJRT_RawBuffer* buffer) { return *reinterpret_cast<Raw*>(buffer); }

PJRT_Error* MakeRaw(PJRT_RawBuffer_CreateRawAliasOfBuffer_Args* a) {
  if (a->buffer == nullptr) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer is null");
  }
  auto* raw = new Raw;
  raw->bytes = BytesOf(a->buffer);
  auto size = MakeArgs<PJRT_Buffer_OnDeviceSizeInBytes_Args>();
  size.buffer = a->buffer;
  FreeError(Real().PJRT_Buffer_OnDeviceSizeInBytes(&size));
  raw->size = size.on_device_size_in_bytes;
  raw->memory = MemoryOf(a->buffer);
  a->raw_buffer = &raw->head;
  return nullptr;
}

PJRT_Error* FreeRaw(PJRT_RawBuffer_Destroy_Args* a) {
  if (a->buffer != nullptr) delete &RawOf(a->buffer);
  return nullptr;
}

PJRT_Error* SizeOfRaw(PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args* a) {
  if (a->buffer == nullptr) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer is null");
  }
  a->on_device_size_in_bytes = RawOf(a->buffer).size;
  return nullptr;
}

PJRT_Error* MemoryOfRaw(PJRT_RawBuffer_GetMemorySpace_Args* a) {
  if (a->buffer == nullptr) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer is null");
  }
  a->memory_space = RawOf(a->buffer).memory;
  return nullptr;
}

template <typename Args>
PJRT_Error* CheckRange(Args* a) {
  if (a->buffer == nullptr) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer is null");
  }
  const Raw& raw = RawOf(a->buffer);
  if (a->offset < 0 || a->transfer_size < 0 ||
      static_cast<size_t>(a->offset + a->transfer_size) > raw.size) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the range is outside the buffer");
  }
  return nullptr;
}

PJRT_Error* WriteRaw(PJRT_RawBuffer_CopyRawHostToDevice_Args* a) {
  if (PJRT_Error* error = CheckRange(a)) return error;
  std::memcpy(RawOf(a->buffer).bytes + a->offset, a->src, static_cast<size_t>(a->transfer_size));
  a->event = DoneEvent();
  return nullptr;
}

PJRT_Error* ReadRaw(PJRT_RawBuffer_CopyRawDeviceToHost_Args* a) {
  if (PJRT_Error* error = CheckRange(a)) return error;
  std::memcpy(a->dst, RawOf(a->buffer).bytes + a->offset, static_cast<size_t>(a->transfer_size));
  a->event = DoneEvent();
  return nullptr;
}

PJRT_Error* AddressOfRaw(PJRT_RawBuffer_GetHostPointer_Args* a) {
  if (a->buffer == nullptr) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the buffer is null");
  }
  a->host_pointer = RawOf(a->buffer).bytes;
  return nullptr;
}

PJRT_RawBuffer_Extension& AddRawBuffers(PJRT_Api& table) {
  auto& node = Add<PJRT_RawBuffer_Extension>(table, PJRT_Extension_Type_RawBuffer);
  node.PJRT_RawBuffer_CreateRawAliasOfBuffer = &MakeRaw;
  node.PJRT_RawBuffer_Destroy = &FreeRaw;
  node.PJRT_RawBuffer_GetOnDeviceSizeInBytes = &SizeOfRaw;
  node.PJRT_RawBuffer_GetMemorySpace = &MemoryOfRaw;
  node.PJRT_RawBuffer_CopyRawHostToDevice = &WriteRaw;
  node.PJRT_RawBuffer_CopyRawDeviceToHost = &ReadRaw;
  node.PJRT_RawBuffer_GetHostPointer = &AddressOfRaw;
  return node;
}

// ---- Streams: the host's own order.

PJRT_Stream_Extension& AddStreams(PJRT_Api& table) {
  auto& node = Add<PJRT_Stream_Extension>(table, PJRT_Extension_Type_Stream);
  node.get_stream = [](auto* a) -> PJRT_Error* {
    a->stream = 1;
    return nullptr;
  };
  node.wait_stream = [](auto* a) -> PJRT_Error* {
    PJRT_Event* ready = ReadyEventOf(a->buffer);
    if (ready == nullptr) return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "no buffer");
    (void)Fails(ready);
    Drop(ready);
    return nullptr;
  };
  return node;
}

// ---- Versions of runtime and executables.

constexpr uint64_t kPlatform = 0x504C;

template <typename Version>
Version* NewVersion() {
  return new Version{kPlatform};
}

template <typename Args>
PJRT_Error* ToProto(Args* a) {
  a->serialized_proto_holder = new PJRT_SerializedProto{std::to_string(a->abi_version->platform)};
  a->serialized_proto = a->serialized_proto_holder->text.data();
  a->serialized_proto_size = a->serialized_proto_holder->text.size();
  a->serialized_proto_deleter = [](PJRT_SerializedProto* holder) { delete holder; };
  return nullptr;
}

template <typename Version, typename Args>
PJRT_Error* FromProto(Args* a) {
  const std::string text(a->serialized_proto, a->serialized_proto_size);
  if (text != std::to_string(kPlatform)) {
    return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "these bytes are no version");
  }
  a->abi_version = NewVersion<Version>();
  return nullptr;
}

PJRT_AbiVersion_Extension& AddAbiVersions(PJRT_Api& table) {
  auto& node = Add<PJRT_AbiVersion_Extension>(table, PJRT_Extension_Type_AbiVersion);
  node.client_runtime_abi_version = [](PJRT_Client_RuntimeAbiVersion_Args* a) -> PJRT_Error* {
    a->abi_version = NewVersion<PJRT_RuntimeAbiVersion>();
    return nullptr;
  };
  node.executable_get_abi_version = [](PJRT_Executable_GetAbiVersion_Args* a) -> PJRT_Error* {
    a->abi_version = NewVersion<PJRT_ExecutableAbiVersion>();
    return nullptr;
  };
  node.runtime_abi_version_destroy = [](PJRT_RuntimeAbiVersion_Destroy_Args* a) -> PJRT_Error* {
    delete a->abi_version;
    return nullptr;
  };
  node.runtime_abi_version_is_compatible_with_runtime =
      [](PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args* a) -> PJRT_Error* {
    return a->abi_version->platform == a->other_abi_version->platform
               ? nullptr
               : MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "another platform");
  };
  node.runtime_abi_version_is_compatible_with_executable =
      [](PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args* a) -> PJRT_Error* {
    return a->abi_version->platform == a->executable_abi_version->platform
               ? nullptr
               : MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "another platform");
  };
  node.runtime_abi_version_to_proto = &ToProto<PJRT_RuntimeAbiVersion_ToProto_Args>;
  node.runtime_abi_version_platform_id =
      [](PJRT_RuntimeAbiVersion_PlatformId_Args* a) -> PJRT_Error* {
    a->platform_id = a->abi_version->platform;
    return nullptr;
  };
  node.executable_abi_version_destroy =
      [](PJRT_ExecutableAbiVersion_Destroy_Args* a) -> PJRT_Error* {
    delete a->abi_version;
    return nullptr;
  };
  node.executable_abi_version_to_proto = &ToProto<PJRT_ExecutableAbiVersion_ToProto_Args>;
  node.executable_abi_version_platform_id =
      [](PJRT_ExecutableAbiVersion_PlatformId_Args* a) -> PJRT_Error* {
    a->platform_id = a->abi_version->platform;
    return nullptr;
  };
  node.runtime_abi_version_from_proto =
      &FromProto<PJRT_RuntimeAbiVersion, PJRT_RuntimeAbiVersion_FromProto_Args>;
  node.executable_abi_version_from_proto =
      &FromProto<PJRT_ExecutableAbiVersion, PJRT_ExecutableAbiVersion_FromProto_Args>;
  return node;
}

// Versions that this function made are refused where they are freed.
template <auto kMake, auto kDestroy>
void RefuseToFree(PJRT_Api& table) {
  auto& node = AddAbiVersions(table);
  static std::set<const void*> made;
  static auto* const make = node.*kMake;
  static auto* const destroy = node.*kDestroy;
  node.*kMake = [](typename ExtensionOfSlot<decltype(kMake)>::ArgsType* a) -> PJRT_Error* {
    PJRT_Error* error = make(a);
    std::lock_guard<std::mutex> lock(Memory());
    if (error == nullptr) made.insert(a->abi_version);
    return error;
  };
  node.*kDestroy = [](typename ExtensionOfSlot<decltype(kDestroy)>::ArgsType* a) -> PJRT_Error* {
    {
      std::lock_guard<std::mutex> lock(Memory());
      if (made.erase(a->abi_version) > 0)
        return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "the version is the plugin's");
    }
    return destroy(a);
  };
}

// ---- Callbacks of the platform.

struct Registered {
  PJRT_Client* client;
  PJRT_Callback_Type type;
  PJRT_Callback_Function* function;
  void* user_arg;
};

std::vector<Registered>& AllRegistered() {
  static auto* const all = new std::vector<Registered>;
  return *all;
}

PJRT_Callback_Extension& AddCallbacks(PJRT_Api& table) {
  auto& node = Add<PJRT_Callback_Extension>(table, PJRT_Extension_Type_Callback);
  node.register_callback = [](PJRT_Callback_RegisterCallback_Args* a) -> PJRT_Error* {
    std::lock_guard<std::mutex> lock(Memory());
    AllRegistered().push_back({a->client, a->type, a->callback, a->user_arg});
    return nullptr;
  };
  node.invoke_callback = [](PJRT_Callback_InvokeCallback_Args* a) -> PJRT_Error* {
    std::vector<Registered> all;
    {
      std::lock_guard<std::mutex> lock(Memory());
      all = AllRegistered();
    }
    for (const Registered& one : all) {
      if (one.client == a->client && one.type == a->type) one.function(a->args, one.user_arg);
    }
    return nullptr;
  };
  return node;
}

// ---- Names of phases.

PJRT_PhaseCompile_Extension& AddPhases(PJRT_Api& table) {
  auto& node = Add<PJRT_PhaseCompile_Extension>(table, PJRT_Extension_Type_PhaseCompile);
  node.base.struct_size = 64;  // as before 0.117
  node.phase_compile_get_compiler = [](PJRT_PhaseCompile_Get_Compiler_Args* a) -> PJRT_Error* {
    static const PJRT_PhaseCompiler kCompiler = {};
    a->phase_compiler = &kCompiler;
    return nullptr;
  };
  node.phase_compile_destroy_compiler = [](PJRT_PhaseCompile_Destroy_Compiler_Args*) {};
  node.phase_compile_run_phases = [](PJRT_PhaseCompile_Run_Phase_Args*) {
    return MakeError(PJRT_Error_Code_UNIMPLEMENTED, "PJRT_PhaseCompile_Run_Phase");
  };
  node.phase_compile_get_phase_names = [](PJRT_PhaseCompile_Get_PhaseNames_Args* a) -> PJRT_Error* {
    static const char* names[] = {"first", "second"};
    static const size_t sizes[] = {5, 6};
    a->phase_names = names;
    a->phase_names_sizes = sizes;
    a->num_phase_names = 2;
    return nullptr;
  };
  node.phase_compile_c_buffers_destroy = [](PJRT_PhaseCompile_C_Buffers_Destroy_Args*) {};
  return node;
}

constexpr Mutant kAddedMutants[] = {
    {"described_default_memory", kTrue, "the described default memory is not that of the device",
     [](PJRT_Api& t) {
       AddMemoryDescriptions(t).PJRT_DeviceDescription_MemoryDescriptions = [](auto* a) {
         PJRT_Error* error = ListMemories(a);
         a->default_memory_index = 1;
         return error;
       };
     }},
    {"described_default_beyond", kTrue, "the index of the default memory is beyond the list",
     [](PJRT_Api& t) {
       AddMemoryDescriptions(t).PJRT_DeviceDescription_MemoryDescriptions = [](auto* a) {
         PJRT_Error* error = ListMemories(a);
         a->default_memory_index = a->num_memory_descriptions;
         return error;
       };
     }},
    {"described_memories_cut", kTrue, "a device's last memory is not described",
     [](PJRT_Api& t) {
       AddMemoryDescriptions(t).PJRT_DeviceDescription_MemoryDescriptions = [](auto* a) {
         PJRT_Error* error = ListMemories(a);
         a->num_memory_descriptions = 2;
         return error;
       };
     }},
    {"described_kind_ids", kTrue, "a described memory has another kind number than the memory",
     [](PJRT_Api& t) {
       AddMemoryDescriptions(t).PJRT_MemoryDescription_Kind = [](auto* a) {
         PJRT_Error* error = TellKind(a);
         a->kind_id += 10;
         return error;
       };
     }},
    {"described_kinds_one_place", "PJRT-Args-output-lifetime",
     "kinds of described memories are written to one place",
     [](PJRT_Api& t) {
       AddMemoryDescriptions(t).PJRT_MemoryDescription_Kind = [](auto* a) {
         static char text[32];
         PJRT_Error* error = TellKind(a);
         std::memcpy(text, a->kind, a->kind_size);
         a->kind = text;
         return error;
       };
     }},
    {"raw_read_from_start", kTrue, "a raw read begins at the first byte, whatever its offset",
     [](PJRT_Api& t) {
       AddRawBuffers(t).PJRT_RawBuffer_CopyRawDeviceToHost = [](auto* a) {
         auto own = *a;
         own.offset = 0;
         PJRT_Error* error = CheckRange(a);
         if (error == nullptr) error = ReadRaw(&own);
         a->event = own.event;
         return error;
       };
     }},
    {"raw_write_in_words", kTrue, "a raw write writes whole words of four bytes",
     [](PJRT_Api& t) {
       AddRawBuffers(t).PJRT_RawBuffer_CopyRawHostToDevice = [](auto* a) {
         PJRT_Error* error = CheckRange(a);
         if (error != nullptr) return error;
         auto own = *a;
         own.transfer_size = a->transfer_size / 4 * 4;
         error = WriteRaw(&own);
         a->event = own.event;
         return error;
       };
     }},
    {"raw_size_of_elements", kTrue, "the size of a raw buffer is a fourth of its bytes",
     [](PJRT_Api& t) {
       AddRawBuffers(t).PJRT_RawBuffer_GetOnDeviceSizeInBytes = [](auto* a) {
         PJRT_Error* error = SizeOfRaw(a);
         if (error == nullptr) a->on_device_size_in_bytes /= 4;
         return error;
       };
     }},
    {"raw_memory_is_default", kTrue, "a raw buffer says that it lies in the default memory",
     [](PJRT_Api& t) {
       AddRawBuffers(t).PJRT_RawBuffer_GetMemorySpace = [](auto* a) {
         PJRT_Error* error = MemoryOfRaw(a);
         if (error != nullptr) return error;
         auto reached = MakeArgs<PJRT_Memory_AddressableByDevices_Args>();
         reached.memory = a->memory_space;
         FreeError(Real().PJRT_Memory_AddressableByDevices(&reached));
         a->memory_space = DefaultMemoryOf(reached.devices[0]);
         return error;
       };
     }},
    {"raw_address_of_copy", kTrue, "the host's address of a raw buffer is that of a copy",
     [](PJRT_Api& t) {
       AddRawBuffers(t).PJRT_RawBuffer_GetHostPointer = [](auto* a) {
         PJRT_Error* error = AddressOfRaw(a);
         if (error != nullptr) return error;
         const Raw& raw = RawOf(a->buffer);
         a->host_pointer = std::memcpy(new char[raw.size + 1], raw.bytes, raw.size);
         return error;
       };
     }},
    {"raw_is_a_copy", kTrue, "a raw buffer has a copy of the bytes: what is written is not seen",
     [](PJRT_Api& t) {
       AddRawBuffers(t).PJRT_RawBuffer_CreateRawAliasOfBuffer = [](auto* a) {
         PJRT_Error* error = MakeRaw(a);
         if (error != nullptr) return error;
         Raw& raw = RawOf(a->raw_buffer);
         auto* copy = new char[raw.size + 1];
         std::memcpy(copy, raw.bytes, raw.size);
         raw.bytes = copy;
         return error;
       };
     }},
    {"abi_unlike_itself", kTrue, "a runtime does not fit together with itself",
     [](PJRT_Api& t) {
       AddAbiVersions(t).runtime_abi_version_is_compatible_with_runtime = [](auto*) {
         return MakeError(PJRT_Error_Code_FAILED_PRECONDITION, "another version");
       };
     }},
    {"abi_read_back", kTrue, "a version that was serialized and read is of another platform",
     [](PJRT_Api& t) {
       AddAbiVersions(t).runtime_abi_version_from_proto = [](auto* a) {
         PJRT_Error* error =
             FromProto<PJRT_RuntimeAbiVersion, PJRT_RuntimeAbiVersion_FromProto_Args>(a);
         if (error == nullptr) a->abi_version->platform = 1;
         return error;
       };
     }},
    {"abi_of_executable_foreign", kTrue, "an executable's version is of another platform",
     [](PJRT_Api& t) {
       AddAbiVersions(t).executable_get_abi_version = [](auto* a) -> PJRT_Error* {
         a->abi_version = new PJRT_ExecutableAbiVersion{7};
         return nullptr;
       };
     }},
    {"abi_of_client_not_freed", "PJRT-Client_RuntimeAbiVersion-abi_version-owner",
     "the version of a client cannot be freed",
     [](PJRT_Api& t) {
       RefuseToFree<&PJRT_AbiVersion_Extension::client_runtime_abi_version,
                    &PJRT_AbiVersion_Extension::runtime_abi_version_destroy>(t);
     }},
    {"abi_of_executable_not_freed", "PJRT-Executable_GetAbiVersion-abi_version-owner",
     "the version of an executable cannot be freed",
     [](PJRT_Api& t) {
       RefuseToFree<&PJRT_AbiVersion_Extension::executable_get_abi_version,
                    &PJRT_AbiVersion_Extension::executable_abi_version_destroy>(t);
     }},
    {"abi_of_bytes_not_freed", "PJRT-RuntimeAbiVersion_FromProto-abi_version-owner",
     "the version of a runtime that was read from bytes cannot be freed",
     [](PJRT_Api& t) {
       RefuseToFree<&PJRT_AbiVersion_Extension::runtime_abi_version_from_proto,
                    &PJRT_AbiVersion_Extension::runtime_abi_version_destroy>(t);
     }},
    {"abi_of_executable_bytes_not_freed", "PJRT-ExecutableAbiVersion_FromProto-abi_version-owner",
     "the version of an executable that was read from bytes cannot be freed",
     [](PJRT_Api& t) {
       RefuseToFree<&PJRT_AbiVersion_Extension::executable_abi_version_from_proto,
                    &PJRT_AbiVersion_Extension::executable_abi_version_destroy>(t);
     }},
    {"abi_bytes_not_freed", "PJRT-RuntimeAbiVersion_ToProto-serialized_proto-owner",
     "the bytes of the version of a runtime come without what frees them",
     [](PJRT_Api& t) {
       AddAbiVersions(t).runtime_abi_version_to_proto = [](auto* a) {
         PJRT_Error* error = ToProto(a);
         a->serialized_proto_deleter = nullptr;
         return error;
       };
     }},
    {"abi_bytes_of_executable_not_freed",
     "PJRT-ExecutableAbiVersion_ToProto-serialized_proto-owner",
     "the bytes of the version of an executable come without what frees them",
     [](PJRT_Api& t) {
       AddAbiVersions(t).executable_abi_version_to_proto = [](auto* a) {
         PJRT_Error* error = ToProto(a);
         a->serialized_proto_deleter = nullptr;
         return error;
       };
     }},
    {"callback_of_any_kind", kTrue, "callbacks of all kinds are called",
     [](PJRT_Api& t) {
       AddCallbacks(t).invoke_callback = [](auto* a) -> PJRT_Error* {
         std::vector<Registered> all;
         {
           std::lock_guard<std::mutex> lock(Memory());
           all = AllRegistered();
         }
         for (const Registered& one : all) one.function(a->args, one.user_arg);
         return nullptr;
       };
     }},
    {"callback_on_other_thread", "PJRT-Callback-once",
     "registered callbacks are called on another thread",
     [](PJRT_Api& t) {
       AddCallbacks(t).invoke_callback = [](auto* a) -> PJRT_Error* {
         std::thread([a] {
           std::vector<Registered> all;
           {
             std::lock_guard<std::mutex> lock(Memory());
             all = AllRegistered();
           }
           for (const Registered& one : all) {
             if (one.client == a->client && one.type == a->type) {
               one.function(a->args, one.user_arg);
             }
           }
         }).join();
         return nullptr;
       };
     }},
    {"phase_name_empty", "PJRT-Args-output-array", "a phase has a name of length 3 that is null",
     [](PJRT_Api& t) {
       AddPhases(t).phase_compile_get_phase_names = [](auto* a) -> PJRT_Error* {
         static const char* names[] = {"first", nullptr};
         static const size_t sizes[] = {5, 3};
         a->phase_names = names;
         a->phase_names_sizes = sizes;
         a->num_phase_names = 2;
         return nullptr;
       };
     }},
    {"stream_not_set", kSet, "the stream of a device is not written",
     [](PJRT_Api& t) { AddStreams(t).get_stream = [](auto*) -> PJRT_Error* { return nullptr; }; }},
    {"stream_refuses_pending", "PJRT-Args-accepted",
     "waiting on a stream for a buffer is refused unless the buffer is ready",
     [](PJRT_Api& t) {
       AddStreams(t).wait_stream = [](auto* a) -> PJRT_Error* {
         if (a->buffer == nullptr || IsPending(a->buffer)) {
           return MakeError(PJRT_Error_Code_INVALID_ARGUMENT, "not ready");
         }
         return nullptr;
       };
     }},
    {"profiler_without_table", kSet, "the profiler's extension has no table",
     [](PJRT_Api& t) { Add<PJRT_Profiler_Extension>(t, PJRT_Extension_Type_Profiler); }},
};

}  // namespace

void AddRareExtensions(PJRT_Api& table) {
  AddMemoryDescriptions(table);
  AddRawBuffers(table);
  AddAbiVersions(table);
  AddCallbacks(table);
  AddPhases(table);
  AddStreams(table);
  // A profiler's table is not looked into.
  static std::byte profiler[64];
  Add<PJRT_Profiler_Extension>(table, PJRT_Extension_Type_Profiler).profiler_api =
      reinterpret_cast<PLUGIN_Profiler_Api*>(profiler);
}

std::span<const Mutant> AddedMutants() { return kAddedMutants; }

}  // namespace plinth::mutants
