// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_EXPLAIN_H_
#define PLINTH_CONFORMANCE_RUNNER_EXPLAIN_H_

#include <string>
#include <string_view>
#include <vector>

#include "conformance/runner/case.h"
#include "plinth/support/status.h"

namespace plinth::conformance {

// A requirement for people: its sentence, class, the function and since when there is one, the
// cases that check it, those of JAX's calls among them, and how mutants break it. NOT_FOUND names
// requirements that are like it.
Expected<std::string> Explain(std::string_view id, const std::vector<Case>& cases);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_EXPLAIN_H_
