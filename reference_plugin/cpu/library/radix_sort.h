// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RADIX_SORT_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RADIX_SORT_H_

#include <cstdint>
#include <span>

#include "reference_plugin/backend/host/thread_pool.h"

namespace plinth::cpu::library {

// Sorts unsigned integers by the bits from `first_bit` to `end_bit`, stably, so that the result is
// the same for any number of threads. `spare` is as long as `keys`. `pool` may be null.
template <typename Key>
void RadixSort(std::span<Key> keys, std::span<Key> spare, int first_bit, int end_bit,
               backend::ThreadPool* pool);

extern template void RadixSort(std::span<uint16_t>, std::span<uint16_t>, int, int,
                               backend::ThreadPool*);
extern template void RadixSort(std::span<uint32_t>, std::span<uint32_t>, int, int,
                               backend::ThreadPool*);
extern template void RadixSort(std::span<uint64_t>, std::span<uint64_t>, int, int,
                               backend::ThreadPool*);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_RADIX_SORT_H_
