// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_STDIN_FILE_H_
#define PLINTH_IMPL_CLI_STDIN_FILE_H_

#include <string>

#include "plinth/support/status.h"

namespace plinth::cli {

// Standard input as a file that can be read like any other: the path of what it held, in memory and
// as long as the process lives. Read once; every later call gives the same path. One thread.
// INVALID_ARGUMENT for nothing, RESOURCE_EXHAUSTED for more than 4 GiB.
Expected<std::string> StdinFile();

// The path that stands for a file on the command line: "-" is standard input.
inline Expected<std::string> FilePath(const std::string& path) {
  if (path == "-") return StdinFile();
  return path;
}

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_STDIN_FILE_H_
