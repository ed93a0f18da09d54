// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_LOADER_DEFAULT_LAYOUTS_H_
#define PLINTH_IMPL_LOADER_DEFAULT_LAYOUTS_H_

#include <memory>
#include <span>

#include "impl/loader/emulation.h"
#include "impl/loader/thunks.h"

namespace plinth::loader {

// The Layouts extension for a plugin that has none and whose manifest says that every buffer has
// the default layout: dimensions from major to minor, without tiles. What an executable's outputs
// and parameters have it does not tell; those slots are null.
std::span<const Emulation> DefaultLayoutEmulations();

// Its node, with thunks in its slots.
std::unique_ptr<char[]> MakeDefaultLayoutsNode(const ThunkTable& thunks);

}  // namespace plinth::loader

#endif  // PLINTH_IMPL_LOADER_DEFAULT_LAYOUTS_H_
