// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_ORACLE_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_ORACLE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reference_plugin/compiler/kernel/kernel.h"
#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/compiler/plan/schedule.h"

// For tests: what kernels, schedules and plans compute, point by point, in the order and with the
// words of their definitions. Every back end is compared with it.
namespace plinth::compiler::testing {

using Bytes = std::vector<std::byte>;

// One element, of a complex number the real part. What overflows an integer or is not a number
// becomes some integer, always the same.
double Load(DType type, const std::byte* element);
void Save(DType type, double value, std::byte* element);

// Knows real types. Floats are computed in f64 and rounded after each op; sums and what else a
// combiner makes of floats are rounded once, at their end. Integers are exact. An op that is not
// written out here is stood for by an arithmetic expression that tells ops and operands apart.
//
// Returns what went wrong: elements read or written outside of the buffers. Such reads give zero.
std::vector<std::string> RunKernel(const Kernel& kernel,
                                   std::span<const std::span<std::byte>> operands,
                                   std::span<const std::span<std::byte>> results);

struct Outcome {
  std::vector<Bytes> results;
  std::vector<std::string> errors;
};

// Every value has a place of its own. Kernels also run in each way of working in place that their
// steps allow; it is an error if that changes a result. A library step is stood for by a function
// of its operands. A loop ends after 1000 turns.
Outcome Run(const plan::Schedule& schedule, const std::vector<Bytes>& arguments);

// The same in the memory of the plan, by its regions if it has them; trip counts must be true. The
// results are those of the schedule, bit for bit.
Outcome Run(const plan::Plan& plan, const std::vector<Bytes>& arguments);

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_ORACLE_H_
