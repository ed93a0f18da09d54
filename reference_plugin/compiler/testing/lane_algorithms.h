// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LANE_ALGORITHMS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LANE_ALGORITHMS_H_

#include <functional>
#include <span>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/testing/lanes.h"

// For tests: what one device makes of whole arrays, op by op, as StableHLO defines it.
namespace plinth::compiler::testing {

// What a region of scalar code gives for these scalars.
using RunRegion = std::function<Expected<Numbers>(const Block& region, const Numbers& arguments)>;

// One array per result. UNIMPLEMENTED for ops that tests have not needed.
Expected<std::vector<Numbers>> RunAlgorithm(const Op& op, std::span<const Numbers* const> operands,
                                            const RunRegion& region);

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_LANE_ALGORITHMS_H_
