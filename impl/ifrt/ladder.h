// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_LADDER_H_
#define PLINTH_IMPL_IFRT_LADDER_H_

#include "impl/ifrt/client.h"
#include "plinth/support/json.h"

namespace plinth::ifrt {

// What each operation rests on with this plugin: a list of {"operation", "rung", "why"}. Found by
// small trials on the first devices, in the order in which the operations themselves try. `why`:
// what the plugin answered to the rungs before; "" for the first. FAILED_PRECONDITION without a
// device of this process.
Expected<Json> LadderOf(const Client& client);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_LADDER_H_
