// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/host/thread_pool.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "reference_plugin/backend/host/floating_point_modes.h"
#include "reference_plugin/backend/host/processors.h"
#include "reference_plugin/backend/host/work_shares.h"

namespace plinth::backend {
namespace {

using Clock = std::chrono::steady_clock;

// How long a worker looks for work before it parks, and a caller for the last of its helpers: as
// long as it takes to wake a worker on this machine, so that looking costs at most as much as it
// saves. That is 5 to 7 us on a plain machine, where a few fork-joins of a running program are
// bridged (0.1 us each), 30 to 80 us on virtual ones.
constexpr auto kLeastSpinTime = std::chrono::microseconds(20);
constexpr auto kMostSpinTime = std::chrono::microseconds(100);
constexpr auto kWorkerIdleTime = std::chrono::seconds(1);

thread_local bool inside_parallel_body = false;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Whether `is_done()` came true in time, which it cannot while its thread waits for the processor
// that this one keeps busy: after `own_time` whoever waits for this processor goes first.
bool SpinUntil(const auto& is_done, bool alone, Clock::duration own_time,
               Clock::duration spin_time) {
  if (alone) return is_done();
  const auto begin = Clock::now();
  for (;;) {
    for (int i = 0; i < 32; ++i) {
      if (is_done()) return true;
      Pause();
    }
    const auto spun = Clock::now() - begin;
    if (spun >= spin_time) return false;
    if (spun >= own_time) std::this_thread::yield();
  }
}

}  // namespace

struct ThreadPool::State : std::enable_shared_from_this<ThreadPool::State> {
  // One ParallelFor in progress. Lives on the stack of the caller, who removes it from the list and
  // waits for `helpers` to become zero before it returns. A helper does not touch it afterwards.
  struct Job {
    WorkShares shares;
    const void* context;
    void (*function)(const void*, int64_t, int64_t);
    Subnormals subnormals;        // as the caller's
    std::atomic<int> helpers{0};  // written under State::mutex
    std::atomic<bool> failed{false};
    std::exception_ptr
        failure{};  // what a body threw first (no memory); `failed` says who writes it

    void RunChunks(int processor) {
      inside_parallel_body = true;
      try {
        const int share = shares.Claim(processor);
        while (const std::optional<WorkShares::Range> range = shares.Take(share)) {
          function(context, range->begin, range->end);
        }
      } catch (...) {
        if (!failed.exchange(true)) failure = std::current_exception();
        shares.Drop();
      }
      inside_parallel_body = false;
    }
  };

  int parallelism = 1;
  pid_t process = getpid();
  const bool has_one_processor = UsableProcessors() == 1;
  const ProcessorNumbers processors;

  std::mutex mutex;
  std::condition_variable work_arrived;
  std::condition_variable helper_left;
  std::vector<Job*> jobs;
  std::deque<std::function<void()>> tasks;
  std::vector<std::thread> workers;
  std::function<void()> idle_hook;
  bool worked_since_idle = false;
  int parked = 0;
  bool stopping = false;
  // Changes whenever jobs or tasks are added, so that spinning workers need no lock.
  std::atomic<uint64_t> arrivals{0};
  // When parked workers were last called, under the lock; a worker that comes takes it.
  Clock::time_point called{};
  // What a worker takes to come, of late. Written under the lock.
  std::atomic<Clock::duration> wake_time{kLeastSpinTime};

  Clock::duration SpinTime() const { return wake_time.load(std::memory_order_relaxed); }

  // With the lock held, by a worker that was parked.
  void NoteWakeTime() {
    if (called == Clock::time_point()) return;
    const auto took = std::min<Clock::duration>(Clock::now() - called, kMostSpinTime);
    called = {};
    wake_time.store(std::max<Clock::duration>(SpinTime() + (took - SpinTime()) / 8, kLeastSpinTime),
                    std::memory_order_relaxed);
  }

  // As many as the system gives: none means that callers do the work themselves.
  void StartWorkers() {
    try {
      for (int i = 0; i < parallelism; ++i) {
        workers.emplace_back([self = shared_from_this()] { self->Work(); });
      }
    } catch (const std::exception&) {
    }
  }

  // With the lock held.
  void Announce(int wanted) {
    arrivals.fetch_add(1, std::memory_order_release);
    worked_since_idle = true;
    if (workers.empty()) StartWorkers();
    if (parked == 0) return;
    called = Clock::now();
    if (wanted > 1) {
      work_arrived.notify_all();
    } else {
      work_arrived.notify_one();
    }
  }

  Job* FindJob() {
    for (Job* job : jobs) {
      if (job->shares.HasWork()) return job;
    }
    return nullptr;
  }

