// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/world.h"

#include <cstring>
#include <string>

#include "reference_plugin/cuda/simulator/report.h"

namespace plinth::cuda::simulator {

World& TheWorld() {
  static World& world = *new World();
  return world;
}

CUcontext& CurrentContext() {
  thread_local CUcontext context = nullptr;
  return context;
}

CUresult Enter(const char* name, bool needs_context) {
  World& world = TheWorld();
  {
    const std::lock_guard lock(world.mutex);
    const Options& options = world.options;
    // How often an event is asked for is no business of the plugin's.
    const bool counts_all =
        options.fail_function == "any" && std::strcmp(name, "cuEventQuery") != 0;
    const int64_t calls = counts_all ? ++world.all_calls : ++world.calls[name];
    if ((options.fail_function == name || counts_all) &&
        (calls == options.fail_call || (options.fails_from_there && calls > options.fail_call))) {
      return options.fail_code;
    }
  }
  if (const int sticky = world.sticky; sticky != 0) return sticky;
  if (needs_context && CurrentContext() == nullptr) {
    Report(std::string(name) + " was called without a context");
    return kCudaInvalidContext;
  }
  return kCudaSuccess;
}

void Break(CUresult error) {
  int none = 0;
  TheWorld().sticky.compare_exchange_strong(none, error);
}

}  // namespace plinth::cuda::simulator
