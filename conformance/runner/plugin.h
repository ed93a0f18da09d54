// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_PLUGIN_H_
#define PLINTH_CONFORMANCE_RUNNER_PLUGIN_H_

#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

#include "conformance/runner/watch.h"
#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"
#include "plinth/support/args.h"
#include "plinth/support/status.h"

namespace plinth::conformance {

// A plugin under test: its raw table, and nothing between it and the cases. Never unloaded.
class Plugin {
 public:
  static Expected<Plugin> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const PJRT_Api* api() const { return api_; }
  int minor() const { return api_->pjrt_api_version.minor_version; }

  // The function in a slot, or null: not in the plugin's table, or null in it.
  void* Slot(const reflection::Function& function) const;
  bool Has(reflection::function::Id id) const { return Slot(reflection::Get(id)) != nullptr; }

  // Calls a function of the form PJRT_Error* f(Args*). UNIMPLEMENTED if there is none. The error
  // object is read and freed.
  Status Call(const reflection::Function& function, void* args) const;
  template <typename Args>
  Status Call(Args& args) const {
    return Call(reflection::Functions()[FunctionOf<Args>::kSlot], &args);
  }

  // Called before each PJRT_Client_Create, which may take long; on any thread.
  void WhenClientIsMade(std::function<void()> tell) { tell_client_ = std::move(tell); }

  // Reads and frees an error of this plugin; success for null.
  Status Take(PJRT_Error* error) const;

  // What did not hold around calls, whoever made them; see watch.h.
  WatchFindings& findings() const { return *findings_; }
  int num_clients_made() const { return *num_clients_; }

 private:
  void LookAtError(PJRT_Error* error, const PJRT_Error_GetCode_Args& code,
                   const PJRT_Error_Message_Args& message) const;
  // The head's way to them against the table's.
  void LookAtPayloads(PJRT_Error* error, const PJRT_Error_FunctionTable& head) const;

  std::string path_;
  const PJRT_Api* api_ = nullptr;
  std::shared_ptr<WatchFindings> findings_ = std::make_shared<WatchFindings>();
  std::shared_ptr<std::atomic<int>> num_clients_ = std::make_shared<std::atomic<int>>(0);
  std::function<void()> tell_client_;
};

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_PLUGIN_H_
