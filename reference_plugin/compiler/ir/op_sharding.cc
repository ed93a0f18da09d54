// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/op_sharding.h"

#include <algorithm>
#include <optional>

#include "plinth/support/str_cat.h"

namespace plinth::compiler {
namespace {

using program::OpSharding;
using Kind = OpSharding::Kind;
using Ints = std::vector<int64_t>;

constexpr std::string_view kFlatAxis = "devices";

// INVALID_ARGUMENT unless all are positive; their product, which may be as large as
// kMostMeshDevices.
Expected<int64_t> ProductOf(std::string_view what, const Ints& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1 || size > kMostMeshDevices / product) {
      return InvalidArgument(what, " are [", StrJoin(std::span<const int64_t>(sizes), ","),
                             "]; expected positive numbers, with a product of at most ",
                             kMostMeshDevices);
    }
    product *= size;
  }
  return product;
}

Status CheckPermutation(std::string_view what, const Ints& numbers, size_t count) {
  std::vector<bool> seen(count, false);
  bool good = numbers.size() == count;
  for (size_t i = 0; good && i < count; ++i) {
    const int64_t number = numbers[i];
    good =
        number >= 0 && number < static_cast<int64_t>(count) && !seen[static_cast<size_t>(number)];
    if (good) seen[static_cast<size_t>(number)] = true;
  }
  if (good) return Status();
  return InvalidArgument(what, " has ", numbers.size(), " numbers; expected each from 0 to ",
                         static_cast<int64_t>(count) - 1, " once");
}

// How many dimensions the tile has after those of the array.
size_t NumLastDims(const OpSharding& sharding) {
  return sharding.last_tile_dims.size() + (sharding.replicate_on_last_tile_dim ? 1 : 0);
}

Status CheckTiles(const OpSharding& sharding, const Type& type, int64_t num_devices) {
  const int64_t rank = type.kind == Type::Kind::kTensor ? type.rank() : 0;
  const size_t expected = static_cast<size_t>(rank) + NumLastDims(sharding);
  if (sharding.tile_dimensions.size() != expected) {
    return InvalidArgument("a sharding has ", sharding.tile_dimensions.size(),
                           " tile dimensions; expected ", expected, " for ", type.ToString());
  }
  PLINTH_ASSIGN_OR_RETURN(const int64_t tiles,
                          ProductOf("tile dimensions", sharding.tile_dimensions));
  if (tiles != num_devices) {
    return InvalidArgument("a sharding has ", tiles, " tiles; expected one for each of ",
                           num_devices, " devices");
  }
  if (sharding.iota_reshape_dims.empty()) {
    return CheckPermutation("the list of devices of a sharding", sharding.devices,
                            static_cast<size_t>(tiles));
  }
  PLINTH_ASSIGN_OR_RETURN(const int64_t devices,
                          ProductOf("dimensions of devices", sharding.iota_reshape_dims));
  if (devices != tiles) {
    return InvalidArgument("a sharding has ", tiles, " tiles for ", devices, " devices");
  }
  return CheckPermutation("iota_transpose_perm", sharding.iota_transpose_perm,
                          sharding.iota_reshape_dims.size());
}

// The parts of the flat axis that the devices of the tiles count through, from the major to the
// minor; nothing if they do not.
std::optional<AxisList> PartsOfIota(const OpSharding& sharding) {
  std::vector<Axis> grid;
  int64_t pre_size = 1;
  for (int64_t size : sharding.iota_reshape_dims) {
    grid.push_back({0, pre_size, size});
    pre_size *= size;
  }
  AxisList parts;
  for (int64_t dim : sharding.iota_transpose_perm) {
    const Axis& part = grid[static_cast<size_t>(dim)];
    if (part.size > 1) AddOrMerge(parts, part);
  }
  return parts;
}

// Reads the numbers as digits of a counter, from the digit that turns fastest.
std::optional<AxisList> PartsOfList(const Ints& devices) {
  const int64_t count = static_cast<int64_t>(devices.size());
  if (count == 0 || devices[0] != 0) return std::nullopt;
  AxisList minor_first;
  std::vector<int64_t> expected = {0};
  while (static_cast<int64_t>(expected.size()) < count) {
    const int64_t block = static_cast<int64_t>(expected.size());
    const int64_t stride = devices[static_cast<size_t>(block)];
    int64_t turns = 1;
    while (turns * block < count && devices[static_cast<size_t>(turns * block)] == turns * stride) {
      ++turns;
    }
    if (stride <= 0 || turns == 1 || count % (stride * turns) != 0 ||
        count % (block * turns) != 0) {
      return std::nullopt;
    }
    for (int64_t i = block; i < block * turns; ++i) {
      expected.push_back(expected[static_cast<size_t>(i - block)] + stride);
    }
    minor_first.push_back({0, count / (stride * turns), turns});
  }
  if (expected != devices) return std::nullopt;
  AxisList parts;
  for (size_t i = minor_first.size(); i > 0; --i) AddOrMerge(parts, minor_first[i - 1]);
  return parts;
}

