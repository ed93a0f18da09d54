// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_CROSS_HOST_H_
#define PLINTH_CLIENT_CROSS_HOST_H_

#include <cstdint>

#include "plinth/client/buffer.h"
#include "plinth/client/client.h"
#include "plinth/client/event.h"

namespace plinth::client {

// Copies between devices of different processes, by the extension CrossHostTransfers in the form of
// 0.81: one process sends, the other receives, and both name the same key, which no other transfer
// under way has. UNIMPLEMENTED, with what is missing, from plugins that lack it.

// Whether the plugin has both functions.
Status CheckCrossHost(const Api& api);
// Completes when the contents have been sent; the buffer stays until then.
Expected<Event> SendAcross(const Client& client, const Buffer& buffer, int to_device_id,
                           int64_t key);
// The contents come later.
Expected<Buffer> ReceiveAcross(const Client& client, const Shape& shape, const class Device& to,
                               int from_device_id, int64_t key);

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_CROSS_HOST_H_
