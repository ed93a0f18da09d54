// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/copy_across.h"

#include "plinth/client/cross_host.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

Expected<Shard::Buffer> BufferToSend(const Client& client, const Shard& shard, const Shape& shape,
                                     const Device& device) {
  if (shard.error().ok()) return shard.buffer();
  if (device.memories.empty()) return shard.error();
  PLINTH_ASSIGN_OR_RETURN(
      client::Buffer error,
      client.raw().CreateError(shard.error(), shape, device.memories.front().raw));
  return std::make_shared<client::Buffer>(std::move(error));
}

Expected<client::Buffer> Receive(const Client& client, const Shape& shape, const Crossing& crossing,
                                 const client::Placement& place) {
  const Device& device = *crossing.to;
  PLINTH_ASSIGN_OR_RETURN(
      client::Buffer received,
      client::ReceiveAcross(client.raw(), shape, device.raw, crossing.from->id, crossing.key));
  // It is in the default memory.
  if (place.memory == nullptr || device.memories.front().raw.get() == place.memory) return received;
  return received.CopyToMemory(client::Memory(received.api(), place.memory));
}

}  // namespace

Status SendShard(const Ref<const Client>& client, const Ref<Shard>& shard, const Shape& shape,
                 const Crossing& crossing) {
  PLINTH_ASSIGN_OR_RETURN(const Shard::Buffer buffer,
                          BufferToSend(*client, *shard, shape, *crossing.from));
  const Expected<client::Event> sent =
      client::SendAcross(client->raw(), *buffer, crossing.to->id, crossing.key);
  if (!sent.ok()) {
    return sent.status().WithContext(
        StrCat("sending from ", crossing.from->Name(), " to ", crossing.to->Name()));
  }
  // The buffer stays until it has been sent. What fails is the receiver's error.
  return sent->OnReady([client, buffer](const Status&) {});
}

Ref<Shard> ReceiveShard(const Client& client, const Shape& shape, const Crossing& crossing,
                        const client::Placement& place) {
  Expected<client::Buffer> received = Receive(client, shape, crossing, place);
  if (!received.ok()) {
    return MakeRef<Shard>(received.status().WithContext(
        StrCat("receiving from ", crossing.from->Name(), " on ", crossing.to->Name())));
  }
  return MakeRef<Shard>(std::make_shared<client::Buffer>(*std::move(received)));
}

}  // namespace plinth::ifrt
