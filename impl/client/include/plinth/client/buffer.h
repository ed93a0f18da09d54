// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_BUFFER_H_
#define PLINTH_CLIENT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plinth/client/device.h"
#include "plinth/client/event.h"
#include "plinth/client/handle.h"
#include "plinth/client/host_array.h"
#include "plinth/client/layout.h"

namespace plinth::client {

class ExternalReference;

// An array in the memory of a device. Move-only; frees its handle and keeps its client alive. Any
// thread may call anything; moving or destroying excludes other uses. Contents may arrive later:
// a reader waits for them, and receives the error of the computation that failed to make them.
class Buffer {
 public:
  explicit Buffer(Handle<PJRT_Buffer> handle) : handle_(std::move(handle)) {}

  // UNIMPLEMENTED for an element type that this library does not know.
  Expected<DType> Type() const;
  Expected<std::vector<int64_t>> Dims() const;
  // Smaller than Dims if a dimension is dynamic.
  Expected<std::vector<int64_t>> UnpaddedDims() const;
  Expected<std::vector<size_t>> DynamicDimensions() const;
  // The layout on the device. The Layouts extension (layouts.h) is the newer way.
  Expected<Layout> DeviceLayout() const;
  Expected<size_t> OnDeviceByteSize() const;
  Expected<class Device> Device() const;
  Expected<class Memory> Memory() const;
  Expected<bool> IsOnCpu() const;

  // Completes when the contents are there or have failed.
  Expected<Event> Ready() const;
  // Blocks until then and returns the outcome.
  Status Await() const;

  // A dense row-major copy, whatever the layout on the device.
  Expected<Future<HostArray>> ToHostAsync() const;
  // The same; blocks until it is there.
  Expected<HostArray> ToHost() const;
  // Copies into memory of the caller with its strides (which must not overlap); blocks until done.
  // INVALID_ARGUMENT if type or shape differ from the buffer's.
  Status ToHost(const MutableHostView& to) const;
  // Starts a dense row-major copy into `size` bytes at `to`, which stay valid until the event
  // completes. The caller knows the rank.
  Expected<Event> CopyToHost(void* to, size_t rank, size_t size) const;
  // `transfer_size` bytes from `offset`, as they lie on the device. `to` stays valid until the
  // event completes. From 0.56.
  Expected<Event> CopyRawToHost(void* to, int64_t offset, int64_t transfer_size) const;

  // A copy on another device, or in another memory, of the same client.
  Expected<Buffer> CopyToDevice(const class Device& device) const;
  Expected<Buffer> CopyToMemory(const class Memory& memory) const;
  // The same bytes as another type and shape. From 0.98; UNIMPLEMENTED for many plugins.
  Expected<Buffer> Bitcast(DType type, std::span<const int64_t> dims,
                           const Layout* layout = nullptr) const;

  // Drops the memory and keeps the handle; work that already uses it finishes.
  Status Delete();
  // True once deleted or donated.
  Expected<bool> IsDeleted() const;

  // The address of the contents. Nothing keeps it valid.
  Expected<uintptr_t> UnsafePointer() const;
  // The address of the contents, which neither move nor go away while the reference lives. This
  // buffer must outlive it.
  Expected<ExternalReference> AddExternalReference() const;

  PJRT_Buffer* get() const { return handle_.get(); }
  const Api& api() const { return handle_.api(); }
  // Keeps its client alive.
  const ClientRef& client() const { return handle_.client(); }

 private:
  Expected<Buffer> Adopt(PJRT_Buffer* buffer, const char* function) const;
  Handle<PJRT_Buffer> handle_;
};

// Keeps the contents of a buffer where they are. Move-only; ends with this object.
class ExternalReference {
 public:
  ExternalReference(Api api, PJRT_Buffer* buffer, void* data)
      : api_(api), buffer_(buffer), data_(data) {}
  ExternalReference(ExternalReference&& other) noexcept
      : api_(other.api_), buffer_(std::exchange(other.buffer_, nullptr)), data_(other.data_) {}
  ExternalReference& operator=(ExternalReference&&) = delete;
  ~ExternalReference();
  void* data() const { return data_; }
  // Gives up the reference without ending it; the buffer it was of.
  PJRT_Buffer* Release() { return std::exchange(buffer_, nullptr); }

 private:
  Api api_;
  PJRT_Buffer* buffer_;
  void* data_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_BUFFER_H_
