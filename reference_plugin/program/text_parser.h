// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_TEXT_PARSER_H_
#define REFERENCE_PLUGIN_PROGRAM_TEXT_PARSER_H_

#include <string_view>

#include "plinth/support/status.h"
#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

// One attribute or type as MLIR text, with nothing after it. What they return copies what it needs
// of the text into the builder's arena.
Expected<AttributeRef> ParseAttribute(std::string_view text, ModuleBuilder& builder);
Expected<TypeRef> ParseType(std::string_view text, ModuleBuilder& builder);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_TEXT_PARSER_H_
