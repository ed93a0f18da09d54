#ifndef PLINTH_REFERENCE_PLUGIN_CPU_RUNTIME_RUNTIME_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_RUNTIME_RUNTIME_H_

#include <atomic>
#include <memory>

#include "reference_plugin/cpu/runtime/memory_pool.h"
#include "reference_plugin/cpu/runtime/waiting_threads.h"
#include "reference_plugin/cpu/thread_pool.h"

namespace plinth::cpu {

// What the executions of one client share. Running executions keep it alive.
struct Runtime {
  Runtime(int parallelism, int64_t memory_limit)
      : memory(MemoryPool::Create(memory_limit)), threads(parallelism) {
    // The pool's memory outlives its threads, so the hook may use it.
    threads.SetIdleHook(
        [pool = memory.get()] { pool->ReleaseIdle(std::chrono::milliseconds(900)); });
  }

  std::shared_ptr<MemoryPool> memory;
  std::atomic<bool> stop{false};  // set when the client goes: executions give up
  ThreadPool threads;
  WaitingThreads waiting;  // for executions that enter foreign code
};

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_RUNTIME_RUNTIME_H_
