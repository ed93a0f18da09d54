// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_H_

#include <cstdint>
#include <functional>
#include <span>

#include "plinth/support/status.h"

namespace plinth::cpu::library {

// An element's key and where it stands.
struct OrderedIndex {
  uint64_t key;
  int64_t index;
};

// Sorts stably by key. `spare` is as long as `elements`. `key_bytes`: how many low bytes of the
// keys differ at all.
void SortByKey(std::span<OrderedIndex> elements, std::span<OrderedIndex> spare, int key_bytes);

// Whether element left[i] comes before right[i], for all i < count; indices of the original rows.
using CompareMany = std::function<Status(const int64_t* left, const int64_t* right, int64_t count,
                                         uint8_t* before)>;

// The length that OrderByComparing needs of `order`: the next power of two.
int64_t OrderLength(int64_t size);
// Makes the first `size` of `order` the stable order of the elements under any comparator, by a
// sorting network: every stage compares many pairs at once.
Status OrderByComparing(int64_t size, const CompareMany& compare, std::span<int64_t> order);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_ORDER_H_
