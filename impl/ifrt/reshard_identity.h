// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_RESHARD_IDENTITY_H_
#define PLINTH_IMPL_IFRT_RESHARD_IDENTITY_H_

#include <span>
#include <vector>

#include "impl/ifrt/array.h"

namespace plinth::ifrt {

// The shards of `to` by a program over all devices, compiled once, that returns its argument and
// has both shardings, and asks for the order (relayout.h): the plugin's own partitioner moves the
// elements. UNIMPLEMENTED, with the
// reason, for other devices than the array's, those of other processes, memories other than the
// default, shards of different sizes, and from plugins that do not partition.
Expected<std::vector<Ref<Shard>>> ReshardByIdentity(const Client& client, const Array& array,
                                                    const Sharding& to,
                                                    std::span<const int64_t> minor_to_major);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_RESHARD_IDENTITY_H_
