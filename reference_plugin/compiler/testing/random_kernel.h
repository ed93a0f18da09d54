// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_RANDOM_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_RANDOM_KERNEL_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"

// For tests: kernels of every form, and buffers that they fit exactly, so that a sanitizer sees
// each access that is out of bounds.
namespace plinth::compiler::testing {

struct RandomKernel {
  compiler::Kernel kernel;
  std::vector<std::vector<std::byte>> operands;
  std::vector<int64_t> result_sizes;  // bytes
};

struct RandomKernelOptions {
  std::span<const DType> types = {};  // that ops compute; empty: all sorts, f32 more often
  int64_t more_ops = 0;               // in each phase
  bool gathers = false;               // inputs may be read at indices that are values
};

// The same kernel for the same seed and options. All floats are small integers, so that sums are
// exact in any order.
RandomKernel MakeRandomKernel(uint64_t seed, const RandomKernelOptions& options = {});

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_RANDOM_KERNEL_H_
