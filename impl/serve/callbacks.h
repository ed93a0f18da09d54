// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_CALLBACKS_H_
#define PLINTH_IMPL_SERVE_CALLBACKS_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string_view>

#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::serve {

// Functions of a client that programs here call, such as those of jax.pure_callback. jaxlib's
// client does not run host callbacks of the protocol, so calls travel in programs: custom calls
// that the server adds to a plugin whose devices are host memory.
//
//   plinth_callback_call  {key, index}  any -> any        calls function `index` of the client
//   plinth_callback_poll  {key}         -> u32[2]         waits for a call: its number, the index
//   plinth_callback_fetch {key}         u32[1] -> u8[n]   the bytes of its operands
//   plinth_callback_reply {key}         u32[2], u8[n] -> u32[1]
//                         its number and 0 with the bytes of its results, or 1 with an error's text
//
// Module plinth_pjrt.remote_callbacks of the wheel writes these programs. `key` is a secret of the
// client; a call of number 0, by reply alone, ends the client's poll. The client polls in a session
// of its own: a plugin may wait for a program that has nothing but effects within Execute.
class CallbackChannel;
using CallbackChannelRef = std::shared_ptr<CallbackChannel>;

// The channels of the programs of one session. A channel is there as long as a session has a
// program that names its key; calls end when the session does that polls for them.
class CallbackChannels {
 public:
  CallbackChannels() = default;
  CallbackChannels(const CallbackChannels&) = delete;
  CallbackChannels& operator=(const CallbackChannels&) = delete;
  ~CallbackChannels();

  // Opens the channels that the custom calls of a program name, in MLIR as text or bytecode: a
  // thousand at most.
  void Open(std::string_view program);
  size_t size() const { return all_.size(); }

 private:
  std::set<CallbackChannelRef> all_;
  std::set<CallbackChannelRef> polled_;
};

// Adds the custom calls to a plugin. UNIMPLEMENTED if it takes no typed handlers, or its devices
// are not host memory.
Status AddCallbackHandlers(const PJRT_Api* api, std::string_view platform);

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_CALLBACKS_H_
