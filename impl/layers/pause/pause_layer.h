// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_PAUSE_PAUSE_LAYER_H_
#define PLINTH_IMPL_LAYERS_PAUSE_PAUSE_LAYER_H_

#include "impl/layers/layer.h"

namespace plinth::layers {

Expected<std::unique_ptr<Layer>> CreatePauseLayer(const LayerContext& context);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_PAUSE_PAUSE_LAYER_H_
