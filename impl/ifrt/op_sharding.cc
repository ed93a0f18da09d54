// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/op_sharding.h"

#include <algorithm>

#include "plinth/support/str_cat.h"
#include "plinth/support/xla_messages.h"

namespace plinth::ifrt {
namespace {

using messages::OpSharding;
using Kind = OpSharding::Kind;

Status Refused(Kind kind) {
  switch (kind) {
    case Kind::kManual:
      return Unimplemented(
          "a manual sharding says nothing about which elements a shard holds: the program decides "
          "that itself");
    case Kind::kUnreduced:
      return Unimplemented(
          "an unreduced sharding: each shard holds a part of a sum; reduce it in the program");
    case Kind::kUnknown:
      return Unimplemented("an OpSharding of type UNKNOWN says nothing; use an opaque sharding");
    case Kind::kTuple:
      return Unimplemented("an OpSharding of a tuple; give those of its elements");
    default:
      return Unimplemented("an OpSharding of type ", static_cast<int32_t>(kind));
  }
}

// Products of at most `limit`; nothing for factors below 1 and for larger ones.
std::optional<int64_t> ProductWithin(std::span<const int64_t> factors, int64_t limit) {
  int64_t product = 1;
  for (const int64_t factor : factors) {
    if (factor < 1 || factor > limit / product) return std::nullopt;
    product *= factor;
  }
  return product;
}

// 0, 1, 2, ... in a shape, transposed, row-major.
Expected<std::vector<int64_t>> Iota(std::span<const int64_t> dims,
                                    std::span<const int64_t> permutation, int64_t count) {
  if (ProductWithin(dims, count) != count) {
    return InvalidArgument("iota_reshape_dims [", StrJoin(dims, ","), "] are not ", count,
                           " devices");
  }
  const size_t rank = dims.size();
  std::vector<bool> seen(rank, false);
  for (const int64_t dim : permutation) {
    if (permutation.size() != rank || dim < 0 || dim >= static_cast<int64_t>(rank) || seen[dim]) {
      return InvalidArgument("iota_transpose_perm [", StrJoin(permutation, ","),
                             "] is no permutation of ", rank, " dimensions");
    }
    seen[dim] = true;
  }
  if (permutation.size() != rank) {
    return InvalidArgument("iota_transpose_perm has ", permutation.size(), " entries for ", rank,
                           " dimensions");
  }
  Dims strides(rank, 1);
  for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  std::vector<int64_t> ids;
  ids.reserve(static_cast<size_t>(count));
  Dims position(rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t id = 0;
    for (size_t d = 0; d < rank; ++d) id += position[d] * strides[permutation[d]];
    ids.push_back(id);
    for (size_t d = rank; d-- > 0;) {
      if (++position[d] < dims[permutation[d]]) break;
      position[d] = 0;
    }
  }
  return ids;
}

// How many of the tile dimensions are none of the array.
size_t Trailing(const OpSharding& sharding) {
  if (!sharding.last_tile_dims.empty()) return sharding.last_tile_dims.size();
  return sharding.replicate_on_last_tile_dim ? 1 : 0;
}

Expected<Partitioning> FromTiles(const OpSharding& sharding, size_t num_shards) {
  const auto shards = static_cast<int64_t>(num_shards);
  const std::span<const int64_t> all = sharding.tile_dimensions;
  for (const Kind kind : sharding.last_tile_dims) {
    if (kind != Kind::kReplicated) return Refused(kind);
  }
  const size_t trailing = Trailing(sharding);
  if (trailing > all.size()) {
    return InvalidArgument("an OpSharding says that ", trailing,
                           " of its tile dimensions replicate, and has ", all.size());
  }
  if (num_shards > Partitioning::kMaxShards || ProductWithin(all, shards) != shards) {
    return InvalidArgument("an OpSharding with tile dimensions [", StrJoin(all, ","),
                           "] is for "
                           "another number of devices than ",
                           num_shards);
  }
  std::vector<int64_t> ids = sharding.devices;
  if (ids.empty()) {
    if (sharding.iota_reshape_dims.empty()) {
      return InvalidArgument("an OpSharding with tiles names no devices");
    }
    PLINTH_ASSIGN_OR_RETURN(ids,
                            Iota(sharding.iota_reshape_dims, sharding.iota_transpose_perm, shards));
  }
  if (ids.size() != num_shards) {
    return InvalidArgument("an OpSharding lists ", ids.size(), " devices for ", num_shards,
                           " tiles");
  }
  const std::span<const int64_t> tiles = all.first(all.size() - trailing);
  const int64_t num_tiles = *ProductWithin(tiles, shards);
  std::vector<int64_t> tile_of_shard(num_shards, -1);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= shards || tile_of_shard[ids[i]] >= 0) {
      return InvalidArgument("an OpSharding of ", num_shards, " devices lists device ", ids[i],
                             ids[i] < 0 || ids[i] >= shards ? "" : " twice");
    }
    tile_of_shard[ids[i]] = static_cast<int64_t>(i) / (shards / num_tiles);
  }
  return Partitioning::Tiled(tiles, tile_of_shard);
}

