// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EXTREMES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EXTREMES_H_

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/math/extremes.h"

namespace plinth::cpu::kernels {

// The routine for a reduction that only asks for the index of the largest or smallest element, as
// argmax and argmin do: any order gives the same index, so lanes are combined like those of a sum.
// Null for other reductions. `phase` has the reduction, which is number `number` of the kernel.
math::ExtremesFunction FindExtremesOf(const compiler::Kernel& kernel, const compiler::Phase& phase,
                                      const compiler::Reduction& reduction, int32_t number);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EXTREMES_H_
