// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_SERVE_PROGRAM_H_
#define PLINTH_IMPL_SERVE_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "impl/serve/session.h"

namespace plinth::serve {

// An executable of a session. What an execution needs each time is asked for once.
struct Session::Program {
  ifrt::Executable executable;
  bool is_portable = false;
  std::vector<ifrt::ArraySpec> outputs = {};  // Without shardings if it is portable.
  std::vector<int64_t> output_bytes = {};
  ChargeRef charge = nullptr;
};

}  // namespace plinth::serve

#endif  // PLINTH_IMPL_SERVE_PROGRAM_H_
