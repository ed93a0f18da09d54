// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "sdk/src/entry.h"
#include "sdk/src/executable_arrays.h"
#include "sdk/src/wire.h"

struct PJRT_Layouts_SerializedLayout {
  std::string text;
};

namespace plinth::sdk::internal {

Status Call(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  PLINTH_NOT_NULL(args, layout);
  // Those of an executable end with it.
  if (args.layout->is_owned_by_executable) return {};
  delete args.layout;
  return {};
}

namespace {

// By rank. JAX asks for the text of each array that NumPy reads.
std::vector<PJRT_Layouts_SerializedLayout> RowMajorTexts() {
  std::vector<PJRT_Layouts_SerializedLayout> texts;
  for (size_t rank = 0; rank <= kMaxRank; ++rank) texts.push_back({Layout().ToString(rank)});
  return texts;
}

}  // namespace

Status Call(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  static auto& row_major = *new std::vector(RowMajorTexts());
  const std::shared_ptr<const Layout>& layout = args.layout->layout;
  const size_t rank = args.layout->rank;
  if (layout == nullptr && rank < row_major.size()) {
    args.serialized_layout = &row_major[rank];
    args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout*) {};
  } else {
    args.serialized_layout =
        new PJRT_Layouts_SerializedLayout{(layout == nullptr ? Layout() : *layout).ToString(rank)};
    args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* holder) { delete holder; };
  }
  args.serialized_bytes = args.serialized_layout->text.data();
  args.serialized_bytes_size = args.serialized_layout->text.size();
  return {};
}

Status Call(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args& args) {
  PLINTH_HANDLE(buffer, args, buffer);
  args.layout = new PJRT_Layouts_MemoryLayout{buffer->layout(), buffer->dims().size()};
  return {};
}

Status Call(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args& args) {
  PLINTH_HANDLE(core, args, client);
  PLINTH_ASSIGN_OR_RETURN(DType dtype,
                          ReadDType("PJRT_Layouts_PJRT_Client_GetDefaultLayout", args.type));
  PLINTH_ASSIGN_OR_RETURN(
      std::span<const int64_t> dims,
      ReadDims("PJRT_Layouts_PJRT_Client_GetDefaultLayout", args.dims, args.num_dims));
  PLINTH_ASSIGN_OR_RETURN(Layout layout, core->client->GetDefaultLayout(dtype, dims));
  args.layout =
      new PJRT_Layouts_MemoryLayout{std::make_shared<const Layout>(std::move(layout)), dims.size()};
  return {};
}

Status Call(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args& args) {
  PLINTH_HANDLE(topology, args, topology_description);
  PLINTH_ASSIGN_OR_RETURN(DType dtype,
                          ReadDType("PJRT_Layouts_PJRT_Topology_GetDefaultLayout", args.type));
  PLINTH_ASSIGN_OR_RETURN(
      std::span<const int64_t> dims,
      ReadDims("PJRT_Layouts_PJRT_Topology_GetDefaultLayout", args.dims, args.num_dims));
  PLINTH_ASSIGN_OR_RETURN(Layout layout, topology->GetDefaultLayout(dtype, dims));
  args.layout =
      new PJRT_Layouts_MemoryLayout{std::make_shared<const Layout>(std::move(layout)), dims.size()};
  return {};
}

Status Call(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args& args) {
  PLINTH_HANDLE(handle, args, executable);
  const ValueArrays& outputs = handle->executable->arrays().outputs;
  args.num_outputs = outputs.layout_pointers.size();
  args.layouts = const_cast<PJRT_Layouts_MemoryLayout**>(outputs.layout_pointers.data());
  return {};
}

Status Call(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args& args) {
  PLINTH_HANDLE(handle, args, executable);
  const ValueArrays& parameters = handle->executable->arrays().parameters;
  args.num_parameters = parameters.layout_pointers.size();
  args.layouts = const_cast<PJRT_Layouts_MemoryLayout**>(parameters.layout_pointers.data());
  return {};
}

}  // namespace plinth::sdk::internal
