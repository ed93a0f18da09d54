// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/core_cache.h"

#include <unistd.h>

namespace plinth::backend {

int64_t CoreCacheBytes() {
  static const int64_t bytes = [] {
    int64_t said = -1;
#ifdef _SC_LEVEL2_CACHE_SIZE
    said = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    // What no processor of the last ten years falls short of.
    return said > 0 ? said : int64_t{256} << 10;
  }();
  return bytes;
}

}  // namespace plinth::backend
