// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CLIENT_EVENT_H_
#define PLINTH_CLIENT_EVENT_H_

#include <functional>
#include <utility>

#include "plinth/client/handle.h"

namespace plinth::client {

// Something that completes once, with success or an error. Move-only; frees its handle. Destroying
// a pending event cancels nothing: callbacks still run. Any thread.
class Event {
 public:
  explicit Event(Handle<PJRT_Event> handle) : handle_(std::move(handle)) {}

  // An event that the caller completes with Set. UNIMPLEMENTED for most plugins before 0.89.
  static Expected<Event> Create(const Api& api);
  // Completes an event made by Create, once; OK for success.
  Status Set(const Status& outcome);

  // Blocks until completion and returns the outcome.
  Status Await() const;
  // Whether it has completed, with success or an error.
  Expected<bool> IsReady() const;
  // Calls `callback` once with the outcome: on this thread before OnReady returns if the event is
  // ready, else later on a thread of the plugin, also after this object is gone. If registering
  // fails, that error is returned and `callback` never runs. The callback must not throw.
  Status OnReady(std::function<void(Status)> callback) const;

  PJRT_Event* get() const { return handle_.get(); }

 private:
  Handle<PJRT_Event> handle_;
};

// A value that may be used when an event has completed. Move-only.
template <typename T>
class Future {
 public:
  Future(Event event, T value) : event_(std::move(event)), value_(std::move(value)) {}

  const Event& event() const { return event_; }
  // To be looked at only when the event has completed with success.
  const T& value() const { return value_; }
  Expected<bool> IsReady() const { return event_.IsReady(); }
  // Blocks until completion; the value, or the error of the computation. At most one call: it gives
  // the value away.
  Expected<T> Await() && {
    PLINTH_RETURN_IF_ERROR(event_.Await());
    return std::move(value_);
  }

 private:
  Event event_;
  T value_;
};

}  // namespace plinth::client

#endif  // PLINTH_CLIENT_EVENT_H_
