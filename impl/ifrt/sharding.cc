// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/sharding.h"

#include <algorithm>

#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

std::string MemoryKindsOf(const Device& device) {
  std::string text;
  for (const Memory& memory : device.memories) {
    text += StrCat(text.empty() ? "" : ", ", memory.kind);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

Expected<Ref<const Sharding>> Sharding::Create(Ref<const Client> client,
                                               std::span<const Device* const> devices,
                                               std::string_view memory_kind,
                                               Partitioning partitioning) {
  if (devices.size() != partitioning.num_shards()) {
    return InvalidArgument("a sharding with ", partitioning.ToString(), " needs ",
                           partitioning.num_shards(), " devices, not ", devices.size());
  }
  Ref<Sharding> made =
      Ref<Sharding>::Adopt(new Sharding(std::move(client), std::move(partitioning)));
  std::vector<bool> seen(made->client_->devices().size(), false);
  for (size_t i = 0; i < devices.size(); ++i) {
    const Device* device = devices[i];
    if (device == nullptr) return InvalidArgument("device ", i, " of a sharding is null");
    if (device->client != made->client_.get()) {
      return InvalidArgument("device ", i, " of a sharding, ", device->Name(),
                             ", is of another client");
    }
    if (seen[device->index]) {
      return InvalidArgument(device->Name(), " is twice in the devices of a sharding");
    }
    seen[device->index] = true;
    if (device->is_addressable) made->addressable_.push_back(i);
    const Memory* memory = device->FindMemory(memory_kind);
    // Nobody here knows what a device of another process and of another kind has.
    const bool is_known = device->is_addressable || !device->memories.empty();
    if (memory == nullptr && !memory_kind.empty() && is_known) {
      return InvalidArgument(device->Name(), " has no memory of kind ", memory_kind, "; it has ",
                             MemoryKindsOf(*device));
    }
    if (memory == nullptr) continue;
    if (made->canonical_memory_kind_.empty()) made->canonical_memory_kind_ = memory->kind;
    if (made->canonical_memory_kind_ != memory->kind) {
      return InvalidArgument("the default memories of the devices of a sharding are of kinds ",
                             made->canonical_memory_kind_, " and ", memory->kind, "; name one");
    }
  }
  made->devices_.assign(devices.begin(), devices.end());
  made->memory_kind_ = memory_kind;
  if (made->canonical_memory_kind_.empty()) made->canonical_memory_kind_ = memory_kind;
  return Ref<const Sharding>(made);
}

Expected<Ref<const Sharding>> Sharding::WithDevices(std::span<const Device* const> devices,
                                                    std::string_view memory_kind) const {
  return Create(client_, devices, memory_kind, partitioning_);
}

Expected<Ref<const Sharding>> Sharding::OfShard(size_t shard) const {
  PLINTH_ASSIGN_OR_RETURN(Partitioning single, Partitioning::Replicated(1));
  return Create(client_, {&devices_[shard], 1}, memory_kind_, std::move(single));
}

std::optional<size_t> Sharding::FindShard(const Device* device) const {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  if (found == devices_.end()) return std::nullopt;
  return static_cast<size_t>(found - devices_.begin());
}

client::Placement Sharding::PlacementOf(size_t shard) const {
  const Device& device = *devices_[shard];
  const Memory* memory = device.FindMemory(memory_kind_);
  if (memory == nullptr) return client::Placement(device.raw);
  return client::Placement(memory->raw);
}

bool Sharding::SamePlaces(const Sharding& a, const Sharding& b) {
  return a.devices_ == b.devices_ && a.canonical_memory_kind_ == b.canonical_memory_kind_;
}

bool operator==(const Sharding& a, const Sharding& b) {
  return &a == &b || (Sharding::SamePlaces(a, b) && a.partitioning_ == b.partitioning_);
}

size_t Sharding::Hash() const {
  size_t hash = partitioning_.Hash();
  for (const Device* device : devices_) hash = hash * 31 + static_cast<size_t>(device->id);
  return hash * 31 + std::hash<std::string>()(canonical_memory_kind_);
}

std::string Sharding::ToString() const {
  std::string text = StrCat(partitioning_.ToString(), ", devices ");
  constexpr size_t kShown = 16;
  for (size_t i = 0; i < devices_.size() && i < kShown; ++i) {
    text += StrCat(i == 0 ? "" : ",", devices_[i]->id);
  }
  if (devices_.size() > kShown) text += ",...";
  if (!canonical_memory_kind_.empty()) text += StrCat(", memory ", canonical_memory_kind_);
  return text;
}

}  // namespace plinth::ifrt
