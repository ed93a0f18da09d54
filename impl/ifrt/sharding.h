// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_IFRT_SHARDING_H_
#define PLINTH_IMPL_IFRT_SHARDING_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/ifrt/client.h"
#include "impl/ifrt/counted.h"
#include "impl/ifrt/partitioning.h"
#include "plinth/client/client.h"

namespace plinth::ifrt {

// Where the shards of an array are, and what they hold: shard i is in `memory_kind` of device i.
// Immutable. Any thread.
class Sharding : public Counted {
 public:
  // `memory_kind` "" means each device's default. INVALID_ARGUMENT for another number of devices
  // than of shards, null, a device twice or of another client, and a memory kind that a device
  // lacks.
  static Expected<Ref<const Sharding>> Create(Ref<const Client> client,
                                              std::span<const Device* const> devices,
                                              std::string_view memory_kind,
                                              Partitioning partitioning);
  // The same partitioning elsewhere. INVALID_ARGUMENT for another number of devices.
  Expected<Ref<const Sharding>> WithDevices(std::span<const Device* const> devices,
                                            std::string_view memory_kind) const;
  // A shard alone.
  Expected<Ref<const Sharding>> OfShard(size_t shard) const;

  const Ref<const Client>& client() const { return client_; }
  const std::vector<const Device*>& devices() const { return devices_; }
  // As given; "" for the default.
  const std::string& memory_kind() const { return memory_kind_; }
  // By its name also where the default was asked for; "" where a plugin knows no memories.
  const std::string& canonical_memory_kind() const { return canonical_memory_kind_; }
  const Partitioning& partitioning() const { return partitioning_; }
  size_t num_shards() const { return devices_.size(); }
  // The shards on devices of this process, in their order.
  const std::vector<size_t>& addressable() const { return addressable_; }
  bool IsFullyAddressable() const { return addressable_.size() == devices_.size(); }
  // The shard on a device.
  std::optional<size_t> FindShard(const Device* device) const;
  // Where the buffer of an addressable shard goes.
  client::Placement PlacementOf(size_t shard) const;

  // Equal devices, memories and partitionings.
  friend bool operator==(const Sharding& a, const Sharding& b);
  // The same devices and memories, whatever the partitioning.
  static bool SamePlaces(const Sharding& a, const Sharding& b);
  size_t Hash() const;
  std::string ToString() const;

 private:
  Sharding(Ref<const Client> client, Partitioning partitioning)
      : client_(std::move(client)), partitioning_(std::move(partitioning)) {}

  Ref<const Client> client_;
  std::vector<const Device*> devices_;
  std::string memory_kind_;
  std::string canonical_memory_kind_;
  Partitioning partitioning_;
  std::vector<size_t> addressable_;
};

}  // namespace plinth::ifrt

#endif  // PLINTH_IMPL_IFRT_SHARDING_H_
