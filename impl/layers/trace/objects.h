// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_OBJECTS_H_
#define PLINTH_IMPL_LAYERS_TRACE_OBJECTS_H_

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "impl/layers/trace/handle_table.h"
#include "impl/layers/trace/lower.h"

namespace plinth::layers {

// Code and message of an error that stays whose it is.
Status PeekError(const PJRT_Error* error);

// A call that came back, before its results go up.
struct FinishedCall {
  const Call& call;
  int64_t start_ns, end_ns;  // CLOCK_MONOTONIC
  PJRT_Error* error;         // still the client's; null: success
  // The handle that the call destroyed, if it is a PJRT_*_Destroy.
  const void* destroyed = nullptr;
  HandleTable::Taken taken;
  std::vector<PJRT_Event*> own_events;  // see Timeline::Execute

  // The arguments, or null where the struct does not reach `last`.
  template <typename Args, typename Last>
  Args* ArgsTo(Last Args::*last) const {
    auto* args = static_cast<Args*>(call.args());
    return args != nullptr && HasField(*args, last) ? args : nullptr;
  }
};

// What the layer knows about handles. Shared by timeline and capture. Any thread.
class Objects {
 public:
  struct Executable {
    std::string name;
    size_t num_outputs = 0;
  };

  explicit Objects(const Lower& lower) : lower_(lower) {}

  HandleTable& handles() { return handles_; }
  const Lower& lower() const { return lower_; }

  // What the plugin says about an executable; asked once. Never null.
  std::shared_ptr<const Executable> Find(PJRT_LoadedExecutable* executable);
  void Forget(const PJRT_LoadedExecutable* executable);

 private:
  Executable Ask(PJRT_LoadedExecutable* executable) const;

  Lower lower_;
  HandleTable handles_;
  std::mutex mutex_;
  std::unordered_map<const PJRT_LoadedExecutable*, std::shared_ptr<const Executable>> executables_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_OBJECTS_H_
