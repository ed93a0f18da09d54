// SPDX-License-Identifier: Apache-2.0
#include "conformance/runner/verdict.h"

#include <iterator>

namespace plinth::conformance {
namespace {

constexpr std::string_view kNames[] = {"PASS", "FAIL", "CRASH", "HANG", "UNSUPPORTED", "WAIVED"};

}  // namespace

std::string_view VerdictName(Verdict verdict) { return kNames[static_cast<int>(verdict)]; }

bool VerdictFromName(std::string_view name, Verdict& verdict) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) {
      verdict = static_cast<Verdict>(i);
      return true;
    }
  }
  return false;
}

}  // namespace plinth::conformance
