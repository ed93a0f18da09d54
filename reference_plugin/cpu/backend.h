// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_BACKEND_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_BACKEND_H_

#include <memory>

#include "reference_plugin/backend/run/backend.h"
#include "reference_plugin/cpu/library/library.h"

namespace plinth::cpu {

// What becomes machine code while the process runs. The bits are the same without, but slower.
struct NativeOptions {
  bool loops = true;    // else all steps of loops run one by one
  bool kernels = true;  // else each op of a kernel is a routine
};

// What this back end is to the code that all of them share.
std::shared_ptr<const backend::Backend> MakeBackend(const library::LibraryOptions& options = {},
                                                    const NativeOptions& native = {});

}  // namespace plinth::cpu

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_BACKEND_H_
