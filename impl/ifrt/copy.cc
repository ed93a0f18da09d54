// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/copy.h"

#include <algorithm>

#include "impl/ifrt/copy_across.h"
#include "plinth/client/cross_host.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// Over the host: for plugins that copy between no memories. Waits for the contents. Keeps the
// layout if the plugin tells it.
Expected<client::Buffer> CopyOverHost(const client::Client& client, const client::Buffer& buffer,
                                      const client::Placement& to) {
  PLINTH_ASSIGN_OR_RETURN(client::HostArray contents, buffer.ToHost());
  const Expected<client::Layout> layout = buffer.DeviceLayout();
  if (!layout.ok() || layout->IsRowMajor() || !layout->byte_strides.empty()) {
    return client.BufferFromHost(std::move(contents), to);
  }
  return client.BufferFromHost(contents.view(), to, client::HostSemantics::kDuringCall, {},
                               &*layout);
}

Expected<client::Buffer> CopyBuffer(const client::Client& client, const client::Buffer& buffer,
                                    const Device& device, const client::Placement& to,
                                    bool is_same_device) {
  Expected<client::Buffer> copy = Unimplemented("nothing was tried");
  if (to.memory != nullptr) copy = buffer.CopyToMemory(client::Memory(buffer.api(), to.memory));
  if (!copy.ok() && copy.status().code() == StatusCode::kUnimplemented && !is_same_device &&
      (to.memory == nullptr || device.memories.front().raw.get() == to.memory)) {
    copy = buffer.CopyToDevice(device.raw);
  }
  if (copy.ok() || copy.status().code() != StatusCode::kUnimplemented) return copy;
  return CopyOverHost(client, buffer, to);
}

Status CheckSamePlaces(std::span<Array* const> arrays) {
  for (size_t i = 1; i < arrays.size(); ++i) {
    if (!Sharding::SamePlaces(*arrays[0]->sharding(), *arrays[i]->sharding())) {
      return InvalidArgument("arrays 0 and ", i, " of one copy are in different places: ",
                             arrays[0]->sharding()->ToString(), "; ",
                             arrays[i]->sharding()->ToString(), ". Copy them apart");
    }
  }
  return {};
}

// The shard on its device, if that is one of this process.
const Ref<Shard>* AddressableShard(const Array& array, size_t shard) {
  const std::vector<size_t>& here = array.sharding()->addressable();
  const auto found = std::find(here.begin(), here.end(), shard);
  return found == here.end() ? nullptr : &array.shards()[static_cast<size_t>(found - here.begin())];
}

Expected<Shape> ShapeOf(const Array& array, size_t shard) {
  PLINTH_ASSIGN_OR_RETURN(const IndexDomain domain,
                          array.sharding()->partitioning().Domain(array.dims(), shard));
  return Shape{array.type(), {domain.extents.begin(), domain.extents.end()}};
}

bool Crosses(const Sharding& from, const Sharding& to, size_t shard) {
  const Device& source = *from.devices()[shard];
  const Device& target = *to.devices()[shard];
  return source.process_index != target.process_index ||
         source.is_addressable != target.is_addressable;
}

// Whether shards that go from process to process can.
Status CheckCrossings(const Array& array, const Sharding& to) {
  const Sharding& from = *array.sharding();
  for (size_t shard = 0; shard < to.num_shards(); ++shard) {
    if (!Crosses(from, to, shard)) continue;
    const Status can = client::CheckCrossHost(to.client()->raw().api());
    if (!can.ok()) {
      return can.WithContext(StrCat("a copy from ", from.devices()[shard]->Name(), " to ",
                                    to.devices()[shard]->Name(),
                                    ", which different processes drive"));
    }
    PLINTH_RETURN_IF_ERROR(ShapeOf(array, shard).status());
  }
  return {};
}

// For each shard how it goes to another process, if it does. Every process gets the same keys, also
// for shards that are neither here before nor afterwards.
std::vector<Crossing> CrossingsOf(const Client& client, const Sharding& from, const Sharding& to) {
  std::vector<Crossing> crossings(to.num_shards());
  for (size_t shard = 0; shard < to.num_shards(); ++shard) {
    if (!Crosses(from, to, shard)) continue;
    crossings[shard] = {from.devices()[shard], to.devices()[shard], client.NextTransferKey()};
  }
  return crossings;
}

Status SendShards(const Ref<const Client>& client, const Array& array,
                  std::span<const Crossing> crossings) {
  for (size_t shard = 0; shard < crossings.size(); ++shard) {
    const Ref<Shard>* const own = AddressableShard(array, shard);
    if (crossings[shard].from == nullptr || own == nullptr) continue;
    PLINTH_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(array, shard));
    PLINTH_RETURN_IF_ERROR(SendShard(client, *own, shape, crossings[shard]));
  }
  return {};
}

