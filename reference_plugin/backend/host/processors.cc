// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/processors.h"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace plinth::backend {

int UsableProcessors() {
#if defined(__linux__)
  // The C library counts what the machine has. A set that is too small for the machine's
  // processors is refused: then nothing is known of the thread's.
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace plinth::backend
