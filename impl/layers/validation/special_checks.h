// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LAYERS_VALIDATION_SPECIAL_CHECKS_H_
#define PLINTH_IMPL_LAYERS_VALIDATION_SPECIAL_CHECKS_H_

#include <span>

#include "plinth/reflection/reflection.h"

namespace plinth::layers::validation {

struct CallState;

// What the rows of the registry cannot say: a check of one function before or after it runs.
struct SpecialCheck {
  reflection::function::Id function;
  void (*before)(CallState& state);            // null: nothing to check
  void (*after)(CallState& state);             // after success; null: nothing
  void (*failed)(CallState& state) = nullptr;  // after an error
};

std::span<const SpecialCheck> BufferChecks();
std::span<const SpecialCheck> ClientChecks();
std::span<const SpecialCheck> EventChecks();
std::span<const SpecialCheck> ExecutableChecks();
std::span<const SpecialCheck> TransferChecks();
std::span<const SpecialCheck> TruthChecks();

// Of all of them that of a function, or null.
inline const SpecialCheck* SpecialCheckOf(reflection::function::Id function) {
  for (auto rows : {BufferChecks(), ClientChecks(), EventChecks(), ExecutableChecks(),
                    TransferChecks(), TruthChecks()}) {
    for (const SpecialCheck& row : rows) {
      if (row.function == function) return &row;
    }
  }
  return nullptr;
}

}  // namespace plinth::layers::validation

#endif  // PLINTH_IMPL_LAYERS_VALIDATION_SPECIAL_CHECKS_H_
