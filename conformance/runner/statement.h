// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_RUNNER_STATEMENT_H_
#define PLINTH_CONFORMANCE_RUNNER_STATEMENT_H_

#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plinth/support/status.h"

namespace plinth::conformance {

// What a vendor says about what was examined: the suite cannot see it.
struct Statement {
  // "company", "product", "device", "driver", "operating_system" and "date", in this order.
  std::vector<std::pair<std::string, std::string>> answers;

  std::string_view Get(std::string_view key) const;
};

// The keys of a statement, each with what it asks for.
struct Question {
  std::string_view key, text;
};
const std::vector<Question>& Questions();

// Reads JSON: every key has a text that is not empty, `date` is "2026-11-22", and there are no
// others.
Expected<Statement> ParseStatement(std::string_view json);
std::string ToJson(const Statement& statement);

// Asks on `out` for what `known` lacks and reads a line for each from `in`. FAILED_PRECONDITION if
// the lines end before.
Expected<Statement> AskStatement(const Statement& known, std::istream& in, std::ostream& out);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_RUNNER_STATEMENT_H_
