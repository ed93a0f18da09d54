// SPDX-License-Identifier: Apache-2.0
#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/import/importer.h"

// Meshes and shardings of the sdy form. What the program says is kept; mapping/ uses it, or drops
// it.
namespace plinth::compiler::importer {
namespace {

using program::AttributeRef;

bool IsStruct(AttributeRef attribute, std::string_view name) {
  return attribute != nullptr && attribute->struct_name() == name;
}

// What `attributes` has under a name: one sharding, or one for each of several values.
std::vector<ShardingRef> ShardingsIn(program::Attributes attributes, std::string_view name) {
  const AttributeRef attribute = program::Find(attributes, name);
  if (IsStruct(attribute, "sdy.sharding")) return {attribute};
  if (!IsStruct(attribute, "sdy.sharding_per_value")) return {};
  const auto each = attribute->Find("shardings")->elements();
  return {each.begin(), each.end()};
}

// One list of attributes per argument or result.
std::vector<ShardingRef> ShardingsOf(std::span<const program::Attributes> lists, size_t count) {
  std::vector<ShardingRef> shardings(count, nullptr);
  bool any = false;
  for (size_t i = 0; i < lists.size() && i < count; ++i) {
    const AttributeRef attribute = program::Find(lists[i], "sdy.sharding");
    if (!IsStruct(attribute, "sdy.sharding")) continue;
    shardings[i] = attribute;
    any = true;
  }
  if (!any) shardings.clear();
  return shardings;
}

}  // namespace

Status Importer::ImportMeshes() {
  constexpr size_t kMostMeshes = 256;  // They are searched by name.
  if (program_->meshes().size() > kMostMeshes) {
    return ResourceExhausted("there are ", program_->meshes().size(), " meshes; at most ",
                             kMostMeshes, " are supported");
  }
  for (const program::Operation* operation : program_->meshes()) {
    Mesh mesh{std::string(operation->Text("sym_name")), operation->Find("mesh")};
    if (!IsStruct(mesh.axes, "sdy.mesh")) {
      return InvalidArgument("mesh @", mesh.name, " says nothing of its axes");
    }
    PLINTH_RETURN_IF_ERROR(CheckMesh(mesh));
    for (const Mesh& other : module_.meshes) {
      if (other.name == mesh.name) return InvalidArgument("there are two meshes @", mesh.name);
    }
    module_.meshes.push_back(std::move(mesh));
  }
  return Status();
}

Status Importer::ImportShardings(const program::Function& source, Function& function) {
  function.argument_shardings =
      ShardingsOf(source.argument_attributes, source.argument_types.size());
  function.result_shardings = ShardingsOf(source.result_attributes, source.result_types.size());
  return CheckShardings(module_.meshes, function);
}

Status Importer::ImportShardings(const program::Operation& operation, Op& op) {
  OpShardings shardings;
  const bool is_manual = op.opcode == Opcode::kManualComputation;
  const bool has_own = op.opcode == Opcode::kShardingConstraint || op.opcode == Opcode::kReshard;
  shardings.results = ShardingsIn(operation.attributes, is_manual ? "out_shardings"
                                                        : has_own ? "sharding"
                                                                  : "sdy.sharding");
  if (is_manual) {
    shardings.operands = ShardingsIn(operation.attributes, "in_shardings");
    shardings.manual_axes = operation.Find("manual_axes");
  }
  if (shardings.results.empty() && shardings.operands.empty()) return Status();
  op.shardings = std::make_shared<const OpShardings>(std::move(shardings));
  return CheckShardings(module_.meshes, op);
}

// What an op became: the last of the ops since `first` is the one that makes the results, if they
// are its own.
Status Importer::ImportShardings(const program::Operation& operation, size_t first) {
  const bool has_any = program::Find(operation.attributes, "sdy.sharding") != nullptr;
  if (!has_any || block_->ops.size() <= first) return Status();
  Op& op = *block_->ops.back();
  if (op.shardings != nullptr || op.results.size() != operation.result_types.size()) {
    return Status();
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (values_[operation.first_result + i] != op.results[i]) return Status();
  }
  return ImportShardings(operation, op);
}

}  // namespace plinth::compiler::importer
