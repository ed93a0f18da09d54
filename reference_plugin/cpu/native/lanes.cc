// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/lanes.h"

#include <algorithm>

namespace plinth::cpu::native {
namespace {

size_t NumDimensions(const compiler::KernelShape& shape, bool over_reduced) {
  return over_reduced ? shape.extents.size() : static_cast<size_t>(shape.num_parallel);
}

// offset + sum(coefficients[d] * p[d]) at every point p, the last dimension first.
std::vector<int64_t> ValuesAt(const compiler::KernelShape& shape, bool over_reduced,
                              const compiler::Dims& coefficients, int64_t offset) {
  std::vector<int64_t> values = {offset}, next;
  for (size_t d = 0; d < NumDimensions(shape, over_reduced); ++d) {
    next.clear();
    for (int64_t value : values) {
      for (int64_t i = 0; i < shape.extents[d]; ++i) next.push_back(value + i * coefficients[d]);
    }
    values.swap(next);
  }
  return values;
}

}  // namespace

bool LaneMap::HasFill() const {
  return std::find(elements.begin(), elements.end(), kFill) != elements.end();
}

std::optional<int64_t> LaneMap::OneElement() const {
  std::optional<int64_t> one;
  for (const int64_t element : elements) {
    if (element == kFill) continue;
    if (one.has_value() && *one != element) return std::nullopt;
    one = element;
  }
  return one;
}

bool LaneMap::IsDense() const {
  for (size_t lane = 0; lane < elements.size(); ++lane) {
    if (elements[lane] == kFill || elements[lane] != elements[0] + static_cast<int64_t>(lane)) {
      return false;
    }
  }
  return true;
}

std::optional<int64_t> CountLanes(const compiler::KernelShape& shape, bool over_reduced) {
  int64_t lanes = 1;
  for (size_t d = 0; d < NumDimensions(shape, over_reduced); ++d) {
    if (shape.extents[d] == 0 || shape.extents[d] > kLanes) return std::nullopt;
    lanes *= shape.extents[d];
    if (lanes > kLanes) return std::nullopt;
  }
  return lanes;
}

std::optional<LaneMap> MapLanes(const compiler::KernelShape& shape, bool over_reduced,
                                const compiler::Access& access) {
  const int64_t bytes = ByteSize(access.dtype);
  LaneMap map;
  map.elements = ValuesAt(shape, over_reduced, access.byte_strides, access.byte_offset);
  for (int64_t& offset : map.elements) {
    if (offset % bytes != 0) return std::nullopt;
    offset /= bytes;
  }
  for (const compiler::Bound& bound : access.bounds) {
    const std::vector<int64_t> positions =
        ValuesAt(shape, over_reduced, bound.coefficients, bound.offset);
    for (size_t lane = 0; lane < positions.size(); ++lane) {
      if (positions[lane] < 0 || positions[lane] >= bound.extent) {
        map.elements[lane] = LaneMap::kFill;
      }
    }
  }
  return map;
}

}  // namespace plinth::cpu::native
