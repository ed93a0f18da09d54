// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_KEY_VALUE_STORE_H_
#define PLINTH_SDK_KEY_VALUE_STORE_H_

#include <chrono>
#include <string>
#include <string_view>

#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::sdk {

// The framework's store, by which the processes of a distributed run find each other. Exists
// only in distributed runs: otherwise frameworks leave the callbacks uninitialized. Any thread may
// call it; it must not be used after the client was destroyed. Prefix keys with the plugin's name.
class KeyValueStore {
 public:
  // Reads the callbacks from the arguments, as far as struct_size reaches.
  explicit KeyValueStore(const PJRT_Client_Create_Args& args);

  // Blocks until the key has a value; DEADLINE_EXCEEDED (or the framework's own error) after
  // `timeout`.
  Expected<std::string> Get(std::string_view key, std::chrono::milliseconds timeout) const;
  // NOT_FOUND at once if there is no value. UNIMPLEMENTED with callers older than 0.61.
  Expected<std::string> TryGet(std::string_view key) const;
  Status Put(std::string_view key, std::string_view value) const;

 private:
  PJRT_KeyValueGetCallback get_ = nullptr;
  void* get_arg_ = nullptr;
  PJRT_KeyValuePutCallback put_ = nullptr;
  void* put_arg_ = nullptr;
  PJRT_KeyValueTryGetCallback try_get_ = nullptr;
  void* try_get_arg_ = nullptr;
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_KEY_VALUE_STORE_H_
