// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_LAYER_SPEC_H_
#define PLINTH_IMPL_LOADER_LAYER_SPEC_H_

#include <memory>
#include <string>
#include <string_view>

#include "impl/layers/layer.h"
#include "plinth/support/status.h"

namespace plinth::loader {

// One layer as PLINTH_LAYERS and load options name it: "trace", "trace(file=a.json)", or a path to
// a third party's .so in place of the name.
struct LayerSpec {
  std::string name;
  std::string options;
  bool IsPath() const { return name.find('/') != std::string::npos; }
};

Expected<LayerSpec> ParseLayerSpec(std::string_view text);

Expected<std::unique_ptr<layers::Layer>> MakeLayer(const LayerSpec& spec,
                                                   const layers::LayerContext& context);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_LAYER_SPEC_H_