Status CheckShardArray(const ArraySpec& spec, size_t place, const Array& array) {
  const Sharding& sharding = *spec.sharding;
  const size_t shard = sharding.addressable()[place];
  if (array.type() != spec.type) {
    return InvalidArgument("its type is ", Name(array.type()), ", not ", Name(spec.type));
  }
  if (sharding.partitioning().kind() != Partitioning::Kind::kOpaque) {
    PLINTH_ASSIGN_OR_RETURN(const IndexDomain domain,
                            sharding.partitioning().Domain(spec.dims, shard));
    if (array.dims() != domain.extents) {
      return InvalidArgument("its shape is [", StrJoin(array.dims(), ","), "]; shard ", shard,
                             " of ", plinth::ToString(spec.type, spec.dims), " with ",
                             sharding.ToString(), " has [", StrJoin(domain.extents, ","), "]");
    }
  }
  const Sharding& own = *array.sharding();
  if (own.num_shards() != 1) {
    return InvalidArgument("it is on ", own.num_shards(), " devices; a shard is on one");
  }
  if (own.devices()[0] != sharding.devices()[shard]) {
    return InvalidArgument("it is on ", own.devices()[0]->Name(), "; shard ", shard, " belongs on ",
                           sharding.devices()[shard]->Name());
  }
  if (own.canonical_memory_kind() != sharding.canonical_memory_kind()) {
    return InvalidArgument("it is in memory ", own.canonical_memory_kind(), ", not in ",
                           sharding.canonical_memory_kind());
  }
  return {};
}

}  // namespace

Ref<Shard> CopyShard(const Ref<Shard>& shard, const Device& from, const Sharding& to,
                     size_t to_shard, bool is_same_place, CopySemantics semantics,
                     Donation& donation) {
  if (!shard->error().ok()) return MakeRef<Shard>(shard->error());
  if (is_same_place && semantics == CopySemantics::kReuseInput) return shard;
  if (is_same_place && semantics == CopySemantics::kDonateInput) {
    // The old shard is gone for all who had it; the buffer lives on in the new one.
    donation.Keep(*shard);
    return MakeRef<Shard>(shard->buffer());
  }
  const Device& device = *to.devices()[to_shard];
  Expected<client::Buffer> copy = CopyBuffer(to.client()->raw(), *shard->buffer(), device,
                                             to.PlacementOf(to_shard), &from == &device);
  if (!copy.ok()) {
    return MakeRef<Shard>(
        copy.status().WithContext(StrCat("a copy from ", from.Name(), " to ", device.Name())));
  }
  return MakeRef<Shard>(std::make_shared<client::Buffer>(*std::move(copy)));
}

Expected<std::vector<Ref<Array>>> CopyArrays(const Ref<const Client>& client,
                                             std::span<Array* const> arrays,
                                             std::optional<std::span<const Device* const>> devices,
                                             std::optional<std::string> memory_kind,
                                             CopySemantics semantics) {
  PLINTH_RETURN_IF_ERROR(CheckArrays(*client, arrays, "array"));
  PLINTH_RETURN_IF_ERROR(CheckSamePlaces(arrays));
  if (arrays.empty()) return std::vector<Ref<Array>>();
  std::vector<Ref<const Sharding>> shardings;
  for (const Array* array : arrays) {
    const Sharding& from = *array->sharding();
    PLINTH_ASSIGN_OR_RETURN(
        Ref<const Sharding> to,
        from.WithDevices(devices ? *devices : std::span<const Device* const>(from.devices()),
                         memory_kind ? *memory_kind : from.memory_kind()));
    PLINTH_RETURN_IF_ERROR(CheckCrossings(*array, *to));
    shardings.push_back(std::move(to));
  }
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, arrays));
  // Who receives may wait for what others send: so first all that is sent.
  std::vector<std::vector<Crossing>> all_crossings;
  for (size_t i = 0; i < arrays.size(); ++i) {
    all_crossings.push_back(CrossingsOf(*client, *arrays[i]->sharding(), *shardings[i]));
    PLINTH_RETURN_IF_ERROR(SendShards(client, *arrays[i], all_crossings.back()));
  }
  std::vector<Ref<Array>> copies;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Sharding& from = *arrays[i]->sharding();
    const Sharding& to = *shardings[i];
    const bool same_memory = from.canonical_memory_kind() == to.canonical_memory_kind();
    const std::vector<Crossing>& crossings = all_crossings[i];
    std::vector<Ref<Shard>> shards;
    for (const size_t shard : to.addressable()) {
      if (crossings[shard].from != nullptr) {
        PLINTH_ASSIGN_OR_RETURN(const Shape shape, ShapeOf(*arrays[i], shard));
        shards.push_back(ReceiveShard(*client, shape, crossings[shard], to.PlacementOf(shard)));
        continue;
      }
      const bool is_same_place = same_memory && from.devices()[shard] == to.devices()[shard];
      shards.push_back(CopyShard(*AddressableShard(*arrays[i], shard), *from.devices()[shard], to,
                                 shard, is_same_place, semantics, donation));
    }
    copies.push_back(MakeRef<Array>(ArraySpec{arrays[i]->type(), arrays[i]->dims(), shardings[i]},
                                    std::move(shards)));
  }
  donation.Commit();
  return copies;
}

