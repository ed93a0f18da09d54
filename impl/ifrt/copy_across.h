// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_COPY_ACROSS_H_
#define PLINTH_IMPL_IFRT_COPY_ACROSS_H_

#include <cstdint>

#include "impl/ifrt/array.h"

namespace plinth::ifrt {

// One shard from a device of this process to one of another, or back, by the plugin's extension
// CrossHostTransfers. Both processes name the same key.
struct Crossing {
  const Device* from = nullptr;
  const Device* to = nullptr;
  int64_t key = 0;
};

// Starts to send it; an error that the shard has goes along, where the plugin has buffers for that.
Status SendShard(const Ref<const Client>& client, const Ref<Shard>& shard, const Shape& shape,
                 const Crossing& crossing);
// The shard, in `place` of the target device; its contents or their error come later.
Ref<Shard> ReceiveShard(const Client& client, const Shape& shape, const Crossing& crossing,
                        const client::Placement& place);

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_COPY_ACROSS_H_
