// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_WINDOWS_FROZEN_BEHIND_H_
#define PLINTH_CONFORMANCE_WINDOWS_FROZEN_BEHIND_H_

#include "pjrt_c_api.h"
#include "plinth/support/status.h"

namespace plinth::windows {

// The table of the plugin that does the work: $PLINTH_FROZEN_PLUGIN, or pjrt_plinth_cpu.so beside
// this library, or lib/ of the build folder that it lies in. It must be new enough for its errors
// and memories to have heads.
Expected<const PJRT_Api*> PluginBehind();

}  // namespace plinth::windows

#endif  // PLINTH_CONFORMANCE_WINDOWS_FROZEN_BEHIND_H_
