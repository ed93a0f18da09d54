// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/backend/executable/contents_buffer.h"

#include <utility>

namespace plinth::backend {

bool ContentsBuffer::Lock(std::unique_lock<std::mutex>& lock) const {
  lock = std::unique_lock(mutex_, std::try_to_lock);
  if (lock.owns_lock()) return true;
  if (IsFromBeforeFork()) return false;
  lock.lock();
  return true;
}

ContentsPtr ContentsBuffer::contents() {
  std::unique_lock<std::mutex> lock;
  return Lock(lock) ? contents_ : nullptr;
}

ContentsPtr ContentsBuffer::Donate() {
  std::unique_lock<std::mutex> lock;
  if (!Lock(lock)) return nullptr;
  is_deleted_.store(true, std::memory_order_release);
  return std::exchange(contents_, nullptr);
}

void ContentsBuffer::Delete() {
  ContentsPtr contents = Donate();
  // The pool's locks are not for a child of fork(), which keeps what it has.
  if (contents != nullptr && IsFromBeforeFork()) new ContentsPtr(std::move(contents));
}

Status ContentsBuffer::DeletedError(const char* action) const {
  return FailedPrecondition("cannot ", action, " ", sdk::ToString(dtype(), dims()),
                            ": the buffer was deleted or donated");
}

Expected<ContentsPtr> ContentsBuffer::ContentsFor(const char* action) {
  ContentsPtr result = contents();
  if (result == nullptr) return DeletedError(action);
  return result;
}

}  // namespace plinth::backend
