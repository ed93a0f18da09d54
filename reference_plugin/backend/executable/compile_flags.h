// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_COMPILE_FLAGS_H_
#define PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_COMPILE_FLAGS_H_

#include <map>
#include <string>

#include "plinth/program/compile_options.h"
#include "plinth/support/status.h"
#include "reference_plugin/compiler/pipeline.h"

namespace plinth::backend {

// The folder to which the stages of the compiler are written.
inline constexpr std::string_view kXlaDumpTo = "xla_dump_to";

// What users give with jit(compiler_options={...}): "fusion" and "simplify", each a boolean or
// "on"/"off"; "partitioner_fallback", which is "allow", "warn" or "error"; and XLA's debugging
// options: "xla_dump_to" names the folder to which the stages are written, the others are taken and
// change nothing. INVALID_ARGUMENT for unknown names and values; the message lists what is known.
Status ApplyCompileFlags(const std::map<std::string, program::CompileOptions::OptionValue>& flags,
                         compiler::PipelineOptions& options);

}  // namespace plinth::backend

#endif  // PLINTH_REFERENCE_PLUGIN_BACKEND_EXECUTABLE_COMPILE_FLAGS_H_
