// SPDX-License-Identifier: Apache-2.0
// Arguments for any function, valid as far as the registry and the samples can say.

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/cases/samples.h"
#include "conformance/cases/stored_programs.h"

namespace plinth::conformance {
namespace {

using reflection::Base;
using reflection::Direction;
using reflection::Field;
using reflection::Struct;

template <typename T>
void Write(std::byte* bytes, const Field& field, T value) {
  std::memcpy(bytes + field.offset, &value, std::min<size_t>(sizeof(T), field.size));
}

template <typename T>
T Read(const std::byte* bytes, const Field& field) {
  T value{};
  std::memcpy(&value, bytes + field.offset, std::min<size_t>(sizeof(T), field.size));
  return value;
}

// Numbers that a valid call has, wherever there is a field of that name. They describe the array
// f32[4] that is the argument of the samples' program.
struct Number {
  std::string_view field;
  uint64_t value;
};
constexpr Number kNumbers[] = {
    {"num_dims", 1},
    {"shape_num_dims", 1},
    {"type", PJRT_Buffer_Type_F32},
    {"element_type", PJRT_Buffer_Type_F32},
    {"shape_element_type", PJRT_Buffer_Type_F32},
    {"transfer_size", 16},
    {"dst_size", 16},
    {"num_replicas", 1},
    {"num_partitions", 1},
    {"default_assignment_size", 1},
    {"num_shape_specs", 1},
    {"description_size", 4},
};

// Fields that point to an array that a valid call may read or write.
constexpr std::string_view kArrays[] = {"data", "dst", "default_assignment", "description"};

// A raw buffer is a struct that both sides know.
bool IsObject(const Field& field) {
  return (field.base == Base::kHandle && field.depth == 0) ||
         (field.base == Base::kStruct && field.depth == 1);
}

}  // namespace

Arguments::Arguments(Samples& samples, const reflection::Function& function)
    : structure_(reflection::Structs()[function.args]), bytes_(structure_.size) {
  FillHandles(samples, structure_);
  FillArrays(samples, structure_);
  FillPrograms(samples, function);
}

void Arguments::Put(std::string_view name, uint64_t value) {
  const Field* field = FindField(structure_, name);
  if (field != nullptr && field->direction != Direction::kOut) Write(bytes_.data(), *field, value);
}

void* Arguments::Keep(std::string_view bytes) {
  owned_.emplace_back(bytes.size());
  if (!bytes.empty()) std::memcpy(owned_.back().data(), bytes.data(), bytes.size());
  return owned_.back().data();
}

void Arguments::FillHandles(Samples& samples, const Struct& structure) {
  for (const Field& field : FieldsOf(structure)) {
    if (field.base == Base::kStructSize) {
      Write(bytes_.data(), field, static_cast<uint64_t>(structure.end));
    }
    if (field.base != Base::kHandle || field.depth != 0 || field.direction != Direction::kIn) {
      continue;
    }
    // Freeing takes a handle away from the others; null does nothing.
    const auto* function =
        structure.function < 0 ? nullptr : &reflection::Functions()[structure.function];
    bool is_freed = function != nullptr && function->threads == reflection::Threads::kExclusive;
    if (!is_freed && samples.context().client() != nullptr) samples.MakeRare(field.target);
    void* handle = is_freed ? nullptr : samples.Handle(field.target);
    if (function == &reflection::Get(reflection::function::kPJRT_Event_Set))
      handle = CreateEvent(samples.context());
    if (handle == nullptr && !field.nullable) missing_ = reflection::Handles()[field.target];
    Write(bytes_.data(), field, handle);
  }
}

PJRT_Event* Arguments::CreateEvent(const Context& context) {
  auto args = MakeArgs<PJRT_Event_Create_Args>();
  if (context.plugin().Call(args).ok()) created_ = OwnedEvent(context.plugin(), args.event);
  return created_.get();
}

void Arguments::FillArrays(const Samples& samples, const Struct& structure) {
  auto address = [](void* pointer) { return reinterpret_cast<uint64_t>(pointer); };
  for (const Number& number : kNumbers) Put(number.field, number.value);
  // The shape points to it after this call.
  static constexpr int64_t kDims[] = {4};
  for (std::string_view name : {"dims", "shape_dims"}) {
    Put(name, address(Keep({reinterpret_cast<const char*>(kDims), sizeof(kDims)})));
  }
  // Where a CPU has it.
  alignas(64) static char aligned[64];
  // Callers give a layout where they may: not all plugins know one by themselves.
  static constexpr int64_t kOrder[] = {0};
  auto layout = MakeArgs<PJRT_Buffer_MemoryLayout>();
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled = MakeArgs<PJRT_Buffer_MemoryLayout_Tiled>();
  layout.tiled.minor_to_major = kOrder;
  layout.tiled.minor_to_major_size = 1;
  Put("shape_layout", address(Keep({reinterpret_cast<const char*>(&layout), sizeof(layout)})));
  Put("device_buffer_ptr", address(aligned));
  Put("on_delete_callback", reinterpret_cast<uint64_t>(+[](void*, void*) {}));
  for (std::string_view name : kArrays) {
    if (FindField(structure, name) != nullptr) Put(name, address(Keep(std::string(64, '\0'))));
  }
  auto shape = MakeArgs<PJRT_ShapeSpec>();
  shape.dims = kDims;
  shape.num_dims = 1;
  shape.element_type = PJRT_Buffer_Type_F32;
  Put("shape_specs", address(Keep({reinterpret_cast<const char*>(&shape), sizeof(shape)})));
  auto text = [&](std::string_view pointer, std::string_view size, const std::string& bytes) {
    Put(pointer, address(Keep(bytes)));
    Put(size, bytes.size());
  };
  auto has_input = [&](std::string_view name) {
    const Field* field = FindField(structure, name);
    return field != nullptr && field->direction == Direction::kIn;
  };
  if (has_input("serialized_executable")) {
    text("serialized_executable", "serialized_executable_size", samples.SerializedExecutable());
  }
  if (has_input("serialized_topology")) {
    text("serialized_topology", "serialized_topology_size", samples.SerializedTopology());
  }
}

void Arguments::FillPrograms(const Samples& samples, const reflection::Function& function) {
  auto address = [](const void* pointer) { return reinterpret_cast<uint64_t>(pointer); };
  auto object = [&](const auto& value) {
    return Keep({reinterpret_cast<const char*>(&value), sizeof(value)});
  };
  switch (static_cast<reflection::function::Id>(&function - reflection::Functions().data())) {
    case reflection::function::kPJRT_Client_Compile:
    case reflection::function::kPJRT_Compile: {
      auto program = MakeArgs<PJRT_Program>();
      const std::string_view code = ProgramFor(samples.context(), "add_one");
      program.code = static_cast<char*>(Keep(code));
      program.code_size = code.size();
      program.format = "mlir";
      program.format_size = 4;
      Put("program", address(object(program)));
      Put("compile_options", address(Keep(SingleDeviceCompileOptions())));
      Put("compile_options_size", SingleDeviceCompileOptions().size());
      break;
    }
    case reflection::function::kPJRT_Executable_OptimizedProgram:
      Put("program", address(object(MakeArgs<PJRT_Program>())));
      break;
    case reflection::function::kPJRT_LoadedExecutable_Execute: {
      Put("options", address(object(MakeArgs<PJRT_ExecuteOptions>())));
      PJRT_Buffer* argument = samples.buffer();
      void* list = object(argument);
      Put("argument_lists", address(object(list)));
      PJRT_Buffer* output = nullptr;
      void* outputs = object(output);
      Put("output_lists", address(object(outputs)));
      Put("num_devices", 1);
      Put("num_args", 1);
      break;
    }
    case reflection::function::kPJRT_Event_OnReady:
      Put("callback", reinterpret_cast<uint64_t>(+[](PJRT_Error*, void*) {}));
      break;
    case reflection::function::kPJRT_Register_Callback:
      Put("callback", reinterpret_cast<uint64_t>(+[](void*, void*) {}));
      break;
    case reflection::function::kPJRT_Error_ForEachPayload:
      Put("visitor",
          reinterpret_cast<uint64_t>(+[](const char*, size_t, const char*, size_t, void*) {}));
      break;
    case reflection::function::kPJRT_Client_CreateErrorBuffer:
      Put("error_code", PJRT_Error_Code_INTERNAL);
      break;
    case reflection::function::kPJRT_Client_FulfillAliasBuffer:
      Put("status_code", PJRT_Error_Code_OK);
      break;
    case reflection::function::kPJRT_AsyncHostToDeviceTransferManager_SetBufferError:
      Put("error_code", PJRT_Error_Code_INTERNAL);
      break;
    default:
      break;
  }
}

void Arguments::FinishOutputs(const Context& context, const reflection::Function& function,
                              std::byte* args, size_t size) {
  namespace fn = reflection::function;
  const Struct& structure = reflection::Structs()[function.args];
  auto id = static_cast<fn::Id>(&function - reflection::Functions().data());
  if (id == fn::kPJRT_Event_Create) return;  // nobody has set it
  bool owes_call = id == fn::kPJRT_Buffer_CopyRawToHostFuture ||
                   id == fn::kPJRT_Buffer_DonateWithControlDependency ||
                   id == fn::kPJRT_Client_CreateAliasBuffer;
  if (owes_call && size < structure.end) return;
  if (id == fn::kPJRT_Buffer_CopyRawToHostFuture) {
    auto& call = *reinterpret_cast<PJRT_Buffer_CopyRawToHostFuture_Args*>(args);
    auto ready = MakeArgs<PJRT_Buffer_CopyRawToHostFuture_Callback_Args>();
    ready.callback_data = call.callback_data;
    ready.error_code = PJRT_Error_Code_CANCELLED;
    auto* tell = std::exchange(call.future_ready_callback, nullptr);
    if (tell != nullptr) tell(&ready);
  } else if (id == fn::kPJRT_Buffer_DonateWithControlDependency) {
    auto& call = *reinterpret_cast<PJRT_Buffer_DonateWithControlDependency_Args*>(args);
    auto ready = MakeArgs<PJRT_Buffer_DonateWithControlDependency_Callback_Args>();
    ready.callback_data = call.callback_data;
    auto* tell = std::exchange(call.dependency_ready_callback, nullptr);
    if (tell != nullptr) tell(&ready);
  } else if (id == fn::kPJRT_Client_CreateAliasBuffer) {
    auto& call = *reinterpret_cast<PJRT_Client_CreateAliasBuffer_Args*>(args);
    auto fulfill = MakeArgs<PJRT_Client_FulfillAliasBuffer_Args>();
    fulfill.client = call.client;
    fulfill.status_code = PJRT_Error_Code_CANCELLED;
    fulfill.fulfill_alias_buffer_cb = std::exchange(call.fulfill_alias_buffer_cb, nullptr);
    if (fulfill.fulfill_alias_buffer_cb != nullptr) (void)context.plugin().Call(fulfill);
  }
  for (const Field& field : FieldsOf(structure)) {
    if (field.offset + field.size > size || field.direction != Direction::kOut ||
        field.depth != 0 || field.base != Base::kHandle ||
        field.target != reflection::handle::kPJRT_Event) {
      continue;
    }
    auto* event = Read<PJRT_Event*>(args, field);
    if (event != nullptr) (void)context.Await(event);
  }
}

void Arguments::FreeOutputs(const Context& context, const reflection::Function& function,
                            std::byte* args, size_t size) {
  FinishOutputs(context, function, args, size);
  const Struct& structure = reflection::Structs()[function.args];
  for (const Field& field : FieldsOf(structure)) {
    bool is_there = field.offset + field.size <= size;
    if (!is_there || field.direction != Direction::kOut || !IsObject(field) ||
        field.owner != reflection::Owner::kCaller || field.lifetime == nullptr) {
      continue;
    }
    void* handle = Read<void*>(args, field);
    if (handle == nullptr) continue;
    if (const auto* destroy = reflection::FindFunction(field.lifetime.view())) {
      const Struct& destroy_args = reflection::Structs()[destroy->args];
      std::vector<std::byte> bytes(destroy_args.size);
      for (const Field& each : FieldsOf(destroy_args)) {
        if (each.base == Base::kStructSize) {
          Write(bytes.data(), each, static_cast<uint64_t>(destroy_args.end));
        }
        if (IsObject(each)) Write(bytes.data(), each, handle);
      }
      (void)context.plugin().Call(*destroy, bytes.data());
    } else if (const Field* deleter = FindField(structure, field.lifetime.view());
               deleter != nullptr && deleter->offset + deleter->size <= size) {
      auto* free = Read<void (*)(void*)>(args, *deleter);
      if (free != nullptr) free(handle);
    }
  }
  namespace fn = reflection::function;
  if (&function ==
          &reflection::Get(fn::kPJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace) &&
      size >= structure.end) {
    // The only text that is freed by itself.
    auto& call =
        *reinterpret_cast<PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args*>(args);
    if (call.serialized_shape_deleter != nullptr)
      call.serialized_shape_deleter(std::exchange(call.serialized_shape, nullptr));
  }
  if (&function == &reflection::Get(fn::kPJRT_LoadedExecutable_Execute)) {
    auto* execute = reinterpret_cast<PJRT_LoadedExecutable_Execute_Args*>(args);
    if (execute->output_lists == nullptr) return;
    PJRT_Buffer*& output = execute->output_lists[0][0];
    OwnedBuffer buffer(context.plugin(), output);
    output = nullptr;
  }
}

}  // namespace plinth::conformance
