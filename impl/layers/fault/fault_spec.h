// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_FAULT_FAULT_SPEC_H_
#define PLINTH_IMPL_LAYERS_FAULT_FAULT_SPEC_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::layers {

// One kind of failure: calls of certain functions, counted together, some of which fail.
struct FaultRule {
  enum class When : uint8_t { kNth, kEvery, kFrom };

  std::string text;            // as it was written, for messages
  std::vector<int> functions;  // indices in reflection::Functions()
  When when = When::kNth;
  uint64_t count = 1;
  StatusCode code = StatusCode::kInternal;

  // Whether the call with that number, from 1, fails.
  bool Fires(uint64_t number) const {
    switch (when) {
      case When::kNth:
        return number == count;
      case When::kEvery:
        return number % count == 0;
      case When::kFrom:
        return number >= count;
    }
    return false;
  }
};

struct FaultSpec {
  std::vector<FaultRule> rules;
  std::chrono::microseconds event_delay{0};
};

// Shown with every parse error.
std::string_view FaultGrammar();

// Reads what stands between the parentheses of `fault(...)`. INVALID_ARGUMENT says which part was
// not understood.
Expected<FaultSpec> ParseFaultSpec(std::string_view text);

}  // namespace plinth::layers

#endif  // PLINTH_IMPL_LAYERS_FAULT_FAULT_SPEC_H_
