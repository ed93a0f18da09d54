// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_COMBINED_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_COMBINED_H_

#include <cstdint>
#include <span>

#include "reference_plugin/cuda/print/program.h"

namespace plinth::cuda {

// Whether the step is one launch of a few blocks that never wait for each other's threads: others
// may share the launch.
bool MayShareLaunch(const PrintedStep& step);

// Some steps of which that is true, and which may run at once, in one launch: the first blocks are
// the first one's. `operands`, `results`: how many each has; the operands of the combined step are
// those of all, one step after the other, and so are its results.
struct SharedStep {
  const PrintedStep* step = nullptr;
  int32_t operands = 0, results = 0;
};
PrintedStep Combine(std::span<const SharedStep> steps);

// How many steps one launch takes.
inline constexpr size_t kMostSharedSteps = 16;

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_COMBINED_H_
