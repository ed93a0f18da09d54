// SPDX-License-Identifier: Apache-2.0
#include "conformance/cases/samples.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/cases/pending_buffer.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

constexpr std::byte kCanary{0xA5};

template <typename Args, typename Handle>
Handle* GetFrom(const Plugin& plugin, Args args, Handle* Args::*field) {
  return plugin.Call(args).ok() ? args.*field : nullptr;
}

}  // namespace

Samples::Samples(const Context& context) : context_(context) {
  if (context.client() == nullptr) return;
  const Plugin& plugin = context.plugin();
  Expected<PJRT_Device*> device = context.Device();
  if (device.ok()) device_ = *device;
  auto description = MakeArgs<PJRT_Device_GetDescription_Args>();
  description.device = device_;
  if (device_ != nullptr) {
    description_ =
        GetFrom(plugin, description, &PJRT_Device_GetDescription_Args::device_description);
    auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
    memory.device = device_;
    memory_ = GetFrom(plugin, memory, &PJRT_Device_DefaultMemory_Args::memory);
  }
  auto topology = MakeArgs<PJRT_Client_TopologyDescription_Args>();
  topology.client = context.client();
  topology_ = GetFrom(plugin, topology, &PJRT_Client_TopologyDescription_Args::topology);
  Expected<OwnedBuffer> buffer = context.Upload(HostArray::F32({4}, {1, 2, 3, 4}));
  if (buffer.ok()) buffer_ = *std::move(buffer);
  Expected<OwnedLoadedExecutable> loaded =
      context.CompileAnyway(ProgramFor(context, "add_one"), "mlir", SingleDeviceCompileOptions());
  if (loaded.ok()) {
    loaded_ = *std::move(loaded);
    auto executable = MakeArgs<PJRT_LoadedExecutable_GetExecutable_Args>();
    executable.loaded_executable = loaded_.get();
    executable_ = OwnedExecutable(
        plugin, GetFrom(plugin, executable, &PJRT_LoadedExecutable_GetExecutable_Args::executable));
  }
  if (buffer_) {
    auto event = MakeArgs<PJRT_Buffer_ReadyEvent_Args>();
    event.buffer = buffer_.get();
    event_ = OwnedEvent(plugin, GetFrom(plugin, event, &PJRT_Buffer_ReadyEvent_Args::event));
    if (event_) (void)context.Await(event_.get());
  }
}

void Samples::MakeRare(int kind) {
  const Plugin& plugin = context_.plugin();
  switch (kind) {
    case reflection::handle::kPJRT_Error: {
      auto args = MakeArgs<PJRT_Event_IsReady_Args>();
      auto* slot = plugin.Slot(reflection::Get(reflection::function::kPJRT_Event_IsReady));
      args.struct_size = 1;
      if (slot != nullptr) error_ = reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(&args);
      break;
    }
    case reflection::handle::kPJRT_AsyncHostToDeviceTransferManager: {
      if (memory_ == nullptr) break;
      Expected<OwnedManager> made = NewManagerOfFour(context_, memory_);
      if (made.ok()) manager_ = *std::move(made);
      break;
    }
    case reflection::handle::kPJRT_FulfillAliasBufferCallback: {
      if (memory_ == nullptr) break;
      Expected<Alias> alias = MakeAlias(context_, memory_, {4});
      if (alias.ok()) alias_ = *std::move(alias);
      break;
    }
    case reflection::handle::kPJRT_ExecuteContext: {
      auto args = MakeArgs<PJRT_ExecuteContext_Create_Args>();
      execute_context_ = OwnedExecuteContext(
          plugin, GetFrom(plugin, args, &PJRT_ExecuteContext_Create_Args::context));
      break;
    }
    default:
      break;
  }
}

std::string Samples::SerializedExecutable() const {
  auto args = MakeArgs<PJRT_Executable_Serialize_Args>();
  args.executable = executable_.get();
  if (!executable_ || !context_.plugin().Call(args).ok()) return "";
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_executable_deleter != nullptr) {
    args.serialized_executable_deleter(args.serialized_executable);
  }
  return bytes;
}

std::string Samples::SerializedTopology() const {
  auto args = MakeArgs<PJRT_TopologyDescription_Serialize_Args>();
  args.topology = topology_;
  if (topology_ == nullptr || !context_.plugin().Call(args).ok()) return "";
  std::string bytes(args.serialized_bytes, args.serialized_bytes_size);
  if (args.serialized_topology_deleter != nullptr) {
    args.serialized_topology_deleter(args.serialized_topology);
  }
  return bytes;
}

Samples::~Samples() {
  if (error_ != nullptr) (void)context_.plugin().Take(error_);
}

void* Samples::Handle(int kind) const {
  switch (kind) {
    case reflection::handle::kPJRT_Client:
      return context_.client();
    case reflection::handle::kPJRT_Device:
      return device_;
    case reflection::handle::kPJRT_DeviceDescription:
      return description_;
    case reflection::handle::kPJRT_Memory:
      return memory_;
    case reflection::handle::kPJRT_TopologyDescription:
      return topology_;
    case reflection::handle::kPJRT_Buffer:
      return buffer_.get();
    case reflection::handle::kPJRT_LoadedExecutable:
      return loaded_.get();
    case reflection::handle::kPJRT_Executable:
      return executable_.get();
    case reflection::handle::kPJRT_Event:
      return event_.get();
    case reflection::handle::kPJRT_Error:
      return error_;
    case reflection::handle::kPJRT_AsyncHostToDeviceTransferManager:
      return manager_.get();
    case reflection::handle::kPJRT_FulfillAliasBufferCallback:
      return alias_.fulfill;
    case reflection::handle::kPJRT_ExecuteContext:
      return execute_context_.get();
    default:
      return nullptr;
  }
}

GuardedArgs::GuardedArgs(size_t size) : size_(size) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t used = (size + page - 1) / page * page;
  mapped_ = used + page;
  pages_ = static_cast<std::byte*>(
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(pages_ + used, page, PROT_NONE);
  data_ = pages_ + (used - (size + 7) / 8 * 8);
  std::fill(pages_, pages_ + used, kCanary);
}

GuardedArgs::~GuardedArgs() { munmap(pages_, mapped_); }

bool GuardedArgs::IsIntact() const {
  return std::all_of(data_ + size_, data_ + (size_ + 7) / 8 * 8,
                     [](std::byte b) { return b == kCanary; });
}

Status CallSized(const Context& context, const reflection::Function& function,
                 const std::vector<std::byte>& bytes, SizeSaid size, bool& is_intact,
                 PJRT_Extension_Base* extension) {
  // The head is read by everyone, whatever it says.
  size_t there = std::max(size.actual, sizeof(size_t));
  GuardedArgs args(there);
  std::memset(args.data(), 0, there);
  std::memcpy(args.data(), bytes.data(), std::min(there, bytes.size()));
  std::memcpy(args.data(), &size.announced, sizeof(size_t));
  if (extension != nullptr) {
    std::memcpy(args.data() + sizeof(size_t), &extension, sizeof(extension));
  }
  Status status = context.plugin().Call(function, args.data());
  size_t said;
  std::memcpy(&said, args.data(), sizeof(said));
  is_intact = args.IsIntact() && said == size.announced;
  if (status.ok()) Arguments::FreeOutputs(context, function, args.data(), there);
  return status;
}

}  // namespace plinth::conformance
