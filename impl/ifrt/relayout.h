// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_RELAYOUT_H_
#define PLINTH_IMPL_IFRT_RELAYOUT_H_

#include <cstdint>
#include <span>
#include <string>

#include "impl/ifrt/index_domain.h"
#include "impl/ifrt/sharding.h"
#include "plinth/client/buffer.h"
#include "plinth/support/dtype.h"

namespace plinth::ifrt {

// How shards lie on their devices: orders of the dimensions, the one that varies fastest first. An
// empty one is the plugin's choice.

// INVALID_ARGUMENT unless it is empty or names each dimension once.
Status CheckOrder(std::span<const int64_t> minor_to_major, size_t rank);

// As XLA writes it, "{1,0}"; UNIMPLEMENTED where a plugin does not tell.
Expected<std::string> LayoutTextOf(const client::Buffer& buffer, size_t rank);

// Whether the plugin says that it lies so.
bool LiesIn(const client::Buffer& buffer, std::span<const int64_t> minor_to_major);

// The attribute of a result that is to lie so, in a program of StableHLO; not for an empty order.
std::string LayoutAttribute(std::span<const int64_t> minor_to_major);
// The only result of such a function: the type, with the attribute if there is an order.
std::string ResultIn(const std::string& type, std::span<const int64_t> minor_to_major);

// A shard on its device.
struct PlacedShard {
  DType type;
  const Dims& dims;
  const Sharding& sharding;
  size_t index;  // In the devices of `sharding`.
};

// The same contents in another order, in the same place: by a small program where the memory is the
// device's default and the plugin does what the attribute says, else over the host, if it may.
// UNIMPLEMENTED if it may not.
Expected<client::Buffer> LayOut(const client::Buffer& buffer, const PlacedShard& shard,
                                std::span<const int64_t> minor_to_major, bool may_use_host);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_RELAYOUT_H_
