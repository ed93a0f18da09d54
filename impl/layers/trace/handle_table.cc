// SPDX-License-Identifier: Apache-2.0
#include "impl/layers/trace/handle_table.h"

#include <string>
#include <utility>

#include "plinth/reflection/reflection.h"

namespace plinth::layers {
namespace {

enum class Ownership : uint8_t { kUnknown, kClient, kCaller };

// Whether handles of a type are destroyed by a function, or live as long as the client.
const std::vector<Ownership>& Ownerships() {
  static const std::vector<Ownership>* ownerships = [] {
    std::span<const reflection::Text> handles = reflection::Handles();
    auto* result = new std::vector<Ownership>(handles.size());
    for (size_t i = 0; i < handles.size(); ++i) {
      std::string_view name = handles[i].view();
      // Errors are destroyed through their head too, which no layer sees.
      if (name == "PJRT_Error") continue;
      if (reflection::FindFunction(std::string(name) + "_Destroy") != nullptr) {
        (*result)[i] = Ownership::kCaller;
      } else if (name == "PJRT_Device" || name == "PJRT_Memory" ||
                 name == "PJRT_DeviceDescription" || name == "PJRT_FulfillAliasBufferCallback") {
        (*result)[i] = Ownership::kClient;
      }
    }
    return result;
  }();
  return *ownerships;
}

}  // namespace

uint64_t HandleTable::IdOf(const void* handle, int handle_type, bool is_borrowed) {
  if (handle == nullptr || handle_type < 0 ||
      static_cast<size_t>(handle_type) >= Ownerships().size() ||
      Ownerships()[static_cast<size_t>(handle_type)] == Ownership::kUnknown) {
    return 0;
  }
  Stripe& stripe = StripeOf(handle);
  std::lock_guard lock(stripe.mutex);
  auto found = stripe.entries.find(KeyOf(handle, handle_type));
  if (found != stripe.entries.end()) return found->second.id;
  if (stripe.entries.size() >= kMaxPerStripe) return 0;
  uint64_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
  stripe.entries.emplace(KeyOf(handle, handle_type), Entry{.id = id, .borrowed = is_borrowed});
  return id;
}

HandleTable::Taken HandleTable::Take(const void* handle, int handle_type) {
  Taken taken;
  taken.id = IdOf(handle, handle_type);
  if (taken.id == 0) return taken;
  Stripe& stripe = StripeOf(handle);
  std::lock_guard lock(stripe.mutex);
  auto found = stripe.entries.find(KeyOf(handle, handle_type));
  if (found == stripe.entries.end()) return taken;
  taken.counted = found->second.bytes != kUnknown;
  taken.bytes = taken.counted ? found->second.bytes : 0;
  stripe.entries.erase(found);
  return taken;
}

void HandleTable::ForgetClientOwned() {
  for (Stripe& stripe : stripes_) {
    std::lock_guard lock(stripe.mutex);
    std::erase_if(stripe.entries, [](const auto& entry) {
      return entry.second.borrowed || Ownerships()[entry.first >> 57] == Ownership::kClient;
    });
  }
}

template <typename Use>
bool HandleTable::WithBuffer(const PJRT_Buffer* buffer, Use use) {
  Stripe& stripe = StripeOf(buffer);
  std::lock_guard lock(stripe.mutex);
  auto found = stripe.entries.find(KeyOf(buffer, reflection::handle::kPJRT_Buffer));
  return found != stripe.entries.end() && use(found->second);
}

bool HandleTable::SetBytes(const PJRT_Buffer* buffer, uint64_t bytes) {
  return WithBuffer(buffer, [bytes](Entry& entry) {
    if (entry.bytes != kUnknown) return false;
    entry.bytes = bytes;
    return true;
  });
}

uint64_t HandleTable::TakeBytes(const PJRT_Buffer* buffer) {
  uint64_t bytes = 0;
  WithBuffer(buffer, [&bytes](Entry& entry) {
    if (entry.bytes != kUnknown) bytes = std::exchange(entry.bytes, 0);
    return true;
  });
  return bytes;
}

bool HandleTable::MarkRead(const PJRT_Buffer* buffer) {
  return WithBuffer(buffer, [](Entry& entry) { return !std::exchange(entry.read, true); });
}

}  // namespace plinth::layers
