// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_HLO_H_
#define PLINTH_PROGRAM_HLO_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

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

// A program of format "hlo" as one of "hlo_with_config", whose configuration has the layouts that
// the module says its parameters and results have. Bytes that are no module give no configuration.
std::string AddHloConfig(std::string_view module);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_HLO_H_
