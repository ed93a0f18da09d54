// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_LOAD_H_
#define PLINTH_IMPL_LOADER_LOAD_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "impl/loader/discover.h"
#include "impl/loader/open.h"
#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// What plinth_load and GetPjrtApi of libplinth are asked for.
struct LoadRequest {
  std::optional<std::string> plugin;    // A path or a name; absent: PLINTH_PLUGIN.
  std::string asked_by = "the caller";  // Who gave it.
  std::optional<std::string> layers;    // Absent: PLINTH_LAYERS.
  int api_minor = 0;
  bool allow_old = false;
  FindOptions find;  // Its `log` serves the whole load.
  Environment environment;
};

// A plugin that was chosen, and how it is to be opened. Nothing is opened yet.
struct Prepared {
  Selection selection;
  OpenOptions open;
};
Expected<Prepared> Prepare(const LoadRequest& request);

struct Loaded {
  Candidate plugin;
  std::vector<std::string> layers;
  const PJRT_Api* api = nullptr;
};
Expected<Loaded> Load(const LoadRequest& request);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_LOAD_H_
