// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_TEXT_FORMS_H_
#define REFERENCE_PLUGIN_PROGRAM_TEXT_FORMS_H_

#include <string_view>

#include "plinth/program/op.h"

namespace plinth::program {

// How an op is written in its own form, after its name: pieces separated by spaces.
//
//   %        one operand            %*      operands separated by commas, perhaps none
//   %,*      operands, each followed by a comma
//   @name    the inherent attribute of that name, in the form of its rule
//   @@name   the same, written as a symbol (@f) though it may be a string
//   ?,@name  a comma and the attribute, or neither
//   ?,k=@a   a comma, the word k, an equals sign and the attribute, or none of them
//   ?k=@a    the same without the comma
//   A        a dictionary of further attributes, or nothing
//   :F       ": (types) -> types"
//   :S       ": type" for all operands and the result, or :F
//   :R       ": type" of the result; operands are not checked
//   :O       ": types" of the operands, when there are any
//   :P       ": types" of the operands and of the results, which are the same, when there are any
//   :Q       select: ": predicate, type", or :F
//   :C       complex: ": type" of the result, or :F
//   :T       tuple: ": type" of the result
//   $name    a piece with its own function
//   others   themselves
//
// An empty form: the op is written in generic form only.
std::string_view TextForm(Op op);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_TEXT_FORMS_H_
