// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_HLO_OUTLINE_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_HLO_OUTLINE_H_

#include <string>

#include "plinth/sdk/executable.h"

namespace plinth::backend {

// A program of format "hlo_with_config" with the parameters and results of an executable, their
// layouts and shardings, and one instruction that stands for all that it computes. Frameworks that
// do not know the Shardings extension (JAX through 0.9.0, PyTorch/XLA) read shardings from such a
// program and nowhere else. About 200 bytes.
std::string HloOutline(const sdk::ExecutableInfo& info);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_HLO_OUTLINE_H_
