// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_FIBERS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_FIBERS_H_

#include <cstdint>
#include <numeric>
#include <string>

#include "reference_plugin/cuda/simulator/kernel_words.h"

namespace plinth::cuda::simulator {

// Some order of `size` things, by a seed: a device keeps to none.
class AnyOrder {
 public:
  AnyOrder(unsigned size, uint64_t seed) : size_(size) {
    uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15;
    random ^= random >> 29;
    start_ = random % size;
    step_ = (random >> 32) % size;
    while (std::gcd(step_, uint64_t{size}) != 1) ++step_;
  }
  unsigned operator[](unsigned i) const {
    return static_cast<unsigned>((start_ + i * step_) % size_);
  }

 private:
  uint64_t size_, start_, step_;
};

// Fills the shared memory of a kernel's library with what no kernel can use: NaNs of every float.
// A launch begins so.
void PoisonSharedMemory(const plinth_simulator_state& state);

// Runs the threads of one block, each on a stack of its own from the moment that it first waits: a
// thread that never waits leaves its stack to the next. One block at a time in the process.
//
// `state` is that of the kernel's library, in which the threads read where they are. Between two
// barriers, and after an exchange, they run in an order that `seed` says. Empty, or what was wrong:
// a barrier that some threads do not reach, an exchange of lanes that are gone, a misaligned
// access.
std::string RunBlock(plinth_simulator_state& state, plinth_simulator_launch launch,
                     void** parameters, uint64_t seed);

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_FIBERS_H_
