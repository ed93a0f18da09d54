// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/ir/sharding.h"

#include <algorithm>

#include "plinth/program/printer.h"
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {
namespace {

std::vector<const Type*> ShardedTypes(std::span<Value* const> values) {
  std::vector<const Type*> types;
  for (const Value* value : values) types.push_back(&value->type);
  return types;
}

// The axes that one sharding uses. A part is used once, too.
class UsedAxes {
 public:
  explicit UsedAxes(const Mesh& mesh) : mesh_(mesh) {}

  Status UseAll(std::span<const Axis> axes) {
    for (const Axis& axis : axes) PLINTH_RETURN_IF_ERROR(Use(axis));
    return Status();
  }

 private:
  Status Use(const Axis& axis) {
    if (axis.index < 0 || axis.index >= static_cast<int32_t>(mesh_.axes.size())) {
      return InvalidArgument("the mesh has no axis ", axis.index);
    }
    const MeshAxis& whole = mesh_.axes[static_cast<size_t>(axis.index)];
    const auto divides = [](int64_t a, int64_t b) { return a >= 1 && a <= b && b % a == 0; };
    if (!divides(axis.pre_size, whole.size) || !divides(axis.size, whole.size / axis.pre_size) ||
        (axis.size == 1 && whole.size != 1)) {
      return InvalidArgument("axis \"", whole.name, "\" has ", whole.size,
                             " devices; it has no part (", axis.pre_size, ")", axis.size);
    }
    for (const Axis& used : used_) {
      // An axis of one device is used once, too.
      if (Overlap(used, axis) || used == axis) {
        return InvalidArgument("axis \"", whole.name, "\" is used twice");
      }
    }
    used_.push_back(axis);
    return Status();
  }

  const Mesh& mesh_;
  AxisList used_;
};

Status CheckForType(const Sharding& sharding, const Type& type) {
  PLINTH_RETURN_IF_ERROR(CheckSharding(sharding));
  // On one device of its own there is nothing to divide: JAX gives no dimensions then.
  if (sharding.mesh->axes.empty() || type.kind != Type::Kind::kTensor) return Status();
  if (static_cast<int64_t>(sharding.dims.size()) == type.rank()) return Status();
  return InvalidArgument("it is for ", sharding.dims.size(), " dimensions; the array is ",
                         type.ToString());
}

// The first mesh with axes that the op names; null if there is none.
const Mesh* MeshOf(const OpShardings& shardings) {
  for (const auto* list : {&shardings.operands, &shardings.results}) {
    for (const ShardingRef& sharding : *list) {
      if (sharding != nullptr && !sharding->mesh->axes.empty()) return sharding->mesh.get();
    }
  }
  return nullptr;
}

}  // namespace

Status CheckSharding(const Sharding& sharding) {
  if (sharding.mesh == nullptr) return InvalidArgument("there is no such mesh");
  UsedAxes used(*sharding.mesh);
  for (const DimSharding& dim : sharding.dims) PLINTH_RETURN_IF_ERROR(used.UseAll(dim.axes));
  PLINTH_RETURN_IF_ERROR(used.UseAll(sharding.replicated));
  return used.UseAll(sharding.unreduced);
}

Status CheckShardings(std::span<const ShardingRef> shardings, std::span<const Type* const> types) {
  if (shardings.size() != types.size()) {
    return InvalidArgument("there are ", shardings.size(), " shardings; expected one for each of ",
                           types.size(), " arrays");
  }
  for (size_t i = 0; i < shardings.size(); ++i) {
    if (shardings[i] == nullptr) continue;
    Status status = CheckForType(*shardings[i], *types[i]);
    if (!status.ok()) {
      return status.WithContext(StrCat("sharding ", i, ", ", ToString(*shardings[i])));
    }
  }
  return Status();
}

Status CheckShardings(const Op& op) {
  if (op.shardings == nullptr) return Status();
  // JAX says of a call without results where it runs.
  if (op.results.empty() && op.shardings->results.size() == 1) return Status();
  // A custom call may say more than that.
  if (op.opcode == Opcode::kCustomCall && op.shardings->results.empty()) return Status();
  PLINTH_RETURN_IF_ERROR(CheckShardings(op.shardings->results, ShardedTypes(op.results)));
  if (op.shardings->operands.empty()) return Status();
  return CheckShardings(op.shardings->operands, ShardedTypes(op.operands));
}

Status CheckShardings(const Function& function) {
  if (!function.argument_shardings.empty()) {
    PLINTH_RETURN_IF_ERROR(
        CheckShardings(function.argument_shardings, ShardedTypes(function.body->arguments)));
  }
  if (function.result_shardings.empty()) return Status();
  return CheckShardings(function.result_shardings,
                        ShardedTypes(function.body->terminator()->operands));
}

std::string ToString(const Sharding& sharding) {
  const Mesh& mesh = *sharding.mesh;
  std::string text = "#sdy.sharding<";
  if (mesh.name.empty()) {
    text += StrCat("mesh", ToString(mesh));
  } else {
    program::PrintSymbol(mesh.name, &text);
  }
  text += ", [";
  for (size_t i = 0; i < sharding.dims.size(); ++i) {
    const DimSharding& dim = sharding.dims[i];
    std::string axes = ToString(mesh, dim.axes);
    if (!dim.is_closed) axes.insert(axes.size() - 1, dim.axes.empty() ? "?" : ", ?");
    text += StrCat(i == 0 ? "" : ", ", axes);
    if (dim.priority != DimSharding::kNoPriority) text += StrCat("p", dim.priority);
  }
  text += "]";
  if (!sharding.replicated.empty()) {
    text += StrCat(", replicated=", ToString(mesh, sharding.replicated));
  }
  if (!sharding.unreduced.empty()) {
    constexpr std::string_view kReductions[] = {"", "max", "min"};
    text += StrCat(", unreduced=", kReductions[static_cast<size_t>(sharding.reduction)],
                   ToString(mesh, sharding.unreduced));
  }
  return text + ">";
}

std::string ToString(std::span<const ShardingRef> shardings) {
  std::string text = "[";
  for (const ShardingRef& sharding : shardings) {
    if (text.size() > 1) text += ", ";
    text += sharding == nullptr ? "none" : ToString(*sharding);
  }
  return text + "]";
}

std::string ToString(const OpShardings& shardings) {
  std::string text = StrCat("shardings=", ToString(shardings.results));
  if (!shardings.operands.empty()) {
    text += StrCat(", operand_shardings=", ToString(shardings.operands));
  }
  if (!shardings.manual_axes.empty()) {
    text += ", manual_axes={";
    for (size_t i = 0; i < shardings.manual_axes.size(); ++i) {
      text += StrCat(i == 0 ? "\"" : ", \"", shardings.manual_axes[i], "\"");
    }
    text += "}";
  }
  if (!shardings.manual_parts.empty()) {
    text += ", manual_parts={";
    const Mesh* const mesh = MeshOf(shardings);
    for (const Axis& part : shardings.manual_parts) {
      if (text.back() != '{') text += ", ";
      text += mesh == nullptr ? StrCat("(", part.pre_size, ")", part.size) : ToString(*mesh, part);
    }
    text += "}";
  }
  if (shardings.call_rule != nullptr) text += ", call_rule";
  if (shardings.num_batch_dims > 0) {
    text += StrCat(", num_batch_dims=", shardings.num_batch_dims);
  }
  if (shardings.group != OpShardings::kNoGroup) text += StrCat(", group=", shardings.group);
  if (shardings.passage != Passage::kBothWays) {
    constexpr std::string_view kPassages[] = {"nowhere", "forward", "backward", ""};
    text += StrCat(", passes=", kPassages[static_cast<size_t>(shardings.passage)]);
  }
  return text;
}

}  // namespace plinth::compiler
