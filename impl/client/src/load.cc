// SPDX-License-Identifier: Apache-2.0
#include "plinth.h"
#include "plinth/client/api.h"

namespace plinth::client {

Expected<Api> Api::Load(const char* plugin) {
  plinth_load_options options = {};
  options.struct_size = plinth_load_options_STRUCT_SIZE;
  options.plugin = plugin;
  plinth_plugin* loaded = nullptr;
  if (plinth_status* failure = plinth_load(&options, &loaded); failure != nullptr) {
    Status status(static_cast<StatusCode>(plinth_status_code(failure)),
                  plinth_status_message(failure));
    plinth_status_destroy(failure);
    return status;
  }
  Expected<Api> api = FromTable(plinth_plugin_api(loaded));
  plinth_plugin_destroy(loaded);  // The table stays.
  if (!api.ok()) return api;
  PLINTH_RETURN_IF_ERROR(api->Initialize());
  return api;
}

}  // namespace plinth::client
