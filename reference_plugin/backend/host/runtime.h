// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_RUNTIME_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_RUNTIME_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/backend/host/lane_queue.h"
#include "reference_plugin/backend/host/memory_pool.h"
#include "reference_plugin/backend/host/thread_pool.h"
#include "reference_plugin/backend/host/waiting_threads.h"

namespace plinth::backend {

// What the executions of one client share. Running executions keep it alive.
struct Runtime {
  Runtime(int parallelism, int64_t memory_limit, int num_devices = 1,
          int64_t device_memory_limit = 0)
      : memory(MemoryPool::Create(memory_limit, nullptr, std::chrono::seconds(1), num_devices,
                                  device_memory_limit)),
        threads(parallelism) {
    threads.SetIdleHook(IdleHook(memory));
    memory->SetReminder(threads.IdleReminder());
  }

  // What threads that have nothing to do call. They may outlive the runtime, and so the memory.
  static std::function<void()> IdleHook(const std::weak_ptr<MemoryPool>& memory) {
    return [memory] {
      if (const std::shared_ptr<MemoryPool> pool = memory.lock()) {
        pool->ReleaseIdle(std::chrono::milliseconds(900));
      }
    };
  }

  // On a thread of `threads`: runs code of others, which may block and wait for programs: here, if
  // a worker besides this one stays for programs, else on a thread of `callbacks`.
  void RunForeign(std::function<void()> code) {
    const bool has_room = foreign_on_workers.fetch_add(1) + 1 < threads.parallelism();
    if (has_room) code();
    foreign_on_workers.fetch_sub(1);
    if (!has_room) callbacks.Enqueue(std::move(code));
  }

  std::shared_ptr<MemoryPool> memory;
  Subnormals subnormals = Subnormals::kKept;  // by programs; set before any runs
  std::atomic<bool> stop{false};              // set when the client goes: executions give up
  ThreadPool threads;
  LaneQueue lanes{threads};                // of launches, for `threads`
  std::atomic<uint64_t> num_launches{0};   // so far: their order
  WaitingThreads waiting;                  // for executions that enter foreign code
  std::atomic<int> foreign_on_workers{0};  // pieces of foreign code on threads of `threads`
  WaitingThreads callbacks;                // for foreign code that `threads` and `waiting` owe
};

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_RUNTIME_H_
