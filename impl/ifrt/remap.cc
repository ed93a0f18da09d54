// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/remap.h"

#include <algorithm>
#include <optional>

#include "plinth/support/str_cat.h"

namespace plinth::ifrt {
namespace {

// The shards that the intervals name, in order.
Expected<std::vector<size_t>> ShardsOf(std::span<const ShardInterval> intervals,
                                       size_t num_shards) {
  std::vector<size_t> shards;
  const auto limit = static_cast<int64_t>(num_shards);
  for (const ShardInterval& interval : intervals) {
    if (interval.start < 0 || interval.step < 1 || interval.end > limit ||
        interval.start > interval.end) {
      return InvalidArgument("interval ", interval.start, ":", interval.end, ":", interval.step,
                             " is not within 0:", num_shards, " with a step of at least 1");
    }
    for (int64_t shard = interval.start; shard < interval.end;) {
      shards.push_back(static_cast<size_t>(shard));
      if (interval.step >= interval.end - shard) break;
      shard += interval.step;
    }
    // Intervals may name a shard again and again.
    if (shards.size() > num_shards) {
      return InvalidArgument("the intervals name more shards than the ", num_shards,
                             " that there are");
    }
  }
  return shards;
}

struct Origin {
  size_t input;
  size_t shard;
};
using Origins = std::vector<std::vector<std::optional<Origin>>>;

bool IsOpaque(const ArraySpec& spec) {
  return spec.sharding->partitioning().kind() == Partitioning::Kind::kOpaque;
}

Status CheckPair(const ArraySpec& from, size_t from_shard, const ArraySpec& to, size_t to_shard) {
  if (from.type != to.type) {
    return InvalidArgument("an input of type ", Name(from.type), " is mapped to an output of type ",
                           Name(to.type));
  }
  const Device* const from_device = from.sharding->devices()[from_shard];
  const Device* const to_device = to.sharding->devices()[to_shard];
  if (from_device != to_device) {
    return InvalidArgument("input shard ", from_shard, " is on ", from_device->Name(),
                           ", output shard ", to_shard, " on ", to_device->Name(),
                           "; a remap copies nothing");
  }
  if (from.sharding->canonical_memory_kind() != to.sharding->canonical_memory_kind()) {
    return InvalidArgument("input and output are in memories ",
                           from.sharding->canonical_memory_kind(), " and ",
                           to.sharding->canonical_memory_kind(), "; a remap copies nothing");
  }
  if (IsOpaque(from) || IsOpaque(to)) return {};  // Nobody knows better than the caller.
  PLINTH_ASSIGN_OR_RETURN(const IndexDomain from_domain,
                          from.sharding->partitioning().Domain(from.dims, from_shard));
  PLINTH_ASSIGN_OR_RETURN(const IndexDomain to_domain,
                          to.sharding->partitioning().Domain(to.dims, to_shard));
  if (from_domain.extents != to_domain.extents) {
    return InvalidArgument("input shard ", from_shard, " has shape [",
                           StrJoin(from_domain.extents, ","), "], output shard ", to_shard, " [",
                           StrJoin(to_domain.extents, ","), "]");
  }
  return {};
}

Status CheckSpecs(const Client& client, std::span<const ArraySpec> specs, const char* what) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!specs[i].sharding || specs[i].sharding->client().get() != &client) {
      return InvalidArgument("the sharding of ", what, " ", i, " is null or of another client");
    }
    const Status status = client::HostByteSize(specs[i].type, specs[i].dims).status();
    if (!status.ok()) return status.WithContext(StrCat(what, " ", i));
  }
  return {};
}

// Where each output shard comes from.
Expected<Origins> OriginsOf(const Client& client, const RemapPlan& plan) {
  PLINTH_RETURN_IF_ERROR(CheckSpecs(client, plan.inputs, "input"));
  PLINTH_RETURN_IF_ERROR(CheckSpecs(client, plan.outputs, "output"));
  Origins origins;
  for (const ArraySpec& output : plan.outputs) origins.emplace_back(output.sharding->num_shards());
  std::vector<std::vector<bool>> used;
  for (const ArraySpec& input : plan.inputs) used.emplace_back(input.sharding->num_shards(), false);
  for (size_t m = 0; m < plan.mappings.size(); ++m) {
    const ShardMapping& mapping = plan.mappings[m];
    if (mapping.input >= plan.inputs.size() || mapping.output >= plan.outputs.size()) {
      return InvalidArgument("mapping ", m, " goes from input ", mapping.input, " of ",
                             plan.inputs.size(), " to output ", mapping.output, " of ",
                             plan.outputs.size());
    }
    const ArraySpec& from = plan.inputs[mapping.input];
    const ArraySpec& to = plan.outputs[mapping.output];
    const auto context = [&](const Status& status) {
      return status.WithContext(StrCat("mapping ", m));
    };
    const Expected<std::vector<size_t>> from_shards =
        ShardsOf(mapping.from, from.sharding->num_shards());
    if (!from_shards.ok()) return context(from_shards.status());
    const Expected<std::vector<size_t>> to_shards = ShardsOf(mapping.to, to.sharding->num_shards());
    if (!to_shards.ok()) return context(to_shards.status());
    if (from_shards->size() != to_shards->size()) {
      return InvalidArgument("mapping ", m, " maps ", from_shards->size(), " shards to ",
                             to_shards->size());
    }
    for (size_t i = 0; i < from_shards->size(); ++i) {
      const size_t from_shard = (*from_shards)[i];
      const size_t to_shard = (*to_shards)[i];
      if (used[mapping.input][from_shard]) {
        return InvalidArgument("mapping ", m, " uses shard ", from_shard, " of input ",
                               mapping.input, ", which was used before");
      }
      used[mapping.input][from_shard] = true;
      std::optional<Origin>& origin = origins[mapping.output][to_shard];
      if (origin) {
        return InvalidArgument("mapping ", m, " gives output ", mapping.output, " a second shard ",
                               to_shard);
      }
      origin = Origin{mapping.input, from_shard};
      if (const Status pair = CheckPair(from, from_shard, to, to_shard); !pair.ok()) {
        return context(pair);
      }
    }
  }
  for (size_t output = 0; output < origins.size(); ++output) {
    for (size_t shard = 0; shard < origins[output].size(); ++shard) {
      if (!origins[output][shard]) {
        return InvalidArgument("no mapping gives output ", output, " its shard ", shard);
      }
    }
  }
  return origins;
}

