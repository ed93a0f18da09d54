// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_CALLBACK_WORKS_H_
#define PLINTH_CONFORMANCE_CASES_CALLBACK_WORKS_H_

#include <functional>
#include <vector>

#include "conformance/runner/context.h"

namespace plinth::conformance {

// What a callback may do. The plugin holds no lock while it runs, so it may call what it likes.
struct CallbackWork {
  const char* what;
  std::function<Status()> work;
};
std::vector<CallbackWork> CallbackWorks(Context& context);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_CALLBACK_WORKS_H_
