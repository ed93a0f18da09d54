// SPDX-License-Identifier: Apache-2.0
#include "api/support/xla_mesh.h"

#include <algorithm>
#include <utility>

#include "api/support/xla_message_fields.h"

namespace plinth::messages {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;

constexpr int64_t kMostDevices = int64_t{1} << 31;

bool IsMessage(const pbf_reader& message) {
  return message.wire_type() == pbf_wire_type::length_delimited;
}

// A number; 0, and the field is passed over, if it lies there in another form.
int64_t IntOf(pbf_reader& message) {
  if (message.wire_type() == pbf_wire_type::varint) return message.get_int64();
  message.skip();
  return 0;
}

void AppendInts(pbf_reader& message, std::vector<int64_t>* values) {
  if (!IsMessage(message)) return values->push_back(IntOf(message));
  for (const int64_t value : message.get_packed_int64()) values->push_back(value);
}

bool IsPermutation(std::vector<int64_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// The product; 0 if a factor is not positive, or there are too many devices.
int64_t ProductOf(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) {
    if (size <= 0 || size > kMostDevices / product) return 0;
    product *= size;
  }
  return product;
}

Status ReadAxis(pbf_reader& message, MeshAxes* axes) {
  if (!IsMessage(message)) return InvalidArgument("an axis of a mesh must be a message");
  PLINTH_ASSIGN_OR_RETURN(const MeshAxis axis, ReadMeshAxis(message.get_message()));
  axes->push_back(axis);
  return {};
}

// The axes of a mesh, cut wherever a list of axes begins or ends within one.
struct Pieces {
  std::vector<int64_t> sizes;  // Of all pieces, in the order of the mesh.
  std::vector<std::vector<size_t>> lists;
};

Expected<Pieces> CutMesh(const DeviceMesh& mesh, std::vector<MeshAxes>& lists, size_t rest) {
  std::vector<std::vector<int64_t>> cuts;  // Of each axis: the sizes of what is before a piece.
  for (const int64_t size : mesh.sizes) cuts.push_back({1, size});
  for (MeshAxes& list : lists) {
    for (MeshAxis& part : list) {
      if (part.axis < 0 || part.axis >= static_cast<int64_t>(cuts.size())) {
        return InvalidArgument("axis ", part.axis, " of a mesh that has ", cuts.size());
      }
      const int64_t whole = mesh.sizes[static_cast<size_t>(part.axis)];
      if (part.size == 0) part.size = whole;
      if (part.before <= 0 || part.size <= 0 || whole % part.before != 0 ||
          whole / part.before % part.size != 0) {
        return InvalidArgument("the part (", part.before, ")", part.size, " of an axis of ", whole,
                               " devices");
      }
      auto& own = cuts[static_cast<size_t>(part.axis)];
      own.insert(own.end(), {part.before, part.before * part.size});
    }
  }
  Pieces pieces;
  std::vector<size_t> first;  // Piece of each axis.
  for (auto& own : cuts) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    first.push_back(pieces.sizes.size());
    for (size_t i = 1; i < own.size(); ++i) {
      if (own[i] % own[i - 1] != 0) return InvalidArgument("parts of an axis do not fit together");
      pieces.sizes.push_back(own[i] / own[i - 1]);
    }
  }
  std::vector<bool> used(pieces.sizes.size());
  for (const MeshAxes& list : lists) {
    auto& own = pieces.lists.emplace_back();
    for (const MeshAxis& part : list) {
      const auto axis = static_cast<size_t>(part.axis);
      const auto& before = cuts[axis];
      for (size_t i = 0; i + 1 < before.size(); ++i) {
        if (before[i] < part.before || before[i] >= part.before * part.size) continue;
        const size_t piece = first[axis] + i;
        if (used[piece]) return InvalidArgument("axis ", part.axis, " of a mesh is used twice");
        used[piece] = true;
        own.push_back(piece);
      }
    }
  }
  for (size_t piece = 0; piece < used.size(); ++piece) {
    if (!used[piece]) pieces.lists[rest].push_back(piece);
  }
  return pieces;
}

