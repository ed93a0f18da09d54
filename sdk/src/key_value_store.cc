// SPDX-License-Identifier: Apache-2.0
#include "plinth/sdk/key_value_store.h"

#include <algorithm>
#include <limits>

#include "plinth/support/args.h"
#include "plinth/support/error.h"

namespace plinth::sdk {
namespace {

// Copies the value that the framework returned and gives its memory back.
template <typename Args>
Expected<std::string> TakeValue(const Args& args, std::string_view key) {
  if (args.value == nullptr && args.value_size != 0) {
    return Internal("the key-value store returned no value for \"", key, "\"");
  }
  std::string value(args.value == nullptr ? "" : args.value, args.value_size);
  if (args.value != nullptr && args.value_deleter_callback != nullptr) {
    args.value_deleter_callback(args.value);
  }
  return value;
}

}  // namespace

KeyValueStore::KeyValueStore(const PJRT_Client_Create_Args& args) {
  get_ = args.kv_get_callback;
  get_arg_ = args.kv_get_user_arg;
  put_ = args.kv_put_callback;
  put_arg_ = args.kv_put_user_arg;
  try_get_ = GetField(args, &PJRT_Client_Create_Args::kv_try_get_callback, nullptr);
  try_get_arg_ = GetField(args, &PJRT_Client_Create_Args::kv_try_get_user_arg, nullptr);
}

Expected<std::string> KeyValueStore::Get(std::string_view key,
                                         std::chrono::milliseconds timeout) const {
  if (get_ == nullptr) return Unimplemented("the framework gave no callback to get values with");
  PJRT_CallbackError make_error = &MakeCallbackError;
  PJRT_KeyValueGetCallback_Args args = {};
  args.struct_size = PJRT_KeyValueGetCallback_Args_STRUCT_SIZE;
  args.key = key.data();
  args.key_size = key.size();
  args.timeout_in_ms =
      static_cast<int>(std::clamp<int64_t>(timeout.count(), 0, std::numeric_limits<int>::max()));
  args.callback_error = &make_error;
  args.user_arg = get_arg_;
  PLINTH_RETURN_IF_ERROR(TakeError(get_(&args)));
  return TakeValue(args, key);
}

Expected<std::string> KeyValueStore::TryGet(std::string_view key) const {
  if (try_get_ == nullptr) {
    return Unimplemented("the framework gave no callback to try to get values with");
  }
  PJRT_CallbackError make_error = &MakeCallbackError;
  PJRT_KeyValueTryGetCallback_Args args = {};
  args.struct_size = PJRT_KeyValueTryGetCallback_Args_STRUCT_SIZE;
  args.key = key.data();
  args.key_size = key.size();
  args.callback_error = &make_error;
  args.user_arg = try_get_arg_;
  PLINTH_RETURN_IF_ERROR(TakeError(try_get_(&args)));
  return TakeValue(args, key);
}

Status KeyValueStore::Put(std::string_view key, std::string_view value) const {
  if (put_ == nullptr) return Unimplemented("the framework gave no callback to put values with");
  PJRT_CallbackError make_error = &MakeCallbackError;
  PJRT_KeyValuePutCallback_Args args = {};
  args.struct_size = PJRT_KeyValuePutCallback_Args_STRUCT_SIZE;
  args.key = key.data();
  args.key_size = key.size();
  args.value = value.data();
  args.value_size = value.size();
  args.callback_error = &make_error;
  args.user_arg = put_arg_;
  return TakeError(put_(&args));
}

}  // namespace plinth::sdk
