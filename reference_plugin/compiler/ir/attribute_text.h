// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ATTRIBUTE_TEXT_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ATTRIBUTE_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "reference_plugin/compiler/ir/attributes.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// The spellings of StableHLO, in the order of our enums.
inline constexpr std::string_view kComparisonDirectionNames[] = {"EQ", "NE", "GE",
                                                                 "GT", "LE", "LT"};
inline constexpr std::string_view kComparisonTypeNames[] = {"FLOAT", "TOTALORDER", "SIGNED",
                                                            "UNSIGNED"};
inline constexpr std::string_view kPrecisionNames[] = {"DEFAULT", "HIGH", "HIGHEST"};
inline constexpr std::string_view kRngAlgorithmNames[] = {"DEFAULT", "THREE_FRY", "PHILOX"};
inline constexpr std::string_view kRngDistributionNames[] = {"UNIFORM", "NORMAL"};
inline constexpr std::string_view kFftTypeNames[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
inline constexpr std::string_view kTransposeModeNames[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};

// The attributes of `op` as "name=value, name=value"; fields that hold their default are left out.
std::string AttributesToString(const Op& op);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_ATTRIBUTE_TEXT_H_
