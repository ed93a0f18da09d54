// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_PROGRAM_H_
#define PLINTH_IMPL_CLI_PROGRAM_H_

#include <string>

#include "impl/cli/commands.h"
#include "plinth/client/client.h"

namespace plinth::cli {

// What a ProgramOptions names, read and checked, before any plugin is asked.
struct ProgramSource {
  std::string code;
  std::string format;  // "mlir" or "hlo"
  bool is_serialized = false;
  std::string compile_options;  // A serialized CompileOptionsProto.
};

// `is_portable`: the program will run on a device of the caller's choice.
Expected<ProgramSource> ReadProgram(const ProgramOptions& options, bool is_portable);

// What its main function takes, "(tensor<2x3xf32>, tensor<i32>)"; empty where only the plugin can
// read it, as of bytecode.
std::string SignatureOf(const ProgramSource& source);

// Compiles it, or loads it if it is a serialized executable.
Expected<client::LoadedExecutable> CompileProgram(const client::Client& client,
                                                  const ProgramSource& source);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_PROGRAM_H_
