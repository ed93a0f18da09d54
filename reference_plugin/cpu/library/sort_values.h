// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SORT_VALUES_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SORT_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "plinth/support/dtype.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/cpu/library/order_bits.h"

namespace plinth::cpu::library {

// A row of elements, `stride` elements apart in `from` and in `to`, which do not overlap. `memory`
// has room for two rows and is aligned to 64 bytes. `pool` may be null.
struct ValuesRow {
  const void* from;
  void* to;
  int64_t length, stride;
  std::byte* memory;
  bool descending;
  backend::ThreadPool* pool;
};

// Sorts a row that nothing else moves with, stably.
using SortValuesFunction = void (*)(const ValuesRow& row);

// Null for types whose rows are sorted in another way.
SortValuesFunction FindSortValues(DType type, FloatOrder order);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SORT_VALUES_H_
