// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_FAULT_FAULT_LAYER_H_
#define PLINTH_IMPL_LAYERS_FAULT_FAULT_LAYER_H_

#include "impl/layers/layer.h"

namespace plinth::layers {

// Makes chosen calls fail without the plugin seeing them, and events late. Options: FaultGrammar().
Expected<std::unique_ptr<Layer>> CreateFaultLayer(const LayerContext& context);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_FAULT_FAULT_LAYER_H_
