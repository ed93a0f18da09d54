// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_REGISTRY_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_REGISTRY_H_

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "plinth/sdk/ffi.h"
#include "xla_ffi_c_api.h"

namespace plinth::backend {

// Asks a typed handler for its metadata; FAILED_PRECONDITION if it was built for a newer API.
Status CheckFfiHandler(XLA_FFI_Handler* handler);

// What users registered for custom calls. One per process, because the C API registers without a
// client; entries are never changed or removed. Thread-safe.
class FfiRegistry final : public sdk::Ffi {
 public:
  static FfiRegistry& Get();

  // Takes handlers of that platform beside those of the host. A plugin of another name calls it
  // when it is made, before anything is registered. `is_default`: whoever names no platform means
  // it, not the host.
  void SetPlatform(std::string_view platform, bool is_default = false);

  struct Handler {
    bool is_typed = true;
    bool is_of_platform = false;      // it was registered for the plugin's own platform
    XLA_FFI_Handler_Bundle bundle{};  // typed
    void* function = nullptr;         // untyped
  };

  // Checks each function of a typed handler. The same again is no error, anything else of that name
  // and for the same of both platforms ALREADY_EXISTS.
  Status RegisterHandler(const sdk::FfiHandler& handler) override;
  Expected<int64_t> RegisterType(std::string_view name, int64_t type_id,
                                 const sdk::FfiTypeInfo& info) override {
    return types_.Register(name, type_id, info);
  }

  // One for the plugin's own platform goes before one for the host.
  std::optional<Handler> Find(std::string_view target) const;
  Expected<sdk::FfiTypeInfo> FindType(int64_t type_id) const { return types_.Find(type_id); }

 private:
  FfiRegistry() = default;

  using Handlers = std::map<std::string, Handler, std::less<>>;
  std::string platform_, unnamed_;
  sdk::FfiTypes types_;
  mutable std::mutex mutex_;
  Handlers of_host_, of_platform_;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_FFI_REGISTRY_H_
