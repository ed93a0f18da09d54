// SPDX-License-Identifier: Apache-2.0
#ifndef REFERENCE_PLUGIN_PROGRAM_EQUALITY_H_
#define REFERENCE_PLUGIN_PROGRAM_EQUALITY_H_

#include "plinth/program/attribute.h"
#include "plinth/program/type.h"

namespace plinth::program {

// By structure, so that parts of different modules compare. Floats and constants compare by bits.
bool EqualTypes(const Type& a, const Type& b);
bool EqualAttributes(const Attribute& a, const Attribute& b);

}  // namespace plinth::program

#endif  // REFERENCE_PLUGIN_PROGRAM_EQUALITY_H_
