// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ROUTINE_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ROUTINE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/cpu/kernels/reduction.h"

// From a scalar op to the routine that runs it on tiles.
namespace plinth::cpu::kernels {

Status NoRoutine(const compiler::Node& node, DType operand);

// Appends what computes node `n` from the slots of its operands.
Status AppendRoutine(std::span<const compiler::Node> nodes, size_t n, int32_t result,
                     const int32_t (&operands)[3], std::vector<Instruction>* code);

// result = a, for tile elements of that size.
math::TileFunction CopyFunction(int64_t tile_bytes);

// Sets `commutative`, `finish` and `partials` where the combiner is one op that commutes.
Status FindCommutative(const compiler::Combiner& combiner, ReductionProgram* reduction);

// The op if the combiner is a single one whose operands may be exchanged and regrouped.
const compiler::Node* CommutativeOp(const compiler::Combiner& combiner);

}  // namespace plinth::cpu::kernels

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_KERNELS_ROUTINE_H_
