// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cpu/native/lanes.h"

#include <algorithm>
#include <utility>

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

LaneMap LaneMap::Part(int64_t first, int64_t count) const {
  const auto begin = elements.begin() + first;
  return {std::vector<int64_t>(begin, begin + count)};
}

std::optional<int64_t> LaneMap::StepFrom(int64_t first) const {
  std::optional<int64_t> step;
  for (int64_t lane = first; lane < first + kLanes; ++lane) {
    const int64_t here = elements[static_cast<size_t>(lane)],
                  next = elements[static_cast<size_t>(lane + kLanes)];
    if (here == kFill && next == kFill) continue;
    if (here == kFill || next == kFill || next - here != step.value_or(next - here)) {
      return std::nullopt;
    }
    step = next - here;
  }
  return step.value_or(0);
}

std::optional<int64_t> CountPoints(const compiler::KernelShape& shape, bool over_reduced) {
  int64_t points = 1;
  for (size_t d = 0; d < NumDimensions(shape, over_reduced); ++d) {
    if (shape.extents[d] == 0 || shape.extents[d] > PhaseLanes::kMostPoints) return std::nullopt;
    points *= shape.extents[d];
    if (points > PhaseLanes::kMostPoints) return std::nullopt;
  }
  return points;
}

std::optional<int> ScaleOfStep(int64_t step_bytes) {
  for (const int scale : {0, 1, 2, 4, 8}) {
    if (step_bytes == scale * kLanes) return scale;
  }
  return std::nullopt;
}

namespace {

// Nothing where an element does not lie at a multiple of its size.
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

// Whether the lanes from `first` on are followed by others that one index leads to. What may lie in
// a register has no address.
bool IsFollowed(const LaneMap& map, DType type, int64_t first, int64_t previous) {
  const std::optional<int64_t> step = map.StepFrom(first);
  if (!step.has_value()) return false;
  const bool is_small = *std::max_element(map.elements.begin(), map.elements.end()) < kLanes;
  if (*step != 0 && is_small) return false;
  return ScaleOfStep(*step * ByteSize(type)).has_value() &&
         (previous < 0 || map.StepFrom(previous) == step);
}

}  // namespace

std::optional<PhaseLanes> PhaseLanes::Make(const compiler::Kernel& kernel,
                                           const compiler::Phase& phase) {
  const compiler::KernelShape& shape = kernel.shape;
  const std::optional<int64_t> points = CountPoints(shape, phase.over_reduced);
  if (!points.has_value()) return std::nullopt;
  PhaseLanes result;
  result.points = *points;
  result.inputs.resize(shape.inputs.size());
  result.outputs.resize(shape.outputs.size());
  result.iotas.resize(shape.extents.size());
  std::vector<std::pair<const LaneMap*, DType>> maps;
  const auto add = [&](const compiler::Access& access, LaneMap* map) {
    if (!map->elements.empty()) return true;
    std::optional<LaneMap> found = MapLanes(shape, phase.over_reduced, access);
    if (!found.has_value()) return false;
    *map = std::move(*found);
    maps.emplace_back(map, access.dtype);
    return true;
  };
  for (const compiler::Node& node : phase.nodes) {
    const auto number = static_cast<size_t>(node.index);
    if (node.kind == compiler::NodeKind::kInput &&
        !add(shape.inputs[number], &result.inputs[number])) {
      return std::nullopt;
    }
    if (node.kind == compiler::NodeKind::kIota) {
      compiler::Dims along(shape.extents.size());
      along[number] = 1;
      result.iotas[number].elements = ValuesAt(shape, phase.over_reduced, along, 0);
    }
  }
  for (const compiler::Store& store : phase.stores) {
    const auto number = static_cast<size_t>(store.output);
    if (!add(shape.outputs[number], &result.outputs[number])) return std::nullopt;
  }
  for (int64_t first = 0; first < *points;) {
    LaneGroup group = {first, std::min(kLanes, *points - first), 1};
    for (int64_t next = first + kLanes; next + kLanes <= *points; next += kLanes) {
      const int64_t here = next - kLanes, previous = group.repeats > 1 ? here - kLanes : -1;
      const bool goes_on =
          std::all_of(maps.begin(), maps.end(),
                      [&](const auto& map) {
                        return IsFollowed(*map.first, map.second, here, previous);
                      }) &&
          std::all_of(result.iotas.begin(), result.iotas.end(), [&](const LaneMap& map) {
            return map.elements.empty() ||
                   (map.StepFrom(here).has_value() &&
                    (previous < 0 || map.StepFrom(previous) == map.StepFrom(here)));
          });
      if (!goes_on) break;
      ++group.repeats;
    }
    result.groups.push_back(group);
    first += group.lanes + (group.repeats - 1) * kLanes;
  }
  return result;
}

}  // namespace plinth::cpu::native
