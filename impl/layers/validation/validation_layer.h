// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_VALIDATION_LAYER_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_VALIDATION_LAYER_H_

#include "impl/layers/layer.h"

namespace plinth::layers::validation {

// The layer that reports misuse of the C API, by the client and by the plugin, each with the number
// of the requirement that it breaks.
Expected<std::unique_ptr<Layer>> CreateValidationLayer(const LayerContext& context);

inline constexpr const char* kValidationDoc =
    "reports misuse of the API on either side: mode=log|error|break, limit=<reports>, "
    "leaks=true|false";

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_VALIDATION_LAYER_H_
