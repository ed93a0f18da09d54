// SPDX-License-Identifier: Apache-2.0
// L1: extensions of the registry that few plugins have: what they say is what the core functions
// say, and what is written is what is read.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "conformance/cases/cases.h"
#include "conformance/cases/extension_calls.h"
#include "conformance/cases/judge_buffer.h"
#include "conformance/cases/judge_case.h"
#include "conformance/cases/judge_executable.h"
#include "conformance/cases/pending_buffer.h"
#include "pjrt_c_api_abi_version_extension.h"
#include "pjrt_c_api_callback_extension.h"
#include "pjrt_c_api_memory_descriptions_extension.h"
#include "pjrt_c_api_phase_compile_extension.h"
#include "pjrt_c_api_profiler_extension.h"
#include "pjrt_c_api_raw_buffer_extension.h"
#include "pjrt_c_api_stream_extension.h"

namespace plinth::conformance {
namespace other_extensions {
namespace {

// ---- Memories of a device that is only described

void MemoryDescriptions(Context& context) {
  if (!HasExtension(context, "PJRT_DeviceDescription_MemoryDescriptions"))
    return context.Unsupported("no extension MemoryDescriptions");
  struct Kind {
    std::string name;
    const char* text;  // where it lies
  };
  std::vector<Kind> said;
  for (PJRT_Device* device : AddressableDevices(context)) {
    auto own = Get<&PJRT_Device_GetDescription_Args::device>(context, device);
    if (!own) return;
    PJRT_DeviceDescription_MemoryDescriptions_Args list = {};
    list.device_description = own->device_description;
    if (!AskExtension(context, "PJRT_DeviceDescription_MemoryDescriptions", list)) return;
    // XLA's own CPU describes none.
    if (list.num_memory_descriptions == 0) continue;
    std::vector<std::string> kinds;
    const std::vector<PJRT_Memory*> memories = MemoriesOf(context, device);
    for (size_t i = 0; i < list.num_memory_descriptions; ++i) {
      PJRT_MemoryDescription_Kind_Args kind = {};
      kind.memory_description = list.memory_descriptions[i];
      if (!AskExtension(context, "PJRT_MemoryDescription_Kind", kind)) return;
      kinds.emplace_back(StringOf(kind.kind, kind.kind_size));
      said.push_back({kinds.back(), kind.kind});
      for (PJRT_Memory* memory : memories) {
        auto id = Get<&PJRT_Memory_Kind_Id_Args::memory>(context, memory);
        if (!id || MemoryKindOf(context, memory) != kinds.back()) continue;
        context.Check(kOutputTrue, id->kind_id == kind.kind_id, "a described memory of the kind ",
                      kinds.back(), " has the kind id ", kind.kind_id, ", the memory ",
                      id->kind_id);
      }
    }
    std::vector<std::string> wanted;
    wanted.reserve(memories.size());
    for (PJRT_Memory* memory : memories) wanted.push_back(MemoryKindOf(context, memory));
    context.Check(kOutputTrue,
                  std::is_permutation(kinds.begin(), kinds.end(), wanted.begin(), wanted.end()),
                  "the described memories are of the kinds ", StrJoin(kinds), ", the device has ",
                  StrJoin(wanted));
    const std::string fallback = MemoryKindOf(context, DefaultMemoryOf(context, device));
    context.Check(
        kOutputTrue,
        list.default_memory_index < kinds.size() && kinds[list.default_memory_index] == fallback,
        "the described default memory is number ", list.default_memory_index, " of ", kinds.size(),
        ", the device's is of the kind ", fallback);
  }
  for (const Kind& each : said) {
    context.Check("PJRT-Args-output-lifetime", StringOf(each.text, each.name.size()) == each.name,
                  "the kind ", each.name, " of a described memory changed when another was asked");
  }
}

// ---- Raw buffers

class Raw {
 public:
  Raw(Context& context, PJRT_Buffer* buffer) : context_(context) {
    PJRT_RawBuffer_CreateRawAliasOfBuffer_Args args = {};
    args.buffer = buffer;
    if (AskExtension(context, "PJRT_RawBuffer_CreateRawAliasOfBuffer", args))
      raw_ = args.raw_buffer;
  }
  ~Raw() {
    if (raw_ == nullptr) return;
    PJRT_RawBuffer_Destroy_Args args = {};
    args.buffer = raw_;
    (void)AskExtension(context_, "PJRT_RawBuffer_Destroy", args);
  }
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  PJRT_RawBuffer* get() const { return raw_; }

