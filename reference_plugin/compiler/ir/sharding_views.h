// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_VIEWS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_VIEWS_H_

#include <string_view>

#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// GSPMD says by calls what a manual_computation is in Shardy's form: the first one's result is what
// each device has of its operand, the second one's the array of which each device has the operand.
inline constexpr std::string_view kFullToShard = "SPMDFullToShardShape";
inline constexpr std::string_view kShardToFull = "SPMDShardToFullShape";

// Shardy's form as text says it of all operands and of all results of a region at once.
inline constexpr std::string_view kGlobalToLocal = "xla.sdy.GlobalToLocalShape";
inline constexpr std::string_view kLocalToGlobal = "xla.sdy.LocalToGlobalShape";

inline bool IsCallOf(const Op& op, std::string_view target) {
  return op.opcode == Opcode::kCustomCall && op.Get<CustomCallAttributes>().target == target;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_SHARDING_VIEWS_H_
