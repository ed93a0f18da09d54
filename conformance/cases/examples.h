// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_EXAMPLES_H_
#define PLINTH_CONFORMANCE_CASES_EXAMPLES_H_

#include <string>
#include <vector>

#include "conformance/runner/context.h"

namespace plinth::conformance {

// A stored program with arguments, and what it computes from them.
struct Example {
  std::string name;
  std::vector<HostArray> arguments, results;
};

// The numbers from `first` on.
HostArray Counted(std::vector<int64_t> dims, float first);

// Programs of many arguments, results, types and shapes. The first adds one to f32[4].
std::vector<Example> Examples();

// Uploads arrays to the first device; their handles are in the order of the arrays.
// Fewer, with a finding, where that fails.
std::vector<PJRT_Buffer*> UploadAll(Context& context, const std::vector<HostArray>& arrays,
                                    std::vector<OwnedBuffer>& buffers);

// Whether the plugin has the types of the arguments.
bool HasTypes(Context& context, const Example& example);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_EXAMPLES_H_