  bool Write(const std::byte* bytes, size_t offset, size_t size) {
    PJRT_RawBuffer_CopyRawHostToDevice_Args args = {};
    args.buffer = raw_;
    args.src = bytes;
    args.offset = static_cast<int64_t>(offset);
    args.transfer_size = static_cast<int64_t>(size);
    return AskExtension(context_, "PJRT_RawBuffer_CopyRawHostToDevice", args) && Wait(args.event);
  }
  bool Read(std::byte* bytes, size_t offset, size_t size) {
    PJRT_RawBuffer_CopyRawDeviceToHost_Args args = {};
    args.buffer = raw_;
    args.dst = bytes;
    args.offset = static_cast<int64_t>(offset);
    args.transfer_size = static_cast<int64_t>(size);
    return AskExtension(context_, "PJRT_RawBuffer_CopyRawDeviceToHost", args) && Wait(args.event);
  }

 private:
  bool Wait(PJRT_Event* handle) {
    OwnedEvent event(context_.plugin(), handle);
    return context_.Check("PJRT-Args-output-handle", static_cast<bool>(event), "no event") &&
           context_.Ok(kOutputTrue, "the event of a raw copy", context_.Await(event.get()));
  }

  Context& context_;
  PJRT_RawBuffer* raw_ = nullptr;
};

void RawBuffers(Context& context) {
  if (!HasExtension(context, "PJRT_RawBuffer_CreateRawAliasOfBuffer"))
    return context.Unsupported("no extension RawBuffer");
  for (PJRT_Device* device : AddressableDevices(context)) {
    for (PJRT_Memory* memory : MemoriesOf(context, device)) {
      HostArray array = RandomBits(DType::kU8, {1021}, 3);
      auto args = MakeArgs<PJRT_Client_BufferFromHostBuffer_Args>();
      args.client = context.client();
      args.data = array.bytes.data();
      args.type = PJRT_Buffer_Type_U8;
      args.dims = array.dims.data();
      args.num_dims = 1;
      args.memory = memory;
      if (!Succeeds(context, args)) return;
      OwnedBuffer buffer(context.plugin(), args.buffer);
      OwnedEvent done(context.plugin(), args.done_with_host_buffer);
      if (!context.Ok("", "the ready event", AwaitBuffer(context, buffer.get()))) return;
      Raw raw(context, buffer.get());
      if (raw.get() == nullptr) return;
      PJRT_RawBuffer_GetOnDeviceSizeInBytes_Args size = {};
      size.buffer = raw.get();
      auto own = Get<&PJRT_Buffer_OnDeviceSizeInBytes_Args::buffer>(context, buffer.get());
      if (own && AskExtension(context, "PJRT_RawBuffer_GetOnDeviceSizeInBytes", size)) {
        context.Check(kOutputTrue, size.on_device_size_in_bytes == own->on_device_size_in_bytes,
                      "a raw buffer has ", size.on_device_size_in_bytes, " bytes, the buffer ",
                      own->on_device_size_in_bytes);
      }
      PJRT_RawBuffer_GetMemorySpace_Args where = {};
      where.buffer = raw.get();
      if (AskExtension(context, "PJRT_RawBuffer_GetMemorySpace", where)) {
        context.Check(kOutputTrue, where.memory_space == memory,
                      "a raw buffer lies in another memory than the buffer");
      }
      // Pieces at every kind of place, of every kind of length.
      for (auto [offset, length] : {std::pair<size_t, size_t>{0, 1021},
                                    {1, 7},
                                    {512, 128},
                                    {1020, 1},
                                    {3, 1018},
                                    {17, 0}}) {
        std::vector<std::byte> found(length + 8, std::byte{0x5A});
        if (!raw.Read(found.data(), offset, length)) return;
        const auto at = array.bytes.begin() + static_cast<ptrdiff_t>(offset);
        context.Check(kOutputTrue,
                      std::equal(at, at + static_cast<ptrdiff_t>(length), found.begin()) &&
                          std::all_of(found.begin() + static_cast<ptrdiff_t>(length), found.end(),
                                      [](std::byte byte) { return byte == std::byte{0x5A}; }),
                      "bytes ", offset, " + ", length, " of a raw buffer are others");
        const HostArray fresh = RandomBits(DType::kU8, {static_cast<int64_t>(length)}, offset + 11);
        if (!raw.Write(fresh.bytes.data(), offset, length)) return;
        std::copy(fresh.bytes.begin(), fresh.bytes.end(),
                  array.bytes.begin() + static_cast<ptrdiff_t>(offset));
        // The buffer is what was written, and so is the host's address of it.
        JudgeBuffer(context, buffer.get(), {array, device, memory});
      }
      PJRT_RawBuffer_GetHostPointer_Args address = {};
      address.buffer = raw.get();
      if (AskExtension(context, "PJRT_RawBuffer_GetHostPointer", address) &&
          address.host_pointer != nullptr) {
        context.Check(kOutputTrue, std::memcmp(address.host_pointer, array.bytes.data(), 1021) == 0,
                      "at the host's address of a raw buffer lie other bytes");
        const std::byte last{0x77};
        if (!raw.Write(&last, 1020, 1)) return;
        context.Check(kOutputTrue, static_cast<std::byte*>(address.host_pointer)[1020] == last,
                      "what is written to a raw buffer is not seen at the host's address of it");
      }
    }
  }
}

// ---- Versions

// The version that is read from the bytes of one; null where the plugin lacks a function for it.
template <typename ToProtoArgs, typename FromProtoArgs, typename Version>
Version* ReadBack(Context& context, std::string_view kind, Version* version) {
  ToProtoArgs bytes = {};
  bytes.abi_version = version;
  if (!AskExtension(context, StrCat("PJRT_", kind, "_ToProto"), bytes)) return nullptr;
  FromProtoArgs read = {};
  read.serialized_proto = bytes.serialized_proto;
  read.serialized_proto_size = bytes.serialized_proto_size;
  const bool is_read = AskExtension(context, StrCat("PJRT_", kind, "_FromProto"), read);
  if (context.Check(StrCat("PJRT-", kind, "_ToProto-serialized_proto-owner"),
                    bytes.serialized_proto_deleter != nullptr, "bytes come without a deleter"))
    bytes.serialized_proto_deleter(bytes.serialized_proto_holder);
  return is_read ? read.abi_version : nullptr;
}

// A version of a runtime, and of an executable, is compatible with itself and survives a trip
// through bytes.
void AbiVersions(Context& context) {
  if (!HasExtension(context, "PJRT_Client_RuntimeAbiVersion"))
    return context.Unsupported("no extension AbiVersion");
  PJRT_Client_RuntimeAbiVersion_Args runtime = {};
  runtime.client = context.client();
  if (!AskExtension(context, "PJRT_Client_RuntimeAbiVersion", runtime)) return;
  auto fits = [&](PJRT_RuntimeAbiVersion* one, PJRT_RuntimeAbiVersion* other,
                  std::string_view what) {
    PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args args = {};
    args.struct_size = sizeof(args);
    args.abi_version = one;
    args.other_abi_version = other;
    Status status = context.plugin().Call(
        *reflection::FindFunction("PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime"), &args);
    if (status.code() == StatusCode::kUnimplemented) return;
    context.Check(kOutputTrue, status.ok(), what, ": ", status.ToString());
  };
  fits(runtime.abi_version, runtime.abi_version, "a runtime does not fit together with itself");
  auto platform = [&](PJRT_RuntimeAbiVersion* version) {
    PJRT_RuntimeAbiVersion_PlatformId_Args args = {};
    args.abi_version = version;
    return AskExtension(context, "PJRT_RuntimeAbiVersion_PlatformId", args) ? args.platform_id : 0;
  };
  const uint64_t own = platform(runtime.abi_version);
  auto free_runtime = [&](PJRT_RuntimeAbiVersion* version, std::string_view requirement) {
    PJRT_RuntimeAbiVersion_Destroy_Args destroy = {};
    destroy.abi_version = version;
    (void)AskExtension(context, "PJRT_RuntimeAbiVersion_Destroy", destroy, requirement);
  };
  if (auto* read =
          ReadBack<PJRT_RuntimeAbiVersion_ToProto_Args, PJRT_RuntimeAbiVersion_FromProto_Args>(
              context, "RuntimeAbiVersion", runtime.abi_version)) {
    fits(runtime.abi_version, read, "a runtime does not fit its own bytes");
    context.Check(kOutputTrue, platform(read) == own, "a version that was read is of the platform ",
                  platform(read), ", not ", own);
    free_runtime(read, "PJRT-RuntimeAbiVersion_FromProto-abi_version-owner");
  }
  Compiled made;
  if (!Compile(context, "add_one", made)) return;
  PJRT_Executable_GetAbiVersion_Args needed = {};
  needed.executable = made.executable.get();
  if (!AskExtension(context, "PJRT_Executable_GetAbiVersion", needed)) return;
  PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args with = {};
  with.abi_version = runtime.abi_version;
  with.executable_abi_version = needed.abi_version;
  (void)AskExtension(context, "PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable", with,
                     kOutputTrue);
  auto judge_and_free = [&](PJRT_ExecutableAbiVersion* version, std::string_view what,
                            std::string_view requirement) {
    PJRT_ExecutableAbiVersion_PlatformId_Args of = {};
    of.abi_version = version;
    if (AskExtension(context, "PJRT_ExecutableAbiVersion_PlatformId", of)) {
      context.Check(kOutputTrue, of.platform_id == own, what, " is of the platform ",
                    of.platform_id, ", its client of ", own);
    }
    PJRT_ExecutableAbiVersion_Destroy_Args destroy = {};
    destroy.abi_version = version;
    (void)AskExtension(context, "PJRT_ExecutableAbiVersion_Destroy", destroy, requirement);
  };
  if (auto* read = ReadBack<PJRT_ExecutableAbiVersion_ToProto_Args,
                            PJRT_ExecutableAbiVersion_FromProto_Args>(
          context, "ExecutableAbiVersion", needed.abi_version)) {
    judge_and_free(read, "an executable's version that was read",
                   "PJRT-ExecutableAbiVersion_FromProto-abi_version-owner");
  }
  judge_and_free(needed.abi_version, "an executable",
                 "PJRT-Executable_GetAbiVersion-abi_version-owner");
  free_runtime(runtime.abi_version, "PJRT-Client_RuntimeAbiVersion-abi_version-owner");
}

// ---- Callbacks of the platform

struct Called {
  int times = 0;
  std::thread::id thread;
  void* args = nullptr;
};

void Callbacks(Context& context) {
  if (!HasExtension(context, "PJRT_Register_Callback"))
    return context.Unsupported("no extension Callback");
  static Called slices, endings;
  for (auto [type, called] :
       {std::pair<PJRT_Callback_Type, Called*>{PJRT_Callback_Type_Tpu_SliceBuilder, &slices},
        {PJRT_Callback_Type_Prefatal, &endings}}) {
    PJRT_Callback_RegisterCallback_Args args = {};
    args.client = context.client();
    args.type = type;
    args.user_arg = called;
    args.callback = [](void* given, void* user_arg) {
      auto* self = static_cast<Called*>(user_arg);
      ++self->times;
      self->thread = std::this_thread::get_id();
      self->args = given;
    };
    if (!AskExtension(context, "PJRT_Register_Callback", args)) return;
  }
  slices = endings = {};
  PJRT_Callback_Tpu_SliceBuilderArgs given = {};
  given.struct_size = sizeof(given);
  PJRT_Callback_InvokeCallback_Args invoke = {};
  invoke.client = context.client();
  invoke.type = PJRT_Callback_Type_Tpu_SliceBuilder;
  invoke.args = &given;
  if (!AskExtension(context, "PJRT_Callback_InvokeCallback", invoke)) return;
  context.Check(kOutputTrue, slices.times == 1 && endings.times == 0,
                "callbacks of one kind were called ", slices.times, " times, those of another ",
                endings.times);
  context.Check("PJRT-Callback-once",
                slices.times == 0 || slices.thread == std::this_thread::get_id(),
                "a callback was called on another thread than that which asked for it");
  context.Check(kOutputTrue, slices.times == 0 || slices.args == &given,
                "a callback got other arguments");
}

// ---- What only says something

void Phases(Context& context) {
  if (!HasExtension(context, "PJRT_PhaseCompile_Get_Compiler"))
    return context.Unsupported("no extension PhaseCompile");
  PJRT_PhaseCompile_Get_Compiler_Args compiler = {};
  if (!AskExtension(context, "PJRT_PhaseCompile_Get_Compiler", compiler)) return;
  PJRT_PhaseCompile_Get_PhaseNames_Args names = {};
  names.phase_compiler = compiler.phase_compiler;
  if (!AskExtension(context, "PJRT_PhaseCompile_Get_PhaseNames", names)) return;
  context.Check("PJRT-Args-output-array",
                names.num_phase_names == 0 ||
                    (names.phase_names != nullptr && names.phase_names_sizes != nullptr),
                "one of the lists of phases is null");
  if (names.phase_names == nullptr || names.phase_names_sizes == nullptr) return;
  for (size_t i = 0; i < names.num_phase_names; ++i) {
    context.Check("PJRT-Args-output-array",
                  names.phase_names[i] != nullptr && names.phase_names_sizes[i] > 0, "phase ", i,
                  " has no name");
  }
}

void Streams(Context& context) {
  if (!HasExtension(context, "PJRT_Get_Stream_For_External_Ready_Events"))
    return context.Unsupported("no extension Stream");
  constexpr intptr_t kUnset = 0x5A5A5A5A;
  for (PJRT_Device* device : AddressableDevices(context)) {
    PJRT_Get_Stream_For_External_Ready_Events_Args args = {};
    args.device = device;
    args.stream = kUnset;
    if (!AskExtension(context, "PJRT_Get_Stream_For_External_Ready_Events", args)) return;
    if (!context.Check("PJRT-Args-output-set", args.stream != kUnset, "the stream is not set"))
      return;
    // A buffer that is there, and one that is to come: the call may wait itself.
    Expected<OwnedBuffer> ready = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}), device);
    if (!context.Ok("", "PJRT_Client_BufferFromHostBuffer", ready.status())) return;
    PJRT_Wait_Until_Buffer_Ready_On_Stream_Args wait = {};
    wait.stream = args.stream;
    wait.buffer = ready->get();
    if (!AskExtension(context, "PJRT_Wait_Until_Buffer_Ready_On_Stream", wait)) return;
    if (device != AddressableDevices(context).front()) continue;
    PendingBuffer pending(context);
    if (!pending.Make()) return;
    wait.buffer = pending.buffer();
    std::thread fills([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const float values[] = {1, 2, 3, 4};
      (void)pending.Transfer(0, values, 0, sizeof(values), true);
    });
    (void)AskExtension(context, "PJRT_Wait_Until_Buffer_Ready_On_Stream", wait);
    fills.join();
  }
}

