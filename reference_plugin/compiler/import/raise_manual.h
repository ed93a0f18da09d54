// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_RAISE_MANUAL_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_RAISE_MANUAL_H_

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::importer {

// GSPMD's form of shard_map over some axes of a mesh: a call of a function whose operands are all
// what devices have of arrays, and whose results are all made to whole arrays again
// (ir/sharding_views.h). Each such call becomes a manual_computation round it. What is manual along
// all axes, and what is not of this form, stays as it is. The same of Shardy's form as text.
// UNIMPLEMENTED for Shardy's calls that are not round the call of a function.
Status RaiseManualCalls(Module& module);

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_RAISE_MANUAL_H_
