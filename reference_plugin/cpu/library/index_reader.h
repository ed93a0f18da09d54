// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_INDEX_READER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_INDEX_READER_H_

#include <cstdint>
#include <cstring>
#include <limits>

#include "plinth/support/dtype.h"

namespace plinth::cpu::library {

// Reads one integer of any type as int64; a u64 that does not fit becomes the largest int64.
using IndexReader = int64_t (*)(const std::byte* element);

template <typename T>
int64_t ReadIndexAs(const std::byte* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  if constexpr (sizeof(T) == 8 && std::numeric_limits<T>::is_signed == false) {
    constexpr auto kLargest = static_cast<T>(std::numeric_limits<int64_t>::max());
    return static_cast<int64_t>(value < kLargest ? value : kLargest);
  } else {
    return static_cast<int64_t>(value);
  }
}

// Null for types that are no integers.
inline IndexReader FindIndexReader(DType type) {
  switch (type) {
    case DType::kS8:
      return ReadIndexAs<int8_t>;
    case DType::kS16:
      return ReadIndexAs<int16_t>;
    case DType::kS32:
      return ReadIndexAs<int32_t>;
    case DType::kS64:
      return ReadIndexAs<int64_t>;
    case DType::kPred:
    case DType::kU8:
      return ReadIndexAs<uint8_t>;
    case DType::kU16:
      return ReadIndexAs<uint16_t>;
    case DType::kU32:
      return ReadIndexAs<uint32_t>;
    case DType::kU64:
      return ReadIndexAs<uint64_t>;
    default:
      return nullptr;
  }
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_INDEX_READER_H_
