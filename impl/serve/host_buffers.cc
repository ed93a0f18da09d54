// SPDX-License-Identifier: Apache-2.0
#include "impl/serve/host_buffers.h"

#include <sys/mman.h>

#include <cstdlib>
#include <utility>

namespace plinth::serve {
namespace {

constexpr size_t kAlignment = 64;
// From here on whole pages of 2 MiB are asked for: touching 256 MiB costs 128 faults, not 65536.
constexpr size_t kHugePage = size_t{2} << 20;
constexpr int64_t kEntryBytes = 256;

size_t RoundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace

Expected<HostBufferRef> HostBuffer::Create(const std::shared_ptr<MemoryAccount>& account,
                                           int64_t size) {
  if (size < 0) return InvalidArgument("a host buffer of ", size, " bytes");
  PLINTH_ASSIGN_OR_RETURN(Charge charge, Charge::Take(account, size, "a host buffer"));
  HostBufferRef buffer(new HostBuffer);
  const auto bytes = static_cast<size_t>(size);
  const size_t unit = bytes >= 2 * kHugePage ? kHugePage : kAlignment;
  buffer->data_ = static_cast<char*>(std::aligned_alloc(unit, RoundUp(bytes + 1, unit)));
  if (buffer->data_ == nullptr) {
    return ResourceExhausted("a host buffer of ", size, " bytes: no host memory");
  }
  if (unit == kHugePage) madvise(buffer->data_, RoundUp(bytes + 1, unit), MADV_HUGEPAGE);
  buffer->size_ = bytes;
  buffer->charge_ = std::move(charge);
  return buffer;
}

HostBufferRef HostBuffer::Over(const void* data, size_t size, std::shared_ptr<const void> owner) {
  HostBufferRef buffer(new HostBuffer);
  buffer->data_ = const_cast<char*>(static_cast<const char*>(data));
  buffer->size_ = size;
  buffer->owner_ = std::move(owner);
  return buffer;
}

HostBuffer::~HostBuffer() {
  if (owner_ == nullptr) std::free(data_);
}

Status HostBuffers::Insert(uint64_t handle, Expected<HostBufferRef> buffer) {
  PLINTH_ASSIGN_OR_RETURN(Charge charge, Charge::Take(account_, kEntryBytes, "a handle"));
  std::function<void()> changed;
  {
    const std::lock_guard lock(mutex_);
    if (entries_.contains(handle)) {
      return InvalidArgument("host buffer ", handle, " is there already");
    }
    entries_.emplace(handle, Entry{std::move(buffer), std::move(charge)});
    changed = changed_;
  }
  if (changed) changed();
  return {};
}

Status HostBuffers::Put(uint64_t handle, HostBufferRef buffer) {
  return Insert(handle, std::move(buffer));
}

void HostBuffers::Fail(uint64_t handle, const Status& error) {
  // If the handle has a buffer, that stays.
  (void)Insert(handle, error).ok();
}

std::optional<Expected<HostBufferRef>> HostBuffers::Find(uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return std::nullopt;
  return found->second.buffer;
}

Status HostBuffers::Delete(uint64_t handle) {
  std::optional<Entry> gone;  // Freed without the lock.
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(handle);
  if (found == entries_.end()) return NotFound("there is no host buffer ", handle);
  gone.emplace(std::move(found->second));
  entries_.erase(found);
  return {};
}

void HostBuffers::Close() {
  const std::lock_guard lock(mutex_);
  changed_ = nullptr;
}

}  // namespace plinth::serve
