// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_GATHERING_TRANSFER_MANAGER_H_
#define PLINTH_SDK_SRC_GATHERING_TRANSFER_MANAGER_H_

#include <memory>
#include <vector>

#include "plinth/sdk/client.h"

namespace plinth::sdk::internal {

// A transfer manager for clients that have alias buffers: chunks are gathered on the host, and the
// last one fulfills the alias with a buffer made from them.
Expected<std::unique_ptr<AsyncHostToDeviceTransferManager>> MakeGatheringTransferManager(
    Client& client, std::vector<Shape> shapes, Memory* memory);

}  // namespace plinth::sdk::internal

#endif  // PLINTH_SDK_SRC_GATHERING_TRANSFER_MANAGER_H_
