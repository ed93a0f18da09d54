// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_BATCH_NORM_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_BATCH_NORM_H_

#include <vector>

#include "reference_plugin/compiler/ir/builder.h"

namespace plinth::compiler::passes {

// batch_norm_training, batch_norm_inference or batch_norm_grad in arithmetic, broadcasts and sums,
// in f32 at least. Returns what stands for the op's results.
std::vector<Value*> ExpandBatchNorm(Builder& builder, const Op& op);

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_EXPAND_BATCH_NORM_H_
