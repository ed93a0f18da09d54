// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_REFERENCE_KERNEL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_REFERENCE_KERNEL_H_

#include <span>

#include "reference_plugin/compiler/kernel/kernel.h"

// For tests: a kernel evaluated point by point, in the order and with the words of its definition.
namespace plinth::cpu {

// Knows f16, bf16, f32, f64, integers and pred, and of the ops: add, subtract, multiply, maximum,
// minimum, negate, abs, and, or, xor, not, compare (not the total order), select and convert
// (not from float to integer). A sum of f16 or bf16 is rounded once, at its end.
void RunReference(const compiler::Kernel& kernel, std::span<void* const> operands,
                  std::span<void* const> results);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_REFERENCE_KERNEL_H_
