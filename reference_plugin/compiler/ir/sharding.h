// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/program/attribute.h"

// How arrays are spread over devices, as the program says it in the sdy form.
namespace plinth::compiler {

struct Type;
struct Op;
struct Function;
struct Value;

// A struct "sdy.sharding", alive as long as Module::owner; null where none was given.
using ShardingRef = program::AttributeRef;

// Devices in a grid of named axes.
struct Mesh {
  std::string name;
  program::AttributeRef axes = nullptr;  // a struct "sdy.mesh", alive as long as Module::owner
};

// What an op says about the arrays that it makes.
struct OpShardings {
  std::vector<ShardingRef> results;  // one per result
  // Of a manual_computation: one per operand, and a struct "sdy.manual_axes".
  std::vector<ShardingRef> operands;
  program::AttributeRef manual_axes = nullptr;
};

// INVALID_ARGUMENT unless there is one per type, each null or a sharding of that type over a mesh
// that is there: its axes exist, none is used twice, parts of axes divide them.
Status CheckShardings(std::span<const Mesh> meshes, std::span<const ShardingRef> shardings,
                      std::span<const Type* const> types);
// The same of all that an op and a function say.
Status CheckShardings(std::span<const Mesh> meshes, const Op& op);
Status CheckShardings(std::span<const Mesh> meshes, const Function& function);
// The same of the axes of a mesh itself.
Status CheckMesh(const Mesh& mesh);

// As in MLIR text.
std::string ToString(std::span<const ShardingRef> shardings);
std::string ToString(const OpShardings& shardings);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_H_
