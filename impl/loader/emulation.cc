// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/emulation.h"

#include <algorithm>
#include <cstring>

#include "impl/loader/adapter.h"
#include "impl/loader/default_layouts.h"
#include "impl/loader/plugin_shape.h"
#include "plinth/support/args.h"
#include "plinth/support/error.h"

namespace plinth::loader {
namespace {

namespace function = reflection::function;

PJRT_Error* Initialize(const Adapter&, void*) { return nullptr; }

PJRT_Error* NoAttributes(const Adapter&, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Plugin_Attributes_Args>(function::kPJRT_Plugin_Attributes, raw, &error);
  if (args == nullptr) return error;
  SetField(*args, &PJRT_Plugin_Attributes_Args::attributes, nullptr);
  SetField(*args, &PJRT_Plugin_Attributes_Args::num_attributes, 0);
  return nullptr;
}

PJRT_Error* UnpaddedDimensions(const Adapter& adapter, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Buffer_UnpaddedDimensions_Args>(
      function::kPJRT_Buffer_UnpaddedDimensions, raw, &error);
  if (args == nullptr) return error;
  auto dynamic = MakeArgs<PJRT_Buffer_DynamicDimensionIndices_Args>();
  dynamic.buffer = args->buffer;
  error = adapter.Call(function::kPJRT_Buffer_DynamicDimensionIndices, &dynamic);
  if (error != nullptr) return error;
  if (dynamic.num_dynamic_dims != 0) {
    return MakeError(Unimplemented(
        "PJRT_Buffer_UnpaddedDimensions: ", adapter.table().Describe(),
        " does not have it, and the buffer has dynamic dimensions, whose sizes nothing else tells. "
        "Use a newer release of the plugin"));
  }
  auto dimensions = MakeArgs<PJRT_Buffer_Dimensions_Args>();
  dimensions.buffer = args->buffer;
  error = adapter.Call(function::kPJRT_Buffer_Dimensions, &dimensions);
  if (error != nullptr) return error;
  args->unpadded_dims = dimensions.dims;
  args->num_dims = dimensions.num_dims;
  return nullptr;
}

PJRT_Error* CopyToDevice(const Adapter& adapter, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args =
      Checked<PJRT_Buffer_CopyToDevice_Args>(function::kPJRT_Buffer_CopyToDevice, raw, &error);
  if (args == nullptr) return error;
  auto memory = MakeArgs<PJRT_Device_DefaultMemory_Args>();
  memory.device = args->dst_device;
  error = adapter.Call(function::kPJRT_Device_DefaultMemory, &memory);
  if (error != nullptr) return error;
  auto copy = MakeArgs<PJRT_Buffer_CopyToMemory_Args>();
  copy.buffer = args->buffer;
  copy.dst_memory = memory.memory;
  error = adapter.Call(function::kPJRT_Buffer_CopyToMemory, &copy);
  if (error != nullptr) return error;
  args->dst_buffer = copy.dst_buffer;
  return nullptr;
}

PJRT_Error* SizeOfGeneratedCode(const Adapter& adapter, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Executable_SizeOfGeneratedCodeInBytes_Args>(
      function::kPJRT_Executable_SizeOfGeneratedCodeInBytes, raw, &error);
  if (args == nullptr) return error;
  auto stats = MakeArgs<PJRT_Executable_GetCompiledMemoryStats_Args>();
  stats.executable = args->executable;
  error = adapter.Call(function::kPJRT_Executable_GetCompiledMemoryStats, &stats);
  if (error != nullptr) return error;
  args->size_in_bytes = stats.generated_code_size_in_bytes;
  return nullptr;
}

constexpr function::Id kForDimensions[] = {function::kPJRT_Buffer_DynamicDimensionIndices,
                                           function::kPJRT_Buffer_Dimensions};
constexpr function::Id kForCopy[] = {function::kPJRT_Device_DefaultMemory,
                                     function::kPJRT_Buffer_CopyToMemory};
constexpr function::Id kForCodeSize[] = {function::kPJRT_Executable_GetCompiledMemoryStats};

constexpr Emulation kEmulations[] = {
    {function::kPJRT_Plugin_Initialize, {}, &Initialize, "There is nothing to set up."},
    {function::kPJRT_Plugin_Attributes, {}, &NoAttributes, "The list is empty."},
    {function::kPJRT_Buffer_UnpaddedDimensions, kForDimensions, &UnpaddedDimensions,
     "The dimensions, if none is dynamic; otherwise UNIMPLEMENTED."},
    {function::kPJRT_Buffer_CopyToDevice, kForCopy, &CopyToDevice,
     "A copy to the default memory of the device."},
    {function::kPJRT_Executable_SizeOfGeneratedCodeInBytes, kForCodeSize, &SizeOfGeneratedCode,
     "What the executable's memory statistics say."},
};

}  // namespace

void* CheckedArgs(function::Id id, void* raw, PJRT_Error** error) {
  const reflection::Function& called = reflection::Get(id);
  const reflection::Struct& type = reflection::Structs()[called.args];
  size_t announced;
  std::memcpy(&announced, raw, sizeof(announced));
  const size_t size = TrueSize(called.args, announced);
  if (size >= type.minimum_size) return raw;
  *error = MakeError(InvalidArgument(called.name, ": ", type.name, " has a struct_size of ", size,
                                     "; it needs ", type.minimum_size, " at least"));
  return nullptr;
}

std::span<const Emulation> Emulations() { return kEmulations; }

const Emulation* FindEmulation(const Adapter& adapter, int id) {
  auto find = [&](std::span<const Emulation> rows) -> const Emulation* {
    for (const Emulation& row : rows) {
      if (row.function != id) continue;
      bool has_all = std::all_of(row.needs.begin(), row.needs.end(),
                                 [&](int need) { return adapter.Target(need) != nullptr; });
      return has_all ? &row : nullptr;
    }
    return nullptr;
  };
  const Emulation* found = find(kEmulations);
  return found == nullptr && adapter.uses_default_layouts() ? find(DefaultLayoutEmulations())
                                                            : found;
}

}  // namespace plinth::loader
