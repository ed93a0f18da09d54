// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_WORLD_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_WORLD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "reference_plugin/cuda/driver/types.h"
#include "reference_plugin/cuda/simulator/modules.h"
#include "reference_plugin/cuda/simulator/options.h"
#include "reference_plugin/cuda/simulator/streams.h"

namespace plinth::cuda {

// What the handles of the driver API point at.
struct CUctx_st {
  CUdevice device = 0;
};
struct CUstream_st : simulator::Stream {
  using Stream::Stream;
};
struct CUevent_st : simulator::Event {};
struct CUfunc_st {
  std::shared_ptr<const simulator::Module> module;
  const plinth_simulator_kernel* kernel = nullptr;
  std::shared_ptr<std::atomic<int64_t>> launches;  // of the module, that are not over
  unsigned most_shared = 48 << 10;                 // bytes that a launch may add to a block's
};
struct CUmod_st {
  std::shared_ptr<const simulator::Module> module;
  std::shared_ptr<std::atomic<int64_t>> launches = std::make_shared<std::atomic<int64_t>>(0);
  std::map<std::string, CUfunc_st> functions = {};
};
struct CUmemPoolHandle_st {};

namespace simulator {

// Bytes of a block; of one that asks for it.
inline constexpr unsigned kMostShared = 48 << 10, kMostSharedOptin = 227 << 10;

// What the process has; `mutex` guards what is not atomic.
struct World {
  std::mutex mutex;
  Options options;
  std::map<CUdevice, std::unique_ptr<CUctx_st>> contexts;
  std::map<CUdevice, int> retained;
  std::map<std::string, int64_t, std::less<>> calls;
  int64_t all_calls = 0;
  std::map<const void*, size_t> pinned;  // host memory that the driver gave
  std::atomic<int64_t> num_streams{0}, num_events{0}, num_modules{0};
  std::atomic<int64_t> num_launches{0};
  std::atomic<int> sticky{0};  // what every call answers
  std::mutex multiprocessors;  // one kernel at a time
};

World& TheWorld();
// Of this thread.
CUcontext& CurrentContext();

// What a call answers before it does anything; zero: go on. Counts the call.
CUresult Enter(const char* name, bool needs_context);
// From now on every call answers this error.
void Break(CUresult error);

#define PLINTH_SIMULATOR_ENTER(name, needs_context) \
  if (const CUresult entered = Enter(#name, needs_context); entered != 0) return entered

// The functions of the driver API.
#define PLINTH_CUDA_FUNCTION(name, since, parameters) CUresult name parameters;
#include "reference_plugin/cuda/driver/driver_functions.inc"

}  // namespace simulator
}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_WORLD_H_
