// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_SHARDING_READER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_SHARDING_READER_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::importer {

// The meshes and shardings of one program, in every form that programs have them:
// - sdy: attributes of the dialect;
// - the same as text in frontend attributes "xla.sdy.*", which clients of old VHLO versions send;
// - GSPMD: OpSharding texts "mhlo.sharding".
// Equal attributes become one sharding, which is read once. INVALID_ARGUMENT names the sharding.
class ShardingReader {
 public:
  explicit ShardingReader(Module& module) : module_(module) {}

  // Adds the meshes of the program to the module's.
  Status ReadMeshes(const program::Module& program);
  // A struct "sdy.sharding".
  Expected<ShardingRef> ReadSdy(program::AttributeRef sharding);
  // Each is null, or a struct "sdy.sharding".
  Expected<std::vector<ShardingRef>> ReadSdy(std::span<const program::AttributeRef> shardings);
  // What the attributes of a value of that type say in the forms of text; null if nothing. The sdy
  // form goes first, because both are written side by side.
  Expected<ShardingRef> ReadText(program::Attributes attributes, const Type& type);
  // The shardings of an op with results of those types, in the forms of text; empty if it says
  // nothing.
  Expected<std::vector<ShardingRef>> ReadTexts(program::Attributes attributes,
                                               std::span<const Type> types);
  // What a call at the border of a region says in the sdy form as text: the shardings under that
  // name, and along which axes each device is on its own.
  Expected<std::vector<ShardingRef>> ReadBorder(program::Attributes attributes,
                                                std::string_view name);
  static Expected<std::vector<std::string>> ReadManualAxes(program::Attributes attributes);
  // Along which parts of the flat axis GSPMD's form says that each device is on its own; none if it
  // says nothing.
  Expected<AxisList> ReadManualParts(program::Attributes attributes, const Type& type);
  // The group of values that are spread alike of which GSPMD's form says the result is; kNoGroup.
  Expected<int64_t> ReadGroup(program::Attributes attributes) const;
  // The groups of devices that a struct "stablehlo.replica_group_mesh_axes" means.
  Expected<std::vector<std::vector<int64_t>>> ReadGroups(program::AttributeRef groups) const;

 private:
  Status AddMesh(Mesh mesh);
  Expected<MeshRef> ReadMesh(program::AttributeRef mesh_or_ref) const;
  Expected<ShardingRef> MakeSdy(program::AttributeRef sharding);
  static Status ReadAxes(const Mesh& mesh, program::AttributeRef axes, AxisList* list);
  Expected<std::vector<ShardingRef>> ReadSdyText(std::string_view text);
  Expected<std::vector<ShardingRef>> ReadGspmd(std::string_view text, std::span<const Type> types);

  Module& module_;
  MeshRef flat_;  // of the GSPMD form; null before the first of them
  std::unordered_map<program::AttributeRef, ShardingRef> sdy_;
  std::unordered_map<std::string_view, std::vector<ShardingRef>> texts_;
};

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_SHARDING_READER_H_
