// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_OPS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_OPS_H_

#include <cstdint>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/math/tile_functions.h"

// Which nodes of a kernel have code that works on the lanes of a register.
namespace plinth::cpu::native {

enum class OpForm {
  kInstructions,  // emit::VectorCode
  kFunction,      // emit::FunctionCode
  kCall,          // of its routine
  kNone,
};

// Of an op; `lanes` are those of a register.
OpForm FormOf(const compiler::Phase& phase, const compiler::Node& node, int64_t lanes);
// The type of operand 0, of a select that of operand 1.
DType OperandType(const compiler::Phase& phase, const compiler::Node& node);
// The op with its operands in the order in which its routine answers one of two NaNs.
compiler::Node InOrder(const compiler::Node& node, DType operand);
// The routine of an op whose lanes are elements of tiles as they are; null if there is none.
math::TileFunction RoutineOf(const compiler::Phase& phase, const compiler::Node& node);

// Whether all numbers of an iota have lanes.
bool HasIota(const compiler::Node& node, const compiler::KernelShape& shape);
bool HasReduction(const compiler::Phase& phase, const compiler::Reduction& reduction);

}  // namespace plinth::cpu::native

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_NATIVE_LANE_OPS_H_
