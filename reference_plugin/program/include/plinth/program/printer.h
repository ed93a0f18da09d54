// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_PRINTER_H_
#define PLINTH_PROGRAM_PRINTER_H_

#include <string>
#include <string_view>

#include "plinth/program/attribute.h"
#include "plinth/program/type.h"

namespace plinth::program {

// Append MLIR text that reads back as the same thing.
void PrintType(const Type& type, std::string* out);
void PrintAttribute(const Attribute& attribute, std::string* out);

// "text" with quotes and escapes.
void PrintQuoted(std::string_view text, std::string* out);
// @name, quoted where the grammar needs it.
void PrintSymbol(std::string_view name, std::string* out);
// {a = 1, b} in between; a dictionary without its braces.
void PrintNamed(std::string_view name, const Attribute& value, std::string* out);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_PRINTER_H_
