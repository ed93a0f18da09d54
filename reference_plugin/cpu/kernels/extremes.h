// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EXTREMES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EXTREMES_H_

#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/math/extremes.h"
#include "reference_plugin/cpu/math/first_extreme.h"

namespace plinth::cpu::kernels {

struct Extremes {
  math::ExtremesFunction of_lanes = nullptr;
  math::FirstExtremeFunction of_row = nullptr;
};

// The routines for a reduction that only asks for the index of the largest or smallest element, as
// argmax and argmin do: any order gives the same index, so lanes are combined like those of a sum.
// The index is the place among the reduced points of a row. Null for other reductions. `phase` has
// the reduction, which is number `number` of the kernel.
Extremes FindExtremesOf(const compiler::Kernel& kernel, const compiler::Phase& phase,
                        const compiler::Reduction& reduction, int32_t number);

// The iotas of a phase whose sum is the index of such a reduction, the place of a point among the
// reduced ones, if nobody else reads them: one that counts all of these points does for all.
std::vector<int32_t> IotasOfExtremes(const compiler::Kernel& kernel, const compiler::Phase& phase);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_EXTREMES_H_
