// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/reshard.h"

#include <algorithm>
#include <map>

#include "impl/ifrt/copy.h"
#include "impl/ifrt/device_program.h"
#include "impl/ifrt/host.h"
#include "impl/ifrt/relayout.h"
#include "impl/ifrt/reshard_identity.h"
#include "impl/ifrt/reshard_plan.h"
#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// One array on its way.
struct Move {
  Array& array;
  const Sharding& from;
  const Sharding& to;
  std::vector<ReshardTarget> targets;
  std::span<const int64_t> order;  // How shards are to lie: relayout.h.
  CopySemantics semantics;
  ReshardRung rung;

  size_t SourceShard(size_t place) const { return from.addressable()[place]; }
  Expected<IndexDomain> SourceDomain(size_t place) const {
    return from.partitioning().Domain(array.dims(), SourceShard(place));
  }
};

Expected<client::Buffer> ToDefaultMemory(const client::Buffer& buffer, const Device& from,
                                         const Device& to) {
  if (!to.memories.empty()) {
    Expected<client::Buffer> copy = buffer.CopyToMemory(to.memories.front().raw);
    if (copy.ok() || copy.status().code() != StatusCode::kUnimplemented || &from == &to) {
      return copy;
    }
  }
  return buffer.CopyToDevice(to.raw);
}

// A target shard by programs: other devices cut the pieces that they send, the target's own joins.
Expected<client::Buffer> JoinOnDevice(const Client& client, const Move& move,
                                      const ReshardTarget& target, size_t to_shard) {
  const Device& device = *move.to.devices()[to_shard];
  const DType type = move.array.type();
  std::vector<client::Buffer> owned;
  owned.reserve(3 * target.pieces.size());  // `arguments` point into it.
  std::vector<const client::Buffer*> arguments;
  std::vector<JoinPart> parts;
  for (const ReshardPiece& piece : target.pieces) {
    const Device& source = *move.from.devices()[move.SourceShard(piece.source)];
    PLINTH_ASSIGN_OR_RETURN(const IndexDomain shard, move.SourceDomain(piece.source));
    const client::Buffer* buffer = move.array.shards()[piece.source]->buffer().get();
    JoinPart part{shard, piece.domain};
    const bool is_elsewhere = &source != &device;
    if (is_elsewhere && !(shard == piece.domain)) {
      if (!IsDefaultMemory(source, move.from.canonical_memory_kind())) {
        PLINTH_ASSIGN_OR_RETURN(client::Buffer moved, ToDefaultMemory(*buffer, source, source));
        buffer = &owned.emplace_back(std::move(moved));
      }
      const std::optional<std::string> text = JoinProgram(type, piece.domain, {&part, 1});
      PLINTH_ASSIGN_OR_RETURN(client::Buffer cut, RunProgram(client, *text, {&buffer, 1}, source));
      buffer = &owned.emplace_back(std::move(cut));
      part.argument = piece.domain;
    }
    if (is_elsewhere || !IsDefaultMemory(source, move.from.canonical_memory_kind())) {
      PLINTH_ASSIGN_OR_RETURN(client::Buffer moved, ToDefaultMemory(*buffer, source, device));
      owned.push_back(std::move(moved));
      buffer = &owned.back();
    }
    arguments.push_back(buffer);
    parts.push_back(std::move(part));
  }
  const std::optional<std::string> text = JoinProgram(type, target.domain, parts, move.order);
  if (!text) return Unimplemented("the pieces of a shard cannot be joined by concatenation");
  PLINTH_ASSIGN_OR_RETURN(client::Buffer joined, RunProgram(client, *text, arguments, device));
  if (IsDefaultMemory(device, move.to.canonical_memory_kind())) return joined;
  const client::Placement to = move.to.PlacementOf(to_shard);
  return joined.CopyToMemory(client::Memory(client.raw().api(), to.memory));
}

