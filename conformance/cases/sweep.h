// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_SWEEP_H_
#define PLINTH_CONFORMANCE_CASES_SWEEP_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "conformance/runner/context.h"

// Cases that try a function with many combinations of what it takes.
namespace plinth::conformance {

struct Parameter {
  std::string name;
  std::vector<std::string> values;  // the simplest first
};
using Row = std::vector<size_t>;  // of each parameter the number of its value

// Rows in which every two values of two parameters meet, and every three of three where few rows
// are enough for that; the first row has the simplest values. The same rows for the same seed.
std::vector<Row> CoveringRows(std::span<const Parameter> parameters, uint64_t seed);

// "type f16, rank 3"
std::string DescribeRow(std::span<const Parameter> parameters, const Row& row);

// Runs the rows that the context's depth asks for: of a few random ones the first that is
// supported, those that cover, or eight times as many. The first one that fails is made as simple
// as it can be while it still fails, and reported with its findings.
void Sweep(Context& context, std::span<const Parameter> parameters,
           const std::function<void(Context&, const Row&)>& run);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_SWEEP_H_
