// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_THREAD_POOL_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_THREAD_POOL_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace plinth::backend {

// Threads that share the work of one step and run asynchronous executions. Workers are parked when
// idle and started at first use. Any thread may call any method.
class ThreadPool {
 public:
  // `parallelism` counts the calling thread: 1 starts no worker for ParallelFor.
  explicit ThreadPool(int parallelism);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int parallelism() const;

  // Calls body(begin, end) on disjoint ranges that cover [0, size), each a multiple of `grain`
  // long but the last, on this and other threads; returns when all are done. The body must not
  // block. What it throws first (no memory), the caller gets; the rest is not begun. Nested calls
  // run inline. Which thread runs which range is not fixed: results must not depend on it. All
  // threads keep or flush subnormals as the caller does.
  template <typename Body>
  void ParallelFor(int64_t size, int64_t grain, const Body& body) {
    ParallelForImpl(size, grain, &body, [](const void* context, int64_t begin, int64_t end) {
      (*static_cast<const Body*>(context))(begin, end);
    });
  }

  // Called by a worker when the pool has had nothing to do for a second after work, perhaps still
  // while the pool is destroyed and just afterwards. Set it before anything else is asked of the
  // pool.
  void SetIdleHook(std::function<void()> hook);

  // A function that has the idle hook called though the pool did no work. Any thread may call it;
  // it may outlive the pool.
  std::function<void()> IdleReminder() const;

  // Runs `task`, which may not throw, on some thread of the pool, soon, in no fixed order with
  // other tasks; on this thread if the system gives the pool none.
  void Schedule(std::function<void()> task);

 private:
  using RangeFunction = void (*)(const void* context, int64_t begin, int64_t end);
  void ParallelForImpl(int64_t size, int64_t grain, const void* context, RangeFunction function);

  struct State;
  std::shared_ptr<State> state_;  // shared with the workers
};

// The body on this thread alone when `pool` is null.
template <typename Body>
void ParallelFor(ThreadPool* pool, int64_t size, int64_t grain, const Body& body) {
  if (pool == nullptr || size <= grain) {
    if (size > 0) body(int64_t{0}, size);
  } else {
    pool->ParallelFor(size, grain, body);
  }
}

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_HOST_THREAD_POOL_H_
