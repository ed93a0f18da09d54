// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_ADDRESS_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_ADDRESS_H_

#include <cstddef>
#include <cstdint>

// Addresses of the device: those of the host where the bytes lie, with a bit that no address of the
// host has. The host that reads or writes through one dies at once, as it does with a real device.
namespace plinth::cuda::simulator {

inline constexpr uint64_t kDeviceBit = uint64_t{1} << 62;

inline uint64_t ToDevice(const std::byte* at) {
  return reinterpret_cast<uint64_t>(at) | kDeviceBit;
}
// Takes also what a kernel has computed, which works with addresses of the host.
inline std::byte* ToHost(uint64_t address) {
  return reinterpret_cast<std::byte*>(address & ~kDeviceBit);
}

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_ADDRESS_H_
