// SPDX-License-Identifier: Apache-2.0
#include "reference_plugin/program/op_schema.h"

#include <array>

namespace plinth::program {
namespace {

// The rows say forms and defaults by their plain names.
namespace op_rows {
using Rule = AttributeRule;
using enum AttributeForm;
using enum AttributeDefault;
#include "reference_plugin/ops/op_schemas.inc"
}  // namespace op_rows

constexpr bool InOrder() {
  for (int i = 0; i < kNumOps; ++i) {
    if (op_rows::kSchemas[i].op != static_cast<Op>(i)) return false;
  }
  return true;
}
static_assert(std::size(op_rows::kSchemas) == kNumOps && InOrder(),
              "one row per op, in the order of op.h");

}  // namespace

const OpSchema& SchemaOf(Op op) { return op_rows::kSchemas[static_cast<size_t>(op)]; }

const AttributeRule* FindRule(Op op, std::string_view name) {
  for (const AttributeRule& rule : SchemaOf(op).attributes) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

Status CheckCounts(Op op, size_t operands, size_t results, size_t regions) {
  const OpSchema& schema = SchemaOf(op);
  const auto check = [&](int8_t wanted, size_t found, std::string_view what) -> Status {
    if (wanted == kAnyNumber || static_cast<size_t>(wanted) == found) return {};
    return InvalidArgument("it has ", found, " ", what, ", not ", static_cast<int>(wanted));
  };
  PLINTH_RETURN_IF_ERROR(check(schema.operands, operands, "operands"));
  PLINTH_RETURN_IF_ERROR(check(schema.results, results, "results"));
  return check(schema.regions, regions, "regions");
}

Status CheckPlace(Op op, std::optional<Op> parent) {
  const bool is_top = op == Op::kModule;
  const bool is_module_part = op == Op::kFunc || op == Op::kMesh;
  if (!parent.has_value()) {
    return is_top ? Status() : InvalidArgument("a module was expected at the top");
  }
  if (is_top || is_module_part != (*parent == Op::kModule)) {
    return InvalidArgument("it cannot stand in a region of ", Name(*parent));
  }
  return {};
}

Status CheckBlock(Op parent, const Region& region) {
  if (parent == Op::kModule) {
    return region.argument_types.empty() ? Status() : InvalidArgument("its block has arguments");
  }
  if (!region.has_block) return {};
  if (region.operations.empty() || !IsTerminator(region.operations.back().op)) {
    return InvalidArgument("a block of it does not end with a return");
  }
  for (const Operation& op : region.operations.first(region.operations.size() - 1)) {
    if (IsTerminator(op.op)) {
      return InvalidArgument("ops follow ", Name(op.op), " (", ToString(op.location), ")");
    }
  }
  return {};
}

}  // namespace plinth::program
