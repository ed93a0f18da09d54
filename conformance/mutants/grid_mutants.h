// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_GRID_MUTANTS_H_
#define PLINTH_CONFORMANCE_MUTANTS_GRID_MUTANTS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "pjrt_c_api.h"

namespace plinth::mutants {

// A bug of a grid: a function of the registry that takes or makes an array goes wrong in one way
// for arrays of one kind.
struct GridMutant {
  std::string name;  // "PJRT_Buffer_Bitcast.odd.refuses"
  std::string requirement;
  std::string breaks;
  int function;      // index in reflection::Functions()
  size_t condition;  // which arrays
  enum Effect { kRefuses, kLeaks, kSpoils } effect;
};

// The same list in every process.
std::vector<GridMutant> GridMutants();
// Puts one of them into the table.
void ApplyGrid(const GridMutant& mutant, PJRT_Api& table);
// No bug: writes to $PLINTH_MUTANT_LOG which functions have met which arrays,
// "PJRT_Buffer_Bitcast.odd".
void RecordGrid(PJRT_Api& table);

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_GRID_MUTANTS_H_