// Where one of both is opaque, the places are all that can be compared.
bool IsCutAs(const Array& array, const ArraySpec& spec) {
  return *array.sharding() == *spec.sharding ||
         ((IsOpaque(array.spec()) || IsOpaque(spec)) &&
          Sharding::SamePlaces(*array.sharding(), *spec.sharding));
}

size_t PlaceOf(const Sharding& sharding, size_t shard) {
  const std::vector<size_t>& addressable = sharding.addressable();
  return static_cast<size_t>(std::lower_bound(addressable.begin(), addressable.end(), shard) -
                             addressable.begin());
}

// What a plan could not compare: shards of opaque arrays that become those of others.
Status CheckOpaqueParts(const RemapPlan& plan, std::span<Array* const> arrays,
                        const Origins& origins) {
  for (size_t output = 0; output < origins.size(); ++output) {
    const ArraySpec& to = plan.outputs[output];
    if (IsOpaque(to)) continue;
    for (const size_t shard : to.sharding->addressable()) {
      const Origin& origin = *origins[output][shard];
      const Array& from = *arrays[origin.input];
      if (!IsOpaque(from.spec()) && !IsOpaque(plan.inputs[origin.input])) continue;
      const size_t place = PlaceOf(*from.sharding(), origin.shard);
      if (!from.shards()[place]->error().ok()) continue;  // It stays what it is.
      PLINTH_ASSIGN_OR_RETURN(const Dims have, from.ShardDims(place));
      PLINTH_ASSIGN_OR_RETURN(const IndexDomain want,
                              to.sharding->partitioning().Domain(to.dims, shard));
      if (have != want.extents) {
        return InvalidArgument("shard ", origin.shard, " of array ", origin.input, " has shape [",
                               StrJoin(have, ","), "], output shard ", shard, " [",
                               StrJoin(want.extents, ","), "]");
      }
    }
  }
  return {};
}

}  // namespace

Status RemapPlan::Validate(const Client& client) const { return OriginsOf(client, *this).status(); }

Expected<std::vector<Ref<Array>>> RemapArrays(const Ref<const Client>& client,
                                              const RemapPlan& plan, std::span<Array* const> arrays,
                                              CopySemantics semantics) {
  if (semantics == CopySemantics::kAlwaysCopy) {
    return InvalidArgument("a remap copies nothing: give reuse or donate");
  }
  PLINTH_RETURN_IF_ERROR(CheckArrays(*client, arrays, "array"));
  if (arrays.size() != plan.inputs.size()) {
    return InvalidArgument("a remap of ", plan.inputs.size(), " arrays was given ", arrays.size());
  }
  PLINTH_ASSIGN_OR_RETURN(const Origins origins, OriginsOf(*client, plan));
  for (size_t i = 0; i < arrays.size(); ++i) {
    const ArraySpec& input = plan.inputs[i];
    if (arrays[i]->type() != input.type || arrays[i]->dims() != input.dims ||
        !IsCutAs(*arrays[i], input)) {
      return InvalidArgument("array ", i, " is ", arrays[i]->ToString(), "; the plan says ",
                             plinth::ToString(input.type, input.dims), " with ",
                             input.sharding->ToString());
    }
  }
  for (size_t output = 0; output < origins.size(); ++output) {
    for (const std::optional<Origin>& origin : origins[output]) {
      if (semantics == CopySemantics::kDonateInput ||
          origin->input == origins[output].front()->input) {
        continue;
      }
      return InvalidArgument("output ", output,
                             " has shards of several inputs, which needs donate");
    }
  }
  PLINTH_RETURN_IF_ERROR(CheckOpaqueParts(plan, arrays, origins));
  PLINTH_ASSIGN_OR_RETURN(Donation donation, Donation::Take(semantics, arrays));
  std::vector<Ref<Array>> made;
  for (size_t output = 0; output < origins.size(); ++output) {
    const Sharding& to = *plan.outputs[output].sharding;
    std::vector<Ref<Shard>> shards;
    for (const size_t shard : to.addressable()) {
      const Origin& origin = *origins[output][shard];
      const Array& input = *arrays[origin.input];
      const Ref<Shard>& part = input.shards()[PlaceOf(*input.sharding(), origin.shard)];
      if (semantics == CopySemantics::kReuseInput || !part->error().ok()) {
        shards.push_back(semantics == CopySemantics::kReuseInput ? part
                                                                 : MakeRef<Shard>(part->error()));
        continue;
      }
      donation.Keep(*part);
      shards.push_back(MakeRef<Shard>(part->buffer()));
    }
    made.push_back(MakeRef<Array>(plan.outputs[output], std::move(shards)));
  }
  donation.Commit();
  return made;
}

}  // namespace plinth::ifrt
