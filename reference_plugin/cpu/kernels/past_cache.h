// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PAST_CACHE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PAST_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/domain.h"

// Outputs that no cache would hold until somebody reads them are written past it: a line of them is
// not read from memory first, and leaves what others have in the cache there.
namespace plinth::cpu::kernels {

// Whether an output of the kernel is so large, or one is a large part of an array of `array_bytes`,
// which is: others write the rest.
bool HasOutputPastCache(const compiler::Kernel& kernel, const Domain& domain, int64_t array_bytes);

// Whether an output lies over an input, so that its lines are in the cache when it is written.
bool WritesInPlace(std::span<void* const> operands, std::span<void* const> results);

// memcpy.
void CopyThroughCache(void* to, const void* from, size_t bytes);
// The same past the cache. Other threads may read it after a StoreFence of this one.
void CopyPastCache(void* to, const void* from, size_t bytes);

// After this, other threads may read what this one has written past the cache.
void StoreFence();

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_PAST_CACHE_H_
