// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_TRACE_LAYER_H_
#define PLINTH_IMPL_LAYERS_TRACE_TRACE_LAYER_H_

#include "impl/layers/layer.h"

namespace plinth::layers {

// Writes a timeline, and a capture that can be replayed. Changes nothing that the client sees.
// Options: see ParseTraceOptions. Does nothing in forked children.
Expected<std::unique_ptr<Layer>> CreateTraceLayer(const LayerContext& context);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_TRACE_LAYER_H_
