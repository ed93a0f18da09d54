// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ADDRESSES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ADDRESSES_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/domain.h"

namespace plinth::cpu::kernels {

// What the value of an address form points to.
inline std::byte* AddressOf(int64_t value) {
  return reinterpret_cast<std::byte*>(static_cast<uintptr_t>(value));
}

// The index in `buffer`, clamped.
int64_t ReadIndex(const compiler::DynamicOffset& dynamic, const void* buffer);

// The values of the domain's forms at its first point, for one run: those of inputs and outputs
// are addresses, dynamic offsets included. `start` has room for all forms.
Status FindAddresses(const compiler::Kernel& kernel, const Domain& domain,
                     std::span<void* const> operands, std::span<void* const> results,
                     int64_t* start);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ADDRESSES_H_
