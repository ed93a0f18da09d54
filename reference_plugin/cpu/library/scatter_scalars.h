// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_SCALARS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_SCALARS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/kernel/kernel.h"

namespace plinth::cpu::library {

// One of the numbers of which an index consists.
struct IndexPart {
  int64_t end;          // it is inside from 0 to here
  int64_t byte_stride;  // in the array that is indexed
};

// Updates of single elements, one after the other: update i goes to the element that index i names,
// and nowhere if it names none, or one that is not in [first, end) of the first part.
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

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_SCATTER_SCALARS_H_
