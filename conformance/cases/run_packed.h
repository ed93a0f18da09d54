// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_CONFORMANCE_CASES_RUN_PACKED_H_
#define PLINTH_CONFORMANCE_CASES_RUN_PACKED_H_

#include <string_view>
#include <vector>

#include "conformance/cases/program_pack.h"

namespace plinth::conformance {

// Whether the plugin's version of the API has the type.
bool HasType(const Context& context, DType type);

// False, with a note, if the profile says that the plugin reads no programs or lacks the op, one of
// the types, or the op of one of them, or if its version of the API lacks a type.
bool ProfileHas(Context& context, std::string_view op, const std::vector<DType>& types);

// True if `status` is a success, else a finding: what a profile does not take out is asked for.
bool Demand(Context& context, std::string_view what, const Status& status);

// The program as the plugin gets it, by its profile and its attributes; nothing, with a note, if
// the version of StableHLO that it reads has no form for it.
std::optional<std::string_view> FormFor(Context& context, const PackedProgram& program);

// The CompileOptionsProto that belongs to it.
std::string_view OptionsOf(const PackedProgram& program);

// Compiles `form` of the program, runs it `times` times on its devices and holds the results of
// each run against the expected ones. A plugin may have other code for what runs again.
void RunPacked(Context& context, const PackedProgram& program, std::string_view form, int times);
// The same with other options.
void RunPacked(Context& context, const PackedProgram& program, std::string_view form,
               std::string_view options, int times);

}  // namespace plinth::conformance

#endif  // PLINTH_CONFORMANCE_CASES_RUN_PACKED_H_
