// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MEMORY_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference_plugin/cuda/simulator/kernel_words.h"

namespace plinth::cuda::simulator {

// How far each stream has come, by its number: what happened before something.
class Clock {
 public:
  uint64_t At(size_t stream) const { return stream < times_.size() ? times_[stream] : 0; }
  void Set(size_t stream, uint64_t time) {
    if (times_.size() <= stream) times_.resize(stream + 1);
    times_[stream] = time;
  }
  void Merge(const Clock& other) {
    for (size_t s = 0; s < other.times_.size(); ++s) {
      if (other.times_[s] > At(s)) Set(s, other.times_[s]);
    }
  }

 private:
  std::vector<uint64_t> times_;
};

// Work that uses memory, for reports.
struct User {
  size_t stream = 0;
  uint64_t time = 0;
  std::string what;
};

// The device's memory, at addresses of the device (address.h). Every function may be called from
// any thread.
class Memory {
 public:
  static Memory& Get();

  // `quarantine`: bytes of freed memory that are kept, to see writes to it.
  void SetCapacity(size_t bytes, size_t quarantine);
  size_t capacity() const;
  size_t in_use() const;

  // Zero if there is not so much. Poison; the redzones around it tell of stray writes.
  uint64_t Allocate(size_t size, const User& user);
  // When the call is made: nothing may use it any more. False if it is no allocation.
  bool BeginFree(uint64_t address, const User& user, const Clock& before);
  // When the stream gets there: reports what was written around it. An array whose use was reported
  // is neither poisoned nor given back: another stream may be at work in it.
  void EndFree(uint64_t address);

  // Whether [address, address + size) lies in an allocation.
  bool Contains(uint64_t address, size_t size) const;
  // The array in which the address lies, at addresses of the host; of no bytes if in none.
  plinth_simulator_range RangeOf(uint64_t address) const;
  // What is wrong with such an access, as the end of a sentence: it touches what lies around an
  // array. Empty: nothing that is known here.
  std::string WrongAccess(const std::byte* at, size_t size) const;
  // Notes a use, and reports it unless everything it depends on happened before, by `before`.
  void Use(uint64_t address, bool writes, const User& user, const Clock& before);

  // Reports what was written around arrays and after they were freed. `what` ran last.
  bool CheckRedzones(const std::string& what);
  // Reports what was never freed.
  void ReportLeaks();
  // The context is gone.
  void Clear();

 private:
  struct Allocation {
    size_t size = 0;
    bool is_freed = false;
    bool was_reported = false;  // used without order
    User writer;
    std::vector<User> readers;  // since then, one per stream
  };

  Allocation* Find(uint64_t address, uint64_t* begin = nullptr);
  // What was written around an array, as the end of a sentence; mends it. Empty: nothing was.
  static std::string WrittenAround(uint64_t address, const Allocation& allocation);

  mutable std::mutex mutex_;
  size_t capacity_ = size_t{1} << 30, in_use_ = 0;
  std::map<uint64_t, Allocation> allocations_;  // by first address
  std::deque<std::pair<uint64_t, size_t>> quarantine_;
  size_t quarantined_ = 0, most_quarantined_ = 0;
};

}  // namespace plinth::cuda::simulator

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_SIMULATOR_MEMORY_H_
