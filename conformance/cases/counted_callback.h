// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_COUNTED_CALLBACK_H_
#define PLINTH_CONFORMANCE_CASES_COUNTED_CALLBACK_H_

#include <atomic>
#include <functional>

#include "conformance/runner/context.h"

namespace plinth::conformance {

// A callback of an event: how often it came, and with what. Never freed: one that comes twice, or
// late, must find it.
struct CountedCallback {
  const Plugin* plugin = nullptr;
  std::atomic<int> calls = 0;
  Status status = {};  // of the last call
  std::function<void()> work;

  static void Run(PJRT_Error* error, void* arg);
};
CountedCallback* NewCountedCallback(const Context& context);

// Gives it to an event; false, with a finding, where the plugin does not take it.
bool RegisterCallback(Context& context, PJRT_Event* event, CountedCallback* callback);

// Waits some seconds for the first call.
void WaitForCall(const CountedCallback& callback);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_COUNTED_CALLBACK_H_
