// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_PARTITIONING_H_
#define PLINTH_IMPL_IFRT_PARTITIONING_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impl/ifrt/index_domain.h"
#include "plinth/support/status.h"

namespace plinth::ifrt {

// Which shard holds which part of an array, without saying where the shards are: a sharding without
// its devices. Immutable; a plain value. Normalized: what means the same is kept the same way.
class Partitioning {
 public:
  enum class Kind {
    kReplicated,  // Every shard holds everything. With one shard: a single device.
    kTiled,       // Dimensions are cut into equal pieces; of an uneven one the last are smaller.
    kConcrete,    // Any boxes, for arrays of one shape.
    kOpaque,      // Nobody knows.
  };
  // A larger number of shards is an error of the caller's.
  static constexpr size_t kMaxShards = 1 << 20;
  // Of boxes that the caller lists, which are compared with each other.
  static constexpr size_t kMaxConcreteShards = 4096;

  // INVALID_ARGUMENT for 0 shards and for more than kMaxShards, here and below.
  static Expected<Partitioning> Replicated(size_t num_shards);
  // `tiles`: into how many pieces each dimension is cut. `tile_of_shard`: which tile each shard
  // holds, counted row-major. Every tile is held, by equally many shards.
  static Expected<Partitioning> Tiled(std::span<const int64_t> tiles,
                                      std::span<const int64_t> tile_of_shard);
  // Boxes that are equal or have nothing in common, and together are the whole array of `dims`.
  static Expected<Partitioning> Concrete(std::span<const int64_t> dims,
                                         std::vector<IndexDomain> domains);
  static Expected<Partitioning> Opaque(size_t num_shards);
  // Nobody knows who has what, but in some program it is this: a serialized OpSharding that means
  // nothing for an array, such as an unreduced one, which cuts dimensions into that many pieces.
  static Expected<Partitioning> OpaqueOf(std::string op_sharding, std::span<const int64_t> tiles,
                                         size_t num_shards);

  Kind kind() const { return kind_; }
  size_t num_shards() const { return num_shards_; }
  bool IsFullyReplicated() const { return kind_ == Kind::kReplicated; }
  // kTiled: pieces of each dimension, and the tile of each shard. kConcrete: the boxes. kOpaque:
  // the pieces, if they are known.
  std::span<const int64_t> tiles() const { return tiles_; }
  std::span<const int64_t> tile_of_shard() const { return tile_of_shard_; }
  std::span<const IndexDomain> domains() const { return domains_; }
  // Of OpaqueOf; else empty.
  const std::string& op_sharding() const { return op_sharding_; }

  // What a shard holds of an array of `dims`. INVALID_ARGUMENT for an array of another rank (tiled)
  // or shape (concrete), FAILED_PRECONDITION for opaque ones.
  Expected<IndexDomain> Domain(std::span<const int64_t> dims, size_t shard) const;
  // Of every shard.
  Expected<std::vector<IndexDomain>> Domains(std::span<const int64_t> dims) const;
  // The shape that all shards have. INVALID_ARGUMENT if they differ.
  Expected<Dims> ShardShape(std::span<const int64_t> dims) const;

  // Whether both put the same elements into the same shards for every array; concrete ones compare
  // equal to concrete ones alone, and opaque ones to none but themselves and those of the same
  // OpSharding.
  friend bool operator==(const Partitioning& a, const Partitioning& b);
  // The same for arrays of one shape, of whatever kinds the two are. False if either does not go
  // with the shape or is opaque.
  static bool SameFor(std::span<const int64_t> dims, const Partitioning& a, const Partitioning& b);
  // Equal for equal ones.
  size_t Hash() const;
  // "replicated", "tiles [2,1]", ...
  std::string ToString() const;

 private:
  Partitioning(Kind kind, size_t num_shards) : kind_(kind), num_shards_(num_shards) {}
  Status CheckShape(std::span<const int64_t> dims) const;

  Kind kind_;
  size_t num_shards_;
  Dims tiles_;
  std::vector<int64_t> tile_of_shard_;
  Dims dims_;  // kConcrete.
  std::vector<IndexDomain> domains_;
  std::string op_sharding_;  // kOpaque.
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_PARTITIONING_H_
