// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_PROGRAM_OP_H_
#define PLINTH_PROGRAM_OP_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace plinth::program {

// Every op that a program may hold: the rows of reference_plugin/ops/ops.toml, by name.
enum class Op : uint16_t {
#define PLINTH_PROGRAM_OP(identifier, name) k##identifier,
#include "plinth/program/program_ops.inc"
#undef PLINTH_PROGRAM_OP
};

inline constexpr int kNumOps = 0
#define PLINTH_PROGRAM_OP(identifier, name) +1
#include "plinth/program/program_ops.inc"
#undef PLINTH_PROGRAM_OP
    ;

// The canonical name: "stablehlo.add", "func.func", "sdy.mesh".
std::string_view Name(Op op);

// The op of that canonical name, or nothing.
std::optional<Op> OpFromName(std::string_view name);

}  // namespace plinth::program

#endif  // PLINTH_PROGRAM_OP_H_
