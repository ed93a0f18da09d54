// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_DEBUT_MUTANTS_H_
#define PLINTH_CONFORMANCE_MUTANTS_DEBUT_MUTANTS_H_

#include <span>

#include "conformance/mutants/mutant.h"

// More bugs of first releases. Beside mutant.h, which all other mutants are built from.
namespace plinth::mutants {

std::span<const Mutant> DebutArrayMutants();
std::span<const Mutant> DebutProgramMutants();
std::span<const Mutant> DebutClientMutants();

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_DEBUT_MUTANTS_H_
