// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_BUILTIN_LAYERS_H_
#define PLINTH_IMPL_LAYERS_BUILTIN_LAYERS_H_

#include <span>
#include <string_view>

#include "impl/layers/layer.h"

namespace plinth::layers {

// The layers inside libplinth, by name.
std::span<const LayerEntry> BuiltinLayers();

// Null if libplinth has none of that name.
const LayerEntry* FindBuiltinLayer(std::string_view name);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_BUILTIN_LAYERS_H_
