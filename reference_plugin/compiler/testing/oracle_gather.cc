// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/testing/oracle_gather.h"

#include <algorithm>
#include <cstring>

#include "reference_plugin/compiler/ir/scalar.h"

namespace plinth::compiler::testing {
namespace {

// Where `value` stands in the list, -1 if it does not.
int64_t Find(const Dims& list, int64_t value) {
  const auto found = std::find(list.begin(), list.end(), value);
  return found == list.end() ? -1 : found - list.begin();
}

Dims PlaceOf(int64_t number, const Dims& dims) {
  Dims place(dims.size());
  for (size_t d = dims.size(); d-- > 0; number /= dims[d]) place[d] = number % dims[d];
  return place;
}

int64_t NumberOf(const Dims& place, const Dims& dims) {
  int64_t number = 0;
  for (size_t d = 0; d < dims.size(); ++d) number = number * dims[d] + place[d];
  return number;
}

}  // namespace

void RunGather(const GatherAttributes& gather, const Type& operand, const std::byte* from,
               const Type& indices, const std::byte* index, const Type& result, std::byte* to) {
  const int64_t bytes = ByteSize(operand.dtype);
  for (int64_t number = 0; number < result.NumElements(); ++number) {
    Dims batch, window;
    const Dims place = PlaceOf(number, result.dims);
    for (int64_t d = 0; d < result.rank(); ++d) {
      (Find(gather.offset_dims, d) < 0 ? batch : window).push_back(place[d]);
    }
    // The place in the indices: what the batch says, and the number of the index in the vector.
    const auto index_place = [&](int64_t vector) {
      Dims at;
      size_t next = 0;
      for (int64_t d = 0; d < indices.rank(); ++d) {
        at.push_back(d == gather.index_vector_dim ? vector : batch[next++]);
      }
      return at;
    };
    Dims source;
    size_t next = 0;
    for (int64_t d = 0; d < operand.rank(); ++d) {
      int64_t position = 0;
      if (const int64_t vector = Find(gather.start_index_map, d); vector >= 0) {
        const int64_t start =
            ReadInteger(indices.dtype, index + NumberOf(index_place(vector), indices.dims) *
                                                   ByteSize(indices.dtype));
        position = std::clamp<int64_t>(start, 0, operand.dims[d] - gather.slice_sizes[d]);
      }
      if (const int64_t b = Find(gather.operand_batching_dims, d); b >= 0) {
        position = index_place(0)[gather.start_indices_batching_dims[b]];
      } else if (Find(gather.collapsed_slice_dims, d) < 0) {
        position += window[next++];
      }
      source.push_back(position);
    }
    std::memcpy(to + number * bytes, from + NumberOf(source, operand.dims) * bytes,
                static_cast<size_t>(bytes));
  }
}

}  // namespace plinth::compiler::testing
