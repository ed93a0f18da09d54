// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_RULE_FUNCTIONS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_RULE_FUNCTIONS_H_

#include "reference_plugin/compiler/partition/rule.h"

// The functions that the column `sharding` of ops.toml names. An op has passed its check.
namespace plinth::compiler::partition {

#include "reference_plugin/ops/sharding_functions.inc"

inline const Dims& ShapeOf(const Value* value) { return value->type.dims; }

inline constexpr Factor kReduced = {1, FactorKind::kReduction, false};
inline constexpr Factor kReplicated = {1, FactorKind::kNeedReplication, false};
inline constexpr Factor kBlocked = {1, FactorKind::kNeedReplication, true};
inline constexpr Factor kPermuted = {1, FactorKind::kPermutation, false};

}  // namespace plinth::compiler::partition

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PARTITION_RULE_FUNCTIONS_H_
