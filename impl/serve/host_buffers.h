// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_HOST_BUFFERS_H_
#define PLINTH_IMPL_SERVE_HOST_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "impl/serve/memory_account.h"
#include "plinth/support/status.h"

namespace plinth::serve {

// Bytes of an array on their way between a client and the devices, aligned for both.
class HostBuffer {
 public:
  static Expected<std::shared_ptr<HostBuffer>> Create(const std::shared_ptr<MemoryAccount>& account,
                                                      int64_t size);
  // Over memory of others, which `owner` keeps. It is charged to whoever made it.
  static std::shared_ptr<HostBuffer> Over(const void* data, size_t size,
                                          std::shared_ptr<const void> owner);
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;
  ~HostBuffer();

  // Not to be written if it is over memory of others.
  char* data() const { return data_; }
  size_t size() const { return size_; }
  bool is_own() const { return owner_ == nullptr; }
  // From now on an array stands for its bytes.
  void DropCharge() { charge_ = Charge(); }

 private:
  HostBuffer() = default;
  char* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<const void> owner_;  // Null: the memory is its own.
  Charge charge_;
};
using HostBufferRef = std::shared_ptr<HostBuffer>;

// The host buffers of a session, by handle. They come before or after the request that uses them,
// perhaps over another connection. Any thread.
class HostBuffers {
 public:
  // `changed` is called, without a lock, after a buffer has come or will not come any more.
  HostBuffers(std::shared_ptr<MemoryAccount> account, std::function<void()> changed)
      : account_(std::move(account)), changed_(std::move(changed)) {}

  const std::shared_ptr<MemoryAccount>& account() const { return account_; }

  // INVALID_ARGUMENT if the handle is in use.
  Status Put(uint64_t handle, HostBufferRef buffer);
  // The buffer will not come: who waits for it gets the error.
  void Fail(uint64_t handle, const Status& error);
  // Nothing if it has not come yet.
  std::optional<Expected<HostBufferRef>> Find(uint64_t handle) const;
  // NOT_FOUND if there is none.
  Status Delete(uint64_t handle);
  // The session is over: `changed` is not called any more.
  void Close();

 private:
  struct Entry {
    Expected<HostBufferRef> buffer;
    Charge charge;  // For the handle.
  };
  Status Insert(uint64_t handle, Expected<HostBufferRef> buffer);

  const std::shared_ptr<MemoryAccount> account_;
  mutable std::mutex mutex_;
  std::function<void()> changed_;
  std::unordered_map<uint64_t, Entry> entries_;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_HOST_BUFFERS_H_
