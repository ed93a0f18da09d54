// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_RELEASE_MUTANTS_H_
#define PLINTH_CONFORMANCE_MUTANTS_RELEASE_MUTANTS_H_

#include <span>

#include "conformance/mutants/mutant.h"

// Bugs of a plugin's first releases. Beside mutant.h, which all other mutants are built from.
namespace plinth::mutants {

std::span<const Mutant> ReleaseArrayMutants();
std::span<const Mutant> ReleaseProgramMutants();
std::span<const Mutant> ReleaseClientMutants();

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_RELEASE_MUTANTS_H_
