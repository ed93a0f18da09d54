// SPDX-License-Identifier: Apache-2.0
#include "impl/ifrt/c_api.h"
#include "impl/ifrt/named.h"
#include "impl/ifrt/op_sharding.h"
#include "plinth/support/str_cat.h"

using plinth::Dims;
using plinth::Expected;
using plinth::InvalidArgument;
using plinth::Status;
using plinth::ifrt::DevicesFromC;
using plinth::ifrt::DimsFromC;
using plinth::ifrt::FromC;
using plinth::ifrt::Guarded;
using plinth::ifrt::IndexDomain;
using plinth::ifrt::NeedNotNull;
using plinth::ifrt::Partitioning;
using plinth::ifrt::Ref;
using plinth::ifrt::Sharding;

namespace {

// Where a sharding is, as every function that makes one is told it.
struct Places {
  plinth_ifrt_client* client;
  const plinth_ifrt_device* const* devices;
  size_t num_devices;
  const char* memory_kind;
};

// `partition` makes the partitioning.
template <typename Partition>
plinth_status* MakeSharding(const Places& places, plinth_ifrt_sharding** sharding,
                            Partition partition) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(sharding, "`sharding`"));
    *sharding = nullptr;
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(places.client, "the client"));
    if (places.num_devices != 0) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(places.devices, "the list of devices"));
    }
    Expected<Partitioning> partitioning = partition();
    if (!partitioning.ok()) return partitioning.status();
    PLINTH_ASSIGN_OR_RETURN(
        Ref<const Sharding> made,
        Sharding::Create(plinth::ifrt::ShareClient(places.client),
                         DevicesFromC(places.devices, places.num_devices),
                         places.memory_kind == nullptr ? "" : places.memory_kind,
                         *std::move(partitioning)));
    *sharding = const_cast<plinth_ifrt_sharding*>(ToC(made.Give()));
    return {};
  });
}

Expected<Partitioning> ReadNamed(const plinth_ifrt_named_sharding* named, size_t num_devices) {
  PLINTH_ASSIGN_OR_RETURN(
      const plinth_ifrt_named_sharding* given,
      plinth::ifrt::ElementOf(named, 0, &plinth_ifrt_named_sharding::dim_axes, "mesh and axes"));
  if (given->num_axes > 64 || given->rank > plinth::kMaxRank) {
    return InvalidArgument("a mesh of ", given->num_axes, " axes for arrays of ", given->rank,
                           " dimensions; at most 64 and ", plinth::kMaxRank, " are possible");
  }
  if (given->num_axes != 0)
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(given->axis_sizes, "`axis_sizes`"));
  if (given->rank != 0)
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(given->num_dim_axes, "`num_dim_axes`"));
  std::vector<plinth::ifrt::MeshAxis> mesh;
  for (size_t i = 0; i < given->num_axes; ++i) {
    const char* name = given->axis_names == nullptr ? nullptr : given->axis_names[i];
    mesh.push_back({name == nullptr ? "" : name, given->axis_sizes[i]});
  }
  std::vector<std::vector<int64_t>> axes(given->rank);
  size_t next = 0;
  for (size_t d = 0; d < given->rank; ++d) {
    if (given->num_dim_axes[d] > given->num_axes) {
      return InvalidArgument("dimension ", d, " is cut along ", given->num_dim_axes[d], " axes of ",
                             given->num_axes);
    }
    for (size_t i = 0; i < given->num_dim_axes[d]; ++i) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(given->dim_axes, "`dim_axes`"));
      const size_t axis = given->dim_axes[next++];
      axes[d].push_back(axis > 64 ? -1 : static_cast<int64_t>(axis));
    }
  }
  return plinth::ifrt::PartitioningFromNamed(mesh, axes, num_devices);
}

}  // namespace

plinth_status* plinth_ifrt_sharding_replicated(plinth_ifrt_client* client,
                                               const plinth_ifrt_device* const* devices,
                                               size_t num_devices, const char* memory_kind,
                                               plinth_ifrt_sharding** sharding) {
  return MakeSharding({client, devices, num_devices, memory_kind}, sharding,
                      [&] { return Partitioning::Replicated(num_devices); });
}

