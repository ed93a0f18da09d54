// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_STEP_CODE_H_
#define PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_STEP_CODE_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference_plugin/compiler/plan/plan.h"
#include "reference_plugin/cuda/print/code.h"
#include "reference_plugin/cuda/print/scalar_text.h"

// What the texts of library steps share.
namespace plinth::cuda {

inline constexpr int32_t kStepBlock = 256;

inline bool Has(const compiler::Dims& dims, int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

// Declares the indices `name`0, `name`1, ... (s64) of the dimensions of a number, an expression of
// type u32 or, if there are more points than that, u64. Answers their names.
std::vector<std::string> SplitIndex(Code& code, std::span<const int64_t> sizes,
                                    std::string_view number, std::string_view name);

// "constant + factor * name + ...", in 64 bits.
using Terms = std::vector<std::pair<int64_t, std::string>>;
std::string SumText(const Terms& terms, int64_t constant = 0);

// Of that many blocks. Print refuses what is more than a launch takes.
constexpr uint32_t GridOf(int64_t blocks) {
  return static_cast<uint32_t>(std::min<int64_t>(blocks, UINT32_MAX));
}

// A launch with a pointer `i`N to each operand, `o`N to each result and, with scratch, `scratch`;
// then `extra` parameters ("u32 width") with their arguments.
struct ExtraParameters {
  std::vector<std::string> names;
  std::vector<Argument> arguments;
};
Action MakeStepAction(const compiler::plan::PlanStep& step, std::string_view body, int64_t blocks,
                      int32_t block, bool has_barriers, bool has_scratch,
                      const ExtraParameters& extra = {});

// One thread per point, whose number `t` the body may use. Nothing is done with no points.
// `exchanges`: within warps, all lanes of which have a point.
void AppendPoints(const compiler::plan::PlanStep& step, int64_t points, std::string_view body,
                  bool has_scratch, PrintedStep& printed, const ExtraParameters& extra = {},
                  bool exchanges = false);

// The address of element `position` (an expression) of an array.
std::string ElementAddress(std::string_view array, std::string_view position, DType type);
// Its value.
std::string LoadText(std::string_view array, std::string_view position, DType type);

// The values of operands from `first` on: scalars that a region captures.
std::vector<std::string> CapturedValues(const compiler::plan::PlanStep& step, size_t first);

constexpr int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace plinth::cuda

#endif  // PLINTH_REFERENCE_PLUGIN_CUDA_LIBRARY_STEP_CODE_H_