Expected<Ref<Array>> AssembleArray(const Ref<const Client>& client, ArraySpec spec,
                                   std::span<Array* const> shards, CopySemantics semantics) {
  if (!spec.sharding) return InvalidArgument("the sharding of an array to be assembled is null");
  if (spec.sharding->client().get() != client.get()) {
    return InvalidArgument("the sharding of an array to be assembled is of another client");
  }
  PLINTH_RETURN_IF_ERROR(CheckArrays(*client, shards, "shard"));
  PLINTH_RETURN_IF_ERROR(client::HostByteSize(spec.type, spec.dims).status());
  const Sharding& sharding = *spec.sharding;
  if (shards.size() != sharding.addressable().size()) {
    return InvalidArgument(shards.size(), " arrays are to be the shards of ",
                           plinth::ToString(spec.type, spec.dims), ", which has ",
                           sharding.addressable().size(), " on devices of this process");
  }
  for (size_t place = 0; place < shards.size(); ++place) {
    const Status status = CheckShardArray(spec, place, *shards[place]);
    if (!status.ok()) return status.WithContext(StrCat("array ", place, " to be a shard"));
  }
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, shards));
  std::vector<Ref<Shard>> parts;
  for (size_t place = 0; place < shards.size(); ++place) {
    const size_t shard = sharding.addressable()[place];
    parts.push_back(CopyShard(shards[place]->shards()[0], *sharding.devices()[shard], sharding,
                              shard, /*is_same_place=*/true, semantics, donation));
  }
  Ref<Array> made = MakeRef<Array>(std::move(spec), std::move(parts));
  donation.Commit();
  return made;
}

Expected<std::vector<Ref<Array>>> DisassembleArray(Array& array, CopySemantics semantics) {
  Array* const arrays[] = {&array};
  PLINTH_RETURN_IF_ERROR(CheckArrays(*array.sharding()->client(), arrays, "array"));
  const Sharding& from = *array.sharding();
  std::vector<ArraySpec> specs;
  for (size_t place = 0; place < from.addressable().size(); ++place) {
    PLINTH_ASSIGN_OR_RETURN(Dims dims, array.ShardDims(place));
    PLINTH_ASSIGN_OR_RETURN(Ref<const Sharding> single, from.OfShard(from.addressable()[place]));
    specs.push_back({array.type(), std::move(dims), std::move(single)});
  }
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, arrays));
  std::vector<Ref<Array>> parts;
  for (size_t place = 0; place < specs.size(); ++place) {
    const Sharding& to = *specs[place].sharding;
    std::vector<Ref<Shard>> shards;
    shards.push_back(CopyShard(array.shards()[place], *to.devices()[0], to, 0,
                               /*is_same_place=*/true, semantics, donation));
    parts.push_back(MakeRef<Array>(std::move(specs[place]), std::move(shards)));
  }
  donation.Commit();
  return parts;
}

Expected<Ref<Array>> ReplicatedShard(Array& array, CopySemantics semantics) {
  Array* const arrays[] = {&array};
  PLINTH_RETURN_IF_ERROR(CheckArrays(*array.sharding()->client(), arrays, "array"));
  const Sharding& from = *array.sharding();
  if (!from.partitioning().IsFullyReplicated()) {
    return InvalidArgument("one shard of ", array.ToString(), " is not the whole array");
  }
  if (from.addressable().empty()) {
    return InvalidArgument(array.ToString(), " has no shard on a device of this process");
  }
  PLINTH_ASSIGN_OR_RETURN(Ref<const Sharding> single, from.OfShard(from.addressable()[0]));
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, arrays));
  std::vector<Ref<Shard>> shards;
  shards.push_back(CopyShard(array.shards()[0], *single->devices()[0], *single, 0,
                             /*is_same_place=*/true, semantics, donation));
  Ref<Array> made =
      MakeRef<Array>(ArraySpec{array.type(), array.dims(), std::move(single)}, std::move(shards));
  donation.Commit();
  return made;
}

}  // namespace plinth::ifrt
