// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_VIEW_H_
#define PLINTH_CONFORMANCE_CASES_VIEW_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "conformance/cases/sweep_places.h"
#include "conformance/runner/context.h"

namespace plinth::conformance {

// Host memory that a view is of, until it is told that nobody uses it.
struct Viewed {
  // Begins so many bytes after a multiple of 64.
  explicit Viewed(const HostArray& array, size_t further = 0)
      : bytes(array.bytes.size() + 64 + further) {
    auto at = reinterpret_cast<uintptr_t>(bytes.data());
    data = bytes.data() + (64 - at % 64) % 64 + further;
    std::copy(array.bytes.begin(), array.bytes.end(), data);
  }
  std::vector<std::byte> bytes;
  std::byte* data;
  // What its owner does when it is told, or nothing.
  std::function<void()> work;
  std::atomic<int> calls = 0;
};

// Waits some seconds until the owner is told.
void WaitForEnd(const Viewed& viewed);

// A view of memory that it owns; what the plugin says of its end is kept in `viewed`. Null, with a
// finding or UNSUPPORTED, where there is none. A plugin may refuse memory that begins `further`
// bytes after a multiple of 64. With `other` it is one more view of the memory of that one.
OwnedBuffer MakeView(Context& context, const HostArray& array, const Place& where,
                     std::shared_ptr<Viewed>& viewed, size_t further = 0,
                     const Viewed* other = nullptr);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_VIEW_H_
