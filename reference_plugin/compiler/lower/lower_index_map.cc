// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/lower/lower_index_map.h"

#include <algorithm>
#include <limits>

namespace plinth::compiler::lower {
namespace {

bool SameBound(const Bound& a, const Bound& b) {
  return a.offset == b.offset && a.extent == b.extent && a.coefficients == b.coefficients;
}

struct Range {
  int64_t low, high;
};

Range RangeOf(std::span<const int64_t> row, int64_t offset, std::span<const int64_t> extents) {
  Range range{offset, offset};
  for (size_t d = 0; d < row.size(); ++d) {
    int64_t reach = row[d] * std::max<int64_t>(extents[d] - 1, 0);
    (reach < 0 ? range.low : range.high) += reach;
  }
  return range;
}

void SplitColumn(Dims& coefficients, int32_t dim, int64_t inner) {
  int64_t coefficient = coefficients[dim];
  coefficients[dim] = coefficient * inner;
  coefficients.insert(coefficients.begin() + dim + 1, coefficient);
}

}  // namespace

bool IndexMap::Uses(int32_t domain_dim) const {
  for (int32_t dim = 0; dim < rank(); ++dim) {
    if (At(dim, domain_dim) != 0) return true;
  }
  return false;
}

bool IndexMap::HasDynamic(int32_t dim) const {
  return std::any_of(dynamic.begin(), dynamic.end(),
                     [&](const DynamicTerm& term) { return term.dim == dim; });
}

bool SameMap(const IndexMap& a, const IndexMap& b) {
  return a.offsets == b.offsets && a.coefficients == b.coefficients && a.dynamic == b.dynamic &&
         std::equal(a.bounds.begin(), a.bounds.end(), b.bounds.begin(), b.bounds.end(), SameBound);
}

IndexMap ZeroMap(int32_t rank, int32_t domain_rank) {
  IndexMap map;
  map.domain_rank = domain_rank;
  map.offsets.resize(rank, 0);
  map.coefficients.resize(rank * domain_rank, 0);
  return map;
}

IndexMap IdentityMap(int32_t rank, int32_t domain_rank) {
  IndexMap map = ZeroMap(rank, domain_rank);
  for (int32_t dim = 0; dim < rank; ++dim) map.At(dim, dim) = 1;
  return map;
}

IndexMap SelectRows(const IndexMap& map, std::span<const RowSource> rows) {
  IndexMap result = ZeroMap(static_cast<int32_t>(rows.size()), map.domain_rank);
  result.bounds = map.bounds;
  for (int32_t dim = 0; dim < result.rank(); ++dim) {
    const RowSource& row = rows[dim];
    result.offsets[dim] = row.offset;
    if (row.dim < 0) continue;
    result.offsets[dim] += row.scale * map.offsets[row.dim];
    for (int32_t d = 0; d < map.domain_rank; ++d) {
      result.At(dim, d) = row.scale * map.At(row.dim, d);
    }
    for (const DynamicTerm& term : map.dynamic) {
      if (term.dim != row.dim) continue;
      result.dynamic.push_back({dim, term.index, term.maximum, term.scale * row.scale});
    }
  }
  return result;
}

bool AddBound(IndexMap& map, int32_t dim, int64_t extent, std::span<const int64_t> extents) {
  if (map.HasDynamic(dim)) return false;
  Range range = RangeOf(map.Row(dim), map.offsets[dim], extents);
  if (range.low >= 0 && range.high < extent) return true;
  std::span<const int64_t> row = map.Row(dim);
  map.bounds.push_back({Dims(row.begin(), row.end()), map.offsets[dim], extent});
  return true;
}

void ReadEverywhere(IndexMap& map, int32_t dim, size_t own_bounds_from,
                    std::span<const int64_t> dims, std::span<const int64_t> extents) {
  map.offsets[dim] = 0;
  for (int32_t d = 0; d < map.domain_rank; ++d) map.At(dim, d) = 0;
  map.bounds.resize(own_bounds_from);
  if (!map.dynamic.empty()) return;
  for (int32_t row = 0; row < map.rank(); ++row) {
    const Range range = RangeOf(map.Row(row), map.offsets[row], extents);
    if (range.low < 0 || range.high >= dims[row]) return;
  }
  map.bounds.clear();
}

bool MapThrough(const IndexMap& map, const Op& op, int32_t operand,
                std::span<const int64_t> extents, IndexMap& result) {
  const Type& source = op.operands[operand]->type;
  const int32_t rank = static_cast<int32_t>(source.rank());
  SmallVector<RowSource, 6> rows(static_cast<size_t>(rank));
  for (int32_t dim = 0; dim < rank; ++dim) rows[dim].dim = dim;
  switch (op.opcode) {
    case Opcode::kBroadcastInDim: {
      const Dims& dims = op.Get<DimensionsAttributes>().dimensions;
      for (int32_t dim = 0; dim < rank; ++dim) {
        rows[dim].dim = source.dims[dim] == 1 ? -1 : static_cast<int32_t>(dims[dim]);
      }
      break;
    }
    case Opcode::kTranspose: {
      const Dims& permutation = op.Get<DimensionsAttributes>().dimensions;
      for (int32_t dim = 0; dim < rank; ++dim) rows[permutation[dim]].dim = dim;
      break;
    }
    case Opcode::kSlice: {
      const auto& slice = op.Get<SliceAttributes>();
      for (int32_t dim = 0; dim < rank; ++dim) {
        rows[dim] = {dim, slice.stride[dim], slice.start[dim]};
      }
      break;
    }
    case Opcode::kReverse:
      for (int64_t dim : op.Get<DimensionsAttributes>().dimensions) {
        rows[dim] = {static_cast<int32_t>(dim), -1, source.dims[dim] - 1};
      }
      break;
    case Opcode::kPad: {
      const auto& pad = op.Get<PadAttributes>();
      for (int32_t dim = 0; dim < rank; ++dim) {
        if (pad.interior[dim] != 0 && source.dims[dim] > 1) return false;
        rows[dim].offset = -pad.low[dim];
      }
      break;
    }
    case Opcode::kConcatenate: {
      int64_t dim = op.Get<DimensionAttributes>().dimension;
      for (int32_t i = 0; i < operand; ++i) rows[dim].offset -= op.operands[i]->type.dims[dim];
      break;
    }
    case Opcode::kDynamicSlice:
      break;
    default:
      return false;
  }
  result = SelectRows(map, rows);
  if (op.opcode == Opcode::kPad) {
    for (int32_t dim = 0; dim < rank; ++dim) {
      if (op.type().dims[dim] == source.dims[dim] && rows[dim].offset == 0) continue;
      if (!AddBound(result, dim, source.dims[dim], extents)) return false;
    }
  } else if (op.opcode == Opcode::kConcatenate) {
    int32_t dim = static_cast<int32_t>(op.Get<DimensionAttributes>().dimension);
    if (!AddBound(result, dim, source.dims[dim], extents)) return false;
  } else if (op.opcode == Opcode::kDynamicSlice) {
    for (int32_t dim = 0; dim < rank; ++dim) {
      int64_t maximum = source.dims[dim] - op.type().dims[dim];
      if (maximum > 0) result.dynamic.push_back({dim, op.operands[1 + dim], maximum, 1});
    }
  }
  return true;
}

namespace {

// Dimensions of size one come and go; the others stay. Keeps run-time indices.
bool MapThroughUnitDims(const IndexMap& map, std::span<const int64_t> from,
                        std::span<const int64_t> to, IndexMap& result) {
  SmallVector<RowSource, 6> rows(to.size());
  size_t source = 0;
  for (size_t dim = 0; dim < to.size(); ++dim) {
    if (to[dim] == 1) continue;
    while (source < from.size() && from[source] == 1) ++source;
    if (source == from.size() || from[source] != to[dim]) return false;
    rows[dim].dim = static_cast<int32_t>(source++);
  }
  while (source < from.size() && from[source] == 1) ++source;
  if (source != from.size()) return false;
  result = SelectRows(map, rows);
  return true;
}

}  // namespace

ReshapeOutcome MapThroughReshape(const IndexMap& map, std::span<const int64_t> from,
                                 std::span<const int64_t> to, std::span<const int64_t> extents,
                                 IndexMap& result, int32_t& split_dim, int64_t& split_inner) {
  if (MapThroughUnitDims(map, from, to, result)) return ReshapeOutcome::kMapped;
  if (!map.dynamic.empty()) return ReshapeOutcome::kNotAffine;
  if (std::find(to.begin(), to.end(), 0) != to.end()) return ReshapeOutcome::kNotAffine;

  // The linear index, then its digits in the new shape: affine where no digit carries.
  Dims from_strides = DenseStrides(from);
  Dims to_strides = DenseStrides(to);
  int64_t offset = 0;
  Dims linear(static_cast<size_t>(map.domain_rank), 0);
  for (int32_t dim = 0; dim < map.rank(); ++dim) {
    offset += map.offsets[dim] * from_strides[dim];
    for (int32_t d = 0; d < map.domain_rank; ++d) linear[d] += map.At(dim, d) * from_strides[dim];
  }
  if (offset < 0) return ReshapeOutcome::kNotAffine;
  result = ZeroMap(static_cast<int32_t>(to.size()), map.domain_rank);
  result.bounds = map.bounds;
  Dims highest(to.size(), 0);
  for (size_t dim = 0; dim < to.size(); ++dim) {
    result.offsets[dim] = offset / to_strides[dim];
    offset %= to_strides[dim];
    highest[dim] = result.offsets[dim];
  }
  for (int32_t d = 0; d < map.domain_rank; ++d) {
    if (linear[d] == 0 || extents[d] <= 1) continue;
    if (linear[d] < 0) return ReshapeOutcome::kNotAffine;
    size_t dim = 0;
    while (dim < to.size() && (to[dim] == 1 || to_strides[dim] > linear[d])) ++dim;
    if (dim == to.size() || linear[d] % to_strides[dim] != 0) return ReshapeOutcome::kNotAffine;
    int64_t coefficient = linear[d] / to_strides[dim];
    if (coefficient >= to[dim]) return ReshapeOutcome::kNotAffine;
    if (coefficient * (extents[d] - 1) >= to[dim]) {
      int64_t inner = to[dim] / coefficient;
      if (to[dim] % coefficient != 0 || extents[d] % inner != 0 || inner <= 1) {
        return ReshapeOutcome::kNotAffine;
      }
      split_dim = d;
      split_inner = inner;
      return ReshapeOutcome::kNeedsSplit;
    }
    result.At(static_cast<int32_t>(dim), d) = coefficient;
    highest[dim] += coefficient * (extents[d] - 1);
  }
  for (size_t dim = 0; dim < to.size(); ++dim) {
    if (highest[dim] >= to[dim]) return ReshapeOutcome::kNotAffine;
  }
  return ReshapeOutcome::kMapped;
}

void DropUnitDims(IndexMap& map, std::span<const int64_t> extents) {
  for (int32_t d = 0; d < map.domain_rank; ++d) {
    if (extents[d] != 1) continue;
    for (int32_t row = 0; row < map.rank(); ++row) map.At(row, d) = 0;
    for (Bound& bound : map.bounds) bound.coefficients[d] = 0;
  }
}

void SplitDomainDim(IndexMap& map, int32_t dim, int64_t inner) {
  IndexMap result = ZeroMap(map.rank(), map.domain_rank + 1);
  for (int32_t row = 0; row < map.rank(); ++row) {
    for (int32_t d = 0; d < map.domain_rank; ++d) {
      result.At(row, d <= dim ? d : d + 1) = map.At(row, d) * (d == dim ? inner : 1);
    }
    result.At(row, dim + 1) = map.At(row, dim);
  }
  map.domain_rank = result.domain_rank;
  map.coefficients = std::move(result.coefficients);
  for (Bound& bound : map.bounds) SplitColumn(bound.coefficients, dim, inner);
}

void AppendDomainDims(IndexMap& map, int32_t count) {
  IndexMap result = ZeroMap(map.rank(), map.domain_rank + count);
  for (int32_t row = 0; row < map.rank(); ++row) {
    for (int32_t d = 0; d < map.domain_rank; ++d) result.At(row, d) = map.At(row, d);
  }
  map.domain_rank = result.domain_rank;
  map.coefficients = std::move(result.coefficients);
  for (Bound& bound : map.bounds) bound.coefficients.resize(map.domain_rank, 0);
}

void SetAddress(const IndexMap& map, const Type& type, Access& access) {
  const int64_t bytes = ByteSize(type.dtype);
  Dims strides = DenseStrides(type.dims);
  access.dtype = type.dtype;
  access.byte_offset = 0;
  access.byte_strides = Dims(static_cast<size_t>(map.domain_rank), 0);
  for (int32_t dim = 0; dim < map.rank(); ++dim) {
    int64_t stride = strides[dim] * bytes;
    access.byte_offset += map.offsets[dim] * stride;
    for (int32_t d = 0; d < map.domain_rank; ++d) {
      access.byte_strides[d] += map.At(dim, d) * stride;
    }
  }
  access.bounds = map.bounds;
}

}  // namespace plinth::compiler::lower
