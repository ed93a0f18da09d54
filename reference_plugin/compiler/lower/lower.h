// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"
#include "reference_plugin/compiler/plan/schedule.h"
#include "reference_plugin/compiler/target.h"

namespace plinth::compiler::lower {

struct LowerOptions {
  bool fusion = true;  // false: one step per op, which bisection uses
};

// Turns a legalized module (passes/legalize.h) into steps for the target. UNIMPLEMENTED names the
// op and its place.
Expected<plan::Schedule> Lower(const Module& module, const Target& target,
                               const LowerOptions& options);

}  // namespace plinth::compiler::lower

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_LOWER_LOWER_H_
