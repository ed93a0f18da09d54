// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COMPARISON_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COMPARISON_H_

#include "reference_plugin/compiler/ir/attributes.h"

namespace plinth::compiler {

// What kCompare answers for two numbers of the type that it compares in, in C++'s order of it.
template <typename T>
bool Compares(ComparisonDirection direction, T a, T b) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return a == b;
    case ComparisonDirection::kNe:
      return a != b;
    case ComparisonDirection::kGe:
      return a >= b;
    case ComparisonDirection::kGt:
      return a > b;
    case ComparisonDirection::kLe:
      return a <= b;
    case ComparisonDirection::kLt:
      return a < b;
  }
  return false;
}

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_COMPARISON_H_
