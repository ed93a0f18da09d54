// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_CALLBACK_STORE_H_
#define PLINTH_IMPL_IFRT_CALLBACK_STORE_H_

#include <memory>

#include "plinth/client/key_value_store.h"
#include "plinth/support/status.h"
#include "plinth_ifrt.h"

namespace plinth::ifrt {

// The key-value store that a caller gives as callbacks, which is told when this object goes; null
// if there is none. INVALID_ARGUMENT for one callback without the other.
Expected<std::unique_ptr<client::KeyValueStore>> StoreFromC(
    const plinth_ifrt_client_options& options);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_CALLBACK_STORE_H_
