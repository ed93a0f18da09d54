// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_FFI_H_
#define PLINTH_CLIENT_FFI_H_

#include <cstdint>
#include <string_view>

#include "plinth/client/api.h"
#include "plinth/client/handle.h"

namespace plinth::client {

// Handlers of XLA's FFI (api/include/xla_ffi_c_api.h), which custom calls run, and the data that an
// execution carries to them. They rest on the extension FFI: UNIMPLEMENTED, with what is missing,
// from plugins that lack it. Any thread.

// Registers a typed handler (XLA_FFI_Handler*) under the name that programs call, for `platform` as
// the plugin calls it ("Host" for functions of the host). It stays registered for the life of the
// process. Another handler of that name and platform is ALREADY_EXISTS. From 0.73.
Status RegisterFfiHandler(const Api& api, std::string_view target, void* handler,
                          std::string_view platform, bool is_command_buffer_compatible = false);

// The id of a type of data, unique in the plugin; the same for the same name. From 0.80.
Expected<int64_t> RegisterFfiType(const Api& api, std::string_view name);

// Data for the handlers that an execution runs. Move-only; frees its handle. Name it in
// ExecuteOptions::context; it may serve several executions, also at once, and must outlive each.
class ExecuteContext {
 public:
  // From 0.52.
  static Expected<ExecuteContext> Create(const Api& api);

  // Handlers find `data` by the id of its type. The caller owns it, and keeps it as long as
  // executions with this context run. A second one of a type is ALREADY_EXISTS; not during an
  // execution. From 0.81, where the layout of these arguments is that of today.
  Status Add(int64_t type_id, void* data);

  PJRT_ExecuteContext* get() const { return handle_.get(); }

 private:
  explicit ExecuteContext(Handle<PJRT_ExecuteContext> handle) : handle_(std::move(handle)) {}
  Handle<PJRT_ExecuteContext> handle_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_FFI_H_
