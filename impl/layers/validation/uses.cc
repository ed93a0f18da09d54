#include "impl/layers/validation/uses.h"

namespace plinth::layers::validation {
namespace {

// Records are used again when their thread has ended, and never freed.
constinit std::atomic<ThreadUses*> all_threads{nullptr};

}  // namespace

thread_local constinit ThreadUses* ThreadUses::this_thread_ = nullptr;

// Gives the record of a thread back when it ends.
class ThreadUsesOwner {
 public:
  explicit ThreadUsesOwner(ThreadUses* uses) : uses_(uses) {}
  ~ThreadUsesOwner() {
    ThreadUses::this_thread_ = nullptr;
    uses_->PopTo(0);
    uses_->is_taken_.store(false, std::memory_order_release);
  }
  ThreadUses* Get() const { return uses_; }

 private:
  ThreadUses* const uses_;
};

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
  // After the owner's end, in the destructor of another thread_local, the record is borrowed.
  thread_local ThreadUsesOwner owner(Take());
  this_thread_ = owner.Get();
  return *this_thread_;
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
