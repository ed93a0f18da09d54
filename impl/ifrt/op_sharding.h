// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_OP_SHARDING_H_
#define PLINTH_IMPL_IFRT_OP_SHARDING_H_

#include <string>
#include <string_view>

#include "impl/ifrt/partitioning.h"

namespace plinth::ifrt {

// XLA's OpSharding: as the Shardings extension of PJRT and jax.export write it. The ids in it count
// the shards. `bytes`: serialized. INVALID_ARGUMENT for bytes that contradict themselves or the
// number of shards; UNIMPLEMENTED, with the reason, for manual, unreduced and unknown shardings,
// for tuples, and for arrays that only one of several shards has.
Expected<Partitioning> PartitioningFromOpSharding(std::string_view bytes, size_t num_shards);

// The same for what a plugin tells of a program: where that is UNIMPLEMENTED, opaque ones that keep
// the bytes.
Expected<Partitioning> PartitioningOfProgram(std::string_view bytes, size_t num_shards);

// The other way, for arrays of `rank` dimensions, with a list of shards. INVALID_ARGUMENT for
// another rank than a tiled one's (SIZE_MAX means its own), UNIMPLEMENTED for concrete and opaque
// ones, but for those that keep their bytes.
Expected<std::string> ToOpSharding(const Partitioning& partitioning, size_t rank);
// The same as HLO writes it in text: "{devices=[2,1]0,1}".
Expected<std::string> ToHloText(const Partitioning& partitioning, size_t rank);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_OP_SHARDING_H_
