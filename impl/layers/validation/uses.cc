// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/validation/uses.h"

#include <cxxabi.h>

// Of this library; what the compiler itself gives to the function below for a thread_local.
extern "C" void* __dso_handle  // NOLINT(bugprone-reserved-identifier): the name is the ABI's
    __attribute__((visibility("hidden")));

namespace plinth::layers::validation {
namespace {

// Records are used again when their thread has ended, and never freed.
constinit std::atomic<ThreadUses*> all_threads{nullptr};

}  // namespace

thread_local constinit ThreadUses* ThreadUses::this_thread_ = nullptr;

ThreadUses* ThreadUses::Take() {
  for (ThreadUses* uses = all_threads.load(std::memory_order_acquire); uses != nullptr;
       uses = uses->next_) {
    bool is_free = false;
    if (uses->is_taken_.compare_exchange_strong(is_free, true, std::memory_order_acq_rel)) {
      return uses;
    }
  }
  auto* uses = new ThreadUses;
  uses->is_taken_.store(true, std::memory_order_relaxed);
  uses->next_ = all_threads.load(std::memory_order_relaxed);
  while (!all_threads.compare_exchange_weak(uses->next_, uses, std::memory_order_acq_rel)) {
  }
  return uses;
}

ThreadUses& ThreadUses::Begin() {
  this_thread_ = Take();
  // Not by a thread_local with a destructor, of which there is one for each thread: destructors of
  // other ones may make calls after its end, and what they take has to be given back too.
  abi::__cxa_thread_atexit(&GiveBack, this_thread_, &__dso_handle);
  return *this_thread_;
}

void ThreadUses::GiveBack(void* record) {
  auto* uses = static_cast<ThreadUses*>(record);
  this_thread_ = nullptr;
  uses->PopTo(0);
  uses->is_taken_.store(false, std::memory_order_release);
}

int ThreadUses::CountOthers(const Handle* handle, int16_t* function) {
  const ThreadUses* own = &OfThisThread();
  int count = 0;
  for (ThreadUses* uses = all_threads.load(std::memory_order_acquire); uses != nullptr;
       uses = uses->next_) {
    if (uses == own) continue;
    uint32_t depth = uses->depth_.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < depth; ++i) {
      if (uses->uses_[i].handle.load(std::memory_order_relaxed) != handle) continue;
      // Still there, or it has just ended and was seen too late.
      if (uses->depth_.load(std::memory_order_acquire) <= i) continue;
      *function = uses->uses_[i].function.load(std::memory_order_relaxed);
      ++count;
    }
  }
  return count;
}

}  // namespace plinth::layers::validation
