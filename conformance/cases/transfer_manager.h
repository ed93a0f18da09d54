// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_TRANSFER_MANAGER_H_
#define PLINTH_CONFORMANCE_CASES_TRANSFER_MANAGER_H_

#include <cstdint>
#include <vector>

#include "conformance/runner/context.h"
#include "conformance/runner/handle.h"

// Buffers that are filled piece by piece. `manager` is borrowed.
namespace plinth::conformance {

// A manager of arrays of these types and dimensions; their contents are not looked at.
Expected<OwnedManager> NewManager(const Context& context, PJRT_Memory* memory,
                                  const std::vector<HostArray>& arrays);
// Of one buffer of f32[4].
Expected<OwnedManager> NewManagerOfFour(const Context& context, PJRT_Memory* memory);

Expected<OwnedBuffer> RetrieveBuffer(const Context& context,
                                     PJRT_AsyncHostToDeviceTransferManager* manager, int index);

// Transfers `size` bytes to `offset`, and waits until they are no longer read, unless the plugin
// gives no event.
Status TransferBytes(const Context& context, PJRT_AsyncHostToDeviceTransferManager* manager,
                     int index, const void* bytes, int64_t offset, int64_t size, bool is_last);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_TRANSFER_MANAGER_H_
