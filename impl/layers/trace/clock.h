// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_CLOCK_H_
#define PLINTH_IMPL_LAYERS_TRACE_CLOCK_H_

#include <time.h>

#include <cstdint>

namespace plinth::layers {

// CLOCK_MONOTONIC, which the traces of all processes of a machine share.
inline int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_CLOCK_H_
