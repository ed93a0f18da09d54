// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_REFERENCE_FALLBACK_H_
#define PLINTH_REFERENCE_PLUGIN_REFERENCE_FALLBACK_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "plinth/reference/device.h"
#include "plinth/support/named_value.h"
#include "reference_plugin/compiler/plan/plan.h"

namespace plinth::reference {

// What if the device does not take a step.
enum class Fallback : uint8_t { kAllow, kWarn, kError };

// Properties of cost analysis for the steps that the host runs: `plinth_fallback.<op>`, by name,
// and `plinth_fallback_bytes`. `device` may be null. kWarn: a line on standard error if there are
// any. kError: UNIMPLEMENTED, with the op and place of the first.
Expected<std::vector<NamedValue>> ExamineFallback(const compiler::plan::Plan& plan,
                                                  const Device* device, Fallback fallback,
                                                  std::string_view plugin_name);

}  // namespace plinth::reference

#endif  // PLINTH_REFERENCE_PLUGIN_REFERENCE_FALLBACK_H_
