// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/partitioning.h"

#include <algorithm>

#include "plinth/support/integer_math.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

Status CheckShards(size_t num_shards) {
  if (num_shards == 0) return InvalidArgument("a sharding needs at least one shard");
  if (num_shards > Partitioning::kMaxShards) {
    return InvalidArgument("a sharding has ", num_shards, " shards; at most ",
                           Partitioning::kMaxShards, " are possible");
  }
  return {};
}

void Mix(size_t& hash, int64_t value) {
  hash = (hash ^ static_cast<size_t>(value)) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
}

}  // namespace

Expected<Partitioning> Partitioning::Replicated(size_t num_shards) {
  PLINTH_RETURN_IF_ERROR(CheckShards(num_shards));
  return Partitioning(Kind::kReplicated, num_shards);
}

Expected<Partitioning> Partitioning::Opaque(size_t num_shards) {
  PLINTH_RETURN_IF_ERROR(CheckShards(num_shards));
  return Partitioning(Kind::kOpaque, num_shards);
}

Expected<Partitioning> Partitioning::OpaqueOf(std::string op_sharding,
                                              std::span<const int64_t> tiles, size_t num_shards) {
  PLINTH_ASSIGN_OR_RETURN(Partitioning made, Opaque(num_shards));
  made.op_sharding_ = std::move(op_sharding);
  made.tiles_ = Dims(tiles);
  return made;
}

Expected<Partitioning> Partitioning::Tiled(std::span<const int64_t> tiles,
                                           std::span<const int64_t> tile_of_shard) {
  const size_t num_shards = tile_of_shard.size();
  PLINTH_RETURN_IF_ERROR(CheckShards(num_shards));
  if (tiles.size() > kMaxRank) {
    return InvalidArgument("a sharding of ", tiles.size(), " dimensions; arrays have at most ",
                           kMaxRank);
  }
  int64_t num_tiles = 1;
  for (const int64_t count : tiles) {
    if (count < 1 || num_tiles > static_cast<int64_t>(kMaxShards) / count) {
      return InvalidArgument("tiles [", StrJoin(tiles, ","), "] over ", num_shards,
                             " shards: each number is at least 1, and their product at most the "
                             "number of shards");
    }
    num_tiles *= count;
  }
  const auto shards = static_cast<int64_t>(num_shards);
  if (num_tiles > shards || shards % num_tiles != 0) {
    return InvalidArgument("tiles [", StrJoin(tiles, ","), "] make ", num_tiles, " pieces, but ",
                           num_shards,
                           " shards are to hold them; each piece needs the same number");
  }
  std::vector<int64_t> holders(static_cast<size_t>(num_tiles), 0);
  for (const int64_t tile : tile_of_shard) {
    if (tile < 0 || tile >= num_tiles) {
      return InvalidArgument("a shard holds tile ", tile, " of ", num_tiles);
    }
    if (++holders[static_cast<size_t>(tile)] > shards / num_tiles) {
      return InvalidArgument("tile ", tile, " is held by more than ", shards / num_tiles,
                             " shards, so that another is missing");
    }
  }
  if (num_tiles == 1) return Replicated(num_shards);
  Partitioning result(Kind::kTiled, num_shards);
  result.tiles_ = Dims(tiles);
  result.tile_of_shard_.assign(tile_of_shard.begin(), tile_of_shard.end());
  return result;
}

Expected<Partitioning> Partitioning::Concrete(std::span<const int64_t> dims,
                                              std::vector<IndexDomain> domains) {
  PLINTH_RETURN_IF_ERROR(CheckShards(domains.size()));
  if (domains.size() > kMaxConcreteShards) {
    return InvalidArgument("a list of ", domains.size(), " index domains; at most ",
                           kMaxConcreteShards, " are possible");
  }
  if (dims.size() > kMaxRank) return InvalidArgument("an array of ", dims.size(), " dimensions");
  PLINTH_ASSIGN_OR_RETURN(const int64_t total, plinth::NumElements(dims));
  int64_t covered = 0;
  bool all_whole = true;
  for (size_t i = 0; i < domains.size(); ++i) {
    const IndexDomain& domain = domains[i];
    if (domain.origin.size() != dims.size() || domain.extents.size() != dims.size()) {
      return InvalidArgument("index domain ", i, " has ", domain.origin.size(),
                             " dimensions; the array has ", dims.size());
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] < 0 || domain.origin[d] < 0 || domain.extents[d] < 0 ||
          domain.origin[d] > dims[d] || domain.extents[d] > dims[d] - domain.origin[d]) {
        return InvalidArgument("index domain ", i, " is ", domain.ToString(),
                               ", outside of the array [", StrJoin(dims, ","), "]");
      }
    }
    all_whole &= domain == IndexDomain::Whole(dims);
    bool is_new = true;
    for (size_t j = 0; j < i && is_new; ++j) {
      if (domains[j] == domain) {
        is_new = false;
      } else if (!Intersect(domains[j], domain).IsEmpty()) {
        return InvalidArgument("index domains ", j, " and ", i, ", ", domains[j].ToString(),
                               " and ", domain.ToString(),
                               ", have some elements in common but are not equal");
      }
    }
    if (is_new) covered += domain.NumElements();
  }
  if (covered != total) {
    return InvalidArgument("the index domains hold ", covered, " elements of an array of ", total,
                           ": every element needs a shard");
  }
  if (all_whole) return Replicated(domains.size());
  Partitioning result(Kind::kConcrete, domains.size());
  result.dims_ = Dims(dims);
  result.domains_ = std::move(domains);
  return result;
}

