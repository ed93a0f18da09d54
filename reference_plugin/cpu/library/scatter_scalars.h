// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_SCALARS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_SCALARS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/library/index_reader.h"

namespace plinth::cpu::library {

// One of the numbers of which an index consists.
struct IndexPart {
  int64_t end;          // it is inside from 0 to here
  int64_t byte_stride;  // in the array that is indexed
};

// Updates of single elements, or of runs of neighbours, one after the other: update i goes to the
// place that index i names, and nowhere if it names none, or one that is not in [first, end) of the
// first part.
struct ScalarUpdates {
  std::byte* array;
  int64_t array_stride;  // bytes from update to update, besides the index
  const std::byte* updates;
  int64_t update_stride;
  const std::byte* indices;
  int64_t index_stride, part_stride;  // from index to index, from part to part of one
  std::span<const IndexPart> parts;   // at least one
  int64_t count, first, end;
};

using ScatterScalars = void (*)(const ScalarUpdates& updates);

// The loop for a combiner, elements and indices of some types; null where there is none.
ScatterScalars FindScatterScalars(const compiler::Combiner& combiner, DType type, DType index_type);

// The updates one by one: apply(to, from) for those that have a place.
template <typename Read, typename Apply>
void ForEachUpdate(const ScalarUpdates& updates, const Read& read_index, const Apply& apply) {
  const ScalarUpdates u = updates;
  const std::byte* index = u.indices;
  for (int64_t i = 0; i < u.count; ++i, index += u.index_stride) {
    const int64_t position = read_index(index);
    bool inside = position >= u.first && position < u.end;
    int64_t offset = i * u.array_stride;
    for (size_t p = 0; p < u.parts.size() && inside; ++p) {
      const int64_t next =
          p == 0 ? position : read_index(index + static_cast<int64_t>(p) * u.part_stride);
      inside = next >= 0 && next < u.parts[p].end;
      offset += next * u.parts[p].byte_stride;
    }
    if (inside) apply(u.array + offset, u.updates + i * u.update_stride);
  }
}

// Sums of runs of `length` neighbours, and extrema of short ones.
using CombineRuns = void (*)(const ScalarUpdates& updates, IndexReader read_index, int64_t length);

// Null for other combiners and runs, and for types of which few programs have such.
CombineRuns FindCombineRuns(const compiler::Combiner& combiner, DType type, int64_t length);

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_SCALARS_H_