// The formula for the pieces in `order`, of devices that a formula says.
Status OrderFormula(const DeviceMesh& mesh, const Pieces& pieces, const std::vector<size_t>& order,
                    MeshOrder* made) {
  const std::vector<int64_t>& dims = mesh.iota_reshape_dims;
  std::vector<std::vector<size_t>> of_dim(dims.size());  // The pieces that a dimension consists of.
  size_t next = 0;
  for (const int64_t dim : mesh.iota_transpose_perm) {
    const auto at = static_cast<size_t>(dim);
    int64_t left = dims[at];
    for (; left > 1 && next < pieces.sizes.size() && left % pieces.sizes[next] == 0; ++next) {
      left /= pieces.sizes[next];
      of_dim[at].push_back(next);
    }
    if (left > 1) return Unimplemented("a mesh whose axes do not follow the order of its devices");
  }
  std::vector<int64_t> place(pieces.sizes.size());
  for (const std::vector<size_t>& own : of_dim) {
    for (const size_t piece : own) {
      place[piece] = static_cast<int64_t>(made->iota_reshape_dims.size());
      made->iota_reshape_dims.push_back(pieces.sizes[piece]);
    }
  }
  for (const size_t piece : order) made->iota_transpose_perm.push_back(place[piece]);
  return {};
}

void OrderDevices(const DeviceMesh& mesh, const Pieces& pieces, const std::vector<size_t>& order,
                  std::vector<int64_t>* devices) {
  std::vector<size_t> strides(pieces.sizes.size(), 1);
  for (size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<size_t>(pieces.sizes[i]);
  }
  std::vector<int64_t> index(order.size(), 0);
  size_t from = 0;
  for (size_t i = 0; i < mesh.devices.size(); ++i) {
    devices->push_back(mesh.devices[from]);
    for (size_t d = order.size(); d-- > 0;) {
      const int64_t size = pieces.sizes[order[d]];
      from += strides[order[d]];
      if (++index[d] < size) break;
      from -= strides[order[d]] * static_cast<size_t>(size);
      index[d] = 0;
    }
  }
}

}  // namespace

Expected<DeviceMesh> ReadDeviceMesh(pbf_reader message) {
  DeviceMesh mesh;
  while (message.next()) {
    if (message.tag() == MeshProto::kDeviceIds) {
      AppendInts(message, &mesh.devices);
    } else if (message.tag() == MeshProto::kAxes && IsMessage(message)) {
      pbf_reader axis = message.get_message();
      int64_t size = 0;
      while (axis.next(MeshAxisProto::kSize)) size = IntOf(axis);
      mesh.sizes.push_back(size);
    } else if (message.tag() == MeshProto::kIotaTransform && IsMessage(message)) {
      pbf_reader formula = message.get_message();
      while (formula.next()) {
        AppendInts(formula, formula.tag() == MeshIotaProto::kReshapeDims
                                ? &mesh.iota_reshape_dims
                                : &mesh.iota_transpose_perm);
      }
    } else {
      message.skip();
    }
  }
  const int64_t count = ProductOf(mesh.sizes);
  if (count == 0) return InvalidArgument("a mesh has an axis of no devices, or too many devices");
  if (mesh.iota_reshape_dims.empty()) {
    mesh.iota_reshape_dims = {count};
    mesh.iota_transpose_perm = {0};
  }
  if (mesh.devices.empty() ? ProductOf(mesh.iota_reshape_dims) != count
                           : static_cast<int64_t>(mesh.devices.size()) != count) {
    return InvalidArgument("the axes of a mesh are for ", count, " devices, and it has others");
  }
  if (mesh.iota_reshape_dims.size() != mesh.iota_transpose_perm.size() ||
      !IsPermutation(mesh.iota_transpose_perm)) {
    return InvalidArgument("the devices of a mesh are in no permutation");
  }
  return mesh;
}

Expected<MeshAxis> ReadMeshAxis(pbf_reader message) {
  MeshAxis axis;
  while (message.next()) {
    if (message.tag() == AxisRefProto::kMeshAxisIndex) {
      axis.axis = IntOf(message);
    } else if (message.tag() == AxisRefProto::kSubAxisInfo && IsMessage(message)) {
      pbf_reader part = message.get_message();
      axis.before = 0;
      while (part.next()) {
        const int64_t number = IntOf(part);
        (part.tag() == SubAxisProto::kPreSize ? axis.before : axis.size) = number;
      }
      // Of a part, none is not all.
      if (axis.size == 0) return InvalidArgument("a part of an axis has no devices");
    } else {
      message.skip();
    }
  }
  return axis;
}

