// SPDX-License-Identifier: Apache-2.0
#include "conformance/windows/frozen/opaque.h"

#include <sys/mman.h>

namespace plinth::windows {
namespace {

constexpr size_t kRangeSize = size_t{64} << 20;
constexpr size_t kStep = 64;

}  // namespace

OpaqueHandles::OpaqueHandles() {
  void* range =
      mmap(nullptr, kRangeSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  range_ = range == MAP_FAILED ? nullptr : static_cast<char*>(range);
}

size_t OpaqueHandles::IndexOf(const void* handle) const {
  const size_t offset = static_cast<size_t>(static_cast<const char*>(handle) - range_);
  const size_t index = offset / kStep;
  if (offset % kStep != 0 || index >= objects_.size() || objects_[index] == nullptr) {
    __builtin_trap();
  }
  return index;
}

void* OpaqueHandles::Wrap(void* object, bool same) {
  if (object == nullptr) return nullptr;
  std::lock_guard lock(mutex_);
  if (same) {
    auto found = handles_.find(object);
    if (found != handles_.end()) return found->second;
  }
  size_t index = objects_.size();
  if (!free_.empty()) {
    index = free_.back();
    free_.pop_back();
    objects_[index] = object;
  } else {
    if (range_ == nullptr || (index + 1) * kStep > kRangeSize) __builtin_trap();
    objects_.push_back(object);
  }
  void* handle = range_ + index * kStep;
  if (same) handles_[object] = handle;
  return handle;
}

void* OpaqueHandles::Unwrap(const void* handle) {
  if (handle == nullptr) return nullptr;
  std::lock_guard lock(mutex_);
  return objects_[IndexOf(handle)];
}

void* OpaqueHandles::Release(const void* handle) {
  if (handle == nullptr) return nullptr;
  std::lock_guard lock(mutex_);
  const size_t index = IndexOf(handle);
  void* object = objects_[index];
  objects_[index] = nullptr;
  free_.push_back(index);
  return object;
}

}  // namespace plinth::windows
