// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/default_layouts.h"

#include <cstring>
#include <string>

#include "impl/loader/adapter.h"
#include "pjrt_c_api_layouts_extension.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;
};

struct PJRT_Layouts_SerializedLayout {
  std::string text;
};

namespace plinth::loader {
namespace {

namespace function = reflection::function;

constexpr size_t kLargestRank = 4096;

// "{2,1,0}": from minor to major.
PJRT_Error* MakeLayout(size_t rank, PJRT_Layouts_MemoryLayout** layout) {
  if (rank > kLargestRank) {
    return MakeError(InvalidArgument("a layout for ", rank, " dimensions was asked for; at most ",
                                     kLargestRank, " are possible"));
  }
  std::string text = "{";
  for (size_t i = rank; i-- > 0;) text += StrCat(i, i > 0 ? "," : "");
  *layout = new PJRT_Layouts_MemoryLayout{text + "}"};
  return nullptr;
}

PJRT_Error* Destroy(const Adapter&, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Layouts_MemoryLayout_Destroy_Args>(
      function::kPJRT_Layouts_MemoryLayout_Destroy, raw, &error);
  if (args != nullptr) delete args->layout;
  return error;
}

PJRT_Error* Serialize(const Adapter&, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Layouts_MemoryLayout_Serialize_Args>(
      function::kPJRT_Layouts_MemoryLayout_Serialize, raw, &error);
  if (args == nullptr) return error;
  if (args->layout == nullptr) {
    return MakeError(InvalidArgument("PJRT_Layouts_MemoryLayout_Serialize: the layout is null"));
  }
  auto* holder = new PJRT_Layouts_SerializedLayout{args->layout->text};
  args->serialized_bytes = holder->text.data();
  args->serialized_bytes_size = holder->text.size();
  args->serialized_layout = holder;
  args->serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* layout) { delete layout; };
  return nullptr;
}

PJRT_Error* OfBuffer(const Adapter& adapter, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args>(
      function::kPJRT_Layouts_PJRT_Buffer_MemoryLayout, raw, &error);
  if (args == nullptr) return error;
  PJRT_Buffer_Dimensions_Args dimensions{};
  dimensions.struct_size = PJRT_Buffer_Dimensions_Args_STRUCT_SIZE;
  dimensions.buffer = args->buffer;
  error = adapter.Call(function::kPJRT_Buffer_Dimensions, &dimensions);
  return error != nullptr ? error : MakeLayout(dimensions.num_dims, &args->layout);
}

PJRT_Error* OfClient(const Adapter&, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args>(
      function::kPJRT_Layouts_PJRT_Client_GetDefaultLayout, raw, &error);
  return args == nullptr ? error : MakeLayout(args->num_dims, &args->layout);
}

PJRT_Error* OfTopology(const Adapter&, void* raw) {
  PJRT_Error* error = nullptr;
  auto* args = Checked<PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args>(
      function::kPJRT_Layouts_PJRT_Topology_GetDefaultLayout, raw, &error);
  return args == nullptr ? error : MakeLayout(args->num_dims, &args->layout);
}

constexpr Emulation kLayoutEmulations[] = {
    {function::kPJRT_Layouts_MemoryLayout_Destroy, {}, &Destroy, "Frees a layout of ours."},
    {function::kPJRT_Layouts_MemoryLayout_Serialize, {}, &Serialize, "From minor to major."},
    {function::kPJRT_Layouts_PJRT_Buffer_MemoryLayout,
     {},
     &OfBuffer,
     "From the number of dimensions."},
    {function::kPJRT_Layouts_PJRT_Client_GetDefaultLayout,
     {},
     &OfClient,
     "From the number of dimensions."},
    {function::kPJRT_Layouts_PJRT_Topology_GetDefaultLayout,
     {},
     &OfTopology,
     "From the number of dimensions."},
};

}  // namespace

std::span<const Emulation> DefaultLayoutEmulations() { return kLayoutEmulations; }

std::unique_ptr<char[]> MakeDefaultLayoutsNode(const ThunkTable& thunks) {
  auto bytes = std::make_unique<char[]>(sizeof(PJRT_Layouts_Extension));
  auto* node = reinterpret_cast<PJRT_Layouts_Extension*>(bytes.get());
  node->base.struct_size = PJRT_Layouts_Extension_STRUCT_SIZE;
  node->base.type = PJRT_Extension_Type_Layouts;
  for (const Emulation& emulation : kLayoutEmulations) {
    const reflection::Function& function = reflection::Get(emulation.function);
    void* thunk = thunks[static_cast<size_t>(emulation.function)];
    std::memcpy(bytes.get() + function.offset, &thunk, sizeof(thunk));
  }
  return bytes;
}

}  // namespace plinth::loader
