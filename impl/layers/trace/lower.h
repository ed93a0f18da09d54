// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_LOWER_H_
#define PLINTH_IMPL_LAYERS_TRACE_LOWER_H_

#include "impl/layers/layer.h"
#include "plinth/support/args.h"
#include "plinth/support/error.h"

namespace plinth::layers {

// Calls of the layer's own to what lies below it, from any thread, also outside of a client's call.
class Lower {
 public:
  explicit Lower(const LayerContext& context) : chain_(context.chain), depth_(context.depth + 1) {}

  // A function of the core table; its slot is its index in the registry.
  template <typename Args>
  PJRT_Error* Raw(Args& args) const {
    return chain_->Call(depth_, FunctionOf<Args>::kSlot, &args);
  }
  template <typename Args>
  Status operator()(Args& args) const {
    return TakeError(Raw(args));
  }

  // Calls back when the event is ready, at once if it is. False: there will be no call.
  bool OnReady(PJRT_Event* event, PJRT_Event_OnReadyCallback callback, void* user_arg) const {
    if (event == nullptr) return false;
    auto args = MakeArgs<PJRT_Event_OnReady_Args>();
    args.event = event;
    args.callback = callback;
    args.user_arg = user_arg;
    return (*this)(args).ok();
  }
  void DestroyEvent(PJRT_Event* event) const {
    if (event == nullptr) return;
    auto args = MakeArgs<PJRT_Event_Destroy_Args>();
    args.event = event;
    static_cast<void>((*this)(args));
  }

 private:
  const Chain* chain_;
  int depth_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_LOWER_H_
