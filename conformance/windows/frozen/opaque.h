// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_FROZEN_OPAQUE_H_
#define PLINTH_CONFORMANCE_WINDOWS_FROZEN_OPAQUE_H_

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace plinth::windows {

// Handles that nobody can look into: addresses of a range that no access is allowed to. A caller
// that reads the head of an error or memory of a plugin too old to have one dies of it.
// Thread-safe.
class OpaqueHandles {
 public:
  OpaqueHandles();

  // A handle for the object. With `same`, always the same one for an object.
  void* Wrap(void* object, bool same);
  // The object behind a handle; null for null. Ends the process for anything else: a plugin of that
  // time would have read wrong memory.
  void* Unwrap(const void* handle);
  // The same, and the handle is free for another object.
  void* Release(const void* handle);

 private:
  size_t IndexOf(const void* handle) const;

  char* range_;
  std::mutex mutex_;
  std::vector<void*> objects_;
  std::vector<size_t> free_;
  std::unordered_map<void*, void*> handles_;  // of Wrap with `same`
};

}  // namespace plinth::windows

#endif  // PLINTH_CONFORMANCE_WINDOWS_FROZEN_OPAQUE_H_
