// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_REGISTERED_CALL_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_REGISTERED_CALL_H_

#include <memory>

#include "plinth/support/status.h"
#include "reference_plugin/backend/calls/ffi_registry.h"
#include "reference_plugin/backend/calls/table.h"

namespace plinth::backend {

// A call of what a user registered, of either kind; INVALID_ARGUMENT if the call is of the other.
// Typed handlers are instantiated here. Errors at run time name `place`.
Expected<std::unique_ptr<PreparedStep>> PrepareRegisteredCall(const FfiRegistry::Handler& handler,
                                                              const CustomCall& call,
                                                              const std::string& place);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_REGISTERED_CALL_H_
