// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_CALLS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_CALLS_H_

#include <memory>

#include "reference_plugin/backend/calls/table.h"

namespace plinth::cuda {

// Custom calls that enter code of others, on a thread where it may wait. That of the host works on
// copies in pinned memory, between two copies on the compute stream; that of the device gets the
// arrays themselves and the stream, with the context current. UNIMPLEMENTED for functions of the
// device without the XLA FFI's types: they would need to be told of the stream some other way.
Expected<std::unique_ptr<backend::PreparedStep>> AdaptCall(
    std::unique_ptr<backend::PreparedStep> step, const backend::CustomCall& call,
    backend::CallPlace place);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_RUNTIME_CALLS_H_
