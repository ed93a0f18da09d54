// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/pause/pause_layer.h"

#include <chrono>
#include <thread>

namespace plinth::layers {
namespace {

class PauseLayer final : public Layer {
 public:
  PJRT_Error* OnCall(const Call& call) override {
    std::this_thread::sleep_for(std::chrono::microseconds(10));
    return call.Next();
  }
};

}  // namespace

Expected<std::unique_ptr<Layer>> CreatePauseLayer(const LayerContext& context) {
  if (!context.options.empty()) {
    return InvalidArgument("pause has no options; got '", context.options, "'");
  }
  return std::unique_ptr<Layer>(new PauseLayer);
}

}  // namespace plinth::layers
