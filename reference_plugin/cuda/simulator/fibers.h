// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_FIBERS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_FIBERS_H_

#include <cstdint>
#include <string>

#include "reference_plugin/cuda/simulator/kernel_words.h"

namespace plinth::cuda::simulator {

// Runs the threads of one block, each on a stack of its own from the moment that it first waits: a
// thread that never waits leaves its stack to the next. One block at a time in the process.
//
// `state` is that of the kernel's library, in which the threads read where they are. Empty, or what
// was wrong: a barrier that some threads do not reach, an exchange of lanes that are gone.
std::string RunBlock(plinth_simulator_state& state, plinth_simulator_launch launch,
                     void** parameters, uint64_t seed);

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_FIBERS_H_
