// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_TRANSFER_MANAGER_H_
#define PLINTH_CLIENT_TRANSFER_MANAGER_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "plinth/client/buffer.h"
#include "plinth/client/event.h"
#include "plinth/client/handle.h"

namespace plinth::client {

// Buffers under construction that the host fills piece by piece (Client::CreateBuffersForTransfer).
// Move-only; buffers not complete when it is destroyed fail. Any thread.
class TransferManager {
 public:
  explicit TransferManager(Handle<PJRT_AsyncHostToDeviceTransferManager> handle)
      : handle_(std::move(handle)) {}

  Expected<size_t> BufferCount() const;
  Expected<size_t> BufferByteSize(int index) const;
  Expected<Device> TargetDevice() const;
  // Hands out buffer `index`, also before its data has arrived.
  Expected<Buffer> RetrieveBuffer(int index);
  // Copies bytes to `offset` of buffer `index`; `data` is read until the event completes.
  Expected<Event> TransferData(int index, const void* data, int64_t offset, int64_t size,
                               bool is_last);
  // Completes the buffer with an error instead of data.
  Status SetBufferError(int index, const Status& error);

 private:
  Handle<PJRT_AsyncHostToDeviceTransferManager> handle_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_TRANSFER_MANAGER_H_
