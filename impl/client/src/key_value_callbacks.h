// SPDX-License-Identifier: Apache-2.0
#ifndef IMPL_CLIENT_SRC_KEY_VALUE_CALLBACKS_H_
#define IMPL_CLIENT_SRC_KEY_VALUE_CALLBACKS_H_

#include "pjrt_c_api.h"
#include "plinth/client/key_value_store.h"

namespace plinth::client::internal {

// Fills in the callbacks that a plugin calls to reach `store`, which outlives the client.
void SetKeyValueCallbacks(KeyValueStore* store, PJRT_Client_Create_Args& args);

}  // namespace plinth::client::internal

#endif  // IMPL_CLIENT_SRC_KEY_VALUE_CALLBACKS_H_
