// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_SCALAR_TEXT_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_SCALAR_TEXT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/kernel/kernel.h"

// Values and operations in the words of prelude.inc.
namespace plinth::cuda {

// The struct that stands for the type of elements: "F32". Every type has one.
std::string TypeText(DType type);
// The types of its values and of its bits in memory: "F32::V", "F32::B".
inline std::string ValueType(DType type) { return TypeText(type) + "::V"; }
inline std::string BitsType(DType type) { return TypeText(type) + "::B"; }

// An expression of the element's value.
std::string LiteralText(DType type, const compiler::ScalarBits& bits);

// Whether results of arithmetic on the type are rounded or wrapped afterwards.
bool IsWrapped(DType type);

// The expression of a node of kind kOp over expressions of its operands. Without `wraps`, results
// of narrow floats are not rounded: accumulators are rounded once, at their end.
// UNIMPLEMENTED names an op that cannot be printed for its types.
Expected<std::string> OperationText(const compiler::Node& node, std::span<const DType> types,
                                    std::span<const std::string> operands, bool wraps);

// `count` values combined with `count` others: the statements that compute the combiner's nodes
// (each "const F32::V NAME = ...;"), whose names begin with `prefix`, and the expressions of its
// results. Floats are not rounded.
struct CombinedText {
  std::vector<std::string> statements, results;
};
Expected<CombinedText> CombineText(const compiler::Combiner& combiner,
                                   std::span<const std::string> parameters,
                                   std::string_view prefix);

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_PRINT_SCALAR_TEXT_H_
