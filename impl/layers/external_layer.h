// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_EXTERNAL_LAYER_H_
#define PLINTH_IMPL_LAYERS_EXTERNAL_LAYER_H_

#include <memory>
#include <string>

#include "impl/layers/layer.h"

namespace plinth::layers {

// Loads a layer by a third party: a shared library with the entry point of plinth_layer.h. The
// library is never unloaded. The error says what is wrong with it, or what its create said. Any
// thread.
Expected<std::unique_ptr<Layer>> LoadExternalLayer(const std::string& path,
                                                   const LayerContext& context);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_EXTERNAL_LAYER_H_