// Source shards in host memory, each read once.
class HostWindows {
 public:
  // Reads what the targets need.
  Status Read(const Move& move, std::span<const size_t> target_places) {
    Status failed;
    for (const size_t place : target_places) {
      for (const ReshardPiece& piece : move.targets[place].pieces) {
        if (!failed.ok() || pending_.contains(piece.source)) continue;
        Expected<client::Future<client::HostArray>> contents =
            move.array.shards()[piece.source]->buffer()->ToHostAsync();
        failed = contents.status();
        if (contents.ok()) pending_.emplace(piece.source, *std::move(contents));
      }
    }
    // Reads end before their memory goes, also when one failed.
    for (auto& [source, contents] : pending_) {
      const Status status = contents.event().Await();
      if (failed.ok()) failed = status;
    }
    return failed;
  }

  Expected<client::Buffer> Write(const Client& client, const Move& move,
                                 const ReshardTarget& target, size_t to_shard) const {
    PLINTH_ASSIGN_OR_RETURN(client::HostArray window,
                            client::HostArray::Create(move.array.type(), target.domain.extents));
    const std::vector<int64_t> to_strides =
        RowMajorStrides(move.array.type(), target.domain.extents);
    for (const ReshardPiece& piece : target.pieces) {
      PLINTH_ASSIGN_OR_RETURN(const IndexDomain shard, move.SourceDomain(piece.source));
      const std::vector<int64_t> from_strides = RowMajorStrides(move.array.type(), shard.extents);
      const client::HostArray& contents = pending_.at(piece.source).value();
      PLINTH_RETURN_IF_ERROR(
          client::CopyStrided({contents.data() + Offset(piece.domain, shard, from_strides),
                               move.array.type(), piece.domain.extents, from_strides},
                              {window.data() + Offset(piece.domain, target.domain, to_strides),
                               move.array.type(), piece.domain.extents, to_strides}));
    }
    const client::Placement to = move.to.PlacementOf(to_shard);
    if (move.order.empty()) return client.raw().BufferFromHost(std::move(window), to);
    client::Layout layout;
    layout.minor_to_major.assign(move.order.begin(), move.order.end());
    return client.raw().BufferFromHost(window.view(), to, client::HostSemantics::kDuringCall, {},
                                       &layout);
  }

 private:
  static int64_t Offset(const IndexDomain& piece, const IndexDomain& in,
                        std::span<const int64_t> strides) {
    int64_t offset = 0;
    for (size_t d = 0; d < strides.size(); ++d) {
      offset += (piece.origin[d] - in.origin[d]) * strides[d];
    }
    return offset;
  }

  std::map<size_t, client::Future<client::HostArray>> pending_;
};

Ref<Shard> ShardOf(Expected<client::Buffer> buffer) {
  if (!buffer.ok()) return MakeRef<Shard>(buffer.status().WithContext("a reshard"));
  return MakeRef<Shard>(std::make_shared<client::Buffer>(*std::move(buffer)));
}

// A shard that some source shard is already.
bool IsWhole(const Move& move, const ReshardTarget& target) {
  if (target.pieces.size() != 1) return false;
  const Expected<IndexDomain> source = move.SourceDomain(target.pieces[0].source);
  return source.ok() && *source == target.domain;
}

// The same shards, in the order that is asked for. What a rung cannot lay out is its error.
Status PutInOrder(const Move& move, std::vector<Ref<Shard>>* shards) {
  if (move.order.empty()) return {};
  const bool may_use_host = move.rung == ReshardRung::kAny || move.rung == ReshardRung::kHost;
  for (size_t place = 0; place < shards->size(); ++place) {
    Ref<Shard>& shard = (*shards)[place];
    if (!shard->error().ok() || LiesIn(*shard->buffer(), move.order)) continue;
    Expected<client::Buffer> laid = LayOut(*shard->buffer(),
                                           {move.array.type(), move.targets[place].domain.extents,
                                            move.to, move.to.addressable()[place]},
                                           move.order, may_use_host);
    if (!laid.ok() && !may_use_host) return laid.status();
    shard = ShardOf(std::move(laid));
  }
  return {};
}

