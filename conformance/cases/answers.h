// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ANSWERS_H_
#define PLINTH_CONFORMANCE_CASES_ANSWERS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "plinth/reflection/reflection.h"

// Answers of functions of the registry, whatever they are.
namespace plinth::conformance {

// The only handle that a function takes; null if it takes another number of them, or an address, or
// gives what the caller owns without a deleter in the same struct.
const reflection::Field* OnlyHandle(const reflection::Struct& structure);

// Everything that the lists and texts of an answer hold, one after the other, and where texts lie.
std::string Contents(const reflection::Struct& structure, const std::vector<std::byte>& answer);

// What an answer says: numbers, lists and texts, wherever they lie.
std::string Meaning(const reflection::Struct& structure, const std::vector<std::byte>& answer);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ANSWERS_H_
