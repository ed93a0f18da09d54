// SPDX-License-Identifier: Apache-2.0
#include "impl/loader/layer_spec.h"

#include <vector>

#include "impl/layers/builtin_layers.h"
#include "impl/layers/external_layer.h"
#include "plinth/support/str_cat.h"

namespace plinth::loader {

Expected<LayerSpec> ParseLayerSpec(std::string_view text) {
  size_t open = text.find('(');
  LayerSpec spec{std::string(text.substr(0, open)), ""};
  if (open != std::string_view::npos) {
    if (text.back() != ')') {
      return InvalidArgument("the layer '", text,
                             "' has an open parenthesis and does not end with a closed one; write "
                             "name or name(options)");
    }
    spec.options = text.substr(open + 1, text.size() - open - 2);
  }
  if (spec.name.empty()) {
    return InvalidArgument("the layer '", text, "' has no name; write name or name(options)");
  }
  return spec;
}

Expected<std::unique_ptr<layers::Layer>> MakeLayer(const LayerSpec& spec,
                                                   const layers::LayerContext& context) {
  if (spec.IsPath()) return layers::LoadExternalLayer(spec.name, context);
  const layers::LayerEntry* entry = layers::FindBuiltinLayer(spec.name);
  if (entry == nullptr) {
    std::vector<std::string> names;
    for (const layers::LayerEntry& known : layers::BuiltinLayers()) names.push_back(known.name);
    return NotFound("libplinth has no layer named '", spec.name, "'; it has ",
                    names.empty() ? "none" : StrJoin(names));
  }
  return entry->create(context);
}

}  // namespace plinth::loader
