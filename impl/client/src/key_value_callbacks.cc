// SPDX-License-Identifier: Apache-2.0
#include "impl/client/src/key_value_callbacks.h"

#include <cstdlib>
#include <cstring>

namespace plinth::client::internal {
namespace {

// The plugin makes the error, since it is the one that reads it.
PJRT_Error* ToPlugin(const Status& status, PJRT_CallbackError* make_error) {
  return (*make_error)(static_cast<PJRT_Error_Code>(status.code()), status.message().data(),
                       status.message().size());
}

void FreeValue(char* value) { std::free(value); }

// Gives a value to the plugin, which frees it with FreeValue.
template <typename Args>
PJRT_Error* Answer(const Expected<std::string>& value, Args* args) {
  if (!value.ok()) return ToPlugin(value.status(), args->callback_error);
  args->value = static_cast<char*>(std::malloc(value->size() + 1));
  if (args->value == nullptr) {
    return ToPlugin(ResourceExhausted("no memory for a value of ", value->size(), " bytes"),
                    args->callback_error);
  }
  std::memcpy(args->value, value->data(), value->size());
  args->value_size = value->size();
  args->value_deleter_callback = &FreeValue;
  return nullptr;
}

KeyValueStore& StoreOf(void* user_arg) { return *static_cast<KeyValueStore*>(user_arg); }

PJRT_Error* Get(PJRT_KeyValueGetCallback_Args* args) {
  return Answer(
      StoreOf(args->user_arg)
          .Get({args->key, args->key_size}, std::chrono::milliseconds(args->timeout_in_ms)),
      args);
}

PJRT_Error* TryGet(PJRT_KeyValueTryGetCallback_Args* args) {
  return Answer(StoreOf(args->user_arg).TryGet({args->key, args->key_size}), args);
}

PJRT_Error* Put(PJRT_KeyValuePutCallback_Args* args) {
  const Status status =
      StoreOf(args->user_arg).Put({args->key, args->key_size}, {args->value, args->value_size});
  return status.ok() ? nullptr : ToPlugin(status, args->callback_error);
}

}  // namespace

void SetKeyValueCallbacks(KeyValueStore* store, PJRT_Client_Create_Args& args) {
  args.kv_get_callback = &Get;
  args.kv_get_user_arg = store;
  args.kv_put_callback = &Put;
  args.kv_put_user_arg = store;
  args.kv_try_get_callback = &TryGet;
  args.kv_try_get_user_arg = store;
}

}  // namespace plinth::client::internal