plinth_status* plinth_ifrt_sharding_named(plinth_ifrt_client* client,
                                          const plinth_ifrt_device* const* devices,
                                          size_t num_devices, const char* memory_kind,
                                          const plinth_ifrt_named_sharding* named,
                                          plinth_ifrt_sharding** sharding) {
  return MakeSharding({client, devices, num_devices, memory_kind}, sharding,
                      [&] { return ReadNamed(named, num_devices); });
}

plinth_status* plinth_ifrt_sharding_from_op_sharding(plinth_ifrt_client* client,
                                                     const plinth_ifrt_device* const* devices,
                                                     size_t num_devices, const char* memory_kind,
                                                     const char* bytes, size_t size,
                                                     plinth_ifrt_sharding** sharding) {
  return MakeSharding({client, devices, num_devices, memory_kind}, sharding,
                      [&]() -> Expected<Partitioning> {
                        if (size != 0) PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(bytes, "`bytes`"));
                        return plinth::ifrt::PartitioningFromOpSharding({bytes, size}, num_devices);
                      });
}

plinth_status* plinth_ifrt_sharding_concrete(plinth_ifrt_client* client,
                                             const plinth_ifrt_device* const* devices,
                                             size_t num_devices, const char* memory_kind,
                                             const int64_t* dims, size_t num_dims,
                                             const int64_t* origins, const int64_t* extents,
                                             plinth_ifrt_sharding** sharding) {
  return MakeSharding({client, devices, num_devices, memory_kind}, sharding,
                      [&]() -> Expected<Partitioning> {
                        PLINTH_ASSIGN_OR_RETURN(const Dims shape, DimsFromC(dims, num_dims));
                        if (num_devices > Partitioning::kMaxConcreteShards) {
                          return InvalidArgument("a list of ", num_devices, " index domains");
                        }
                        if (num_devices * num_dims != 0) {
                          PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(origins, "`origins`"));
                          PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(extents, "`extents`"));
                        }
                        std::vector<IndexDomain> domains;
                        for (size_t i = 0; i < num_devices; ++i) {
                          const size_t at = i * num_dims;
                          domains.push_back({Dims(origins + at, origins + at + num_dims),
                                             Dims(extents + at, extents + at + num_dims)});
                        }
                        return Partitioning::Concrete(shape, std::move(domains));
                      });
}

plinth_status* plinth_ifrt_sharding_opaque(plinth_ifrt_client* client,
                                           const plinth_ifrt_device* const* devices,
                                           size_t num_devices, const char* memory_kind,
                                           plinth_ifrt_sharding** sharding) {
  return MakeSharding({client, devices, num_devices, memory_kind}, sharding,
                      [&] { return Partitioning::Opaque(num_devices); });
}

plinth_status* plinth_ifrt_sharding_with_devices(const plinth_ifrt_sharding* sharding,
                                                 const plinth_ifrt_device* const* devices,
                                                 size_t num_devices, const char* memory_kind,
                                                 plinth_ifrt_sharding** moved) {
  if (sharding == nullptr) {
    if (moved != nullptr) *moved = nullptr;
    return plinth::ifrt::MakeCStatus(NeedNotNull(sharding, "the sharding"));
  }
  auto* const client =
      const_cast<plinth_ifrt_client*>(plinth::ifrt::ToC(FromC(sharding)->client().get()));
  return MakeSharding({client, devices, num_devices, memory_kind}, moved,
                      [&]() -> Expected<Partitioning> { return FromC(sharding)->partitioning(); });
}

const plinth_ifrt_device* const* plinth_ifrt_sharding_devices(const plinth_ifrt_sharding* sharding,
                                                              size_t* num_devices) {
  *num_devices = FromC(sharding)->devices().size();
  return reinterpret_cast<const plinth_ifrt_device* const*>(FromC(sharding)->devices().data());
}

