// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_BACKEND_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_BACKEND_H_

#include <memory>

#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu {

// What this back end is to the code that all of them share. Without `native_loops`, all steps of
// loops run one by one: the same bits, slower.
std::shared_ptr<const backend::Backend> MakeBackend(const library::LibraryOptions& options = {},
                                                    bool native_loops = true);

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_BACKEND_H_
