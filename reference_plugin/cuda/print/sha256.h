// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_SHA256_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_SHA256_H_

#include <string>
#include <string_view>

namespace plinth::cuda {

// The SHA-256 digest of the bytes (FIPS 180-4), as 64 hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_SHA256_H_
