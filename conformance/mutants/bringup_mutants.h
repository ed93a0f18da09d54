// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_BRINGUP_MUTANTS_H_
#define PLINTH_CONFORMANCE_MUTANTS_BRINGUP_MUTANTS_H_

#include <span>

#include "conformance/mutants/mutant.h"

// Bugs of the weeks in which a plugin is brought up, as a vendor's tracker shows them. Beside
// mutant.h, which all other mutants are built from.
namespace plinth::mutants {

std::span<const Mutant> BringupArrayMutants();
std::span<const Mutant> BringupProgramMutants();
std::span<const Mutant> BringupClientMutants();

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_BRINGUP_MUTANTS_H_
