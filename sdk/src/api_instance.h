// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_API_INSTANCE_H_
#define PLINTH_SDK_SRC_API_INSTANCE_H_

#include <span>

#include "plinth/sdk/plugin.h"

namespace plinth::sdk::internal {

// The plugin behind this library's table; the error why it could not be made.
Expected<Plugin*> ThePlugin();
// Never null in the functions of the FFI extensions: they are on the chain only if the plugin has
// it.
Ffi* TheFfi();

// The options of PJRT_Client_Create: the plugin's own, and the two that JAX adds in distributed
// runs.
struct ClientOptions {
  Options own;
  int num_nodes = 1;
  int node_id = 0;
};
Expected<ClientOptions> ParseClientOptions(const PluginInfo& info,
                                           std::span<const NamedValue> given);

Expected<Program> ReadProgram(const char* function, const PJRT_Program& program);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_API_INSTANCE_H_
