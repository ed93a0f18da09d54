// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_OPTIONS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_OPTIONS_H_

#include <cstdint>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::layers::validation {

enum class Mode : uint8_t {
  kLog,    // a line for each misuse, and the call goes on
  kError,  // the same, and the caller's misuse is answered by an error instead of by the plugin
  kBreak,  // the same as kLog, and SIGTRAP for a debugger
};

struct Options {
  Mode mode = Mode::kLog;
  uint64_t limit = 1000;  // reports; more are counted, not written
  bool leaks = true;      // look for what is left when a client is destroyed
};

// Reads `mode=error,limit=10,leaks=false`.
Expected<Options> ParseOptions(std::string_view text);

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_OPTIONS_H_