// Parts in order, split where tile dimensions end; nothing if one ends within a factor.
std::optional<std::vector<AxisList>> Distribute(AxisList parts, const Ints& tile_dimensions) {
  std::vector<AxisList> dims;
  size_t next = 0;
  for (int64_t remaining : tile_dimensions) {
    AxisList& axes = dims.emplace_back();
    while (remaining > 1) {
      Axis& part = parts[next];
      if (remaining % part.size == 0) {
        remaining /= part.size;
        AddOrMerge(axes, part);
        ++next;
      } else if (part.size % remaining == 0) {
        AddOrMerge(axes, {0, part.pre_size, remaining});
        part = {0, part.pre_size * remaining, part.size / remaining};
        remaining = 1;
      } else {
        return std::nullopt;
      }
    }
  }
  return dims;
}

Ints DevicesOf(const OpSharding& sharding) {
  if (sharding.iota_reshape_dims.empty()) return sharding.devices;
  // Strides in the order in which the dimensions are seen.
  const size_t rank = sharding.iota_reshape_dims.size();
  Ints strides(rank, 1);
  for (size_t i = rank; i-- > 1;) {
    strides[i - 1] = strides[i] * sharding.iota_reshape_dims[i];
  }
  Ints devices = {0};
  for (size_t i = 0; i < rank; ++i) {
    const size_t dim = static_cast<size_t>(sharding.iota_transpose_perm[i]);
    Ints inner;
    for (int64_t device : devices) {
      for (int64_t k = 0; k < sharding.iota_reshape_dims[dim]; ++k) {
        inner.push_back(device + k * strides[dim]);
      }
    }
    devices = std::move(inner);
  }
  return devices;
}

ShardingRef WithOwnMesh(const OpSharding& sharding, size_t rank) {
  auto mesh = std::make_shared<Mesh>();
  Sharding own;
  for (size_t i = 0; i < sharding.tile_dimensions.size(); ++i) {
    mesh->axes.push_back({StrCat("tile_", i), sharding.tile_dimensions[i]});
    const Axis axis = {static_cast<int32_t>(i), 1, sharding.tile_dimensions[i]};
    if (i < rank) {
      DimSharding& dim = own.dims.emplace_back();
      if (axis.size > 1) dim.axes.push_back(axis);
    } else if (i - rank < sharding.last_tile_dims.size() &&
               sharding.last_tile_dims[i - rank] == Kind::kUnreduced && axis.size > 1) {
      own.unreduced.push_back(axis);
    }
  }
  mesh->device_ids = DevicesOf(sharding);
  own.mesh = std::move(mesh);
  return std::make_shared<const Sharding>(std::move(own));
}

size_t RankOf(const Type& type) {
  return type.kind == Type::Kind::kTensor ? static_cast<size_t>(type.rank()) : 0;
}

// The parts of the flat axis that each tile dimension is; nothing if the devices are no grid.
std::optional<std::vector<AxisList>> PartsOfTiles(const OpSharding& sharding) {
  std::optional<AxisList> parts =
      sharding.iota_reshape_dims.empty() ? PartsOfList(sharding.devices) : PartsOfIota(sharding);
  if (!parts.has_value()) return std::nullopt;
  return Distribute(*std::move(parts), sharding.tile_dimensions);
}

ShardingRef FromTiles(const OpSharding& sharding, const Type& type, const MeshRef& flat) {
  const size_t rank = RankOf(type);
  const std::optional<std::vector<AxisList>> dims = PartsOfTiles(sharding);
  if (!dims.has_value()) return WithOwnMesh(sharding, rank);
  Sharding made;
  made.mesh = flat;
  for (size_t i = 0; i < dims->size(); ++i) {
    if (i < rank) {
      made.dims.emplace_back().axes = (*dims)[i];
    } else if (i - rank < sharding.last_tile_dims.size() &&
               sharding.last_tile_dims[i - rank] == Kind::kUnreduced) {
      for (const Axis& axis : (*dims)[i]) made.unreduced.push_back(axis);
    }
  }
  return std::make_shared<const Sharding>(std::move(made));
}

}  // namespace

MeshRef FlatMesh(int64_t num_devices) {
  auto mesh = std::make_shared<Mesh>();
  mesh->axes.push_back({std::string(kFlatAxis), num_devices});
  return mesh;
}

bool IsFlat(const Mesh& mesh) {
  return mesh.name.empty() && mesh.axes.size() == 1 && mesh.axes[0].name == kFlatAxis;
}

