// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_ELEMENTS_H_
#define REFERENCE_PLUGIN_PROGRAM_ELEMENTS_H_

#include <cstddef>
#include <span>

#include "reference_plugin/program/module_builder.h"

namespace plinth::program {

// A constant from the raw bytes that MLIR stores and prints (as a hex string): one element for a
// splat, or all of them; i1 packed eight to a byte or one each; sub-byte types one byte each with
// undefined upper bits. Null when the number of bytes does not fit `type`, a static tensor.
AttributeRef ElementsFromRaw(TypeRef type, std::span<const std::byte> raw, ModuleBuilder& builder);

// A constant from one element, or all elements, in the form of Attribute::bytes().
AttributeRef ElementsFromValues(TypeRef type, std::span<const std::byte> values,
                                ModuleBuilder& builder);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_ELEMENTS_H_
