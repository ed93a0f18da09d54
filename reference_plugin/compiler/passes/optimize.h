// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_OPTIMIZE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_OPTIMIZE_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/dump.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::passes {

struct OptimizeOptions {
  // False: only what lowering relies on (inlining, recognition, dead code).
  bool simplify = true;
  // Runs Verify() after every pass.
  bool verify = false;
  // Null: no dumps.
  Dumper* dumper = nullptr;
};

// From an imported module to one for legalize: one function, no calls, simplified, without
// repetitions and dead code. Running it again changes nothing.
Status Optimize(Module& module, const Target& target, const OptimizeOptions& options = {});

}  // namespace plinth::compiler::passes

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_PASSES_OPTIMIZE_H_
