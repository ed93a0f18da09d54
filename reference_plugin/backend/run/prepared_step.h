// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_STEP_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_STEP_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "plinth/support/status.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/backend/run/outcome.h"

namespace plinth::backend {

struct CallContext;  // call_context.h

// What a device works through, where it is not the host. A back end derives its own from it and
// gives it to its own steps.
class DeviceQueue {
 protected:
  ~DeviceQueue() = default;
};

// What a step may use while it runs.
struct RunContext {
  ThreadPool* pool = nullptr;               // may be null: run on the calling thread only
  const std::atomic<bool>* stop = nullptr;  // may be null; long steps poll it and give up
  std::span<std::byte> scratch;             // scratch_bytes() of memory, 64-byte aligned
  int32_t device = 0;                       // the ordinal of the device that the step runs for
  int64_t partition_id = 0, replica_id = 0;
  CallContext* call = nullptr;  // what custom calls ask for; never null for them
  // Null on the host. Else steps only enqueue, and arrays and scratch are memory of the device.
  DeviceQueue* queue = nullptr;
};

// A step that runs in two parts, for loops: Bind finds once where everything lies, RunBound repeats
// the rest, takes little time and cannot fail.
class Bindable {
 public:
  // `slots` has room for num_slots(), `registers` is register_bytes() of memory that nobody else
  // writes during RunBound; what it holds between runs does not matter.
  virtual size_t num_slots() const = 0;
  virtual int64_t register_bytes() const = 0;
  virtual Status Bind(std::span<void* const> operands, std::span<void* const> results,
                      std::byte* registers, std::byte** slots) const = 0;
  virtual void RunBound(std::byte** slots) const = 0;

 protected:
  ~Bindable() = default;
};

// A step made ready when the program is compiled: everything that depends on shapes and types is
// decided. Immutable; any number of threads may run it at once.
class PreparedStep {
 public:
  virtual ~PreparedStep() = default;

  // operands[i] and results[i] point at the first element of the step's dense arrays, which stay
  // where they are until the step is over.
  virtual Outcome Run(std::span<void* const> operands, std::span<void* const> results,
                      const RunContext& context) const = 0;

  // Whether Run enters foreign code, which may wait for whatever it likes: then no thread of the
  // pool may stand in it.
  virtual bool may_wait() const { return false; }

  // Whether the outcome may be that it waits.
  virtual bool may_pause() const { return false; }

  // The step itself, if it can be bound; else null.
  virtual const Bindable* bindable() const { return nullptr; }

  // Memory that Run needs in RunContext::scratch.
  virtual int64_t scratch_bytes() const { return 0; }
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_STEP_H_
