// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_COMMAND_LINE_H_
#define PLINTH_IMPL_CLI_COMMAND_LINE_H_

namespace plinth::cli {

// Reads the command line, runs the command and returns the exit code of the process.
int RunCommandLine(int argc, char** argv);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_COMMAND_LINE_H_
