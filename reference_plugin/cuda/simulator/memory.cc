// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/cuda/simulator/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "reference_plugin/cuda/simulator/address.h"
#include "reference_plugin/cuda/simulator/report.h"

namespace plinth::cuda::simulator {
namespace {

constexpr size_t kZone = 256;              // redzone on each side; also the alignment
constexpr int kNew = 0xff, kFreed = 0xfb;  // NaN of every float, and a large negative number
constexpr int kRedzone = 0xa7;
constexpr size_t kCheckedPoison = 4096;  // bytes at the begin of freed memory

size_t Padded(size_t size) { return (size + kZone - 1) / kZone * kZone; }

bool IsAll(const std::byte* bytes, size_t size, int value) {
  return std::all_of(bytes, bytes + size,
                     [value](std::byte b) { return b == static_cast<std::byte>(value); });
}

}  // namespace

Memory& Memory::Get() {
  static Memory& memory = *new Memory();  // Streams may outlive everything.
  return memory;
}

void Memory::SetCapacity(size_t bytes, size_t quarantine) {
  const std::lock_guard lock(mutex_);
  capacity_ = bytes;
  most_quarantined_ = quarantine;
}
size_t Memory::capacity() const {
  const std::lock_guard lock(mutex_);
  return capacity_;
}
size_t Memory::in_use() const {
  const std::lock_guard lock(mutex_);
  return in_use_;
}

uint64_t Memory::Allocate(size_t size, const User& user) {
  const std::lock_guard lock(mutex_);
  if (size == 0 || size > capacity_ || in_use_ > capacity_ - size) return 0;
  auto* block = static_cast<std::byte*>(std::aligned_alloc(kZone, Padded(size) + 2 * kZone));
  if (block == nullptr) return 0;
  std::memset(block, kRedzone, kZone);
  std::memset(block + kZone, kNew, size);
  std::memset(block + kZone + size, kRedzone, Padded(size) - size + kZone);
  in_use_ += size;
  const uint64_t address = ToDevice(block + kZone);
  allocations_[address] = {size, false, false, user, {}};
  return address;
}

Memory::Allocation* Memory::Find(uint64_t address, uint64_t* begin) {
  address |= kDeviceBit;
  auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return nullptr;
  --after;
  if (address >= after->first + after->second.size) return nullptr;
  if (begin != nullptr) *begin = after->first;
  return &after->second;
}

bool Memory::Contains(uint64_t address, size_t size) const {
  const std::lock_guard lock(mutex_);
  uint64_t begin = 0;
  const Allocation* found = const_cast<Memory*>(this)->Find(address, &begin);
  return found != nullptr && size <= found->size - ((address | kDeviceBit) - begin);
}

plinth_simulator_range Memory::RangeOf(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  uint64_t begin = 0;
  const Allocation* found = const_cast<Memory*>(this)->Find(address, &begin);
  if (found == nullptr) return {0, 0};
  return {reinterpret_cast<uintptr_t>(ToHost(begin)), found->size};
}

std::string Memory::WrongAccess(const std::byte* at, size_t size) const {
  const std::lock_guard lock(mutex_);
  const uint64_t first = ToDevice(at), last = first + size;
  auto next = allocations_.upper_bound(first);
  if (next != allocations_.end() && last > next->first - kZone) {
    return std::to_string(next->first - first) + " bytes before an array of " +
           std::to_string(next->second.size) + " bytes";
  }
  if (next == allocations_.begin()) return "";
  const auto& [begin, allocation] = *std::prev(next);
  const uint64_t end = begin + allocation.size;
  if (last <= end || first >= begin + Padded(allocation.size) + kZone) return "";
  return std::to_string(last - end) + " bytes after an array of " +
         std::to_string(allocation.size) + " bytes";
}

void Memory::Use(uint64_t address, bool writes, const User& user, const Clock& before) {
  std::string problem;
  {
    const std::lock_guard lock(mutex_);
    Allocation* found = Find(address);
    if (found == nullptr) return;
    auto check = [&](const User& earlier, const char* did) {
      if (!problem.empty() || earlier.time <= before.At(earlier.stream)) return;
      if (earlier.stream == user.stream) return;
      problem = user.what + " on stream " + std::to_string(user.stream) + " uses an array of " +
                std::to_string(found->size) + " bytes that " + earlier.what + " on stream " +
                std::to_string(earlier.stream) + " " + did + ", without an event between them";
    };
    if (found->is_freed) problem = user.what + " uses an array that was freed";
    check(found->writer, "wrote");
    if (writes) {
      for (const User& reader : found->readers) check(reader, "read");
      found->writer = user;
      found->readers.clear();
    } else {
      auto same = std::find_if(found->readers.begin(), found->readers.end(),
                               [&](const User& reader) { return reader.stream == user.stream; });
      if (same == found->readers.end()) {
        found->readers.push_back(user);
      } else {
        *same = user;
      }
    }
    if (!problem.empty()) found->was_reported = true;
  }
  if (!problem.empty()) Report(problem);
}

bool Memory::BeginFree(uint64_t address, const User& user, const Clock& before) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(address);
    if (found == allocations_.end() || found->second.is_freed) return false;
  }
  Use(address, /*writes=*/true, user, before);
  const std::lock_guard lock(mutex_);
  Allocation& allocation = allocations_[address];
  allocation.is_freed = true;
  in_use_ -= allocation.size;
  return true;
}

