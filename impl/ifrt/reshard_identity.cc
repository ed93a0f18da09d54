// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/reshard_identity.h"

#include <algorithm>

#include "impl/ifrt/device_program.h"
#include "impl/ifrt/op_sharding.h"
#include "impl/ifrt/program_cache.h"
#include "impl/ifrt/relayout.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

Status CheckSide(const Sharding& sharding, const Dims& dims) {
  const Partitioning& partitioning = sharding.partitioning();
  if (!partitioning.IsFullyReplicated() && partitioning.kind() != Partitioning::Kind::kTiled) {
    return Unimplemented("a program has no ", partitioning.ToString());
  }
  if (!partitioning.ShardShape(dims).ok()) {
    return Unimplemented("programs want shards of one size; ", partitioning.ToString(),
                         " does not cut [", StrJoin(dims, ","), "] into such");
  }
  if (!sharding.IsFullyAddressable()) return Unimplemented("devices of other processes");
  if (!IsDefaultMemory(*sharding.devices()[0], sharding.canonical_memory_kind())) {
    return Unimplemented("programs read and write the default memory, not ",
                         sharding.canonical_memory_kind());
  }
  return {};
}

// What `to` means with its shards in the order of `from`'s devices.
Expected<Partitioning> InOrderOf(const Sharding& from, const Sharding& to) {
  std::vector<int64_t> tiles;
  for (const Device* device : from.devices()) {
    const std::optional<size_t> shard = to.FindShard(device);
    if (!shard) return Unimplemented("other devices than before");
    if (!to.partitioning().IsFullyReplicated()) {
      tiles.push_back(to.partitioning().tile_of_shard()[*shard]);
    }
  }
  if (tiles.empty()) return to.partitioning();
  return Partitioning::Tiled(to.partitioning().tiles(), tiles);
}

}  // namespace

Expected<std::vector<Ref<Shard>>> ReshardByIdentity(const Client& client, const Array& array,
                                                    const Sharding& to,
                                                    std::span<const int64_t> minor_to_major) {
  const Sharding& from = *array.sharding();
  const Dims& dims = array.dims();
  const size_t count = from.num_shards();
  if (count < 2 || to.num_shards() != count) {
    return Unimplemented("one program over all devices, for ", count, " shards that become ",
                         to.num_shards());
  }
  if (std::find(dims.begin(), dims.end(), 0) != dims.end()) {
    return Unimplemented("nothing to move");
  }
  PLINTH_RETURN_IF_ERROR(CheckSide(from, dims));
  PLINTH_RETURN_IF_ERROR(CheckSide(to, dims));
  PLINTH_ASSIGN_OR_RETURN(const Partitioning target, InOrderOf(from, to));
  PLINTH_ASSIGN_OR_RETURN(const std::string before, ToHloText(from.partitioning(), dims.size()));
  PLINTH_ASSIGN_OR_RETURN(const std::string after, ToHloText(target, dims.size()));
  const std::string type = TensorType(array.type(), dims);
  const std::string lies =
      minor_to_major.empty() ? "" : StrCat(", ", LayoutAttribute(minor_to_major));
  const std::string text =
      StrCat("module @reshard attributes {mhlo.num_partitions = ", count,
             " : i32, mhlo.num_replicas = 1 : i32} {\n  func.func public @main(%arg0: ", type,
             " {mhlo.sharding = \"", before, "\"}) -> (", type, " {mhlo.sharding = \"", after, "\"",
             lies, "}) {\n    return %arg0 : ", type, "\n  }\n}\n");
  std::vector<int64_t> ids;
  for (const Device* device : from.devices()) ids.push_back(device->id);
  PLINTH_ASSIGN_OR_RETURN(const ProgramCache::Program program,
                          client.programs().Get(client.raw(), text, ids));
  PLINTH_ASSIGN_OR_RETURN(const std::vector<client::Device> order, program->AddressableDevices());
  if (order.size() != count) return Internal("a program on ", count, " devices has other ones");
  std::vector<std::vector<const client::Buffer*>> arguments;
  std::vector<size_t> places;
  for (const client::Device& device : order) {
    PLINTH_ASSIGN_OR_RETURN(const int id, device.Id());
    const Device* const known = client.FindDevice(id);
    const std::optional<size_t> shard = from.FindShard(known);
    const std::optional<size_t> place = to.FindShard(known);
    if (!shard || !place) return Internal("a program runs on device ", id, ", unasked");
    arguments.push_back({array.shards()[*shard]->buffer().get()});
    places.push_back(*place);
  }
  PLINTH_ASSIGN_OR_RETURN(client::ExecuteResult result, program->Execute(arguments));
  std::vector<Ref<Shard>> shards(count);
  for (size_t i = 0; i < count; ++i) {
    if (result.outputs[i].size() != 1) return Internal("a program of one output has others");
    shards[places[i]] =
        MakeRef<Shard>(std::make_shared<client::Buffer>(std::move(result.outputs[i][0])));
  }
  return shards;
}

}  // namespace plinth::ifrt
