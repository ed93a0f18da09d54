// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SHAPE_H_
#define PLINTH_SDK_SHAPE_H_

#include <cstdint>
#include <span>

#include "plinth/support/shape.h"

namespace plinth::sdk {

// In plinth/support/shape.h. The SDK refuses negative sizes, more than kMaxRank dimensions and
// arrays of 2^63 bytes or more before an author sees them.
using plinth::DenseByteStrides;
using plinth::DenseSizeInBytes;
using plinth::Dims;
using plinth::kMaxRank;
using plinth::Layout;
using plinth::NumElements;
using plinth::Shape;
using plinth::ToString;

// Copies every element of an array between two strided places. Strides are in bytes, one per
// dimension, and may be negative or zero (source only). The places must not overlap.
void CopyStrided(void* destination, std::span<const int64_t> destination_strides,
                 const void* source, std::span<const int64_t> source_strides,
                 std::span<const int64_t> dims, int64_t element_size);

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_SHAPE_H_