void Memory::EndFree(uint64_t address) {
  std::string problem;
  {
    const std::lock_guard lock(mutex_);
    const auto found = allocations_.find(address);
    if (found == allocations_.end()) return;
    // Its own alone: all of them would make many frees that wait quadratic.
    const std::string where = WrittenAround(address, found->second);
    if (!where.empty()) problem = "what ran before the free " + where;
    const size_t size = found->second.size;
    const bool was_reported = found->second.was_reported;
    allocations_.erase(found);
    if (!was_reported) {
      std::memset(ToHost(address), kFreed, size);
      quarantine_.emplace_back(address, size);
      quarantined_ += size;
    }
    while (quarantined_ > most_quarantined_) {
      const auto [oldest, length] = quarantine_.front();
      quarantine_.pop_front();
      quarantined_ -= length;
      std::free(ToHost(oldest) - kZone);
    }
  }
  if (!problem.empty()) Report(problem);
}

std::string Memory::WrittenAround(uint64_t address, const Allocation& allocation) {
  std::byte* begin = ToHost(address);
  const size_t tail = Padded(allocation.size) - allocation.size + kZone;
  const bool before = IsAll(begin - kZone, kZone, kRedzone);
  const bool after = IsAll(begin + allocation.size, tail, kRedzone);
  if (before && after) return "";
  std::memset(begin - kZone, kRedzone, kZone);
  std::memset(begin + allocation.size, kRedzone, tail);
  return std::string("wrote ") + (before ? "after" : "before") + " an array of " +
         std::to_string(allocation.size) + " bytes";
}

bool Memory::CheckRedzones(const std::string& what) {
  std::vector<std::string> problems;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, allocation] : allocations_) {
      const std::string where = WrittenAround(address, allocation);
      if (!where.empty()) problems.push_back(what + " " + where);
    }
    for (const auto& [address, size] : quarantine_) {
      if (IsAll(ToHost(address), std::min(size, kCheckedPoison), kFreed)) continue;
      problems.push_back(what + " wrote to an array of " + std::to_string(size) +
                         " bytes that was freed");
      std::memset(ToHost(address), kFreed, size);
    }
  }
  for (const std::string& problem : problems) Report(problem);
  return problems.empty();
}

void Memory::ReportLeaks() {
  size_t count = 0, bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [address, allocation] : allocations_) {
      if (allocation.is_freed) continue;
      ++count;
      bytes += allocation.size;
    }
  }
  if (count > 0) {
    Report(std::to_string(count) + " arrays, " + std::to_string(bytes) +
           " bytes, were not freed when the context went");
  }
}

// The bytes stay: streams may still be at work in them.
void Memory::Clear() {
  const std::lock_guard lock(mutex_);
  allocations_.clear();
  in_use_ = 0;
}

}  // namespace plinth::cuda::simulator
