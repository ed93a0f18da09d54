// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/compiler/import/sharding_reader.h"

#include <algorithm>

#include "plinth/support/str_cat.h"
#include "reference_plugin/compiler/ir/mesh_groups.h"
#include "reference_plugin/compiler/ir/op_sharding.h"
#include "reference_plugin/program/sharding_text.h"

namespace plinth::compiler::importer {
namespace {

using program::AttributeKind;
using program::AttributeRef;

constexpr std::string_view kFrontend = "mhlo.frontend_attributes";

bool IsStruct(AttributeRef attribute, std::string_view name) {
  return attribute != nullptr && attribute->struct_name() == name;
}

Mesh MakeMesh(std::string_view name, AttributeRef source) {
  Mesh mesh;
  mesh.name = std::string(name);
  for (AttributeRef axis : source->Find("axes")->elements()) {
    mesh.axes.push_back({std::string(axis->Find("name")->text()), axis->Find("size")->integer()});
  }
  // That of stablehlo may be without.
  if (const AttributeRef devices = source->Find("device_ids")) {
    const auto ids = devices->integers();
    mesh.device_ids.assign(ids.begin(), ids.end());
  }
  return mesh;
}

// A text of the frontend attributes, or "".
std::string_view FrontendText(program::Attributes attributes, std::string_view name) {
  const AttributeRef frontend = program::Find(attributes, kFrontend);
  const AttributeRef text = frontend == nullptr ? nullptr : frontend->Find(name);
  return text == nullptr ? std::string_view() : text->text();
}

// Reads one attribute in MLIR text: that of a module without anything else.
Expected<program::Module> ReadAttributeText(std::string_view text) {
  auto module = program::ReadText(StrCat("module attributes {a = ", text, "} {\n}"));
  if (module.ok()) return module;
  return module.status().WithContext(StrCat("frontend attribute ", text.substr(0, 120)));
}

}  // namespace

Status ShardingReader::AddMesh(Mesh mesh) {
  constexpr size_t kMostMeshes = 256;  // They are searched by name.
  if (module_.meshes.size() >= kMostMeshes) {
    return ResourceExhausted("there are more than ", kMostMeshes, " meshes");
  }
  PLINTH_RETURN_IF_ERROR(CheckMesh(mesh));
  for (const MeshRef& other : module_.meshes) {
    if (other->name == mesh.name) return InvalidArgument("there are two meshes @", mesh.name);
  }
  module_.meshes.push_back(std::make_shared<const Mesh>(std::move(mesh)));
  return Status();
}

Status ShardingReader::ReadMeshes(const program::Module& program) {
  for (const program::Operation* operation : program.meshes()) {
    const std::string_view name = operation->Text("sym_name");
    const AttributeRef mesh = operation->Find("mesh");
    if (!IsStruct(mesh, "sdy.mesh")) {
      return InvalidArgument("mesh @", name, " says nothing of its axes");
    }
    PLINTH_RETURN_IF_ERROR(AddMesh(MakeMesh(name, mesh)));
  }
  const std::string_view text = FrontendText(program.attributes(), "xla.sdy.meshes");
  if (text.empty()) return Status();
  PLINTH_ASSIGN_OR_RETURN(const program::Module read, ReadAttributeText(text));
  const AttributeRef meshes = program::Find(read.attributes(), "a");
  if (!meshes->Is(AttributeKind::kDictionary)) {
    return InvalidArgument("xla.sdy.meshes is ", text, "; expected {name = #sdy.mesh<...>}");
  }
  for (const program::NamedAttribute& field : meshes->fields()) {
    if (!IsStruct(field.value, "sdy.mesh")) {
      return InvalidArgument("mesh @", field.name, " of xla.sdy.meshes says nothing of its axes");
    }
    PLINTH_RETURN_IF_ERROR(AddMesh(MakeMesh(field.name, field.value)));
  }
  return Status();
}

Expected<MeshRef> ShardingReader::ReadMesh(AttributeRef mesh_or_ref) const {
  if (IsStruct(mesh_or_ref, "sdy.mesh") || IsStruct(mesh_or_ref, "stablehlo.mesh")) {
    auto mesh = std::make_shared<const Mesh>(MakeMesh("", mesh_or_ref));
    PLINTH_RETURN_IF_ERROR(CheckMesh(*mesh));
    return MeshRef(std::move(mesh));
  }
  for (const MeshRef& mesh : module_.meshes) {
    if (mesh->name == mesh_or_ref->text()) return mesh;
  }
  return InvalidArgument("there is no such mesh");
}

Status ShardingReader::ReadAxes(const Mesh& mesh, AttributeRef axes, AxisList* list) {
  for (AttributeRef axis : axes->elements()) {
    const std::string_view name = axis->Find("name")->text();
    const auto found = std::find_if(mesh.axes.begin(), mesh.axes.end(),
                                    [&](const MeshAxis& other) { return other.name == name; });
    if (found == mesh.axes.end()) return InvalidArgument("the mesh has no axis \"", name, "\"");
    Axis part = {static_cast<int32_t>(found - mesh.axes.begin()), 1, found->size};
    if (const AttributeRef sub = axis->Find("sub_axis_info")) {
      part.pre_size = sub->Find("pre_size")->integer();
      part.size = sub->Find("size")->integer();
    }
    list->push_back(part);
  }
  return Status();
}

Expected<std::vector<std::vector<int64_t>>> ShardingReader::ReadGroups(AttributeRef groups) const {
  constexpr int64_t kMost = 4096;  // Each op has its own copy.
  const AttributeRef mesh = groups->Find("mesh"), axes = groups->Find("axes");
  if (mesh == nullptr || axes == nullptr || !axes->Is(AttributeKind::kArray)) {
    return InvalidArgument("it names no mesh or no axes");
  }
  const AttributeRef devices = mesh->Find("device_ids");
  if (devices != nullptr && !devices->Is(AttributeKind::kDenseArray)) {
    return Unimplemented("a mesh in place with device_ids; name the mesh instead");
  }
  for (AttributeRef axis : axes->elements()) {
    if (!IsStruct(axis, "stablehlo.axis_ref")) {
      return InvalidArgument(program::ToString(axis), " is no axis");
    }
  }
  Sharding named;
  PLINTH_ASSIGN_OR_RETURN(named.mesh, ReadMesh(mesh));
  if (named.mesh->num_devices() > kMost) {
    return Unimplemented("the mesh has ", named.mesh->num_devices(), " devices; at most ", kMost,
                         " are supported");
  }
  PLINTH_RETURN_IF_ERROR(ReadAxes(*named.mesh, axes, &named.replicated));
  PLINTH_RETURN_IF_ERROR(CheckSharding(named));
  return GroupsOf(*named.mesh, named.replicated);
}

Expected<ShardingRef> ShardingReader::MakeSdy(AttributeRef source) {
  Sharding sharding;
  PLINTH_ASSIGN_OR_RETURN(sharding.mesh, ReadMesh(source->Find("mesh_or_ref")));
  const Mesh& mesh = *sharding.mesh;
  for (AttributeRef dim : source->Find("dim_shardings")->elements()) {
    DimSharding& made = sharding.dims.emplace_back();
    PLINTH_RETURN_IF_ERROR(ReadAxes(mesh, dim->Find("axes"), &made.axes));
    made.is_closed = dim->Find("is_closed")->integer() != 0;
    if (const AttributeRef priority = dim->Find("priority")) {
      made.priority = std::max<int64_t>(0, priority->integer());
    }
  }
  PLINTH_RETURN_IF_ERROR(ReadAxes(mesh, source->Find("replicated_axes"), &sharding.replicated));
  PLINTH_RETURN_IF_ERROR(ReadAxes(mesh, source->Find("unreduced_axes"), &sharding.unreduced));
  sharding.reduction =
      static_cast<ReductionOp>(std::clamp<int64_t>(source->Find("reduction_op")->integer(), 0, 2));
  PLINTH_RETURN_IF_ERROR(CheckSharding(sharding));
  // What was exported for one device and is called on several spreads nothing.
  if (module_.num_partitions > 1 && !mesh.axes.empty() && mesh.num_devices() == 1) {
    sharding = {
        std::make_shared<const Mesh>(), std::vector<DimSharding>(sharding.dims.size()), {}, {}};
  }
  return std::make_shared<const Sharding>(std::move(sharding));
}

Expected<ShardingRef> ShardingReader::ReadSdy(AttributeRef source) {
  ShardingRef& sharding = sdy_[source];
  if (sharding != nullptr) return sharding;
  auto made = MakeSdy(source);
  if (!made.ok()) {
    return made.status().WithContext(StrCat("sharding ", program::ToString(source)));
  }
  sharding = *std::move(made);
  return sharding;
}

Expected<std::vector<ShardingRef>> ShardingReader::ReadSdy(
    std::span<const AttributeRef> shardings) {
  std::vector<ShardingRef> read;
  for (AttributeRef sharding : shardings) {
    read.emplace_back();
    if (sharding == nullptr) continue;
    PLINTH_ASSIGN_OR_RETURN(read.back(), ReadSdy(sharding));
  }
  return read;
}

// One sharding, or one for each of several values.
Expected<std::vector<ShardingRef>> ShardingReader::ReadSdyText(std::string_view text) {
  const auto known = texts_.find(text);
  if (known != texts_.end()) return known->second;
  PLINTH_ASSIGN_OR_RETURN(const program::Module module, ReadAttributeText(text));
  const AttributeRef read = program::Find(module.attributes(), "a");
  std::vector<AttributeRef> sources = {read};
  if (IsStruct(read, "sdy.sharding_per_value")) {
    const auto each = read->Find("shardings")->elements();
    sources.assign(each.begin(), each.end());
  } else if (!IsStruct(read, "sdy.sharding")) {
    return InvalidArgument("xla.sdy.sharding is ", text, "; expected #sdy.sharding<...>");
  }
  std::vector<ShardingRef> shardings;
  for (AttributeRef source : sources) {
    auto made = MakeSdy(source);
    if (!made.ok()) return made.status().WithContext(StrCat("sharding ", text));
    shardings.push_back(*std::move(made));
  }
  return texts_.emplace(text, std::move(shardings)).first->second;
}

Expected<std::vector<ShardingRef>> ShardingReader::ReadGspmd(std::string_view text,
                                                             std::span<const Type> types) {
  PLINTH_ASSIGN_OR_RETURN(const program::OpSharding read, program::ReadShardingText(text));
  if (flat_ == nullptr) flat_ = FlatMesh(module_.num_partitions);
  const bool is_tuple = read.kind == program::OpSharding::Kind::kTuple;
  if (is_tuple && read.elements.size() != types.size()) {
    return InvalidArgument("sharding ", text.substr(0, 120), " is for ", read.elements.size(),
                           " arrays; expected ", types.size());
  }
  std::vector<ShardingRef> shardings;
  for (size_t i = 0; i < types.size(); ++i) {
    auto made = FromOpSharding(is_tuple ? read.elements[i] : read, types[i], flat_);
    if (!made.ok()) return made.status().WithContext(StrCat("sharding ", text.substr(0, 120)));
    shardings.push_back(*std::move(made));
  }
  return shardings;
}

Expected<std::vector<ShardingRef>> ShardingReader::ReadTexts(program::Attributes attributes,
                                                             std::span<const Type> types) {
  if (const std::string_view text = FrontendText(attributes, "xla.sdy.sharding"); !text.empty()) {
    return ReadSdyText(text);
  }
  const AttributeRef gspmd = program::Find(attributes, "mhlo.sharding");
  if (gspmd == nullptr || !gspmd->Is(AttributeKind::kString)) return std::vector<ShardingRef>();
  return ReadGspmd(gspmd->text(), types);
}

Expected<std::vector<ShardingRef>> ShardingReader::ReadBorder(program::Attributes attributes,
                                                              std::string_view name) {
  const std::string_view text = FrontendText(attributes, name);
  if (text.empty()) return InvalidArgument("there is no frontend attribute ", name);
  return ReadSdyText(text);
}

Expected<std::vector<std::string>> ShardingReader::ReadManualAxes(program::Attributes attributes) {
  const std::string_view text = FrontendText(attributes, "xla.sdy.manual_axes");
  if (text.empty()) return InvalidArgument("there is no frontend attribute xla.sdy.manual_axes");
  PLINTH_ASSIGN_OR_RETURN(const program::Module module, ReadAttributeText(text));
  const AttributeRef read = program::Find(module.attributes(), "a");
  if (!IsStruct(read, "sdy.manual_axes")) {
    return InvalidArgument("xla.sdy.manual_axes is ", text, "; expected #sdy<manual_axes{...}>");
  }
  std::vector<std::string> axes;
  for (AttributeRef name : read->Find("axes")->elements()) axes.emplace_back(name->text());
  return axes;
}

Expected<AxisList> ShardingReader::ReadManualParts(program::Attributes attributes,
                                                   const Type& type) {
  const AttributeRef gspmd = program::Find(attributes, "mhlo.sharding");
  if (gspmd == nullptr || !gspmd->Is(AttributeKind::kString)) return AxisList();
  PLINTH_ASSIGN_OR_RETURN(const program::OpSharding read, program::ReadShardingText(gspmd->text()));
  return ManualPartsOf(read, type, FlatMesh(module_.num_partitions)).value_or(AxisList());
}

Expected<int64_t> ShardingReader::ReadGroup(program::Attributes attributes) const {
  const AttributeRef gspmd = program::Find(attributes, "mhlo.sharding");
  if (gspmd == nullptr || !gspmd->Is(AttributeKind::kString)) return program::kNoShardingGroup;
  int64_t group;
  PLINTH_RETURN_IF_ERROR(program::ReadShardingText(gspmd->text(), &group).status());
  return group;
}

Expected<ShardingRef> ShardingReader::ReadText(program::Attributes attributes, const Type& type) {
  PLINTH_ASSIGN_OR_RETURN(const std::vector<ShardingRef> read,
                          ReadTexts(attributes, std::span<const Type>(&type, 1)));
  if (read.empty()) return ShardingRef();
  if (read.size() == 1) return read[0];
  return InvalidArgument("there are ", read.size(), " shardings; expected that of one array");
}

}  // namespace plinth::compiler::importer
