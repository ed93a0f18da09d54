// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_TRACE_TRACE_OPTIONS_H_
#define PLINTH_IMPL_LAYERS_TRACE_TRACE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "plinth/support/status.h"

namespace plinth::layers {

// Which arrays a capture holds besides those that the client brought in.
enum class CapturedOutputs : uint8_t {
  kRead,  // those that the client read
  kAll,   // those, and every result of every execution
  kNone,
};

struct TraceOptions {
  std::string file;                          // of the timeline; empty: none
  std::string capture;                       // empty: none
  uint64_t limit_bytes = uint64_t{1} << 30;  // of the timeline
  CapturedOutputs outputs = CapturedOutputs::kRead;
};

// Reads what stands between the parentheses of `trace(...)`. INVALID_ARGUMENT says which part was
// not understood, and which there are.
Expected<TraceOptions> ParseTraceOptions(std::string_view text);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_TRACE_TRACE_OPTIONS_H_
