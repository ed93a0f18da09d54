// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SDK_SRC_BUFFER_ACCESS_H_
#define PLINTH_SDK_SRC_BUFFER_ACCESS_H_

#include <utility>

#include "plinth/sdk/buffer.h"
#include "sdk/src/client_core.h"

namespace plinth::sdk {

// The SDK's view of what Buffer keeps for it.
struct BufferAccess {
  static void Ref(Buffer& buffer) { buffer.references_.fetch_add(1, std::memory_order_relaxed); }
  // Gives up one reference (the handle's, or an external one); the last one ends the buffer.
  static void Unref(Buffer* buffer) {
    if (buffer->references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    internal::ClientCore* core = buffer->core;
    delete buffer;
    if (core != nullptr) core->Unref();
  }

  // The contents of a buffer are taken away once: by an execution or another donation, which claims
  // them for the time of its call, or by Delete. False if they are taken, or about to be.
  static bool Claim(Buffer& buffer) {
    uint8_t expected = 0;
    if (!buffer.claim_.compare_exchange_strong(expected, kClaimed, std::memory_order_acq_rel)) {
      return false;
    }
    if (!buffer.IsDeleted()) return true;
    Release(buffer);
    return false;
  }
  static bool IsClaimed(const Buffer& buffer) {
    return (buffer.claim_.load(std::memory_order_relaxed) & kClaimed) != 0;
  }
  // The call that had claimed it takes nothing. What others asked for meanwhile is done now.
  static void Release(Buffer& buffer) {
    const uint8_t state =
        buffer.claim_.fetch_and(static_cast<uint8_t>(~kClaimed), std::memory_order_acq_rel);
    if ((state & kDeleted) != 0) buffer.Delete();
  }
  // The call has succeeded: nothing is left.
  static void Finish(Buffer& buffer) {
    if (!buffer.IsDeleted()) buffer.Delete();
  }
  static void Delete(Buffer& buffer) {
    const uint8_t state = buffer.claim_.fetch_or(kDeleted, std::memory_order_acq_rel);
    if ((state & kClaimed) == 0) buffer.Delete();
  }
  static bool IsDeleted(Buffer& buffer) {
    return (buffer.claim_.load(std::memory_order_acquire) & kDeleted) != 0 || buffer.IsDeleted();
  }

  // A thread that is not in this process may have held the lock when the process was forked.
  static Expected<std::unique_lock<std::mutex>> Lock(Buffer& buffer) {
    std::unique_lock lock(buffer.hold_mutex_, std::try_to_lock);
    if (lock.owns_lock()) return lock;
    if (buffer.IsFromBeforeFork()) {
      return FailedPrecondition("another thread was using the buffer at the time of fork()");
    }
    lock.lock();
    return lock;
  }

  // One more external reference: the memory stays where it is until the last one is dropped.
  static Status Hold(Buffer& buffer) {
    if (buffer.held_address_.load(std::memory_order_relaxed) != nullptr) {
      PLINTH_ASSIGN_OR_RETURN(std::unique_lock<std::mutex> lock, Lock(buffer));
      if (buffer.hold_count_ != 0) {
        AddHold(buffer);
        return {};
      }
    }
    // Without the lock: it may wait for the contents, and what makes them may come to this buffer.
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> held, buffer.HoldMemory());
    PLINTH_ASSIGN_OR_RETURN(std::unique_lock<std::mutex> lock, Lock(buffer));
    if (buffer.hold_count_ == 0) {
      buffer.hold_ = std::move(held);
      buffer.held_address_.store(buffer.hold_.get(), std::memory_order_release);
    }
    AddHold(buffer);
    return {};
  }
  static Status Drop(Buffer& buffer) {
    if (buffer.IsFromBeforeFork()) return {};  // A child frees nothing.
    std::shared_ptr<void> dropped;             // Ends after the lock, in case its deleter calls us.
    {
      std::lock_guard lock(buffer.hold_mutex_);
      if (buffer.hold_count_ == 0) {
        return FailedPrecondition(
            "PJRT_Buffer_DecreaseExternalReferenceCount: the buffer has no external reference");
      }
      if (--buffer.hold_count_ == 0) {
        buffer.held_address_.store(nullptr, std::memory_order_relaxed);
        dropped = std::move(buffer.hold_);
      }
    }
    dropped.reset();
    Unref(&buffer);
    return {};
  }
  static Expected<void*> Address(Buffer& buffer) {
    if (void* const held = buffer.held_address_.load(std::memory_order_acquire)) return held;
    PLINTH_ASSIGN_OR_RETURN(std::shared_ptr<void> held, buffer.HoldMemory());
    return held.get();
  }

  // Null but for alias buffers.
  static std::shared_ptr<internal::AliasLink>& Alias(Buffer& buffer) { return buffer.alias_; }

  // The answer of UnpaddedDims at an address that stays.
  static Expected<std::span<const int64_t>> UnpaddedDims(Buffer& buffer) {
    PLINTH_ASSIGN_OR_RETURN(Dims dims, buffer.UnpaddedDims());
    if (dims == buffer.dims_) return buffer.dims();
    PLINTH_ASSIGN_OR_RETURN(std::unique_lock<std::mutex> lock, Lock(buffer));
    if (buffer.unpadded_dims_ == nullptr) {
      buffer.unpadded_dims_ = std::make_unique<Dims>(std::move(dims));
    }
    return std::span<const int64_t>(*buffer.unpadded_dims_);
  }

 private:
  static constexpr uint8_t kClaimed = 1, kDeleted = 2;  // of Buffer::claim_

  // With the lock held.
  static void AddHold(Buffer& buffer) {
    ++buffer.hold_count_;
    buffer.references_.fetch_add(1, std::memory_order_relaxed);
  }
};

}  // namespace plinth::sdk

#endif  // PLINTH_SDK_SRC_BUFFER_ACCESS_H_
