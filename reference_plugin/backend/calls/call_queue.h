// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_CALL_QUEUE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_CALL_QUEUE_H_

#include <cstdint>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/storage.h"
#include "reference_plugin/backend/run/prepared_step.h"

namespace plinth::backend {

// The queue of a device on which handlers of users enqueue by themselves: RunContext::queue of a
// back end with calls that are CallPlace::kPlatform.
class CallQueue : public DeviceQueue {
 public:
  // What handlers call the stream of the run.
  virtual void* stream_of_calls() const = 0;
  // Memory of the device for them; it goes in the stream's order, with its last reference.
  virtual Expected<StoragePtr> AllocateForCalls(int64_t size) = 0;

 protected:
  ~CallQueue() = default;
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_CALLS_CALL_QUEUE_H_
