// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TEST_CHAIN_H_
#define PLINTH_IMPL_LAYERS_TEST_CHAIN_H_

#include <dlfcn.h>

#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "impl/layers/layer.h"
#include "plinth/support/extension_chain.h"

// For tests: one layer over a function, or over a plugin's table.
namespace plinth::layers {

class TestChain : public Chain {
 public:
  using Bottom = std::function<PJRT_Error*(int function, void* args)>;

  explicit TestChain(Bottom bottom) : bottom_(std::move(bottom)) {}
  explicit TestChain(const PJRT_Api* api)
      : bottom_([api](int function, void* args) { return CallPlugin(api, function, args); }) {}

  // The context for the layer, which is then given to Use.
  LayerContext Context(std::string options) {
    LayerContext context;
    context.plugin_path = "test plugin";
    context.plugin_minor = PJRT_API_MINOR;
    context.options = std::move(options);
    context.log = [this](std::string_view line) {
      std::lock_guard lock(mutex_);
      log_.emplace_back(line);
    };
    context.chain = this;
    return context;
  }
  void Use(std::unique_ptr<Layer> layer) { layer_ = std::move(layer); }

  PJRT_Error* Call(int depth, int function, void* args) const override {
    if (depth > 0 || layer_ == nullptr) return bottom_(function, args);
    return layer_->OnCall(layers::Call(*this, depth, function, args));
  }
  PJRT_Error* operator()(reflection::function::Id function, void* args) const {
    return Call(0, function, args);
  }

  std::vector<std::string> log() const {
    std::lock_guard lock(mutex_);
    return log_;
  }

  // Calls the function with that index in reflection::Functions() in a plugin's table or its
  // extensions. Null where it has none, and for functions that return nothing.
  static PJRT_Error* CallPlugin(const PJRT_Api* api, int index, void* args) {
    const reflection::Function& function = reflection::Functions()[static_cast<size_t>(index)];
    const void* table = api;
    if (function.table >= 0) {
      int type = reflection::Tables()[static_cast<size_t>(function.table)].type;
      table = FindExtension(api->extension_start, type);
    }
    void* slot = nullptr;
    if (table != nullptr) {
      std::memcpy(&slot, static_cast<const char*>(table) + function.offset, sizeof(slot));
    }
    if (slot == nullptr) return nullptr;
    if (function.returns == reflection::Returns::kNothing) {
      reinterpret_cast<void (*)(void*)>(slot)(args);
      return nullptr;
    }
    return reinterpret_cast<PJRT_Error* (*)(void*)>(slot)(args);
  }

  // The table of a plugin's .so, or null.
  static const PJRT_Api* Open(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    auto* get = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"));
    return get == nullptr ? nullptr : get();
  }

 private:
  Bottom bottom_;
  std::unique_ptr<Layer> layer_;
  mutable std::mutex mutex_;
  std::vector<std::string> log_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TEST_CHAIN_H_
