// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_STRIDED_WALK_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_STRIDED_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::cpu::library {

using compiler::DenseStrides;

inline int64_t Product(const compiler::Dims& dims) {
  int64_t product = 1;
  for (int64_t dim : dims) product *= dim;
  return product;
}

// Walks all points of a box in row-major order, keeping one byte offset per stride list.
// `Lists` strides lists of the box's rank. A box without points may be made, not walked.
template <int Lists>
class StridedWalk {
 public:
  StridedWalk(const compiler::Dims& extents, const compiler::Dims (&strides)[Lists],
              int64_t first = 0)
      : extents_(extents), strides_(strides), position_(extents.size(), 0) {
    for (size_t d = extents.size(); d-- > 0 && first != 0;) {
      position_[d] = first % extents[d];
      first /= extents[d];
      for (int l = 0; l < Lists; ++l) offsets_[l] += position_[d] * strides[l][d];
    }
  }

  int64_t offset(int list) const { return offsets_[list]; }
  int64_t position(size_t dimension) const { return position_[dimension]; }

  void Next() {
    for (size_t d = position_.size(); d-- > 0;) {
      for (int l = 0; l < Lists; ++l) offsets_[l] += strides_[l][d];
      if (++position_[d] < extents_[d]) return;
      for (int l = 0; l < Lists; ++l) offsets_[l] -= extents_[d] * strides_[l][d];
      position_[d] = 0;
    }
  }

 private:
  const compiler::Dims& extents_;
  const compiler::Dims (&strides_)[Lists];
  compiler::Dims position_;
  int64_t offsets_[Lists] = {};
};

// Joins neighbouring dimensions of a box that every list walks as one, and drops those of extent 1.
// The points and their order stay.
template <int Lists>
void JoinDimensions(compiler::Dims& extents, compiler::Dims (&strides)[Lists]) {
  compiler::Dims joined;
  compiler::Dims joined_strides[Lists];
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    bool joins = !joined.empty();
    for (int l = 0; l < Lists; ++l) {
      joins = joins && joined_strides[l].back() == strides[l][d] * extents[d];
    }
    if (joins) {
      joined.back() *= extents[d];
    } else {
      joined.push_back(extents[d]);
    }
    for (int l = 0; l < Lists; ++l) {
      if (joins) joined_strides[l].pop_back();
      joined_strides[l].push_back(strides[l][d]);
    }
  }
  extents = std::move(joined);
  for (int l = 0; l < Lists; ++l) strides[l] = std::move(joined_strides[l]);
}

// Calls run(offsets, count, step) for each row of a box: `count` points whose offsets begin with
// `offsets` and go on by `steps`, both one for each list. All points from `first` to `end`.
template <int Lists, typename Run>
void ForEachRow(const compiler::Dims& extents, const compiler::Dims (&strides)[Lists],
                int64_t first, int64_t end, const Run& run) {
  int64_t steps[Lists] = {};
  const int64_t length = extents.empty() ? 1 : extents.back();
  for (int l = 0; l < Lists; ++l) steps[l] = extents.empty() ? 0 : strides[l].back();
  while (first < end) {
    const int64_t count = std::min(length - first % length, end - first);
    int64_t offsets[Lists] = {}, rest = first;
    for (size_t d = extents.size(); d-- > 0; rest /= extents[d]) {
      for (int l = 0; l < Lists; ++l) offsets[l] += rest % extents[d] * strides[l][d];
    }
    run(offsets, count, steps);
    first += count;
  }
}

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_STRIDED_WALK_H_
