// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COLUMNS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COLUMNS_H_

#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler {

// Whether the op puts together short rows: a concatenation along the last dimension to rows of at
// most `columns` elements, in an array that is not tiny.
inline bool JoinsColumns(const Op& op, const FusionLimits& limits) {
  if (op.opcode != Opcode::kConcatenate) return false;
  const Type& type = op.type();
  const int64_t last = static_cast<int64_t>(type.rank()) - 1;
  return op.Get<DimensionAttributes>().dimension == last && type.dims.back() <= limits.columns &&
         type.NumElements() > limits.tiny_points;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COLUMNS_H_
