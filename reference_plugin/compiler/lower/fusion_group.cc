// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "reference_plugin/compiler/lower/fusion.h"

namespace plinth::compiler::lower {

int32_t Group::AddMap(IndexMap map) {
  DropUnitDims(map, extents);
  for (size_t i = 0; i < maps.size(); ++i) {
    if (SameMap(maps[i], map)) return static_cast<int32_t>(i);
  }
  maps.push_back(std::move(map));
  return static_cast<int32_t>(maps.size()) - 1;
}

bool Group::IsUpdate() const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const GroupOutput& output) { return output.updated != nullptr; });
}

int64_t Group::NumPoints() const {
  int64_t points = 1;
  for (int64_t extent : extents) points *= extent;
  return points;
}

int64_t Group::NumRows() const {
  int64_t rows = 1;
  for (int32_t dim = 0; dim < num_parallel; ++dim) rows *= extents[dim];
  return rows;
}

bool Group::HasRowsAbove(int64_t elements) const {
  if (!has_reduced) return false;
  int64_t points = 1;
  for (int32_t dim = num_parallel; dim < rank(); ++dim) points *= extents[dim];
  return points > elements;
}

bool Group::UsesReduced(const IndexMap& map) const {
  for (int32_t dim = num_parallel; dim < rank(); ++dim) {
    if (map.Uses(dim)) return true;
  }
  for (const Bound& bound : map.bounds) {
    for (int32_t dim = num_parallel; dim < rank(); ++dim) {
      if (bound.coefficients[dim] != 0) return true;
    }
  }
  return false;
}

int64_t Group::Evaluations(const IndexMap& map) const {
  return UsesReduced(map) ? NumPoints() : NumRows();
}

void Group::SplitDim(int32_t dim, int64_t inner) {
  extents[dim] /= inner;
  extents.insert(extents.begin() + dim + 1, inner);
  if (dim < num_parallel) ++num_parallel;
  for (IndexMap& map : maps) SplitDomainDim(map, dim, inner);
  for (GroupOutput& output : outputs) {
    if (output.is_part) SplitDomainDim(output.address, dim, inner);
  }
}

void Group::AppendReduced(std::span<const int64_t> sizes) {
  int32_t count = static_cast<int32_t>(sizes.size());
  for (int64_t size : sizes) extents.push_back(size);
  for (IndexMap& map : maps) AppendDomainDims(map, count);
  for (GroupOutput& output : outputs) {
    if (output.is_part) AppendDomainDims(output.address, count);
  }
  has_reduced = true;
}

namespace {

// Whether the rows of `map` enumerate a value of these dims, each index at one combination of the
// domain dimensions that it uses; marks those.
bool Enumerates(const Group& group, const IndexMap& map, std::span<const int64_t> dims,
                SmallVector<bool, 8>& used) {
  used = SmallVector<bool, 8>(static_cast<size_t>(group.rank()), false);
  if (!map.IsPlain()) return false;
  for (int32_t row = 0; row < map.rank(); ++row) {
    if (map.offsets[row] != 0) return false;
    SmallVector<int32_t, 8> sources;
    for (int32_t d = 0; d < group.rank(); ++d) {
      if (map.At(row, d) == 0 || group.extents[d] == 1) continue;
      if (used[d] || map.At(row, d) < 0) return false;
      used[d] = true;
      sources.push_back(d);
    }
    std::sort(sources.begin(), sources.end(),
              [&](int32_t a, int32_t b) { return map.At(row, a) < map.At(row, b); });
    int64_t covered = 1;
    for (int32_t d : sources) {
      if (map.At(row, d) != covered) return false;
      covered *= group.extents[d];
    }
    if (covered != dims[row]) return false;
  }
  return true;
}

}  // namespace

Coverage CoverageOf(const Group& group, const IndexMap& map, std::span<const int64_t> dims) {
  SmallVector<bool, 8> used;
  if (!Enumerates(group, map, dims, used)) return Coverage::kNone;
  bool any_reduced = false, all_reduced = true;
  for (int32_t d = 0; d < group.rank(); ++d) {
    if (group.extents[d] == 1) continue;
    if (d < group.num_parallel) {
      if (!used[d]) return Coverage::kNone;
    } else {
      any_reduced |= used[d];
      all_reduced &= used[d];
    }
  }
  if (!group.has_reduced) return Coverage::kPoints;
  if (any_reduced) return all_reduced ? Coverage::kPoints : Coverage::kNone;
  return Coverage::kRows;
}

bool RowsOverReduced(const Group& group, int32_t first, std::span<const int64_t> sizes,
                     std::vector<Dims>& rows) {
  rows.assign(sizes.size(), Dims(static_cast<size_t>(group.rank()), 0));
  int32_t d = group.rank();
  for (size_t i = sizes.size(); i-- > 0;) {
    int64_t covered = 1;
    while (covered != sizes[i]) {
      --d;
      if (d < first) return false;
      if (group.extents[d] == 1) continue;
      rows[i][d] = covered;
      covered *= group.extents[d];
      if (covered == 0 || covered > sizes[i]) return false;
    }
  }
  while (d > first) {
    if (group.extents[--d] != 1) return false;
  }
  return true;
}

bool IsPerRow(const Group& group, const IndexMap& map, std::span<const int64_t> dims,
              int32_t& first, int64_t& count) {
  SmallVector<bool, 8> used;
  count = 0;
  if (group.has_reduced || !Enumerates(group, map, dims, used)) return false;
  first = group.rank();
  while (first > 0 && (!used[first - 1] || group.extents[first - 1] == 1)) --first;
  count = 1;
  for (int32_t d = 0; d < group.rank(); ++d) {
    if (d >= first) {
      count *= group.extents[d];
    } else if (!used[d] && group.extents[d] != 1) {
      count = 0;
      return false;
    }
  }
  return count > 1;
}

ReductionFit FitReduction(const Group& group, const KernelLimits& limits, const IndexMap& map,
                          std::span<const int64_t> dims, std::span<const int64_t> reduced_sizes,
                          int32_t& first_reduced) {
  SmallVector<bool, 8> used;
  if (!Enumerates(group, map, dims, used)) return ReductionFit::kNone;
  for (int64_t extent : group.extents) {
    if (extent == 0) return ReductionFit::kNone;
  }
  std::vector<Dims> rows;
  if (group.has_reduced) {
    for (int32_t d = 0; d < group.rank(); ++d) {
      if (group.extents[d] != 1 && used[d] != (d < group.num_parallel)) return ReductionFit::kNone;
    }
    first_reduced = group.num_parallel;
    return RowsOverReduced(group, first_reduced, reduced_sizes, rows) ? ReductionFit::kExistingDims
                                                                      : ReductionFit::kNone;
  }
  int64_t row_points = 0;
  if (!IsPerRow(group, map, dims, first_reduced, row_points)) {
    if (row_points != 1) return ReductionFit::kNone;
    first_reduced = group.rank();
    return ReductionFit::kNewDims;
  }
  if (row_points > limits.row_elements && group.NumPoints() / row_points <= limits.few_rows) {
    return ReductionFit::kNone;
  }
  return RowsOverReduced(group, first_reduced, reduced_sizes, rows) ? ReductionFit::kLastDims
                                                                    : ReductionFit::kNone;
}

}  // namespace plinth::compiler::lower
