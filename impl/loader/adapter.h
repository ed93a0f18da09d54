// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_ADAPTER_H_
#define PLINTH_IMPL_LOADER_ADAPTER_H_

#include <array>
#include <memory>
#include <string_view>

#include "impl/loader/caller_callbacks.h"
#include "impl/loader/errors.h"
#include "impl/loader/memory_heads.h"
#include "impl/loader/plugin_shape.h"
#include "impl/loader/plugin_table.h"
#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"

namespace plinth::loader {

// How every function of the C API that takes one argument struct is called. Those that return
// nothing leave the result undefined.
using RawFunction = PJRT_Error* (*)(void* args);

// The last link of a chain: calls the plugin in its own sizes, answers for what it lacks, and lifts
// its errors. Any thread.
class Adapter {
 public:
  // `table` outlives the adapter.
  explicit Adapter(const PluginTable& table);

  // Null for functions that return nothing.
  PJRT_Error* Call(int function, void* args) const;

  // What the plugin has for a function, or null.
  RawFunction Target(int function) const { return routes_[function].target; }
  // A function of an extension on the plugin's chain.
  void SetTarget(int function, RawFunction target);
  // Answers for the Layouts extension of a plugin that has none.
  void UseDefaultLayouts() { uses_default_layouts_ = true; }
  bool uses_default_layouts() const { return uses_default_layouts_; }
  // Gives memories the head of 0.105, for callers that are told that minor or a later one.
  void UseMemoryHeads();
  // With this struct_size a call can go straight to the plugin; 0: with none.
  size_t DirectSize(int function) const { return routes_[function].direct_size; }
  // Whether a call is answered with more than UNIMPLEMENTED.
  bool Offers(int function) const;

  const PluginTable& table() const { return table_; }
  const PluginErrors& errors() const { return errors_; }

 private:
  struct Route {
    RawFunction target = nullptr;
    size_t direct_size = 0;
  };

  PJRT_Error* AfterDirectError(int function, void* args, PJRT_Error* error) const;
  PJRT_Error* CallPlain(int function, void* args) const;
  PJRT_Error* CallAdapted(int function, void* args) const;
  PJRT_Error* Absent(int function) const;
  size_t FindDirectSize(int function) const;

  const PluginTable& table_;
  PluginErrors errors_;
  mutable PluginShape shape_;
  std::array<Route, reflection::kFunctionCount> routes_;
  bool uses_default_layouts_ = false;
  std::unique_ptr<CallerCallbacks> callbacks_;  // Null where errors have heads.
  std::unique_ptr<MemoryHeads> memory_heads_;   // Null where memories need none.
};

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_ADAPTER_H_
