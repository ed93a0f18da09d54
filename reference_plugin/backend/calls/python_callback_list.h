// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_PYTHON_CALLBACK_LIST_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_PYTHON_CALLBACK_LIST_H_

#include <cstdint>

#include "plinth/support/status.h"
#include "reference_plugin/backend/calls/python.h"
#include "reference_plugin/backend/run/call_context.h"

namespace plinth::backend::python {

// Number `index` of the callables that the framework gave to the execution. The execution owns it.
Expected<Object*> FindCallback(const CallContext& call, uint64_t index);

}  // namespace plinth::backend::python

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_PYTHON_CALLBACK_LIST_H_
