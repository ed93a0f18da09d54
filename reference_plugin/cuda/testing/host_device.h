// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_TESTING_HOST_DEVICE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_TESTING_HOST_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/cuda/print/program.h"
#include "reference_plugin/cuda/simulator/modules.h"

namespace plinth::cuda::testing {

// Runs printed steps on the host, with the simulator's threads, without a driver. One thread uses
// it at a time.
class HostDevice {
 public:
  // Compiles the kernels of these steps, in a few units.
  Status Load(std::span<const PrintedStep> steps);
  // Every kernel of the step was loaded.
  Status Run(const PrintedStep& step, std::span<std::byte* const> operands,
             std::span<std::byte* const> results);

 private:
  struct Loaded {
    std::shared_ptr<const simulator::Module> module;
    const plinth_simulator_kernel* kernel;
  };
  std::map<std::string, Loaded> kernels_;
};

// Bytes at a multiple of kArrayAlignment, with bytes around them that nobody may write.
class GuardedArray {
 public:
  // Filled with `fill`.
  explicit GuardedArray(int64_t size, std::byte fill = std::byte{0x5a});
  explicit GuardedArray(std::span<const std::byte> bytes);
  std::byte* data() { return data_; }
  std::span<std::byte> bytes() { return {data_, size_}; }
  // Whether what lies around is as it was.
  bool IsIntact() const;

 private:
  static constexpr size_t kGuard = kArrayAlignment;
  std::vector<std::byte> memory_;
  std::byte* data_;
  size_t size_;
};

}  // namespace plinth::cuda::testing

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_TESTING_HOST_DEVICE_H_
