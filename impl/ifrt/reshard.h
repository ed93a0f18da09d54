// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_RESHARD_H_
#define PLINTH_IMPL_IFRT_RESHARD_H_

#include <span>
#include <vector>

#include "impl/ifrt/array.h"

namespace plinth::ifrt {

// How far down the ladder a reshard may go, or which rung it takes.
enum class ReshardRung {
  kAny = 0,       // The first that works.
  kPrograms = 1,  // Whole shards travel from device to device, pieces by small programs.
  kHost = 2,      // Everything goes through windows in host memory.
  kIdentity = 3,  // One program over all devices: ReshardByIdentity.
};

// The same arrays with other shardings: any partitioning, devices and memory. Array i gets sharding
// i, and lies in order i of `orders` (relayout.h), if there are any. Shards that are in their place
// already are shared if `semantics` lets them; each other element is copied once per target, and
// once more where a whole shard is to lie in another order elsewhere. Poisoned inputs poison their
// own output only. Returns when the copies are started; through host memory when they are done.
// INVALID_ARGUMENT for shardings and orders that do not go with the shape, UNIMPLEMENTED for
// elements that only devices of other processes have, for kPrograms where the plugin compiles no
// StableHLO, and for kIdentity where there is no such program.
Expected<std::vector<Ref<Array>>> ReshardArrays(const Ref<const Client>& client,
                                                std::span<Array* const> arrays,
                                                std::span<const Ref<const Sharding>> shardings,
                                                std::span<const std::span<const int64_t>> orders,
                                                CopySemantics semantics, ReshardRung rung);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_RESHARD_H_