  void Work() {
    const DefaultFloatingPoint modes;
    std::unique_lock lock(mutex);
    for (;;) {
      if (Job* job = FindJob()) {
        job->helpers.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
        {
          const DefaultFloatingPoint callers_modes(job->subnormals);
          job->RunChunks(processors.Here());
        }
        lock.lock();
        if (job->helpers.fetch_sub(1, std::memory_order_release) == 1) helper_left.notify_all();
      } else if (!tasks.empty()) {
        std::function<void()> task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        {
          const DefaultFloatingPoint tasks_modes;  // Foreign code may change them.
          task();
          task = nullptr;
        }
        lock.lock();
      } else if (stopping) {
        return;
      } else {
        uint64_t seen = arrivals.load(std::memory_order_acquire);
        lock.unlock();
        // Who waits for what was just done has to wake on a processor, and those that look for work
        // keep them all: the system takes none from a thread that had it for a moment. Packed
        // predicates from JAX on two cores of an Emerald Rapids Xeon: 142 us, yielding 66.
        bool arrived = SpinUntil([&] { return arrivals.load(std::memory_order_acquire) != seen; },
                                 has_one_processor, /*own_time=*/{}, SpinTime());
        lock.lock();
        if (arrived || stopping || !tasks.empty() || FindJob() != nullptr) continue;
        Park(lock);
      }
    }
  }

  void Park(std::unique_lock<std::mutex>& lock) {
    ++parked;
    if (idle_hook != nullptr && worked_since_idle) {
      if (work_arrived.wait_for(lock, kWorkerIdleTime) == std::cv_status::timeout &&
          worked_since_idle && !stopping) {
        worked_since_idle = false;
        lock.unlock();
        idle_hook();
        lock.lock();
      }
    } else {
      work_arrived.wait(lock);
    }
    --parked;
    NoteWakeTime();
  }

  // The idle hook shall be called even if nobody worked.
  void ExpectIdle() {
    if (process != getpid()) return;
    std::lock_guard lock(mutex);
    if (stopping || worked_since_idle) return;
    worked_since_idle = true;
    if (workers.empty()) StartWorkers();
    if (parked > 0) work_arrived.notify_one();
  }
};

ThreadPool::ThreadPool(int parallelism) : state_(std::make_shared<State>()) {
  state_->parallelism = std::max(parallelism, 1);
}

ThreadPool::~ThreadPool() {
  // A forked child has none of the threads, and the lock may be held for ever: give the state up.
  if (state_->process != getpid()) {
    new (std::nothrow) std::shared_ptr<State>(std::move(state_));
    return;
  }
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->arrivals.fetch_add(1, std::memory_order_release);
    state_->work_arrived.notify_all();
  }
  // The last reference to the pool may be dropped by one of its own tasks, which cannot wait for
  // its own thread: the workers then finish by themselves, and the last of them frees the state.
  bool is_own_task = std::any_of(
      state_->workers.begin(), state_->workers.end(),
      [](const std::thread& worker) { return worker.get_id() == std::this_thread::get_id(); });
  for (std::thread& worker : state_->workers) {
    if (is_own_task) {
      worker.detach();
    } else {
      worker.join();
    }
  }
}

void ThreadPool::SetIdleHook(std::function<void()> hook) {
  std::lock_guard lock(state_->mutex);
  state_->idle_hook = std::move(hook);
}

std::function<void()> ThreadPool::IdleReminder() const {
  return [state = std::weak_ptr<State>(state_)] {
    if (const std::shared_ptr<State> alive = state.lock()) alive->ExpectIdle();
  };
}

int ThreadPool::parallelism() const { return state_->parallelism; }

void ThreadPool::Schedule(std::function<void()> task) {
  {
    std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    state_->Announce(1);
    if (!state_->workers.empty()) return;
    task = std::move(state_->tasks.back());
    state_->tasks.pop_back();
  }
  task();
}

void ThreadPool::ParallelForImpl(int64_t size, int64_t grain, const void* context,
                                 RangeFunction function) {
  if (size <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (inside_parallel_body || state_->parallelism == 1 || size <= grain) {
    function(context, 0, size);
    return;
  }
  // No more than about eight chunks per thread.
  grain = std::max(grain, size / (16 * state_->parallelism) / grain * grain);
  State::Job job{WorkShares(size, grain, state_->parallelism), context, function,
                 DefaultFloatingPoint::Current()};
  {
    std::lock_guard lock(state_->mutex);
    state_->jobs.push_back(&job);
    state_->Announce(2);
  }
  job.RunChunks(state_->processors.Here());
  auto is_alone = [&] { return job.helpers.load(std::memory_order_acquire) == 0; };
  {
    std::lock_guard lock(state_->mutex);
    state_->jobs.erase(std::find(state_->jobs.begin(), state_->jobs.end(), &job));
  }
  if (!SpinUntil(is_alone, state_->has_one_processor, kLeastSpinTime, state_->SpinTime())) {
    std::unique_lock lock(state_->mutex);
    state_->helper_left.wait(lock, is_alone);
  }
  if (job.failure != nullptr) std::rethrow_exception(job.failure);
}

}  // namespace plinth::backend
