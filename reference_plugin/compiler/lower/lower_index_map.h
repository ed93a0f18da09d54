// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_INDEX_MAP_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_INDEX_MAP_H_

#include <cstdint>
#include <span>
#include <vector>

#include "plinth/support/small_vector.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/kernel/kernel.h"

// Which element of a value a point of a kernel's domain needs. Movement ops (transpose, slice,
// reshape, ...) disappear in a kernel by changing the maps of what they read.
namespace plinth::compiler::lower {

// A start index known only at run time: scale * clamp(index, 0, maximum) is added to the index of
// dimension `dim`.
struct DynamicTerm {
  int32_t dim = 0;
  const Value* index = nullptr;
  int64_t maximum = 0;
  int64_t scale = 1;
  friend bool operator==(const DynamicTerm&, const DynamicTerm&) = default;
};

// One affine function of the domain point per dimension of the value.
struct IndexMap {
  int32_t domain_rank = 0;
  Dims offsets;                           // per dimension of the value
  SmallVector<int64_t, 16> coefficients;  // [dimension of the value][dimension of the domain]
  // Where one fails, the element does not exist and nobody needs it.
  std::vector<Bound> bounds;
  std::vector<DynamicTerm> dynamic;

  int32_t rank() const { return static_cast<int32_t>(offsets.size()); }
  std::span<const int64_t> Row(int32_t dim) const {
    return {coefficients.data() + dim * domain_rank, static_cast<size_t>(domain_rank)};
  }
  int64_t& At(int32_t dim, int32_t domain_dim) {
    return coefficients[dim * domain_rank + domain_dim];
  }
  int64_t At(int32_t dim, int32_t domain_dim) const {
    return coefficients[dim * domain_rank + domain_dim];
  }
  bool IsPlain() const { return bounds.empty() && dynamic.empty(); }
  bool Uses(int32_t domain_dim) const;
  bool HasDynamic(int32_t dim) const;
};

bool SameMap(const IndexMap& a, const IndexMap& b);

// All indices zero.
IndexMap ZeroMap(int32_t rank, int32_t domain_rank);
// Dimension i of the value is dimension i of the domain.
IndexMap IdentityMap(int32_t rank, int32_t domain_rank);

// Index `scale * (row `dim` of another map) + offset`; zero where `dim` is negative.
struct RowSource {
  int32_t dim = -1;
  int64_t scale = 1;
  int64_t offset = 0;
};
IndexMap SelectRows(const IndexMap& map, std::span<const RowSource> rows);

// Requires 0 <= index of `dim` < extent. Leaves a bound out that holds at every point. False if the
// index is not known before run time.
bool AddBound(IndexMap& map, int32_t dim, int64_t extent, std::span<const int64_t> extents);

// Reads the one entry along `dim` of a value of these dims at every point, not only where there is
// one by the bounds from `own_bounds_from` on.
void ReadEverywhere(IndexMap& map, int32_t dim, size_t own_bounds_from,
                    std::span<const int64_t> dims, std::span<const int64_t> extents);

// The map of operand `operand` of a movement op read through `map`; false where it is not affine.
// Reshape has its own function below.
bool MapThrough(const IndexMap& map, const Op& op, int32_t operand,
                std::span<const int64_t> extents, IndexMap& result);

enum class ReshapeOutcome : uint8_t { kMapped, kNeedsSplit, kNotAffine };
// The same element seen as an array of `to` in place of `from`. kNeedsSplit: it becomes affine when
// the domain's dimension `split_dim` is split so that the inner part has extent `split_inner`.
ReshapeOutcome MapThroughReshape(const IndexMap& map, std::span<const int64_t> from,
                                 std::span<const int64_t> to, std::span<const int64_t> extents,
                                 IndexMap& result, int32_t& split_dim, int64_t& split_inner);

// Drops coefficients of domain dimensions of extent one, so that equal maps look equal.
void DropUnitDims(IndexMap& map, std::span<const int64_t> extents);

// Follows changes of the domain.
void SplitDomainDim(IndexMap& map, int32_t dim, int64_t inner);
void AppendDomainDims(IndexMap& map, int32_t count);

// Where the elements of a dense array lie.
void SetAddress(const IndexMap& map, const Type& type, Access& access);

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_INDEX_MAP_H_
