// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/bitcast.h"

#include <algorithm>
#include <cstring>

#include "impl/ifrt/copy.h"
#include "impl/ifrt/device_program.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

bool IsUnimplemented(const Status& status) { return status.code() == StatusCode::kUnimplemented; }

// Elements of whole bytes, whose size does not depend on how a device packs them.
bool HasWholeBytes(DType type) {
  const DTypeInfo& info = InfoOf(type);
  return info.bytes != 0 && (info.kind == DTypeClass::kPred || info.bits == 8 * info.bytes);
}

// What an addressable shard has before and after.
struct Change {
  DType from;
  Dims from_dims;
  DType to;
  Dims to_dims;

  bool IsNone() const { return from == to && from_dims == to_dims; }
};

Expected<std::vector<Change>> ChangesOf(const Array& array, const ArraySpec& spec) {
  if (!spec.sharding) return InvalidArgument("its new sharding is null");
  const Sharding& from = *array.sharding();
  const Sharding& to = *spec.sharding;
  if (!Sharding::SamePlaces(from, to)) {
    return InvalidArgument("a bitcast moves nothing: ", array.ToString(), " is to be on ",
                           to.ToString());
  }
  if (InfoOf(spec.type).bytes == 0) {
    return InvalidArgument(Name(spec.type), " is no type of elements");
  }
  PLINTH_RETURN_IF_ERROR(client::HostByteSize(spec.type, spec.dims).status());
  std::vector<Change> changes;
  for (const size_t shard : from.addressable()) {
    PLINTH_ASSIGN_OR_RETURN(const IndexDomain have,
                            from.partitioning().Domain(array.dims(), shard));
    PLINTH_ASSIGN_OR_RETURN(const IndexDomain want, to.partitioning().Domain(spec.dims, shard));
    Change change{array.type(), have.extents, spec.type, want.extents};
    if (HasWholeBytes(change.from) && HasWholeBytes(change.to) &&
        have.NumElements() * ByteSize(change.from) != want.NumElements() * ByteSize(change.to)) {
      return InvalidArgument("shard ", shard, " is ",
                             plinth::ToString(change.from, change.from_dims), " and is to be ",
                             plinth::ToString(change.to, change.to_dims),
                             ", which has another size");
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

Expected<client::Buffer> OverHost(const Client& client, const client::Buffer& buffer,
                                  const Change& change, const client::Placement& place) {
  if (!HasWholeBytes(change.from) || !HasWholeBytes(change.to)) {
    return Unimplemented("a bitcast of ", Name(change.from), " to ", Name(change.to),
                         ": the plugin has no PJRT_Buffer_Bitcast, and its way to pack elements is "
                         "not known");
  }
  PLINTH_ASSIGN_OR_RETURN(const client::HostArray have, buffer.ToHost());
  PLINTH_ASSIGN_OR_RETURN(client::HostArray want,
                          client::HostArray::Create(change.to, change.to_dims));
  if (have.byte_size() != 0) std::memcpy(want.data(), have.data(), have.byte_size());
  return client.raw().BufferFromHost(std::move(want), place);
}

// The bytes of a buffer that may be taken over, in another way if the plugin has no such function.
Expected<client::Buffer> BitcastBuffer(const Client& client, const client::Buffer& buffer,
                                       const Change& change, const Sharding& to, size_t shard) {
  Expected<client::Buffer> made = buffer.Bitcast(change.to, change.to_dims);
  if (made.ok() || !IsUnimplemented(made.status())) return made;
  const Device& device = *to.devices()[shard];
  const std::optional<std::string> text =
      BitcastProgram(change.from, change.from_dims, change.to, change.to_dims);
  if (text && IsDefaultMemory(device, to.canonical_memory_kind())) {
    const client::Buffer* const argument = &buffer;
    made = RunProgram(client, *text, {&argument, 1}, device);
    if (made.ok() || !IsUnimplemented(made.status())) return made;
  }
  return OverHost(client, buffer, change, to.PlacementOf(shard));
}

Expected<Ref<Shard>> BitcastShard(const Client& client, const Ref<Shard>& shard,
                                  const Change& change, const Sharding& to, size_t to_shard,
                                  CopySemantics semantics, Donation& donation) {
  if (!shard->error().ok()) return MakeRef<Shard>(shard->error());
  const Device& device = *to.devices()[to_shard];
  if (change.IsNone()) {
    return CopyShard(shard, device, to, to_shard, /*is_same_place=*/true, semantics, donation);
  }
  // PJRT_Buffer_Bitcast may take its source over: what is to stay is copied first.
  Ref<Shard> source = shard;
  if (semantics != CopySemantics::kDonateInput) {
    source = CopyShard(shard, device, to, to_shard, /*is_same_place=*/true,
                       CopySemantics::kAlwaysCopy, donation);
    if (!source->error().ok()) return source;
  }
  PLINTH_ASSIGN_OR_RETURN(client::Buffer made,
                          BitcastBuffer(client, *source->buffer(), change, to, to_shard));
  return MakeRef<Shard>(std::make_shared<client::Buffer>(std::move(made)));
}

}  // namespace

Expected<std::vector<Ref<Array>>> BitcastArrays(const Ref<const Client>& client,
                                                std::span<Array* const> arrays,
                                                std::span<const ArraySpec> specs,
                                                CopySemantics semantics) {
  PLINTH_RETURN_IF_ERROR(CheckArrays(*client, arrays, "array"));
  std::vector<std::vector<Change>> changes;
  for (size_t i = 0; i < arrays.size(); ++i) {
    Expected<std::vector<Change>> one = ChangesOf(*arrays[i], specs[i]);
    if (!one.ok()) return one.status().WithContext(StrCat("array ", i));
    changes.push_back(*std::move(one));
  }
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, arrays));
  std::vector<Ref<Array>> made;
  bool is_begun = false;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Sharding& to = *specs[i].sharding;
    std::vector<Ref<Shard>> shards;
    for (size_t place = 0; place < arrays[i]->shards().size(); ++place) {
      Expected<Ref<Shard>> shard =
          BitcastShard(*client, arrays[i]->shards()[place], changes[i][place], to,
                       to.addressable()[place], semantics, donation);
      // Once a source is taken over there is no way back.
      if (!shard.ok() && !is_begun) return shard.status().WithContext(StrCat("array ", i));
      is_begun = true;
      shards.push_back(shard.ok() ? *std::move(shard) : MakeRef<Shard>(shard.status()));
    }
    made.push_back(MakeRef<Array>(specs[i], std::move(shards)));
  }
  donation.Commit();
  return made;
}

