// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_DEVICE_PROGRAM_H_
#define PLINTH_IMPL_IFRT_DEVICE_PROGRAM_H_

#include <span>
#include <string>

#include "impl/ifrt/client.h"
#include "plinth/client/buffer.h"
#include "plinth/support/dtype.h"

namespace plinth::ifrt {

// Small programs that the library itself runs on one device, through the client's cache.

// "tensor<4x2xf32>".
std::string TensorType(DType type, std::span<const int64_t> dims);

// Programs read and write a device's default memory.
bool IsDefaultMemory(const Device& device, const std::string& kind);

// Starts a program of one output. The plugin's error if it does not compile it.
Expected<client::Buffer> RunProgram(const Client& client, const std::string& text,
                                    std::span<const client::Buffer* const> arguments,
                                    const Device& device);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_DEVICE_PROGRAM_H_
