// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <exception>
#include <optional>

#include "plinth/support/abi_version.h"
#include "plinth/support/extension_chain.h"
#include "sdk/src/api_instance.h"
#include "sdk/src/entry.h"
#include "sdk/src/error_api.h"
#include "sdk/src/plugin_attributes.h"

namespace plinth::sdk::internal {
namespace {

// The plugin and its table. Made once, never destroyed: a framework keeps the table until the
// process ends, and nothing of ours may run then.
struct ApiInstance {
  std::unique_ptr<Plugin> plugin;  // Null if it could not be made.
  Status error;                    // Why.
  Ffi* ffi_of_plugin = nullptr;
  std::optional<PluginAttributes> attributes;
  PJRT_Layouts_Extension layouts;
  PJRT_Shardings_Extension shardings;
  PJRT_FFI_Extension ffi;
  PJRT_Gpu_Custom_Call custom_call;
  PJRT_Api api;
};
ApiInstance* instance = nullptr;  // Set before the table is handed out.

void FillExtensions(ApiInstance& made) {
  std::vector<PJRT_Extension_Base*> chain;
  if (made.plugin != nullptr) chain = made.plugin->info().extensions;
  std::memset(&made.layouts, 0, sizeof(made.layouts));
  made.layouts.base.struct_size = PJRT_Layouts_Extension_STRUCT_SIZE;
  made.layouts.base.type = PJRT_Extension_Type_Layouts;
  std::memset(&made.shardings, 0, sizeof(made.shardings));
  made.shardings.base.struct_size = PJRT_Shardings_Extension_STRUCT_SIZE;
  made.shardings.base.type = PJRT_Extension_Type_Shardings;
#define PLINTH_FILL(extension, function) extension.function = &Entry<function##_Args>
  PLINTH_FILL(made.layouts, PJRT_Layouts_MemoryLayout_Destroy);
  PLINTH_FILL(made.layouts, PJRT_Layouts_MemoryLayout_Serialize);
  PLINTH_FILL(made.layouts, PJRT_Layouts_PJRT_Client_GetDefaultLayout);
  PLINTH_FILL(made.layouts, PJRT_Layouts_PJRT_Buffer_MemoryLayout);
  PLINTH_FILL(made.layouts, PJRT_Layouts_PJRT_Topology_GetDefaultLayout);
  PLINTH_FILL(made.layouts, PJRT_Layouts_PJRT_Executable_GetOutputLayouts);
  PLINTH_FILL(made.layouts, PJRT_Layouts_PJRT_Executable_GetParameterLayouts);
  PLINTH_FILL(made.shardings, PJRT_Shardings_PJRT_Executable_ParameterShardings);
  PLINTH_FILL(made.shardings, PJRT_Shardings_PJRT_Executable_OutputShardings);
#undef PLINTH_FILL
  std::memset(&made.ffi, 0, sizeof(made.ffi));
  made.ffi.base.struct_size = PJRT_FFI_Extension_STRUCT_SIZE;
  made.ffi.base.type = PJRT_Extension_Type_FFI;
  made.ffi.type_register = &Entry<PJRT_FFI_Type_Register_Args>;
  made.ffi.user_data_add = &Entry<PJRT_FFI_UserData_Add_Args>;
  made.ffi.register_handler = &Entry<PJRT_FFI_Register_Handler_Args>;
  std::memset(&made.custom_call, 0, sizeof(made.custom_call));
  made.custom_call.base.struct_size = PJRT_Gpu_Custom_Call_STRUCT_SIZE;
  made.custom_call.base.type = PJRT_Extension_Type_Gpu_Custom_Call;
  made.custom_call.custom_call = &Entry<PJRT_Gpu_Register_Custom_Call_Args>;
  made.custom_call.custom_call_handles_traits = true;
  chain.push_back(&made.layouts.base);
  chain.push_back(&made.shardings.base);
  if (made.ffi_of_plugin != nullptr) {
    chain.push_back(&made.ffi.base);
    chain.push_back(&made.custom_call.base);
  }
  made.api.extension_start = LinkExtensions(chain);
}

// Where frameworks test for null, a function that the plugin does not have is null.
void RemoveAbsent(PJRT_Api& api, const PluginInfo& info) {
  if (!info.supports_bitcast) api.PJRT_Buffer_Bitcast = nullptr;
  if (!info.supports_load) api.PJRT_Client_Load = nullptr;
  if (!info.supports_clear_memory_stats) api.PJRT_Device_ClearMemoryStats = nullptr;
  if (!info.supports_canonical_shape) {
    api.PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace = nullptr;
  }
}

void FillTable(PJRT_Api& api) {
  std::memset(&api, 0, sizeof(api));
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = kPjrtMajor;
  api.pjrt_api_version.minor_version = kPjrtReportedMinor;
  // The two functions that return nothing have no entry of the common form.
#define PLINTH_PJRT_FUNCTION(slot, function, since, absent, minimum_struct_size)      \
  if constexpr (!std::is_same_v<function, PJRT_Error_Destroy> &&                      \
                !std::is_same_v<function, PJRT_Error_Message>) {                      \
    void* entry = reinterpret_cast<void*>(&Entry<function##_Args>);                   \
    std::memcpy(reinterpret_cast<char*>(&api) + offsetof(PJRT_Api, function), &entry, \
                sizeof(entry));                                                       \
  }
#include "plinth/support/abi_tables.inc"
  api.PJRT_Error_Destroy = &ErrorDestroy;
  api.PJRT_Error_Message = &ErrorMessage;
}

Status MakePlugin(ApiInstance& made, std::unique_ptr<Plugin> (*make_plugin)()) {
  try {
    made.plugin = make_plugin();
    if (made.plugin == nullptr) return Internal("the plugin could not be made");
    made.attributes.emplace(made.plugin->info().attributes);
    made.ffi_of_plugin = made.plugin->ffi();
    return {};
  } catch (const std::exception& exception) {
    return Internal("the plugin could not be made: ", exception.what());
  } catch (...) {
    return Internal("the plugin could not be made: unknown exception");
  }
}

}  // namespace

Expected<Plugin*> ThePlugin() {
  if (instance->plugin == nullptr) return instance->error;
  return instance->plugin.get();
}

Ffi* TheFfi() { return instance->ffi_of_plugin; }

Expected<const PluginAttributes*> ThePluginAttributes() {
  if (!instance->attributes.has_value()) return instance->error;
  return &*instance->attributes;
}

const PJRT_Api* GetApi(std::unique_ptr<Plugin> (*make_plugin)()) {
  static const PJRT_Api* const api = [make_plugin] {
    WatchForks();
    auto* made = new ApiInstance();
    made->error = MakePlugin(*made, make_plugin);
    if (!made->error.ok()) made->plugin = nullptr;
    FillTable(made->api);
    FillExtensions(*made);
    RemoveAbsent(made->api, made->plugin != nullptr ? made->plugin->info() : PluginInfo());
    instance = made;
    return &made->api;
  }();
  return api;
}

}  // namespace plinth::sdk::internal
