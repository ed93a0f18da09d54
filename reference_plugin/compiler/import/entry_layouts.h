// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_ENTRY_LAYOUTS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_ENTRY_LAYOUTS_H_

#include <optional>
#include <vector>

#include "plinth/program/hlo.h"
#include "plinth/program/program.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler::importer {

// In which order the entry's parameters and results lie in memory: dimensions from the fastest
// varying to the slowest, per value; empty for row major.
struct EntryLayouts {
  std::vector<Dims> parameters, outputs;
  std::vector<bool> open_outputs;  // "auto": whatever order spares work; empty: none
};

// What compile options ask for, for each parameter and result of the program.
struct AskedLayouts {
  std::optional<std::vector<program::ShapeLayout>> parameters, outputs;
};

// What the compile options ask for, else what mhlo.layout_mode does: "default" is row major, and so
// is "auto" of a parameter. UNIMPLEMENTED for tiles, INVALID_ARGUMENT for other words, both with
// the value's place, and for options that are for values of other extents.
Expected<EntryLayouts> ReadEntryLayouts(const program::Module& source,
                                        const AskedLayouts& asked = {});

// Gives the entry's parameters and results the dimensions that they have in memory, row major, and
// transposes them where the program begins and ends. An open result that is a transpose lies as its
// operand does. INVALID_ARGUMENT for a layout that is no order
// of the value's dimensions; one that is row major is made empty. Donations to results that lie
// otherwise become donations to any.
Status ApplyEntryLayouts(EntryLayouts& layouts, Module& module);

// The dimensions of a value that has `memory_dims` in memory.
Dims DimsOfLayout(const Dims& memory_dims, const Dims& minor_to_major);

}  // namespace plinth::compiler::importer

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IMPORT_ENTRY_LAYOUTS_H_