void Profiler(Context& context) {
  const PJRT_Extension_Base* node = context.plugin().api()->extension_start;
  while (node != nullptr && RawEnum(node->type) != PJRT_Extension_Type_Profiler) node = node->next;
  if (node == nullptr) return context.Unsupported("no extension Profiler");
  const auto* found = reinterpret_cast<const PJRT_Profiler_Extension*>(node);
  if (node->struct_size < offsetof(PJRT_Profiler_Extension, profiler_api) + sizeof(void*)) return;
  context.Check("PJRT-Args-output-set", found->profiler_api != nullptr,
                "the profiler has no table, which frameworks read without looking");
}

}  // namespace

void AddCases(std::vector<Case>& cases) {
  AddJudgeCase(cases, "L1/judge/extension/memory_descriptions", {"PJRT-Args-output-lifetime"},
               MemoryDescriptions);
  AddJudgeCase(cases, "L1/judge/extension/raw_buffers", {"PJRT-Args-output-handle"}, RawBuffers);
  AddJudgeCase(cases, "L1/judge/extension/abi_versions", {}, AbiVersions);
  AddJudgeCase(cases, "L1/judge/extension/callbacks", {"PJRT-Callback-once"}, Callbacks);
  AddJudgeCase(cases, "L1/judge/extension/phases", {"PJRT-Args-output-array"}, Phases);
  AddJudgeCase(cases, "L1/judge/extension/streams", {"PJRT-Args-output-set"}, Streams);
  AddJudgeCase(cases, "L1/judge/extension/profiler", {"PJRT-Args-output-set"}, Profiler);
}

}  // namespace other_extensions

void AddOtherExtensionCases(std::vector<Case>& cases) { other_extensions::AddCases(cases); }

}  // namespace plinth::conformance
