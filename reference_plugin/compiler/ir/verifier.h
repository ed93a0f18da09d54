// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_VERIFIER_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_VERIFIER_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// What holds for every module between any two passes: every value is used where it is visible and
// after it was made; results and arguments know where they come from; every block ends in its only
// kReturn; callees exist and calls fit them; every op passes CheckOp (op_checks.h); donations,
// shardings and memory kinds name parameters and results that exist.
//
// INTERNAL, naming op and place: a module that fails was broken by a pass, not by the program.
Status Verify(const Module& module);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_VERIFIER_H_
