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
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::cpu {

struct CallContext;  // custom_calls/call_context.h
class SmallKernel;   // tile/small_kernel.h

// What a step may use while it runs.
struct RunContext {
  ThreadPool* pool = nullptr;               // may be null: run on the calling thread only
  const std::atomic<bool>* stop = nullptr;  // may be null; long steps poll it and give up
  std::span<std::byte> scratch;             // scratch_bytes() of memory, 64-byte aligned
  int64_t partition_id = 0, replica_id = 0;
  CallContext* call = nullptr;  // what custom calls ask for; never null for them
};

// A step made ready when the program is compiled: everything that depends on shapes and types is
// decided. Immutable; any number of threads may run it at once.
class PreparedStep {
 public:
  virtual ~PreparedStep() = default;

  // operands[i] and results[i] point at the first element of the step's dense arrays.
  virtual Status Run(std::span<void* const> operands, std::span<void* const> results,
                     const RunContext& context) const = 0;

  // Whether Run enters foreign code, which may wait for whatever it likes: then no thread of the
  // pool may stand in it.
  virtual bool may_wait() const { return false; }

  // Itself, if it is a kernel that can be run in two parts.
  virtual const SmallKernel* AsSmallKernel() const { return nullptr; }

  // Memory that Run needs in RunContext::scratch.
  virtual int64_t scratch_bytes() const { return 0; }
};

// Makes a kKernel step ready (tiles).
Expected<std::unique_ptr<PreparedStep>> PrepareKernel(
    std::shared_ptr<const compiler::Kernel> kernel);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_RUN_PREPARED_STEP_H_
