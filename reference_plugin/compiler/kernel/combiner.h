// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_COMBINER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_COMBINER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "plinth/support/dtype.h"
#include "reference_plugin/compiler/kernel/kernel.h"

// What a combiner that arrives spelled out is: back ends have routines for the usual ones.
namespace plinth::compiler {

// The op of a combiner that is nothing but `op(parameter 0, parameter 1)`, in either order if the
// op commutes.
std::optional<Opcode> SingleOp(const Combiner& combiner);

// Whether the combiner of one value gives back its second parameter.
bool IsAssignment(const Combiner& combiner);

// The parameter of which a float expression makes all zeros 0 and all NaN one positive NaN, and
// which it leaves as it is otherwise: what JAX compares when it sorts.
std::optional<int32_t> CanonicalFloat(const Combiner& expression);

// One comparison of a sort: of the values that `key` computes from an element of each operand.
struct SortKey {
  // Parameter i is an element of operand i; after them are captured values. One result.
  Combiner key;
  DType dtype = DType::kInvalid;
  bool descending = false;
  bool total_order = false;  // floats: -0 before 0 and NaN by its sign; else -0 equals 0
};

// A comparator as comparisons of keys, the first that differs deciding: what jnp.sort, argsort,
// lax.sort with several keys and top_k send. Nothing if the comparator is of another kind. Its
// parameters from 2 * num_operands on are captured values.
std::optional<std::vector<SortKey>> FindSortKeys(const Combiner& comparator, size_t num_operands);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_KERNEL_COMBINER_H_
