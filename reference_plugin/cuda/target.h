// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_TARGET_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_TARGET_H_

#include "reference_plugin/compiler/target.h"

namespace plinth::cuda {

// What this back end tells the compiler: the same for every architecture, so that a program
// compiles to the same plan for all of them.
extern const compiler::Target kTarget;

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_TARGET_H_
