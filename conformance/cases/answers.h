// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_ANSWERS_H_
#define PLINTH_CONFORMANCE_CASES_ANSWERS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "conformance/runner/context.h"
#include "plinth/reflection/reflection.h"

// Answers of functions of the registry, whatever they are.
namespace plinth::conformance {

// The only handle that a function takes; null if it takes another number of them, or an address, or
// gives what the caller owns without a deleter in the same struct.
const reflection::Field* OnlyHandle(const reflection::Struct& structure);

// Everything that the lists and texts of an answer hold, one after the other, and where texts lie.
std::string Contents(const reflection::Struct& structure, const std::vector<std::byte>& answer);

// What an answer says: numbers, lists and texts, wherever they lie; with `of_handles` also which
// objects of the plugin it names.
std::string Meaning(const reflection::Struct& structure, const std::vector<std::byte>& answer,
                    bool of_handles = false);

// The functions of the plugin that take an object of that kind (reflection::handle) and nothing
// else.
std::vector<const reflection::Function*> FunctionsOf(Context& context, int kind);
// What one of them says of an object, or the code of its error.
std::string AnswerOf(Context& context, const reflection::Function& function, void* object,
                     bool of_handles = false);

// What is said of one object: each function with its answer, or with the code of its error.
using Answers = std::vector<std::pair<const reflection::Function*, std::string>>;
// Of every function of that kind.
Answers AnswersOf(Context& context, int kind, void* object, bool of_handles = false);
// What a client says of itself, its devices and its memories, but for what changes.
std::vector<Answers> AnswersOfClient(Context& context, bool of_handles = false);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_ANSWERS_H_
