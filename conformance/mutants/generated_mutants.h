// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_MUTANTS_GENERATED_MUTANTS_H_
#define PLINTH_CONFORMANCE_MUTANTS_GENERATED_MUTANTS_H_

#include <string>
#include <vector>

#include "pjrt_c_api.h"

namespace plinth::mutants {

// A bug that the registry gives: one function, or one of its outputs, is wrong in one way.
struct GeneratedMutant {
  std::string name;  // "PJRT_Buffer_Device.device.stale"
  std::string requirement;
  std::string breaks;
  int function;  // index in reflection::Functions()
  int field;     // of its arguments; -1: the function as a whole
  enum Kind {
    kRefuses,       // every call is refused
    kRefusesAgain,  // every second call is refused
    kRefusesNull,   // a null handle is refused
    kSwallows,      // an error becomes a success
    kWrongCode,     // errors have the code INTERNAL
    kOffByOne,
    kAbsurd,      // a number that cannot be
    kFlipped,     // a bool
    kStale,       // what the first call gave
    kNull,        // a handle or list
    kShorter,     // a text or list without its last element
    kWithNul,     // a text that counts its final NUL
    kReady,       // an event that is ready at once
    kNeverReady,  // an event that nobody sets
    kChangesInput,
  } kind;
};

// The same list in every process.
std::vector<GeneratedMutant> GeneratedMutants();
// Puts one of them into the table.
void ApplyGenerated(const GeneratedMutant& mutant, PJRT_Api& table);

}  // namespace plinth::mutants

#endif  // PLINTH_CONFORMANCE_MUTANTS_GENERATED_MUTANTS_H_
