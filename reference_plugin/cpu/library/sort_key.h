// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SORT_KEY_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SORT_KEY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "plinth/support/dtype.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"

namespace plinth::cpu {

// One comparison of a sort: of the values that `key` computes from an element of each operand.
struct SortKey {
  // Parameter i is an element of operand i; behind them are captured values. One result.
  compiler::Combiner key;
  DType dtype = DType::kInvalid;
  bool descending = false;
  bool total_order = false;  // floats: -0 before 0 and NaN by its sign; else -0 equals 0
};

// A comparator as comparisons of keys, the first that differs deciding: what jnp.sort, argsort,
// lax.sort with several keys and top_k send. Nothing if the comparator is of another kind. Its
// parameters from 2 * num_operands on are captured values.
std::optional<std::vector<SortKey>> FindSortKeys(const compiler::Combiner& comparator,
                                                 size_t num_operands);

// Maps `count` elements of a key's type to unsigned integers of the key's order.
using OrderBitsFunction = void (*)(const void* keys, uint64_t* bits, int64_t count);
// Null for types that have no order.
OrderBitsFunction FindOrderBits(DType type, bool descending, bool total_order);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SORT_KEY_H_