Expected<Ref<Array>> ReshardOne(const Ref<const Client>& client, const Move& move,
                                const Ref<const Sharding>& sharding, Donation& donation) {
  const ArraySpec spec{move.array.type(), move.array.dims(), sharding};
  const bool has_pieces = std::any_of(move.targets.begin(), move.targets.end(),
                                      [&](const auto& target) { return !IsWhole(move, target); });
  if (move.rung == ReshardRung::kIdentity || (move.rung == ReshardRung::kAny && has_pieces)) {
    Expected<std::vector<Ref<Shard>>> at_once =
        ReshardByIdentity(*client, move.array, move.to, move.order);
    Status status = at_once.status();
    if (status.ok()) status = PutInOrder(move, &*at_once);
    if (status.ok()) return MakeRef<Array>(spec, *std::move(at_once));
    if (move.rung == ReshardRung::kIdentity) return status;
  }
  std::vector<Ref<Shard>> shards(move.targets.size());
  std::vector<size_t> over_host;
  for (size_t place = 0; place < move.targets.size(); ++place) {
    const ReshardTarget& target = move.targets[place];
    const size_t to_shard = move.to.addressable()[place];
    if (IsWhole(move, target) && move.rung != ReshardRung::kHost) {
      const size_t source = target.pieces[0].source;
      const Device& device = *move.from.devices()[move.SourceShard(source)];
      const bool is_same_place =
          &device == move.to.devices()[to_shard] &&
          move.from.canonical_memory_kind() == move.to.canonical_memory_kind();
      const Ref<Shard>& shard = move.array.shards()[source];
      // One that is only to lie in another order needs no copy before.
      shards[place] = is_same_place && !move.order.empty() && !LiesIn(*shard->buffer(), move.order)
                          ? shard
                          : CopyShard(shard, device, move.to, to_shard, is_same_place,
                                      move.semantics, donation);
      continue;
    }
    if (target.pieces.empty() || move.rung == ReshardRung::kHost) {
      over_host.push_back(place);
      continue;
    }
    Expected<client::Buffer> joined = JoinOnDevice(*client, move, target, to_shard);
    if (joined.ok()) {
      shards[place] = ShardOf(std::move(joined));
    } else if (move.rung == ReshardRung::kPrograms) {
      return joined.status();
    } else {
      over_host.push_back(place);
    }
  }
  if (!over_host.empty()) {
    HostWindows windows;
    const Status read = windows.Read(move, over_host);
    for (const size_t place : over_host) {
      const size_t to_shard = move.to.addressable()[place];
      shards[place] = read.ok()
                          ? ShardOf(windows.Write(*client, move, move.targets[place], to_shard))
                          : MakeRef<Shard>(read);
    }
  }
  PLINTH_RETURN_IF_ERROR(PutInOrder(move, &shards));
  return MakeRef<Array>(spec, std::move(shards));
}

}  // namespace

Expected<std::vector<Ref<Array>>> ReshardArrays(const Ref<const Client>& client,
                                                std::span<Array* const> arrays,
                                                std::span<const Ref<const Sharding>> shardings,
                                                std::span<const std::span<const int64_t>> orders,
                                                CopySemantics semantics, ReshardRung rung) {
  PLINTH_RETURN_IF_ERROR(CheckArrays(*client, arrays, "array"));
  std::vector<Move> moves;
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Ref<const Sharding>& to = shardings[i];
    if (!to) return InvalidArgument("the new sharding of array ", i, " is null");
    if (to->client().get() != client.get()) {
      return InvalidArgument("the new sharding of array ", i, " is of another client");
    }
    Expected<std::vector<ReshardTarget>> targets =
        PlanReshard(arrays[i]->dims(), *arrays[i]->sharding(), *to);
    if (!targets.ok()) return targets.status().WithContext(StrCat("array ", i));
    const std::span<const int64_t> order = orders.empty() ? std::span<const int64_t>() : orders[i];
    if (const Status status = CheckOrder(order, arrays[i]->dims().size()); !status.ok()) {
      return status.WithContext(StrCat("array ", i));
    }
    moves.push_back(
        {*arrays[i], *arrays[i]->sharding(), *to, *std::move(targets), order, semantics, rung});
  }
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, arrays));
  std::vector<Ref<Array>> made;
  for (size_t i = 0; i < arrays.size(); ++i) {
    if (const Status error = arrays[i]->Error(); !error.ok()) {
      made.push_back(Array::OfError({arrays[i]->type(), arrays[i]->dims(), shardings[i]}, error));
      continue;
    }
    PLINTH_ASSIGN_OR_RETURN(Ref<Array> one, ReshardOne(client, moves[i], shardings[i], donation));
    made.push_back(std::move(one));
  }
  donation.Commit();
  return made;
}

}  // namespace plinth::ifrt
