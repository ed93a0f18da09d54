// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_MOVED_AS_BITS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_MOVED_AS_BITS_H_

#include "reference_plugin/compiler/kernel/kernel.h"

namespace plinth::cuda {

// Makes whole numbers of the floats of 16 bits and less that a kernel only moves or chooses: the
// way to f32 and back would change the bits of NaNs, and takes time.
void MoveAsBits(compiler::Kernel& kernel);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_MOVED_AS_BITS_H_
