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

// Bytes at a multiple of kAccessAlignment, which end where a page begins that nobody may touch: who
// reads or writes beside them ends the process.
class GuardedArray {
 public:
  // Filled with `fill`.
  explicit GuardedArray(int64_t size, std::byte fill = std::byte{0x5a});
  explicit GuardedArray(std::span<const std::byte> bytes);
  std::byte* data() { return data_; }
  std::span<std::byte> bytes() { return {data_, size_}; }
  // Whether the few bytes that lie around within the pages are as they were.
  bool IsIntact() const;

 private:
  struct Unmap {
    size_t bytes;
    void operator()(std::byte* pages) const;
  };
  std::unique_ptr<std::byte[], Unmap> memory_;
  std::byte* data_;
  size_t size_;
};

}  // namespace plinth::cuda::testing

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_TESTING_HOST_DEVICE_H_