Status Partitioning::CheckShape(std::span<const int64_t> dims) const {
  for (const int64_t extent : dims) {
    if (extent < 0) return InvalidArgument("an array with a dimension of ", extent);
  }
  switch (kind_) {
    case Kind::kReplicated:
      return {};
    case Kind::kTiled:
      if (dims.size() == tiles_.size()) return {};
      return InvalidArgument("a sharding with ", ToString(), " is for arrays of ", tiles_.size(),
                             " dimensions, not for [", StrJoin(dims, ","), "]");
    case Kind::kConcrete:
      if (Dims(dims) == dims_) return {};
      return InvalidArgument("a concrete sharding for arrays of shape [", StrJoin(dims_, ","),
                             "] is not for [", StrJoin(dims, ","), "]");
    case Kind::kOpaque:
      break;
  }
  return FailedPrecondition(
      "an opaque sharding does not know which part of the array each shard holds; give the "
      "sharding when the array or the program is made");
}

Expected<IndexDomain> Partitioning::Domain(std::span<const int64_t> dims, size_t shard) const {
  PLINTH_RETURN_IF_ERROR(CheckShape(dims));
  if (shard >= num_shards_) return InvalidArgument("shard ", shard, " of ", num_shards_);
  if (kind_ == Kind::kReplicated) return IndexDomain::Whole(dims);
  if (kind_ == Kind::kConcrete) return domains_[shard];
  IndexDomain domain = IndexDomain::Whole(dims);
  int64_t tile = tile_of_shard_[shard];
  for (size_t d = dims.size(); d-- > 0;) {
    const int64_t chunk = CeilDiv(dims[d], tiles_[d]);
    domain.origin[d] = std::min(dims[d], tile % tiles_[d] * chunk);
    domain.extents[d] = std::min(chunk, dims[d] - domain.origin[d]);
    tile /= tiles_[d];
  }
  return domain;
}

Expected<std::vector<IndexDomain>> Partitioning::Domains(std::span<const int64_t> dims) const {
  PLINTH_RETURN_IF_ERROR(CheckShape(dims));
  if (kind_ == Kind::kConcrete) return domains_;
  std::vector<IndexDomain> domains;
  domains.reserve(num_shards_);
  for (size_t shard = 0; shard < num_shards_; ++shard) {
    PLINTH_ASSIGN_OR_RETURN(IndexDomain domain, Domain(dims, shard));
    domains.push_back(std::move(domain));
  }
  return domains;
}

Expected<Dims> Partitioning::ShardShape(std::span<const int64_t> dims) const {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<IndexDomain> domains, Domains(dims));
  for (const IndexDomain& domain : domains) {
    if (domain.extents == domains.front().extents) continue;
    return InvalidArgument("the shards of an array [", StrJoin(dims, ","), "] with ", ToString(),
                           " have different shapes, for example [",
                           StrJoin(domains.front().extents, ","), "] and [",
                           StrJoin(domain.extents, ","), "]; ask for their index domains");
  }
  return domains.front().extents;
}

bool operator==(const Partitioning& a, const Partitioning& b) {
  if (a.kind_ == Partitioning::Kind::kOpaque || b.kind_ == Partitioning::Kind::kOpaque) {
    return &a == &b || (a.kind_ == b.kind_ && a.num_shards_ == b.num_shards_ &&
                        !a.op_sharding_.empty() && a.op_sharding_ == b.op_sharding_);
  }
  return a.kind_ == b.kind_ && a.num_shards_ == b.num_shards_ && a.tiles_ == b.tiles_ &&
         a.tile_of_shard_ == b.tile_of_shard_ && a.dims_ == b.dims_ && a.domains_ == b.domains_;
}

bool Partitioning::SameFor(std::span<const int64_t> dims, const Partitioning& a,
                           const Partitioning& b) {
  if (a.num_shards_ != b.num_shards_) return false;
  if (a.kind_ != Kind::kConcrete && a == b) return a.CheckShape(dims).ok();
  const Expected<std::vector<IndexDomain>> of_a = a.Domains(dims);
  const Expected<std::vector<IndexDomain>> of_b = b.Domains(dims);
  return of_a.ok() && of_b.ok() && *of_a == *of_b;
}

size_t Partitioning::Hash() const {
  size_t hash = 0;
  Mix(hash, static_cast<int64_t>(kind_));
  Mix(hash, static_cast<int64_t>(num_shards_));
  for (const int64_t count : tiles_) Mix(hash, count);
  for (const int64_t tile : tile_of_shard_) Mix(hash, tile);
  for (const IndexDomain& domain : domains_) {
    for (const int64_t value : domain.origin) Mix(hash, value);
    for (const int64_t value : domain.extents) Mix(hash, value);
  }
  return hash;
}

std::string Partitioning::ToString() const {
  switch (kind_) {
    case Kind::kReplicated:
      return num_shards_ == 1 ? "a single device" : StrCat("replicated over ", num_shards_);
    case Kind::kTiled:
      return StrCat("tiles [", StrJoin(tiles_, ","), "] over ", num_shards_);
    case Kind::kConcrete:
      return StrCat(num_shards_, " index domains of [", StrJoin(dims_, ","), "]");
    case Kind::kOpaque:
      break;
  }
  return StrCat("opaque over ", num_shards_);
}

}  // namespace plinth::ifrt
