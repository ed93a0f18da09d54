// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_RUNTIME_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_RUNTIME_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "reference_plugin/backend/host/memory_pool.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/backend/host/waiting_threads.h"

namespace plinth::backend {

// What the executions of one client share. Running executions keep it alive.
struct Runtime {
  Runtime(int parallelism, int64_t memory_limit)
      : memory(MemoryPool::Create(memory_limit)), threads(parallelism) {
    threads.SetIdleHook(IdleHook(memory));
  }

  // What threads that have nothing to do call. They may outlive the runtime, and so the memory.
  static std::function<void()> IdleHook(const std::weak_ptr<MemoryPool>& memory) {
    return [memory] {
      if (const std::shared_ptr<MemoryPool> pool = memory.lock()) {
        pool->ReleaseIdle(std::chrono::milliseconds(900));
      }
    };
  }

  std::shared_ptr<MemoryPool> memory;
  std::atomic<bool> stop{false};  // set when the client goes: executions give up
  ThreadPool threads;
  WaitingThreads waiting;                    // for executions that enter foreign code
  std::atomic<int> callbacks_on_workers{0};  // of the framework, on threads of `threads`
  WaitingThreads callbacks;  // for those of the framework that `threads` and `waiting` owe
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_RUNTIME_H_
