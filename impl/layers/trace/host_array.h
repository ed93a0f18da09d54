// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_HOST_ARRAY_H_
#define PLINTH_IMPL_LAYERS_TRACE_HOST_ARRAY_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "plinth/support/dtype.h"

namespace plinth::layers {

// Bytes of an array in row-major order without gaps, or nothing for dims or types that make no
// array, or more than `limit`.
std::optional<uint64_t> DenseSize(DType type, std::span<const int64_t> dims, uint64_t limit);

// Where the elements of a strided array lie: bytes from the lowest to the end of the highest, and
// how far the first element is from the lowest.
struct StridedExtent {
  uint64_t size = 0;
  uint64_t origin = 0;
};
// Nothing if there are not as many strides as dims, or the extent is more than `limit`.
std::optional<StridedExtent> ExtentOf(DType type, std::span<const int64_t> dims,
                                      std::span<const int64_t> byte_strides, uint64_t limit);

// Copies a strided array into row-major order. `data` is its first element.
std::string Gather(DType type, std::span<const int64_t> dims, std::span<const int64_t> byte_strides,
                   const void* data);
// The reverse: `data` is the first element of the destination, inside of memory of that extent.
void Scatter(DType type, std::span<const int64_t> dims, std::span<const int64_t> byte_strides,
             const std::string& dense, char* data);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_HOST_ARRAY_H_