size_t plinth_ifrt_sharding_num_addressable(const plinth_ifrt_sharding* sharding) {
  return FromC(sharding)->addressable().size();
}

const char* plinth_ifrt_sharding_memory_kind(const plinth_ifrt_sharding* sharding) {
  return FromC(sharding)->canonical_memory_kind().c_str();
}

bool plinth_ifrt_sharding_is_fully_replicated(const plinth_ifrt_sharding* sharding) {
  return FromC(sharding)->partitioning().IsFullyReplicated();
}

plinth_status* plinth_ifrt_sharding_index_domains(const plinth_ifrt_sharding* sharding,
                                                  const int64_t* dims, size_t num_dims,
                                                  bool addressable_only, int64_t* origins,
                                                  int64_t* extents) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(sharding, "the sharding"));
    PLINTH_ASSIGN_OR_RETURN(const Dims shape, DimsFromC(dims, num_dims));
    if (num_dims != 0) {
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(origins, "`origins`"));
      PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(extents, "`extents`"));
    }
    const Sharding& given = *FromC(sharding);
    PLINTH_ASSIGN_OR_RETURN(const std::vector<IndexDomain> domains,
                            given.partitioning().Domains(shape));
    for (size_t shard = 0; shard < domains.size(); ++shard) {
      if (addressable_only && !given.devices()[shard]->is_addressable) continue;
      origins = std::copy(domains[shard].origin.begin(), domains[shard].origin.end(), origins);
      extents = std::copy(domains[shard].extents.begin(), domains[shard].extents.end(), extents);
    }
    return {};
  });
}

plinth_status* plinth_ifrt_sharding_shard_shape(const plinth_ifrt_sharding* sharding,
                                                const int64_t* dims, size_t num_dims,
                                                int64_t* shape) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(sharding, "the sharding"));
    PLINTH_ASSIGN_OR_RETURN(const Dims whole, DimsFromC(dims, num_dims));
    if (num_dims != 0) PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(shape, "`shape`"));
    PLINTH_ASSIGN_OR_RETURN(const Dims shard, FromC(sharding)->partitioning().ShardShape(whole));
    std::copy(shard.begin(), shard.end(), shape);
    return {};
  });
}

bool plinth_ifrt_sharding_equal(const plinth_ifrt_sharding* a, const plinth_ifrt_sharding* b,
                                const int64_t* dims, size_t num_dims) {
  const Sharding& one = *FromC(a);
  const Sharding& other = *FromC(b);
  if (dims == nullptr) return one == other;
  return &one == &other ||
         (Sharding::SamePlaces(one, other) &&
          Partitioning::SameFor({dims, num_dims}, one.partitioning(), other.partitioning()));
}

uint64_t plinth_ifrt_sharding_hash(const plinth_ifrt_sharding* sharding) {
  return FromC(sharding)->Hash();
}

plinth_status* plinth_ifrt_sharding_to_op_sharding(const plinth_ifrt_sharding* sharding,
                                                   size_t rank, char** bytes, size_t* size) {
  return Guarded([&]() -> Status {
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(sharding, "the sharding"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(bytes, "`bytes`"));
    PLINTH_IFRT_RETURN_IF_ERROR(NeedNotNull(size, "`size`"));
    PLINTH_ASSIGN_OR_RETURN(const std::string written,
                            plinth::ifrt::ToOpSharding(FromC(sharding)->partitioning(), rank));
    PLINTH_ASSIGN_OR_RETURN(*bytes, plinth::ifrt::CopyText(written));
    *size = written.size();
    return {};
  });
}

char* plinth_ifrt_sharding_text(const plinth_ifrt_sharding* sharding) {
  char* text = nullptr;
  plinth_status_destroy(Guarded([&]() -> Status {
    PLINTH_ASSIGN_OR_RETURN(text, plinth::ifrt::CopyText(FromC(sharding)->ToString()));
    return {};
  }));
  return text;
}
