// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MODULES_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MODULES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference_plugin/cuda/simulator/kernel_words.h"

namespace plinth::cuda::simulator {

// What our NVRTC makes of a text: this line, the architecture, and the text.
inline constexpr std::string_view kBinaryMark = "plinth simulated binary for ";
std::string MakeBinary(std::string_view architecture, std::string_view text);

// A library of kernels. Never unloaded.
struct Module {
  plinth_simulator_state* state = nullptr;
  const plinth_simulator_kernel* kernels = nullptr;
  unsigned num_kernels = 0;

  const plinth_simulator_kernel* Find(std::string_view name) const;
};

// Compiles a text with g++, or finds what was compiled. `bounds`: its kernels tell of every access
// (plinth_simulator_state::access), for half of their speed. On failure the module is null and
// *error says why.
std::shared_ptr<const Module> LoadText(const std::string& text, bool bounds, std::string* error);

// The kernels of a text, in its order.
struct KernelName {
  std::string name;
  unsigned most_threads;  // by __launch_bounds__
};
std::vector<KernelName> KernelNames(const std::string& text);

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MODULES_H_
