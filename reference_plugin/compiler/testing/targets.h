// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_TARGETS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_TARGETS_H_

#include "reference_plugin/compiler/target.h"

// Targets for tests of the compiler, which knows no back end.
namespace plinth::compiler::testing {

// Ample limits, and costs like those of a processor: what tests that count kernels expect.
extern const Target kPlainTarget;

// As little as a target may offer, and everything else than the plain one does: tiny kernels, short
// rows, nothing in place, few products, an alignment of 256 bytes, regions. A program must mean the
// same on it.
extern const Target kOddTarget;

}  // namespace plinth::compiler::testing

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_TESTING_TARGETS_H_
