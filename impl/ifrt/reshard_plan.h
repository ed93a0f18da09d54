// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_RESHARD_PLAN_H_
#define PLINTH_IMPL_IFRT_RESHARD_PLAN_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impl/ifrt/index_domain.h"
#include "impl/ifrt/sharding.h"
#include "plinth/support/dtype.h"

namespace plinth::ifrt {

// A box of a source shard that becomes a part of a target shard.
struct ReshardPiece {
  size_t source = 0;        // In Sharding::addressable of the source.
  IndexDomain domain = {};  // In the array.
};

// How one target shard is made of source shards.
struct ReshardTarget {
  IndexDomain domain = {};
  // Disjoint, together the domain. One that is a source shard as it is comes alone. None if the
  // domain is empty.
  std::vector<ReshardPiece> pieces = {};
};

// What each addressable shard of the target needs, from the nearest of equal source shards: the
// same place, else the same device, else one after the other. UNIMPLEMENTED if only devices of
// other processes have an element.
Expected<std::vector<ReshardTarget>> PlanReshard(std::span<const int64_t> dims,
                                                 const Sharding& from, const Sharding& to);

// An argument of a program that joins pieces: of `argument`, which is a box of the array, the part
// `piece`.
struct JoinPart {
  IndexDomain argument = {};
  IndexDomain piece = {};
};

// StableHLO of a program that cuts the parts out of its arguments and puts them together to
// `whole`, which is to lie in that order (relayout.h). Nothing if the parts cannot be put together
// by cutting `whole` across again and again.
std::optional<std::string> JoinProgram(DType type, const IndexDomain& whole,
                                       std::span<const JoinPart> parts,
                                       std::span<const int64_t> minor_to_major = {});

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_RESHARD_PLAN_H_
