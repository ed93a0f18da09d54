// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_OPEN_H_
#define PLINTH_IMPL_LOADER_OPEN_H_

#include <string>
#include <vector>

#include "impl/loader/log.h"
#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::loader {

struct OpenOptions {
  std::string path;                      // The plugin's .so, as found.
  std::vector<std::string> layer_specs;  // One per layer, the first is nearest to the caller.
  int api_minor = 0;                     // The minor to report; 0 means the plugin's own.
  bool allow_old = false;                // Plugins of 0.28 to 0.55 too.
  bool default_layouts = false;  // The manifest says that every buffer has the default layout.
  LogSink log;
};

// Opens a plugin and returns the table that callers are to use: the plugin's own, or a full-size
// one in front of it. It lives as long as the process; a plugin is never unloaded. Does not call
// PJRT_Plugin_Initialize. Any thread.
Expected<const PJRT_Api*> OpenPlugin(const OpenOptions& options);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_OPEN_H_
