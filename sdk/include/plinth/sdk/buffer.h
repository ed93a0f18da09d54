// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_BUFFER_H_
#define PLINTH_SDK_BUFFER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>

#include "plinth/sdk/device.h"
#include "plinth/sdk/event.h"
#include "plinth/sdk/handle.h"
#include "plinth/sdk/shape.h"

namespace plinth::sdk {

// The destination of a copy to the host. The memory stays valid until the returned event is ready.
struct HostDestination {
  void* data = nullptr;
  // Byte strides of the destination, one per dimension, always filled in.
  std::span<const int64_t> byte_strides = {};
  // True if the strides are those of a dense row-major array, so one block copy does for a
  // row-major source.
  bool is_dense = true;
  int64_t size = 0;  // Bytes that the destination has; the SDK has checked that they suffice.
};

// An array in a memory of a device. An author derives from it; the SDK owns the objects that the
// author's functions return, and hands them to the author's other functions. The virtual functions
// may be called from any thread, also at once. Work that goes on after a function returns must
// keep the array's storage alive by itself (the framework may destroy the Buffer at any time).
// Optional functions answer UNIMPLEMENTED unless their comment says otherwise.
class Buffer : public internal::Handle {
 public:
  // `memory` must be one of the client's. `device` is the device that the framework is told; null
  // for the first of the memory's devices. `layout` null means row-major.
  Buffer(DType dtype, std::span<const int64_t> dims, Memory* memory, Device* device = nullptr,
         std::shared_ptr<const Layout> layout = nullptr);
  virtual ~Buffer();

  DType dtype() const { return dtype_; }
  std::span<const int64_t> dims() const { return dims_; }
  Memory* memory() const { return memory_; }
  Device* device() const { return device_; }
  const std::shared_ptr<const Layout>& layout() const { return layout_; }  // Null: row-major.

  // Ready when the contents are there, with the error if their computation failed. Works after
  // Delete too.
  virtual Event ReadyEvent() = 0;
  // Gives the memory back early (as soon as running work allows). Idempotent. Never fails.
  virtual void Delete() = 0;
  // True after Delete and after a donation.
  virtual bool IsDeleted() = 0;
  // Starts copying the contents to the host; the event becomes ready when the data is there. Waits
  // (asynchronously) for the contents. FAILED_PRECONDITION if the buffer is deleted.
  virtual Expected<Event> CopyToHost(const HostDestination& destination) = 0;

  // Bytes on the device; by default those of the dense array.
  virtual Expected<int64_t> OnDeviceSizeInBytes();
  // Whether HoldMemory gives memory that the host can read.
  virtual bool IsOnCpu() { return false; }
  // The address of the contents (get()), kept valid as long as the returned pointer is held, also
  // past Delete and the buffer's end. FAILED_PRECONDITION if deleted; UNIMPLEMENTED by default.
  // Serves external references, PJRT_Buffer_UnsafePointer and JAX's zero-copy reads.
  virtual Expected<std::shared_ptr<void>> HoldMemory();
  // A copy in another memory of the same client, also when the source is there already.
  virtual Expected<std::unique_ptr<Buffer>> CopyToMemory(Memory* memory);
  // By default a copy to the default memory of `device`.
  virtual Expected<std::unique_ptr<Buffer>> CopyToDevice(Device* device);
  // Copies `size` bytes from `offset` as they lie on the device. The SDK has checked the range
  // against OnDeviceSizeInBytes. UNIMPLEMENTED by default.
  virtual Expected<Event> CopyRawToHost(void* destination, int64_t offset, int64_t size);
  // What is enqueued from now on on a stream of the platform, of whoever made it, comes after the
  // contents are there. Reached only if PluginInfo::supports_streams; UNIMPLEMENTED by default.
  virtual Status WaitUntilReadyOnStream(intptr_t stream);
  // Moves the contents into a new buffer that becomes ready only when `dependency` is; this buffer
  // is deleted. The SDK has seen that it is not, and lets nobody else delete or donate it
  // meanwhile. UNIMPLEMENTED by default.
  virtual Expected<std::unique_ptr<Buffer>> DonateWithControlDependency(Event dependency);
  // The same bytes seen with another type and shape. Reached only if PluginInfo::supports_bitcast.
  virtual Expected<std::unique_ptr<Buffer>> Bitcast(const Shape& shape);

  // Whether a forked child of the process may go on to read this buffer. If so, ReadyEvent,
  // IsDeleted, Delete, IsOnCpu, the sizes, and for contents that are there CopyToHost,
  // CopyRawToHost and HoldMemory have to need no thread and to wait for no lock when
  // IsFromBeforeFork(): its holder may not be there. Nothing may be freed. Otherwise the SDK
  // refuses all of them.
  virtual bool IsReadableAfterFork() const { return false; }

  // For arrays with dynamic dimensions: the real sizes (known once ready) and which dimensions are
  // dynamic. By default dims() and none.
  virtual Expected<Dims> UnpaddedDims();
  virtual std::span<const size_t> DynamicDimensionIndices() { return {}; }

 private:
  friend struct internal::ClientCore;
  friend struct BufferAccess;  // src/buffer_api.cc

  Memory* memory_;
  Device* device_;
  std::shared_ptr<const Layout> layout_;
  DType dtype_;
  std::atomic<uint8_t> claim_{0};        // Who takes the contents away. See src/buffer_access.h.
  std::atomic<uint32_t> references_{1};  // The handle, and each external reference.
  Dims dims_;
  // External references: what HoldMemory gave for the first of them.
  std::mutex hold_mutex_;
  std::shared_ptr<void> hold_;
  std::atomic<void*> held_address_{nullptr};  // hold_.get(), to be read without the lock.
  uint32_t hold_count_ = 0;
  std::unique_ptr<Dims> unpadded_dims_;         // Answer of UnpaddedDims, kept for the C side.
  std::shared_ptr<internal::AliasLink> alias_;  // Of a buffer that CreateAliasBuffer made.
};

// Conversions between a buffer and its C handle; both are the same object.
inline PJRT_Buffer* ToC(Buffer* buffer) { return reinterpret_cast<PJRT_Buffer*>(buffer); }
inline Buffer* FromC(PJRT_Buffer* buffer) { return reinterpret_cast<Buffer*>(buffer); }

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_BUFFER_H_
