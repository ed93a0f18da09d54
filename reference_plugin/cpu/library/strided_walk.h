// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_STRIDED_WALK_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_STRIDED_WALK_H_

#include <cstddef>
#include <cstdint>

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

}  // namespace plinth::cpu::library

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_LIBRARY_STRIDED_WALK_H_
