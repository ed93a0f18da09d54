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

ProcessorNumbers::ProcessorNumbers() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return;
  int number = 0;
  for (size_t cpu = 0; number < CPU_COUNT(&set); ++cpu) {
    number_of_.push_back(CPU_ISSET(cpu, &set) ? number++ : 0);
  }
#endif
}

int ProcessorNumbers::Here() const {
#if defined(__linux__)
  const int cpu = sched_getcpu();
  if (cpu >= 0 && static_cast<size_t>(cpu) < number_of_.size()) {
    return number_of_[static_cast<size_t>(cpu)];
  }
#endif
  return 0;
}

}  // namespace plinth::backend
