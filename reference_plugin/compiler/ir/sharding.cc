// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/sharding.h"

#include <algorithm>
#include <set>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {
namespace {

using program::AttributeRef;

AttributeRef FindMesh(std::span<const Mesh> meshes, AttributeRef mesh_or_ref) {
  if (!mesh_or_ref->Is(program::AttributeKind::kSymbol)) return mesh_or_ref;
  for (const Mesh& mesh : meshes) {
    if (mesh.name == mesh_or_ref->text()) return mesh.axes;
  }
  return nullptr;
}

// No number of devices has more factors; what a sharding costs to check is bounded by it.
constexpr size_t kMostAxes = 64;

Status CheckNumAxes(AttributeRef mesh) {
  const size_t count = mesh->Find("axes")->elements().size();
  if (count <= kMostAxes) return Status();
  return ResourceExhausted("a mesh has ", count, " axes; at most ", kMostAxes, " are supported");
}

// The axes that one sharding uses. Parts of an axis are used once each, too: a part is where it
// begins and how long it is.
class UsedAxes {
 public:
  explicit UsedAxes(AttributeRef mesh) : mesh_(mesh) {}

  Status Use(AttributeRef axis) {
    const std::string_view name = axis->Find("name")->text();
    const auto axes = mesh_->Find("axes")->elements();
    const auto found = std::find_if(axes.begin(), axes.end(), [&](AttributeRef of_mesh) {
      return of_mesh->Find("name")->text() == name;
    });
    if (found == axes.end()) {
      return InvalidArgument("the mesh has no axis \"", name, "\"");
    }
    const int64_t size = (*found)->Find("size")->integer();
    int64_t first = 1;
    int64_t end = std::max<int64_t>(size, 2);  // an axis of one device is used once, too
    if (const AttributeRef part = axis->Find("sub_axis_info")) {
      first = part->Find("pre_size")->integer();
      const int64_t length = part->Find("size")->integer();
      if (first < 1 || length < 2 || first > size || size % first != 0 || length > size / first ||
          (size / first) % length != 0) {
        return InvalidArgument("axis \"", name, "\" has ", size, " devices; it has no part (",
                               first, ")", length);
      }
      end = first * length;
    }
    for (const Part& used : used_) {
      if (used.name == name && first < used.end && used.first < end) {
        return InvalidArgument("axis \"", name, "\" is used twice");
      }
    }
    used_.push_back({name, first, end});
    return Status();
  }

  Status UseAll(AttributeRef axes) {
    for (AttributeRef axis : axes->elements()) PLINTH_RETURN_IF_ERROR(Use(axis));
    return Status();
  }

 private:
  struct Part {
    std::string_view name;
    int64_t first, end;
  };
  AttributeRef mesh_;
  std::vector<Part> used_;
};

Status CheckSharding(std::span<const Mesh> meshes, ShardingRef sharding, const Type& type) {
  const AttributeRef mesh = FindMesh(meshes, sharding->Find("mesh_or_ref"));
  if (mesh == nullptr || mesh->struct_name() != "sdy.mesh") {
    return InvalidArgument("there is no such mesh");
  }
  // One that stands in the sharding has no place where it was checked once.
  if (!sharding->Find("mesh_or_ref")->Is(program::AttributeKind::kSymbol)) {
    PLINTH_RETURN_IF_ERROR(CheckMesh(Mesh{"", mesh}));
  }
  // On one device of its own there is nothing to divide: JAX gives no dimensions then.
  if (mesh->Find("axes")->elements().empty()) return Status();
  const auto dims = sharding->Find("dim_shardings")->elements();
  if (type.kind == Type::Kind::kTensor && static_cast<int64_t>(dims.size()) != type.rank()) {
    return InvalidArgument("it is for ", dims.size(), " dimensions; the array is ",
                           type.ToString());
  }
  UsedAxes used(mesh);
  for (AttributeRef dim : dims) PLINTH_RETURN_IF_ERROR(used.UseAll(dim->Find("axes")));
  PLINTH_RETURN_IF_ERROR(used.UseAll(sharding->Find("replicated_axes")));
  return used.UseAll(sharding->Find("unreduced_axes"));
}

std::vector<const Type*> ShardedTypes(std::span<Value* const> values) {
  std::vector<const Type*> types;
  for (const Value* value : values) types.push_back(&value->type);
  return types;
}

}  // namespace

Status CheckShardings(std::span<const Mesh> meshes, std::span<const ShardingRef> shardings,
                      std::span<const Type* const> types) {
  if (shardings.size() != types.size()) {
    return InvalidArgument("there are ", shardings.size(), " shardings; expected one for each of ",
                           types.size(), " arrays");
  }
  for (size_t i = 0; i < shardings.size(); ++i) {
    if (shardings[i] == nullptr) continue;
    Status status = CheckSharding(meshes, shardings[i], *types[i]);
    if (!status.ok()) {
      return status.WithContext(StrCat("sharding ", i, ", ", program::ToString(shardings[i])));
    }
  }
  return Status();
}

Status CheckShardings(std::span<const Mesh> meshes, const Op& op) {
  if (op.shardings == nullptr) return Status();
  // JAX says of a call without results where it runs.
  if (op.results.empty() && op.shardings->results.size() == 1) return Status();
  PLINTH_RETURN_IF_ERROR(CheckShardings(meshes, op.shardings->results, ShardedTypes(op.results)));
  if (op.shardings->operands.empty()) return Status();
  return CheckShardings(meshes, op.shardings->operands, ShardedTypes(op.operands));
}

Status CheckShardings(std::span<const Mesh> meshes, const Function& function) {
  if (!function.argument_shardings.empty()) {
    PLINTH_RETURN_IF_ERROR(CheckShardings(meshes, function.argument_shardings,
                                          ShardedTypes(function.body->arguments)));
  }
  if (function.result_shardings.empty()) return Status();
  return CheckShardings(meshes, function.result_shardings,
                        ShardedTypes(function.body->terminator()->operands));
}

Status CheckMesh(const Mesh& mesh) {
  PLINTH_RETURN_IF_ERROR(CheckNumAxes(mesh.axes));
  std::set<std::string_view> names;
  int64_t devices = 1;
  for (AttributeRef axis : mesh.axes->Find("axes")->elements()) {
    const int64_t size = axis->Find("size")->integer();
    if (!names.insert(axis->Find("name")->text()).second) {
      return InvalidArgument("mesh @", mesh.name, " has two axes \"", axis->Find("name")->text(),
                             "\"");
    }
    if (size < 1 || __builtin_mul_overflow(devices, size, &devices)) {
      return InvalidArgument("mesh @", mesh.name, " has an axis of ", size, " devices");
    }
  }
  return Status();
}

std::string ToString(std::span<const ShardingRef> shardings) {
  std::string text = "[";
  for (const ShardingRef sharding : shardings) {
    if (text.size() > 1) text += ", ";
    text += sharding == nullptr ? "none" : program::ToString(sharding);
  }
  return text + "]";
}

std::string ToString(const OpShardings& shardings) {
  std::string text = StrCat("shardings=", ToString(shardings.results));
  if (!shardings.operands.empty()) {
    text += StrCat(", operand_shardings=", ToString(shardings.operands));
  }
  if (shardings.manual_axes != nullptr) {
    text += StrCat(", manual_axes=", program::ToString(shardings.manual_axes));
  }
  return text;
}

}  // namespace plinth::compiler