std::optional<std::string> BitcastProgram(DType from, std::span<const int64_t> from_dims, DType to,
                                          std::span<const int64_t> to_dims) {
  const auto is_plain = [](DType type) {
    const DTypeClass kind = InfoOf(type).kind;
    return HasWholeBytes(type) && kind != DTypeClass::kPred && kind != DTypeClass::kComplex;
  };
  const Expected<int64_t> from_count = NumElements(from_dims);
  const Expected<int64_t> to_count = NumElements(to_dims);
  if (!is_plain(from) || !is_plain(to) || !from_count.ok() || !to_count.ok()) return std::nullopt;
  // As one dimension of groups, each as large as one element of the larger type.
  const int64_t ratio =
      std::max(ByteSize(from), ByteSize(to)) / std::min(ByteSize(from), ByteSize(to));
  std::vector<int64_t> from_flat = {*from_count};
  std::vector<int64_t> to_flat = {*to_count};
  if (ByteSize(from) < ByteSize(to)) from_flat = {*to_count, ratio};
  if (ByteSize(from) > ByteSize(to)) to_flat = {*from_count, ratio};
  const std::string argument = TensorType(from, from_dims);
  const std::string result = TensorType(to, to_dims);
  const std::string flat = TensorType(from, from_flat);
  const std::string cast = TensorType(to, to_flat);
  return StrCat("module @bitcast {\n  func.func public @main(%arg0: ", argument, ") -> ", result,
                " {\n    %0 = stablehlo.reshape %arg0 : (", argument, ") -> ", flat,
                "\n    %1 = stablehlo.bitcast_convert %0 : (", flat, ") -> ", cast,
                "\n    %2 = stablehlo.reshape %1 : (", cast, ") -> ", result,
                "\n    return %2 : ", result, "\n  }\n}\n");
}

}  // namespace plinth::ifrt
