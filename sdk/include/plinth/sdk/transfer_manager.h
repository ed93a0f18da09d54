// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_TRANSFER_MANAGER_H_
#define PLINTH_SDK_TRANSFER_MANAGER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "plinth/sdk/buffer.h"
#include "plinth/sdk/event.h"
#include "plinth/support/named_value.h"

namespace plinth::sdk {

// Fills buffers that were handed out before their data: chunks come in any order. Client has a
// default that works over Client::CreateAliasBuffer. The SDK checks indices and ranges. The
// functions may be called from any thread, also at once.
class AsyncHostToDeviceTransferManager : public internal::Handle {
 public:
  virtual ~AsyncHostToDeviceTransferManager() = default;

  virtual size_t buffer_count() const = 0;
  virtual int64_t buffer_size(size_t index) const = 0;  // Bytes.
  virtual Device* device() const = 0;
  // The buffer, which may still be pending; each can be taken once.
  virtual Expected<std::unique_ptr<Buffer>> RetrieveBuffer(size_t index) = 0;
  // `offset` and `size` in bytes. `data` may be reused when the returned event is ready.
  virtual Expected<Event> TransferData(size_t index, const void* data, int64_t offset, int64_t size,
                                       bool is_last_transfer) = 0;
  // The whole array at once, row-major unless `shape.layout` says otherwise.
  virtual Expected<Event> TransferLiteral(size_t index, const void* data, const Shape& shape) = 0;
  virtual Status SetBufferError(size_t index, Status error) = 0;
  // Ignored by default.
  virtual Status AddMetadata(std::vector<NamedValue> metadata);
};

// The stream that a recv callback fills, from any thread, one at a time; made by a plugin that
// supports send and recv. Sizes in bytes.
class CopyToDeviceStream : public internal::Handle {
 public:
  virtual ~CopyToDeviceStream() = default;
  // Takes over the chunk: its deleter is called exactly once.
  virtual Expected<Event> AddChunk(PJRT_Chunk chunk) = 0;
  virtual int64_t total_bytes() const = 0;
  virtual int64_t granule_size() const = 0;
  virtual int64_t current_bytes() const = 0;
};

// The form of a stream that a callback of the C ABI gets; PJRT_CopyToDeviceStream_Destroy ends it.
PJRT_CopyToDeviceStream* ToC(std::unique_ptr<CopyToDeviceStream> stream);

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_TRANSFER_MANAGER_H_
