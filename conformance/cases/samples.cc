#include "conformance/cases/samples.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace plinth::conformance {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Struct;

constexpr std::byte kCanary{0xA5};

template <typename T>
void Put(std::byte* bytes, const Field& field, T value) {
  std::memcpy(bytes + field.offset, &value, std::min<size_t>(sizeof(T), field.size));
}

template <typename T>
T Read(const std::byte* bytes, const Field& field) {
  T value{};
  std::memcpy(&value, bytes + field.offset, std::min<size_t>(sizeof(T), field.size));
  return value;
}

template <typename Args, typename Handle>
Handle* GetFrom(const Plugin& plugin, Args args, Handle* Args::*field) {
  return plugin.Call(args).ok() ? args.*field : nullptr;
}

}  // namespace

std::string_view AddOneProgram() {
  return R"(module @add_one {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
})";
}

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
  Expected<OwnedLoadedExecutable> loaded = context.Compile(AddOneProgram());
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

Arguments::Arguments(const Samples& samples, const reflection::Function& function) {
  const Struct& args = reflection::Structs()[function.args];
  bytes_.resize(args.size);
  Fill(samples, args, bytes_.data());

  // What a valid call needs beyond the registry.
  auto number = [&](std::string_view name, uint64_t value) {
    const Field* field = FindField(args, name);
    if (field != nullptr) Put(bytes_.data(), *field, value);
  };
  auto memory = [&](std::string_view pointer, std::string_view size, std::string_view content) {
    owned_.emplace_back(content.size());
    std::memcpy(owned_.back().data(), content.data(), content.size());
    number(pointer, reinterpret_cast<uint64_t>(owned_.back().data()));
    number(size, content.size());
  };
  auto object = [&](std::string_view pointer, const auto& value) {
    memory(pointer, "", {reinterpret_cast<const char*>(&value), sizeof(value)});
  };
  switch (static_cast<reflection::function::Id>(&function - reflection::Functions().data())) {
    case reflection::function::kPJRT_Client_Compile:
    case reflection::function::kPJRT_Compile: {
      memory("", "", AddOneProgram());
      auto program = MakeArgs<PJRT_Program>();
      program.code = reinterpret_cast<char*>(owned_.back().data());
      program.code_size = owned_.back().size();
      program.format = "mlir";
      program.format_size = 4;
      object("program", program);
      memory("compile_options", "compile_options_size", SingleDeviceCompileOptions());
      break;
    }
    case reflection::function::kPJRT_Client_BufferFromHostBuffer:
    case reflection::function::kPJRT_Client_CreateUninitializedBuffer: {
      int64_t dims[1] = {4};
      object("dims", dims);
      object("shape_dims", dims);
      number("num_dims", 1);
      number("shape_num_dims", 1);
      number("type", PJRT_Buffer_Type_F32);
      number("shape_element_type", PJRT_Buffer_Type_F32);
      float data[4] = {};
      object("data", data);
      break;
    }
    case reflection::function::kPJRT_LoadedExecutable_Execute: {
      object("options", MakeArgs<PJRT_ExecuteOptions>());
      PJRT_Buffer* argument = samples.buffer();
      object("", argument);
      void* list = owned_.back().data();
      object("argument_lists", list);
      PJRT_Buffer* output = nullptr;
      object("", output);
      void* outputs = owned_.back().data();
      object("output_lists", outputs);
      number("num_devices", 1);
      number("num_args", 1);
      break;
    }
    case reflection::function::kPJRT_Event_OnReady:
      number("callback", reinterpret_cast<uint64_t>(+[](PJRT_Error*, void*) {}));
      break;
    default:
      break;
  }
}

void Arguments::Fill(const Samples& samples, const Struct& structure, std::byte* bytes) {
  for (const Field& field : FieldsOf(structure)) {
    if (field.base == Base::kStructSize) Put(bytes, field, static_cast<uint64_t>(structure.end));
    if (field.base != Base::kHandle || field.depth != 0 || field.direction != Direction::kIn) {
      continue;
    }
    // Freeing takes a handle away from the others; null does nothing.
    const auto* function =
        structure.function < 0 ? nullptr : &reflection::Functions()[structure.function];
    bool is_freed = function != nullptr && function->threads == reflection::Threads::kExclusive;
    void* handle = is_freed ? nullptr : samples.Handle(field.target);
    if (handle == nullptr && !field.nullable) missing_ = reflection::Handles()[field.target];
    Put(bytes, field, handle);
  }
}

void Arguments::FreeOutputs(const Context& context, const reflection::Function& function,
                            const std::byte* args, size_t size) {
  const Struct& structure = reflection::Structs()[function.args];
  for (const Field& field : FieldsOf(structure)) {
    bool is_there = field.offset + field.size <= size;
    if (!is_there || field.direction != Direction::kOut || field.base != Base::kHandle ||
        field.depth != 0 || field.owner != reflection::Owner::kCaller ||
        field.lifetime == nullptr) {
      continue;
    }
    void* handle = Read<void*>(args, field);
    if (handle == nullptr) continue;
    if (const auto* destroy = reflection::FindFunction(field.lifetime.view())) {
      const Struct& destroy_args = reflection::Structs()[destroy->args];
      std::vector<std::byte> bytes(destroy_args.size);
      for (const Field& each : FieldsOf(destroy_args)) {
        if (each.base == Base::kStructSize) {
          Put(bytes.data(), each, static_cast<uint64_t>(destroy_args.end));
        }
        if (each.base == Base::kHandle) Put(bytes.data(), each, handle);
      }
      (void)context.plugin().Call(*destroy, bytes.data());
    } else if (const Field* deleter = FindField(structure, field.lifetime.view());
               deleter != nullptr && deleter->offset + deleter->size <= size) {
      auto* free = Read<void (*)(void*)>(args, *deleter);
      if (free != nullptr) free(handle);
    }
  }
  if (&function == &reflection::Get(reflection::function::kPJRT_LoadedExecutable_Execute)) {
    auto* execute = reinterpret_cast<const PJRT_LoadedExecutable_Execute_Args*>(args);
    if (execute->output_lists == nullptr) return;
    PJRT_Buffer*& output = execute->output_lists[0][0];
    OwnedBuffer buffer(context.plugin(), output);
    output = nullptr;
  }
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
  is_intact = args.IsIntact();
  if (status.ok()) Arguments::FreeOutputs(context, function, args.data(), there);
  return status;
}

}  // namespace plinth::conformance
