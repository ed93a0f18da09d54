// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_OPTIONS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace plinth::cuda::simulator {

// What PLINTH_SIMULATOR sets; the README explains it.
struct Options {
  std::string report;
  uint64_t seed = 0;
  int delay = 50;  // microseconds
  size_t capacity = size_t{1} << 30;
  size_t quarantine = size_t{64} << 20;
  int devices = 1;
  int capability = 90;
  int version = 13000;
  int init = 0;
  std::string lacks;
  std::string fail_function;
  int64_t fail_call = 0;
  bool fails_from_there = false;
  int fail_code = 0;
  int64_t lose = 0;
  int64_t blas = 130100;
  bool bounds = false;
};

Options ReadOptions();

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_OPTIONS_H_
