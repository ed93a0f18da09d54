// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LANES_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LANES_H_

#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

// For tests: runs a module of the IR as several devices in step, op by op, as the ops are defined.
namespace plinth::compiler::testing {

// An array, row major. Numbers are exact up to 2^53; nothing is rounded to its type.
using Numbers = std::vector<double>;

// What each device has of each result, given what it has of each argument: [device][value].
// UNIMPLEMENTED for ops that tests have not needed; INTERNAL where devices take different branches,
// which real devices might survive and these programs never do.
Expected<std::vector<std::vector<Numbers>>> RunLanes(
    const Module& module, const std::vector<std::vector<Numbers>>& arguments);

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LANES_H_
