// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_TOPOLOGY_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_TOPOLOGY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "plinth/sdk/executable.h"
#include "plinth/sdk/topology.h"
#include "plinth/support/named_value.h"
#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/cuda/driver/library_search.h"

// Compiling for GPUs that are not here.
namespace plinth::cuda {

// What frameworks may ask of a device's description, here or elsewhere.
std::vector<NamedValue> DeviceAttributes(int32_t capability, int64_t multiprocessors);

// One GPU by its name ("h200") or its architecture ("sm_90"), in any case; an empty name is "h200".
// INVALID_ARGUMENT lists the names.
Expected<std::unique_ptr<sdk::Topology>> MakeTopology(std::string_view name);

// Compiles for the devices of a topology; of one client's or of MakeTopology. Any thread.
class AheadOfTimeCompiler {
 public:
  // FAILED_PRECONDITION for a topology of devices that are none of these. `places`: where NVRTC may
  // be; those of the first program of an architecture hold.
  Expected<std::shared_ptr<const sdk::Executable>> Compile(const sdk::Topology& topology,
                                                           const sdk::Program& program,
                                                           std::string_view options,
                                                           const LibraryPlaces& places);

 private:
  std::mutex mutex_;
  std::map<int32_t, std::shared_ptr<const backend::Backend>> backends_;  // guarded
};

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PJRT_TOPOLOGY_H_
