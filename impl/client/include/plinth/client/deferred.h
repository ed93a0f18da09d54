// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_DEFERRED_H_
#define PLINTH_CLIENT_DEFERRED_H_

#include <cstdint>
#include <functional>
#include <utility>

#include "plinth/client/buffer.h"
#include "plinth/client/client.h"
#include "plinth/client/event.h"

namespace plinth::client {

// The caller's promise, for which the plugin waits: answered once, with Set... or Fail. Move-only;
// if it is destroyed unanswered, the answer is CANCELLED: nobody waits for ever. Any thread.
// Keeps its client alive.
template <typename Answer>
class Promise {
 public:
  // `answer` passes the outcome to the plugin and returns its error.
  using Pass = std::function<Status(const Status&, Answer)>;
  explicit Promise(Pass pass) : pass_(std::move(pass)) {}
  Promise(Promise&& other) noexcept : pass_(std::exchange(other.pass_, nullptr)) {}
  Promise& operator=(Promise&& other) noexcept {
    std::swap(pass_, other.pass_);
    return *this;
  }
  ~Promise() {
    if (pass_) (void)Fail(Status(StatusCode::kCancelled, "what was promised never came"));
  }

  // FAILED_PRECONDITION for a second answer.
  Status Set(Answer answer) { return Take(Status(), answer); }
  Status Fail(const Status& error) { return Take(error, Answer()); }

 private:
  Status Take(const Status& outcome, Answer answer) {
    const Pass pass = std::exchange(pass_, nullptr);
    if (!pass) return FailedPrecondition("a promise was answered twice, or moved away");
    return pass(outcome, answer);
  }
  Pass pass_;
};

// A buffer that stands for another one which will exist later. From 0.77.
struct Alias {
  Buffer buffer;
  Promise<const Buffer*> target;  // Set names the other buffer, of the same type and shape.
};
Expected<Alias> CreateAlias(const Client& client, const Shape& shape, const Memory& memory);

// Gives the memory of `source` to a new buffer that becomes ready when the promise is answered.
// From 0.88; UNIMPLEMENTED for many plugins.
struct ControlledDonation {
  Buffer buffer;
  Promise<bool> dependency;  // Set(true): ready.
};
Expected<ControlledDonation> DonateWithControlDependency(const Buffer& source);

// Copies `transfer_size` bytes from `offset`, as they lie on the device, to where the promise says
// later; that memory stays valid until `done` completes. From 0.84.
struct RawCopy {
  Event done;
  Promise<void*> destination;
};
Expected<RawCopy> CopyRawToHostLater(const Buffer& source, int64_t offset, int64_t transfer_size);

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_DEFERRED_H_
