// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_RANDOM_INPUTS_H_
#define PLINTH_IMPL_CLI_RANDOM_INPUTS_H_

#include <vector>

#include "impl/cli/program.h"
#include "plinth/client/host_array.h"

namespace plinth::cli {

// Arguments of a program whose text says what it takes: evenly in [0, 1), integers in 0 to 100; the
// same every time. INVALID_ARGUMENT names a type that has no such values.
Expected<std::vector<client::HostArray>> RandomInputs(const ProgramSource& source);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_RANDOM_INPUTS_H_
