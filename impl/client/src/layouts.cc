// SPDX-License-Identifier: Apache-2.0
#include "plinth/client/layouts.h"

#include "impl/client/src/calls.h"
#include "pjrt_c_api_layouts_extension.h"

namespace plinth::client {
namespace {

using Extension = PJRT_Layouts_Extension;

// PLINTH_CLIENT_LAYOUTS_CALL(api, extension, function, args): with the function's name and size.
#define PLINTH_CLIENT_LAYOUTS_CALL(api, extension, function, args)         \
  (api).CallExtension(*(extension), &Extension::function, #function, args, \
                      function##_Args_STRUCT_SIZE)

Expected<const Extension*> Find(const Api& api) {
  const PJRT_Extension_Base* found = api.FindExtension(PJRT_Extension_Type_Layouts);
  if (found == nullptr) {
    return Unimplemented("the plugin (PJRT 0.", api.version().minor,
                         ") has no Layouts extension; it cannot tell layouts");
  }
  return reinterpret_cast<const Extension*>(found);
}

Expected<std::string> Text(const Api& api, const Extension* extension,
                           PJRT_Layouts_MemoryLayout* layout) {
  if (layout == nullptr) return Internal("the plugin's Layouts extension gave a null layout");
  PJRT_Layouts_MemoryLayout_Serialize_Args args = {};
  args.layout = layout;
  PLINTH_RETURN_IF_ERROR(
      PLINTH_CLIENT_LAYOUTS_CALL(api, extension, PJRT_Layouts_MemoryLayout_Serialize, args));
  std::string text;
  if (args.serialized_bytes != nullptr) {
    text.assign(args.serialized_bytes, args.serialized_bytes_size);
  }
  if (args.serialized_layout_deleter != nullptr && args.serialized_layout != nullptr) {
    args.serialized_layout_deleter(args.serialized_layout);
  }
  return text;
}

// The text of a layout that the caller owns, which is freed.
Expected<std::string> TakeText(const Api& api, const Extension* extension,
                               PJRT_Layouts_MemoryLayout* layout) {
  Expected<std::string> text = Text(api, extension, layout);
  if (layout != nullptr) {
    PJRT_Layouts_MemoryLayout_Destroy_Args args = {};
    args.layout = layout;
    (void)PLINTH_CLIENT_LAYOUTS_CALL(api, extension, PJRT_Layouts_MemoryLayout_Destroy, args);
  }
  return text;
}

// The texts of layouts that the executable owns.
Expected<std::vector<std::string>> Texts(const Api& api, const Extension* extension,
                                         PJRT_Layouts_MemoryLayout** layouts, size_t size) {
  if (layouts == nullptr && size != 0) {
    return Internal("the plugin's Layouts extension gave a null list of ", size, " layouts");
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < size; ++i) {
    PLINTH_ASSIGN_OR_RETURN(std::string text, Text(api, extension, layouts[i]));
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

Expected<std::string> LayoutText(const Buffer& buffer) {
  const Api& api = buffer.api();
  PLINTH_ASSIGN_OR_RETURN(const Extension* extension, Find(api));
  PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args args = {};
  args.buffer = buffer.get();
  PLINTH_RETURN_IF_ERROR(
      PLINTH_CLIENT_LAYOUTS_CALL(api, extension, PJRT_Layouts_PJRT_Buffer_MemoryLayout, args));
  return TakeText(api, extension, args.layout);
}

Expected<std::string> DefaultLayoutText(const Client& client, DType type,
                                        std::span<const int64_t> dims) {
  const Api& api = client.api();
  PLINTH_ASSIGN_OR_RETURN(const Extension* extension, Find(api));
  PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args args = {};
  args.client = client.get();
  args.type = ToC(type);
  args.dims = dims.data();
  args.num_dims = dims.size();
  PLINTH_RETURN_IF_ERROR(
      PLINTH_CLIENT_LAYOUTS_CALL(api, extension, PJRT_Layouts_PJRT_Client_GetDefaultLayout, args));
  return TakeText(api, extension, args.layout);
}

Expected<std::vector<std::string>> OutputLayoutTexts(const Executable& executable) {
  const Api& api = executable.api();
  PLINTH_ASSIGN_OR_RETURN(const Extension* extension, Find(api));
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args args = {};
  args.executable = executable.get();
  PLINTH_RETURN_IF_ERROR(PLINTH_CLIENT_LAYOUTS_CALL(
      api, extension, PJRT_Layouts_PJRT_Executable_GetOutputLayouts, args));
  return Texts(api, extension, args.layouts, args.num_outputs);
}

Expected<std::vector<std::string>> ParameterLayoutTexts(const Executable& executable) {
  const Api& api = executable.api();
  PLINTH_ASSIGN_OR_RETURN(const Extension* extension, Find(api));
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args args = {};
  args.executable = executable.get();
  PLINTH_RETURN_IF_ERROR(PLINTH_CLIENT_LAYOUTS_CALL(
      api, extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts, args));
  return Texts(api, extension, args.layouts, args.num_parameters);
}

#undef PLINTH_CLIENT_LAYOUTS_CALL

}  // namespace plinth::client
