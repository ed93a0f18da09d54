// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_EXTENSION_COPY_H_
#define PLINTH_IMPL_LOADER_EXTENSION_COPY_H_

#include <memory>
#include <vector>

#include "impl/loader/adapter.h"
#include "impl/loader/log.h"
#include "impl/loader/plugin_table.h"
#include "impl/loader/thunks.h"
#include "pjrt_c_api.h"

namespace plinth::loader {

struct CopiedExtensions {
  PJRT_Extension_Base* first = nullptr;
  std::vector<std::unique_ptr<char[]>> nodes;
};

// Copies the plugin's chain node by node. Nodes that the registry describes get `thunks` in their
// slots, and the adapter learns what stood there; slots with a signature of their own and unknown
// nodes pass bit for bit. What cannot be told apart or is damaged is left out, and logged.
CopiedExtensions CopyExtensions(const PluginTable& table, const ThunkTable& thunks,
                                Adapter& adapter, const LogSink& log);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_EXTENSION_COPY_H_
