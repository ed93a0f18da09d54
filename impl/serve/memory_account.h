// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_MEMORY_ACCOUNT_H_
#define PLINTH_IMPL_SERVE_MEMORY_ACCOUNT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "plinth/support/status.h"

namespace plinth::serve {

// What a client may keep in the server: bytes of host buffers, arrays, programs and handles. Any
// thread.
class MemoryAccount {
 public:
  explicit MemoryAccount(int64_t limit) : limit_(limit) {}
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t limit() const { return limit_; }

 private:
  friend class Charge;
  std::atomic<int64_t> used_{0};
  const int64_t limit_;
};

// Bytes on an account, given back with this object.
class Charge {
 public:
  Charge() = default;
  // RESOURCE_EXHAUSTED, with both numbers, beyond the limit; `what` is what needs the bytes.
  static Expected<Charge> Take(std::shared_ptr<MemoryAccount> account, int64_t bytes,
                               std::string_view what) {
    const int64_t before = account->used_.fetch_add(bytes, std::memory_order_relaxed);
    if (bytes < 0 || bytes > account->limit_ || before > account->limit_ - bytes) {
      account->used_.fetch_sub(bytes, std::memory_order_relaxed);
      return ResourceExhausted(what, " needs ", bytes, " bytes, and this client has ", before,
                               " of the ", account->limit_,
                               " that it may have; see plinth-serve --memory-per-connection");
    }
    Charge charge;
    charge.account_ = std::move(account);
    charge.bytes_ = bytes;
    return charge;
  }
  Charge(Charge&& other) noexcept
      : account_(std::move(other.account_)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() {
    if (account_) account_->used_.fetch_sub(bytes_, std::memory_order_relaxed);
  }

 private:
  std::shared_ptr<MemoryAccount> account_;
  int64_t bytes_ = 0;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_MEMORY_ACCOUNT_H_
