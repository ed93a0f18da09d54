// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COLUMNS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COLUMNS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler {

// Whether it is an array of rows of at most `columns` elements along its last dimension, and has at
// least `column_elements`.
inline bool HasShortRows(const Type& type, const FusionLimits& limits) {
  return type.rank() > 1 && type.dims.back() <= limits.columns &&
         type.NumElements() >= limits.column_elements;
}

// Whether the op puts such rows together.
inline bool JoinsColumns(const Op& op, const FusionLimits& limits) {
  return op.opcode == Opcode::kConcatenate && HasShortRows(op.type(), limits) &&
         op.Get<DimensionAttributes>().dimension == static_cast<int64_t>(op.type().rank()) - 1;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COLUMNS_H_
