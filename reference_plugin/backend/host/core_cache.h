// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_CORE_CACHE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_CORE_CACHE_H_

#include <cstdint>

namespace plinth::backend {

// How many bytes one core keeps near without others' help: its second cache, as the system says,
// or a guess on the small side. Never a reason for another result.
int64_t CoreCacheBytes();

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_CORE_CACHE_H_
