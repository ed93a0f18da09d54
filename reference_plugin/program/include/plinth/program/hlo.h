// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_HLO_H_
#define PLINTH_PROGRAM_HLO_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plinth/program/program.h"
#include "plinth/support/status.h"

namespace plinth::program {

// Reads an HLO module, as a HloModuleProto ("hlo") or as the first field of another message
// ("hlo_with_config", the HloProto of XLA's dumps), into the same form as StableHLO. Tuples are
// flattened: a parameter that is a tuple is several arguments. The input is not needed afterwards.
//
// Errors: INVALID_ARGUMENT for what is malformed, UNIMPLEMENTED for opcodes and types that are not
// known; they name instruction and computation. Memory is bounded by a multiple of the input's
// size.
Expected<Module> ReadHlo(std::span<const std::byte> proto);

// An array of a shape: its extents, and the order of its dimensions in memory, the fastest varying
// first; none for row major.
struct ShapeLayout {
  std::vector<int64_t> dims, minor_to_major;
};

// The arrays and tokens in a ShapeProto, in the order of its text. Errors as of ReadHlo.
Expected<std::vector<ShapeLayout>> ReadShapeLayouts(std::string_view shape);

// A program of format "hlo" as one of "hlo_with_config", whose configuration has the layouts that
// the module says its parameters and results have. Bytes that are no module give no configuration.
std::string AddHloConfig(std::string_view module);
// The same with the layouts of `parameters` and `result`, ShapeProtos of the compile options, where
// these are not empty.
std::string AddHloConfig(std::string_view module, std::span<const std::string> parameters,
                         std::string_view result);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_HLO_H_
