#ifndef PLINTH_IMPL_LAYERS_REPLAY_API_CALLS_H_
#define PLINTH_IMPL_LAYERS_REPLAY_API_CALLS_H_

#include "pjrt_c_api.h"
#include "plinth/support/args.h"
#include "plinth/support/status.h"

namespace plinth::layers {

// Calls through a plugin's table.
class ApiCalls {
 public:
  explicit ApiCalls(const PJRT_Api* api) : api_(api) {}

  // A function of the core table by its slot. UNIMPLEMENTED if the table has none.
  Status Call(int slot, void* args) const;

  template <typename Args>
  Status operator()(Args& args) const {
    return Call(FunctionOf<Args>::kSlot, &args);
  }

  // Waits for an event and destroys it; its error. Null is an error too.
  Status AwaitAndDestroy(PJRT_Event* event) const;

 private:
  const PJRT_Api* api_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_REPLAY_API_CALLS_H_