struct Tiles {
  std::vector<int64_t> dims;  // With the number of replicas at the end if it is not 1.
  std::vector<int64_t> shards;
  bool has_replicas = false;
};

Expected<Tiles> TilesOf(const Partitioning& partitioning, size_t rank) {
  if (partitioning.kind() != Partitioning::Kind::kTiled) {
    return Unimplemented("OpSharding has no form for ", partitioning.ToString());
  }
  if (rank != SIZE_MAX && partitioning.tiles().size() != rank) {
    return InvalidArgument(partitioning.ToString(), " is a sharding for arrays of ",
                           partitioning.tiles().size(), " dimensions, not of ", rank);
  }
  Tiles tiles;
  tiles.dims.assign(partitioning.tiles().begin(), partitioning.tiles().end());
  const size_t num_shards = partitioning.num_shards();
  for (size_t i = 0; i < num_shards; ++i) tiles.shards.push_back(static_cast<int64_t>(i));
  const std::span<const int64_t> tile_of = partitioning.tile_of_shard();
  std::stable_sort(tiles.shards.begin(), tiles.shards.end(),
                   [&](int64_t a, int64_t b) { return tile_of[a] < tile_of[b]; });
  const int64_t num_tiles = *ProductWithin(partitioning.tiles(), static_cast<int64_t>(num_shards));
  const int64_t replicas = static_cast<int64_t>(num_shards) / num_tiles;
  if (replicas > 1) {
    tiles.dims.push_back(replicas);
    tiles.has_replicas = true;
  }
  return tiles;
}

}  // namespace

Expected<Partitioning> PartitioningFromOpSharding(std::string_view bytes, size_t num_shards) {
  PLINTH_ASSIGN_OR_RETURN(const OpSharding sharding,
                          messages::ReadOpSharding(std::as_bytes(std::span<const char>(bytes))));
  switch (sharding.kind) {
    case Kind::kReplicated:
      return Partitioning::Replicated(num_shards);
    case Kind::kMaximal:
      if (num_shards == 1) return Partitioning::Replicated(1);
      return Unimplemented("an OpSharding puts the array on one of ", num_shards,
                           " devices; use a sharding of that device alone");
    case Kind::kTiled:
      return FromTiles(sharding, num_shards);
    default:
      return Refused(sharding.kind);
  }
}

Expected<Partitioning> PartitioningOfProgram(std::string_view bytes, size_t num_shards) {
  Expected<Partitioning> made = PartitioningFromOpSharding(bytes, num_shards);
  if (made.ok() || made.status().code() != StatusCode::kUnimplemented) return made;
  PLINTH_ASSIGN_OR_RETURN(const OpSharding sharding,
                          messages::ReadOpSharding(std::as_bytes(std::span<const char>(bytes))));
  std::span<const int64_t> tiles;
  if (sharding.kind == Kind::kTiled) {
    tiles = sharding.tile_dimensions;
    tiles = tiles.first(tiles.size() - std::min(tiles.size(), Trailing(sharding)));
    // Shapes are multiplied by them.
    if (!ProductWithin(tiles, static_cast<int64_t>(Partitioning::kMaxShards))) tiles = {};
  }
  return Partitioning::OpaqueOf(std::string(bytes), tiles, num_shards);
}

Expected<std::string> ToOpSharding(const Partitioning& partitioning, size_t rank) {
  if (!partitioning.op_sharding().empty()) return partitioning.op_sharding();
  OpSharding sharding;
  if (!partitioning.IsFullyReplicated()) {
    PLINTH_ASSIGN_OR_RETURN(Tiles tiles, TilesOf(partitioning, rank));
    sharding.kind = Kind::kTiled;
    sharding.tile_dimensions = std::move(tiles.dims);
    sharding.devices = std::move(tiles.shards);
    sharding.replicate_on_last_tile_dim = tiles.has_replicas;
  }
  return messages::WriteOpSharding(sharding);
}

Expected<std::string> ToHloText(const Partitioning& partitioning, size_t rank) {
  if (partitioning.IsFullyReplicated()) return std::string("{replicated}");
  PLINTH_ASSIGN_OR_RETURN(const Tiles tiles, TilesOf(partitioning, rank));
  return StrCat("{devices=[", StrJoin(tiles.dims, ","), "]", StrJoin(tiles.shards, ","),
                tiles.has_replicas ? " last_tile_dim_replicate}" : "}");
}

}  // namespace plinth::ifrt
