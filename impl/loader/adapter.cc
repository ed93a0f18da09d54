// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/adapter.h"

#include <algorithm>
#include <cstring>

#include "impl/loader/adapted_call.h"
#include "impl/loader/emulation.h"
#include "plinth/support/error.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {
namespace {

size_t SizeOf(const void* args) {
  size_t size;
  std::memcpy(&size, args, sizeof(size));
  return size;
}

const reflection::Function& FunctionAt(int function) { return reflection::Functions()[function]; }

// A plugin that wants structs of another size refuses before it does anything, so it can be asked
// again.
bool IsSizeComplaint(const PJRT_Error* error) {
  SizeComplaint complaint;
  return PluginErrors::CodeOf(error) == PJRT_Error_Code_INVALID_ARGUMENT &&
         ParseSizeComplaint(PluginErrors::MessageOf(error), &complaint);
}

PJRT_Error* NothingOr(const reflection::Function& function, const Status& status) {
  return function.returns == reflection::Returns::kNothing ? nullptr : MakeError(status);
}

}  // namespace

Adapter::Adapter(const PluginTable& table) : table_(table), errors_(table), shape_(table_) {
  if (!table_.HasErrorHeads()) callbacks_ = std::make_unique<CallerCallbacks>(table_, errors_);
  for (int i = 0; i < reflection::kFunctionCount; ++i) {
    SetTarget(i, reinterpret_cast<RawFunction>(table_.Slot(FunctionAt(i))));
  }
}

void Adapter::SetTarget(int function, RawFunction target) {
  routes_[function].target = target;
  routes_[function].direct_size = FindDirectSize(function);
}

void Adapter::UseMemoryHeads() {
  memory_heads_ = std::make_unique<MemoryHeads>();
  for (int i = 0; i < reflection::kFunctionCount; ++i) SetTarget(i, routes_[i].target);
}

size_t Adapter::FindDirectSize(int function) const {
  const reflection::Function& called = FunctionAt(function);
  if (routes_[function].target == nullptr || called.args < 0 ||
      called.returns != reflection::Returns::kError || PluginErrors::Handles(function) ||
      (callbacks_ != nullptr && CallerCallbacks::MayConcern(function)) ||
      table_.minor < kOldestMinorWithExtensions || table_.IsNewerThanUs() ||
      (memory_heads_ != nullptr && MemoryHeads::Concerns(called)) ||
      !reflection::Structs()[called.args].carries_struct_size ||
      !shape_.Of(called.args).checks.empty()) {
    return 0;
  }
  size_t size = shape_.SizeOf(called.args);
  return shape_.AnnouncedTo(called.args, size) == size ? size : 0;
}

bool Adapter::Offers(int function) const {
  return routes_[function].target != nullptr || PluginErrors::Handles(function) ||
         FindEmulation(*this, function) != nullptr;
}

PJRT_Error* Adapter::Call(int function, void* args) const {
  const Route& route = routes_[function];
  if (args != nullptr && route.direct_size != 0 && SizeOf(args) == route.direct_size) {
    PJRT_Error* error = route.target(args);
    return error == nullptr ? nullptr : AfterDirectError(function, args, error);
  }
  if (PluginErrors::Handles(function)) return errors_.Call(function, args);
  const reflection::Function& called = FunctionAt(function);
  if (args == nullptr) {
    return NothingOr(called, InvalidArgument(called.name, " was called with null"));
  }
  if (memory_heads_ != nullptr && MemoryHeads::Concerns(called)) {
    return memory_heads_->Call(called, args, [&](void* copy) { return CallPlain(function, copy); });
  }
  return CallPlain(function, args);
}

PJRT_Error* Adapter::CallPlain(int function, void* args) const {
  if (routes_[function].target == nullptr) {
    if (const Emulation* emulation = FindEmulation(*this, function)) {
      return emulation->call(*this, args);
    }
    return Absent(function);
  }
  return CallAdapted(function, args);
}

PJRT_Error* Adapter::CallAdapted(int function, void* args) const {
  const reflection::Function& called = FunctionAt(function);
  const Route& route = routes_[function];
  bool returns_nothing = called.returns == reflection::Returns::kNothing;
  if (called.args < 0 || !reflection::Structs()[called.args].carries_struct_size) {
    PJRT_Error* error = route.target(args);
    return returns_nothing ? nullptr : errors_.Lift(error);
  }
  // Only of a struct whose sizes were checked.
  auto has_callbacks = [&](const void* checked) {
    return callbacks_ != nullptr && CallerCallbacks::Concerns(function, checked);
  };
  PJRT_Error* error = nullptr;
  if (!returns_nothing && table_.minor >= kOldestMinorWithExtensions &&
      shape_.FitsAsItIs(called.args, static_cast<const char*>(args)) && !has_callbacks(args)) {
    error = errors_.Lift(route.target(args));
    if (error == nullptr || !IsSizeComplaint(error)) return error;
  }
  AdaptedCall call(shape_, called);
  for (int attempt = error == nullptr ? 0 : 1;; ++attempt) {
    void* plugin_args = nullptr;
    Status status = call.Down(args, &plugin_args);
    if (error != nullptr) {
      // Understood only now that it is known what was sent.
      if (!status.ok() || !call.Learn(PluginErrors::MessageOf(error))) return error;
      TakeError(error).ok();
      error = nullptr;
      status = call.Down(args, &plugin_args);
    }
    if (!status.ok()) return NothingOr(called, status);
    error = has_callbacks(plugin_args) ? callbacks_->Call(function, route.target, plugin_args)
                                       : route.target(plugin_args);
    if (returns_nothing || error == nullptr) {
      call.Up();
      return nullptr;
    }
    error = errors_.Lift(error);
    if (attempt > 0 || !IsSizeComplaint(error)) return error;
  }
}

PJRT_Error* Adapter::AfterDirectError(int function, void* args, PJRT_Error* error) const {
  error = errors_.Lift(error);
  if (!IsSizeComplaint(error)) return error;
  TakeError(error).ok();
  return CallAdapted(function, args);
}

PJRT_Error* Adapter::Absent(int function) const {
  const reflection::Function& called = FunctionAt(function);
  std::string why =
      called.since > table_.minor
          ? StrCat("; it came with PJRT 0.", called.since, ". Use a newer release of the plugin")
          : StrCat(" and leaves it out; plugins may have it since PJRT 0.", called.since,
                   ". Ask the plugin's maker for it");
  return NothingOr(called, Unimplemented(called.name, ": ", table_.Describe(),
                                         called.since > table_.minor ? " does not have it"
                                                                     : " is of an age to have it",
                                         why));
}

}  // namespace plinth::loader
