// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <exception>
#include <optional>

#include "plinth/support/abi_version.h"
#include "plinth/support/extension_chain.h"
#include "sdk/src/api_instance.h"
#include "sdk/src/error_api.h"
#include "sdk/src/plugin_attributes.h"
#include "sdk/src/table_entry.h"

namespace plinth::sdk::internal {
namespace {

// The plugin and its table. Made once, never destroyed: a framework keeps the table until the
// process ends, and nothing of ours may run then.
struct ApiInstance {
  std::unique_ptr<Plugin> plugin;  // Null if it could not be made.
  Status error;                    // Why.
  Ffi* ffi_of_plugin = nullptr;
  std::optional<PluginAttributes> attributes;
#define PLINTH_PJRT_EXTENSION(node, type) node the_##node;
#include "plinth/support/extension_tables.inc"
  PJRT_Api api;
};
ApiInstance* instance = nullptr;  // Set before the table is handed out.

// Some extensions are there only if the plugin has what they need.
bool IsOffered(const ApiInstance& made, PJRT_Extension_Type type) {
  switch (type) {
    case PJRT_Extension_Type_FFI:
    case PJRT_Extension_Type_Gpu_Custom_Call:
      return made.ffi_of_plugin != nullptr;
    case PJRT_Extension_Type_Stream:
      return made.plugin != nullptr && made.plugin->info().supports_streams;
    default:
      return true;
  }
}

void FillExtensions(ApiInstance& made) {
  std::vector<PJRT_Extension_Base*> chain;
  if (made.plugin != nullptr) chain = made.plugin->info().extensions;
#define PLINTH_PJRT_EXTENSION(node, extension_type)          \
  std::memset(&made.the_##node, 0, sizeof(made.the_##node)); \
  made.the_##node.base.struct_size = node##_STRUCT_SIZE;     \
  made.the_##node.base.type = extension_type;                \
  if (IsOffered(made, extension_type)) chain.push_back(&made.the_##node.base);
#define PLINTH_PJRT_EXTENSION_FUNCTION(node, slot, function, since, minimum_struct_size) \
  made.the_##node.slot = &Entry<function##_Args>;
#include "plinth/support/extension_tables.inc"
  made.the_PJRT_Gpu_Custom_Call.custom_call_handles_traits = true;
  made.api.extension_start = LinkExtensions(chain);
}

// Where frameworks test for null, a function that the plugin does not have is null.
void RemoveAbsent(PJRT_Api& api, const PluginInfo& info) {
#define PLINTH_PJRT_ABILITY(function, ability) \
  if (!info.supports_##ability) api.function = nullptr;
#include "plinth/support/abi_tables.inc"
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
    made.attributes.emplace(made.plugin->info());
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
