// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_KEY_VALUE_STORE_H_
#define PLINTH_CLIENT_KEY_VALUE_STORE_H_

#include <chrono>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::client {

// The data that the processes of a run share; their starter implements it. Plugins call it from
// any thread, several at once. Must not throw.
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;
  // Waits for the key; DEADLINE_EXCEEDED after `timeout`.
  virtual Expected<std::string> Get(std::string_view key, std::chrono::milliseconds timeout) = 0;
  // NOT_FOUND at once if the key is not there.
  virtual Expected<std::string> TryGet(std::string_view key) = 0;
  virtual Status Put(std::string_view key, std::string_view value) = 0;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_KEY_VALUE_STORE_H_
