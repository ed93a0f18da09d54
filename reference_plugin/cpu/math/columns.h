// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_COLUMNS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_COLUMNS_H_

#include <cstddef>
#include <cstdint>

#include "reference_plugin/cpu/math/tile_functions.h"

// Short rows that are taken apart into columns, and put together: all columns at once, where one
// after the other would read and write each line as often as there are columns.
namespace plinth::cpu::math {

inline constexpr size_t kFewestColumns = 2, kMostColumns = 8;

// Of a number of columns: element c of row i lies at rows + i * stride + c elements, and no two
// rows overlap.
struct ColumnFunctions {
  // columns[c] gets `count` elements, unless it is null.
  void (*load)(const void* rows, int64_t stride, void* const* columns, size_t count) = nullptr;
  // The same back; none is null, and nothing else of the rows is written.
  void (*store)(void* rows, int64_t stride, const void* const* columns, size_t count) = nullptr;
};

// Elements of 4 bytes; else, and of other numbers of columns, null.
ColumnFunctions FindColumns(size_t element_bytes, size_t columns,
                            SimdTarget target = BestSimdTarget());

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_COLUMNS_H_
