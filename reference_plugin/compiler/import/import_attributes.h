// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_ATTRIBUTES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_ATTRIBUTES_H_

#include <memory>
#include <span>

#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

// From the attributes of a program to ours. These check form (lengths that defaults depend on,
// known enum values); whether the numbers fit the types is for CheckOp.
namespace plinth::compiler::importer {

using AttributesRef = std::shared_ptr<const Attributes>;

class ShardingReader;

struct AttributeSource {
  const program::Operation& op;
  std::span<Value* const> operands;
  std::span<const Type> results;
  const std::shared_ptr<const void>& owner;   // Keeps the program's bytes alive.
  const ShardingReader* shardings = nullptr;  // Knows the meshes; never null for collectives.
};

using AttributeConverter = Expected<AttributesRef> (*)(const AttributeSource& source);

// What the rows of ops.toml name. ConvertDimensions puts the dimensions in ascending order.
#include "reference_plugin/ops/import_converters.inc"
// ImportComposite calls it; no row of its own.
Expected<AttributesRef> ConvertComposite(const AttributeSource& source);

// The integers of dense<...> : tensor<Nxindex>, at most a dimension each.
Expected<Dims> ReadLayout(const program::Attribute& attribute);

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_IMPORT_ATTRIBUTES_H_
