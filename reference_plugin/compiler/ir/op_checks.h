// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECKS_H_
#define PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECKS_H_

#include <span>

#include "plinth/support/status.h"
#include "reference_plugin/compiler/ir/ir.h"

namespace plinth::compiler {

// Tensors of more dimensions are refused at import; sets of dimensions fit a 64-bit mask.
inline constexpr int64_t kMaxRank = 64;

// Whether operands, attributes, regions and results of `op` fit together, as StableHLO's
// specification says. The one place where this is known: the importer asks it about programs from
// outside (so nothing about the op is taken for granted but that its pointers are valid and its
// regions end in kReturn), the verifier about what passes made.
//
// INVALID_ARGUMENT (UNIMPLEMENTED for what is legal but not supported) says what was found and what
// was expected; the op and its place are for the caller to add.
Status CheckOp(const Op& op);

// kCall and kComposite: operands and results against the signature of the callee.
Status CheckCall(const Op& op, std::span<const Type> parameters, std::span<const Type> results);

// A type alone: not dynamic, at most kMaxRank dimensions, none negative, size in bytes (with every
// extent of 0 counted as 1, so that strides do not overflow either) below 2^62.
Status CheckType(const Type& type);

}  // namespace plinth::compiler

#endif  // PLINTH_REFERENCE_PLUGIN_COMPILER_IR_OP_CHECKS_H_
