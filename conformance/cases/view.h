// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_VIEW_H_
#define PLINTH_CONFORMANCE_CASES_VIEW_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "conformance/cases/sweep_places.h"
#include "conformance/runner/context.h"

namespace plinth::conformance {

// Host memory that a view is of, until it is told that nobody uses it.
struct Viewed {
  explicit Viewed(const HostArray& array) : bytes(array.bytes.size() + 64) {
    auto at = reinterpret_cast<uintptr_t>(bytes.data());
    data = bytes.data() + (64 - at % 64) % 64;
    std::copy(array.bytes.begin(), array.bytes.end(), data);
  }
  std::vector<std::byte> bytes;
  std::byte* data;
  std::atomic<int> calls = 0;
};

// A view of memory that it owns; what the plugin says of its end is kept in `viewed`. Null, with a
// finding or UNSUPPORTED, where there is none.
OwnedBuffer MakeView(Context& context, const HostArray& array, const Place& where,
                     std::shared_ptr<Viewed>& viewed);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_VIEW_H_
