// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_HANDLE_H_
#define PLINTH_SDK_HANDLE_H_

#include <atomic>
#include <cstdint>

namespace plinth::sdk {

class Client;

namespace internal {

class AliasLink;    // Which alias buffer waits for which. See src/alias_link.h.
struct ClientCore;  // The SDK's side of a client: C arrays, reference count. See src/client_core.h.

// The SDK's part of every object that a client hands out. `core` is null until the SDK has
// taken the object over; from then on the object keeps the client alive.
struct Handle {
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Whether this process is a forked child of the one that made the object.
  bool IsFromBeforeFork() const;

  ClientCore* core = nullptr;
  uint32_t generation =
      0;  // Of the process that made it; a fork makes a new one. 0: not taken over.
};

}  // namespace internal
}  // namespace plinth::sdk

#endif  // PLINTH_SDK_HANDLE_H_
