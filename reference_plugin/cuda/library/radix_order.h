// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_RADIX_ORDER_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_RADIX_ORDER_H_

#include <cstdint>
#include <span>
#include <string>

#include "reference_plugin/cuda/library/step_code.h"

namespace plinth::cuda {

// Rows of elements that are brought into order.
struct OrderedRows {
  int64_t rows = 1, length = 1;  // length at most INT32_MAX
};

// Elements by their keys, unsigned numbers, the smallest first.
struct RadixKey {
  // Statements that declare `key`, of type u64 or u32, of the element at position `p` (u32) of row
  // `line` (s64).
  std::string body;
  bool is_wide = false;              // u64
  int32_t first_bit = 0, bits = 32;  // those that differ
};

// How many times all elements are moved for these keys.
int32_t RadixPasses(std::span<const RadixKey> keys);

// Offsets in scratch: the positions in the order (u32), row by row, and beside each the last key
// that was sorted by, which is the first one.
struct RadixResult {
  int64_t positions = 0, keys = 0;
};

// Appends the launches that find the stable order of each row, the first key deciding: in scratch
// from `begin` on. *end: what is not used of scratch.
RadixResult AppendRadixOrder(const compiler::plan::PlanStep& step, const OrderedRows& rows,
                             std::span<const RadixKey> keys, int64_t begin, PrintedStep& printed,
                             int64_t* end);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_RADIX_ORDER_H_
