#ifndef PLINTH_IMPL_LOADER_READY_CALLBACK_H_
#define PLINTH_IMPL_LOADER_READY_CALLBACK_H_

#include "impl/loader/errors.h"
#include "impl/loader/plugin_table.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader {

// Whether the function hands a callback to a plugin whose errors have no head, so that what the
// callback gets has to be lifted.
inline bool IsReadyCallback(int function, const PluginTable& table) {
  return function == reflection::function::kPJRT_Event_OnReady && !table.HasErrorHeads();
}

// PJRT_Event_OnReady with a callback of ours around the caller's. `args` has the size of the
// plugin; `errors` lives as long as the process. Gives the plugin's own error.
PJRT_Error* CallWithReadyCallback(PJRT_Error* (*on_ready)(void* args), const PluginErrors& errors,
                                  void* args);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_READY_CALLBACK_H_
