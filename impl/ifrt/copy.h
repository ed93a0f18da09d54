// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_COPY_H_
#define PLINTH_IMPL_IFRT_COPY_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impl/ifrt/array.h"

namespace plinth::ifrt {

// One shard in another place, or in the same. Starts the copy and returns; an error that a shard
// has goes along, and that of a copy which cannot be started becomes the error of the new shard.
// Shares the buffer if it is there already and `semantics` lets it; `donation` is told.
Ref<Shard> CopyShard(const Ref<Shard>& shard, const Device& from, const Sharding& to,
                     size_t to_shard, bool is_same_place, CopySemantics semantics,
                     Donation& donation);

// The same partitioning on other devices or in another memory: shard i goes to device i. Without
// devices they stay, without a memory kind that stays ("" is the default one). INVALID_ARGUMENT for
// arrays on different devices or in different memories, and for a wrong number of devices. Shards
// that go to devices of other processes need the plugin's extension CrossHostTransfers, else
// UNIMPLEMENTED; all processes make the same copies in the same order.
Expected<std::vector<Ref<Array>>> CopyArrays(const Ref<const Client>& client,
                                             std::span<Array* const> arrays,
                                             std::optional<std::span<const Device* const>> devices,
                                             std::optional<std::string> memory_kind,
                                             CopySemantics semantics);

// One array out of arrays on single devices: those of the addressable shards, in order; none if
// there is no such shard. INVALID_ARGUMENT for a wrong number, type, shape, device or memory.
Expected<Ref<Array>> AssembleArray(const Ref<const Client>& client, ArraySpec spec,
                                   std::span<Array* const> shards, CopySemantics semantics);

// The addressable shards as arrays of their own, also of opaque shardings.
Expected<std::vector<Ref<Array>>> DisassembleArray(Array& array, CopySemantics semantics);

// One shard of an array that every shard holds whole. INVALID_ARGUMENT for other arrays and for
// those without an addressable shard.
Expected<Ref<Array>> ReplicatedShard(Array& array, CopySemantics semantics);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_COPY_H_