Expected<MeshOrder> OrderMesh(const DeviceMesh& mesh, std::vector<MeshAxes> lists, size_t rest) {
  PLINTH_ASSIGN_OR_RETURN(const Pieces pieces, CutMesh(mesh, lists, rest));
  MeshOrder made;
  std::vector<size_t> order;
  for (const std::vector<size_t>& list : pieces.lists) {
    int64_t& size = made.sizes.emplace_back(1);
    for (const size_t piece : list) size *= pieces.sizes[piece];
    order.insert(order.end(), list.begin(), list.end());
  }
  if (mesh.devices.empty()) {
    PLINTH_RETURN_IF_ERROR(OrderFormula(mesh, pieces, order, &made));
  } else {
    OrderDevices(mesh, pieces, order, &made.devices);
  }
  return made;
}

Status ReadNamedSharding(pbf_reader message, OpSharding* sharding) {
  using Named = NamedShardingProto;
  using Kind = OpSharding::Kind;
  DeviceMesh mesh;
  std::vector<MeshAxes> lists;
  MeshAxes manual, unreduced;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case protozero::tag_and_type(Named::kMesh, pbf_wire_type::length_delimited): {
        PLINTH_ASSIGN_OR_RETURN(mesh, ReadDeviceMesh(message.get_message()));
        break;
      }
      case protozero::tag_and_type(Named::kDimShardings, pbf_wire_type::length_delimited): {
        pbf_reader dimension = message.get_message();
        MeshAxes& axes = lists.emplace_back();
        while (dimension.next(NamedDimensionProto::kAxes)) {
          PLINTH_RETURN_IF_ERROR(ReadAxis(dimension, &axes));
        }
        break;
      }
      case protozero::tag_and_type(Named::kManualAxes, pbf_wire_type::length_delimited):
        PLINTH_RETURN_IF_ERROR(ReadAxis(message, &manual));
        break;
      case protozero::tag_and_type(Named::kUnreducedAxes, pbf_wire_type::length_delimited):
        PLINTH_RETURN_IF_ERROR(ReadAxis(message, &unreduced));
        break;
      case protozero::tag_and_type(Named::kReductionOp, pbf_wire_type::varint):
        if (message.get_int64() != 0) {
          return Unimplemented("parts of an array that are not added up");
        }
        break;
      default:
        message.skip();
    }
  }
  *sharding = {};
  // A single device without axes.
  if (mesh.sizes.empty()) {
    sharding->kind = mesh.devices.empty() ? Kind::kReplicated : Kind::kMaximal;
    sharding->devices = mesh.devices;
    return {};
  }
  const size_t rank = lists.size();
  lists.insert(lists.end(), {std::move(manual), std::move(unreduced), MeshAxes()});
  PLINTH_ASSIGN_OR_RETURN(MeshOrder order, OrderMesh(mesh, std::move(lists), rank + 2));
  // What is left of the mesh besides dimensions: lists that have devices.
  constexpr Kind kLast[] = {Kind::kManual, Kind::kUnreduced, Kind::kReplicated};
  const auto dims_end = order.sizes.begin() + static_cast<ptrdiff_t>(rank);
  sharding->tile_dimensions.assign(order.sizes.begin(), dims_end);
  for (size_t i = 0; i < std::size(kLast); ++i) {
    if (order.sizes[rank + i] == 1) continue;
    sharding->last_tile_dims.push_back(kLast[i]);
    sharding->tile_dimensions.push_back(order.sizes[rank + i]);
  }
  const std::vector<Kind>& last = sharding->last_tile_dims;
  const bool is_whole =
      std::all_of(order.sizes.begin(), dims_end, [](int64_t n) { return n == 1; });
  if (is_whole && last.size() <= 1) {
    const Kind kind = last.empty() ? Kind::kReplicated : last[0];
    *sharding = {};
    sharding->kind = kind;
    return {};
  }
  sharding->kind = Kind::kTiled;
  sharding->devices = std::move(order.devices);
  sharding->iota_reshape_dims = std::move(order.iota_reshape_dims);
  sharding->iota_transpose_perm = std::move(order.iota_transpose_perm);
  if (last.size() == 1 && last[0] == Kind::kReplicated) {
    sharding->replicate_on_last_tile_dim = true;
    sharding->last_tile_dims.clear();
  }
  return {};
}

}  // namespace plinth::messages
