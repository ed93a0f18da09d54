// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_NEUTRAL_PADDING_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_NEUTRAL_PADDING_H_

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::passes {

// What stands for a reduce_window with padding or gaps whose initial value is not neutral:
// StableHLO leaves open how often that is combined, and XLA skips what is not an element and
// combines it once. Windows begin with the neutral value of their op then, and the initial value is
// combined with the results. Null for other windows, and for regions that are more than an op with
// a neutral value: there, each element of the padding is the initial value.
Value* ExpandNeutralPadding(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_NEUTRAL_PADDING_H_
