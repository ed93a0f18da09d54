// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_HANDLE_TABLE_H_
#define PLINTH_IMPL_LAYERS_TRACE_HANDLE_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "pjrt_c_api.h"
#include "plinth/reflection/reflection.h"

namespace plinth::layers {

// Numbers for handles: from when a handle is first seen until it is destroyed, so that a later
// handle at the same address has another one. Any thread.
class HandleTable {
 public:
  // The number, given now if there is none yet; 0 for null, and for handles of types that no
  // function of the API destroys, unless they live as long as their client. `is_borrowed`: it was
  // handed out by what keeps it.
  uint64_t IdOf(const void* handle, int handle_type, bool is_borrowed = false);
  // The same for what a field holds.
  uint64_t IdOf(const reflection::Field& field, const void* handle) {
    return IdOf(handle, field.target,
                field.direction == reflection::Direction::kOut &&
                    field.owner != reflection::Owner::kCaller);
  }

  // A handle that is about to be destroyed; the table forgets it.
  struct Taken {
    uint64_t id = 0;
    bool counted = false;  // a buffer with known bytes
    uint64_t bytes = 0;
  };
  Taken Take(const void* handle, int handle_type);

  // After the last client: its devices and memories are gone too, and whatever it only lent.
  void ForgetClientOwned();

  // Remembers the bytes of a buffer; false if they were known already.
  bool SetBytes(const PJRT_Buffer* buffer, uint64_t bytes);
  // The bytes of a buffer, which count as freed from now on.
  uint64_t TakeBytes(const PJRT_Buffer* buffer);

  // True once for each buffer.
  bool MarkRead(const PJRT_Buffer* buffer);

 private:
  struct Entry {
    uint64_t id;
    uint64_t bytes = kUnknown;
    bool read = false;
    bool borrowed = false;
  };
  static constexpr uint64_t kUnknown = ~uint64_t{0};
  // More than this many live handles get no number.
  static constexpr size_t kMaxPerStripe = size_t{1} << 17;

  struct alignas(64) Stripe {
    std::mutex mutex;
    std::unordered_map<uint64_t, Entry> entries;
  };

  // An object may have the same address as one of another type that it is the beginning of.
  static uint64_t KeyOf(const void* handle, int handle_type) {
    return reinterpret_cast<uintptr_t>(handle) ^ (static_cast<uint64_t>(handle_type) << 57);
  }
  Stripe& StripeOf(const void* handle) {
    return stripes_[(reinterpret_cast<uintptr_t>(handle) >> 5) % stripes_.size()];
  }
  // Calls `use` with the entry of a buffer if there is one.
  template <typename Use>
  bool WithBuffer(const PJRT_Buffer* buffer, Use use);

  std::atomic<uint64_t> next_id_{1};
  std::array<Stripe, 16> stripes_;
};

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_HANDLE_TABLE_H_