Expected<ShardingRef> FromOpSharding(const OpSharding& sharding, const Type& type,
                                     const MeshRef& flat) {
  Sharding made;
  made.mesh = flat;
  if (type.kind == Type::Kind::kTensor) made.dims.resize(static_cast<size_t>(type.rank()));
  switch (sharding.kind) {
    case Kind::kUnknown:
    case Kind::kManual:
      return ShardingRef();
    case Kind::kTuple:
      return InvalidArgument("a sharding is a tuple; expected that of one array, ",
                             type.ToString());
    case Kind::kReplicated:
      break;
    case Kind::kUnreduced:
      made.unreduced.push_back({0, 1, flat->num_devices()});
      break;
    case Kind::kMaximal: {
      const int64_t device = sharding.devices.size() == 1 ? sharding.devices[0] : -1;
      if (device < 0 || device >= flat->num_devices()) {
        return InvalidArgument("a sharding is on device ", device, "; expected one of 0 to ",
                               flat->num_devices() - 1);
      }
      auto mesh = std::make_shared<Mesh>();
      mesh->device_ids = {device};
      made.mesh = std::move(mesh);
      made.dims.clear();
      break;
    }
    case Kind::kTiled:
      PLINTH_RETURN_IF_ERROR(CheckTiles(sharding, type, flat->num_devices()));
      return FromTiles(sharding, type, flat);
  }
  return std::make_shared<const Sharding>(std::move(made));
}

std::optional<AxisList> ManualPartsOf(const OpSharding& sharding, const Type& type,
                                      const MeshRef& flat) {
  AxisList manual;
  if (sharding.kind == Kind::kManual) manual.push_back({0, 1, flat->num_devices()});
  const std::vector<Kind>& last = sharding.last_tile_dims;
  if (std::find(last.begin(), last.end(), Kind::kManual) == last.end()) return manual;
  const std::optional<std::vector<AxisList>> dims = PartsOfTiles(sharding);
  if (!dims.has_value()) return std::nullopt;
  for (size_t i = 0; i < last.size(); ++i) {
    if (last[i] != Kind::kManual) continue;
    for (const Axis& axis : (*dims)[RankOf(type) + i]) manual.push_back(axis);
  }
  SortAndMerge(manual);
  return manual;
}

OpSharding ToOpSharding(const Sharding& sharding) {
  const Mesh& mesh = *sharding.mesh;
  OpSharding made;
  if (mesh.IsMaximal()) {
    made.kind = Kind::kMaximal;
    made.devices = mesh.device_ids;
    return made;
  }
  // All parts of all axes, in the order in which the tiles count through them.
  AxisList order;
  bool is_sharded = false;
  for (const DimSharding& dim : sharding.dims) {
    made.tile_dimensions.push_back(SizeOf(dim.axes));
    is_sharded |= made.tile_dimensions.back() > 1;
    for (const Axis& axis : dim.axes) order.push_back(axis);
  }
  for (const Axis& axis : sharding.unreduced) order.push_back(axis);
  const AxisList rest = UnusedAxes(mesh, order);
  const int64_t unreduced = SizeOf(sharding.unreduced), replicated = SizeOf(rest);
  if (!is_sharded && unreduced == 1) return OpSharding();
  made.kind = Kind::kTiled;
  if (unreduced > 1) {
    made.tile_dimensions.push_back(unreduced);
    made.last_tile_dims.push_back(Kind::kUnreduced);
  }
  if (replicated > 1) {
    made.tile_dimensions.push_back(replicated);
    if (made.last_tile_dims.empty()) {
      made.replicate_on_last_tile_dim = true;
    } else {
      made.last_tile_dims.push_back(Kind::kReplicated);
    }
    for (const Axis& axis : rest) order.push_back(axis);
  }
  // Parts that follow one another in the mesh as they do in the order are one.
  AxisList grid;
  for (const Axis& axis : order) {
    if (axis.size > 1) grid.push_back(axis);
  }
  std::sort(grid.begin(), grid.end(), [](const Axis& a, const Axis& b) {
    return a.index != b.index ? a.index < b.index : a.pre_size < b.pre_size;
  });
  const auto place = [&](const Axis& axis) {
    return static_cast<int64_t>(std::find(grid.begin(), grid.end(), axis) - grid.begin());
  };
  std::vector<int64_t> begins;  // places where a dimension of the devices begins, as they are seen
  int64_t last = -2;
  for (const Axis& axis : order) {
    if (axis.size == 1) continue;
    const int64_t at = place(axis);
    if (at != last + 1) begins.push_back(at);
    last = at;
  }
  Ints sorted = begins;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    const size_t end = i + 1 < sorted.size() ? static_cast<size_t>(sorted[i + 1]) : grid.size();
    int64_t size = 1;
    for (size_t k = static_cast<size_t>(sorted[i]); k < end; ++k) size *= grid[k].size;
    made.iota_reshape_dims.push_back(size);
  }
  for (int64_t begin : begins) {
    made.iota_transpose_perm.push_back(std::find(sorted.begin(), sorted.end(), begin) -
                                       sorted.begin());
  }
  if (!mesh.device_ids.empty()) {
    for (int64_t place_in_grid : DevicesOf(made)) {
      made.devices.push_back(mesh.device_ids[static_cast<size_t>(place_in_grid)]);
    }
    made.iota_reshape_dims.clear();
    made.iota_transpose_perm.clear();
  }
  return made;
}

}  // namespace plinth::compiler
