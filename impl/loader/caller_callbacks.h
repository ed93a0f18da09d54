// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_CALLER_CALLBACKS_H_
#define PLINTH_IMPL_LOADER_CALLER_CALLBACKS_H_

#include <map>
#include <memory>
#include <mutex>

#include "impl/loader/errors.h"
#include "impl/loader/plugin_table.h"
#include "pjrt_c_api.h"

namespace plinth::loader {

// Callbacks that callers give to a plugin whose errors have no head. Ours stand around them: errors
// of the plugin get a head on the way to the caller, and what the caller makes with
// `callback_error`, which has one, becomes an error of the plugin on the way back. Any thread.
class CallerCallbacks {
 public:
  // Both live as long as the process.
  CallerCallbacks(const PluginTable& table, const PluginErrors& errors);
  ~CallerCallbacks();

  // Whether the call hands such callbacks over, or ends their life. `args` is not null and has the
  // size of the plugin.
  static bool Concerns(int function, const void* args);
  // Whether there are arguments with which it does.
  static bool MayConcern(int function);

  // Makes the call with callbacks of ours. `args` has the size of the plugin. Gives the plugin's
  // own error.
  PJRT_Error* Call(int function, PJRT_Error* (*target)(void* args), void* args);

 private:
  struct OfClient;
  struct OfExecution;
  using Target = PJRT_Error* (*)(void* args);

  PJRT_Error* OnReady(Target target, PJRT_Event_OnReady_Args args);
  PJRT_Error* CreateClient(Target target, PJRT_Client_Create_Args* args);
  PJRT_Error* DestroyClient(Target target, PJRT_Client_Destroy_Args* args);
  PJRT_Error* Execute(Target target, const PJRT_LoadedExecutable_Execute_Args& args);
  void FreeWhenReady(OfExecution* execution, PJRT_Event* event, bool owns_event);

  const PluginTable& table_;
  const PluginErrors& errors_;
  std::mutex mutex_;
  std::map<const PJRT_Client*, std::unique_ptr<OfClient>> clients_;  // guarded by mutex_
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_CALLER_CALLBACKS_H_
