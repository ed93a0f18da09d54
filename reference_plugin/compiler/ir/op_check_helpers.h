// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECK_HELPERS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECK_HELPERS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/elementwise_rules.h"
#include "reference_plugin/compiler/ir/ir.h"

// Pieces that the checks of single ops (op_checks_*.cc) are made of.
namespace plinth::compiler {

// "operand 1 is s32[3]; expected elements that are float or complex".
Status CheckElements(const Op& op, size_t operand, KindMask allowed);

// "operand 1 is f32[3]; expected f32[2] (why)".
Status ExpectType(std::string_view what, const Type& found, const Type& expected,
                  std::string_view why);
Status ExpectResult(const Op& op, size_t result, const Type& expected, std::string_view why);
Status ExpectOperand(const Op& op, size_t operand, const Type& expected, std::string_view why);
// All operands in [first, end) have the type of operand `first`.
Status ExpectEqualOperands(const Op& op, size_t first, size_t end);

// "<name> has 2 entries; expected 3 (why)".
Status ExpectCount(std::string_view name, size_t found, int64_t expected, std::string_view why);
// Every entry is in [0, rank), none twice.
Status ExpectDims(std::string_view name, std::span<const int64_t> dims, int64_t rank);
Status ExpectInRange(std::string_view name, int64_t value, int64_t low, int64_t high);

// The region takes scalars of these element types and returns them.
Status ExpectRegion(const Op& op, size_t region, std::span<const Type> arguments,
                    std::span<const Type> results);

// Dims as "[1,2]".
std::string DimsText(std::span<const int64_t> dims);

// The set of dims as a mask; they have passed ExpectDims.
inline uint64_t MaskOf(std::span<const int64_t> dims) {
  uint64_t mask = 0;
  for (int64_t dim : dims) mask |= uint64_t{1} << dim;
  return mask;
}
inline bool Contains(uint64_t mask, int64_t dim) { return ((mask >> dim) & 1) != 0; }

// What the rows of ops.toml name.
#include "reference_plugin/ops/op_check_names.inc"

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECK_HELPERS_H_
