#include "impl/layers/builtin_layers.h"

namespace plinth::layers {

std::span<const LayerEntry> BuiltinLayers() { return {}; }

const LayerEntry* FindBuiltinLayer(std::string_view name) {
  for (const LayerEntry& entry : BuiltinLayers()) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace plinth::layers
