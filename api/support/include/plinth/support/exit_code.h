// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_SUPPORT_EXIT_CODE_H_
#define PLINTH_SUPPORT_EXIT_CODE_H_

namespace plinth::tools {

// What every command of Plinth ends with. One table, so that a script may treat all of them alike.
enum ExitCode : int {
  kDone = 0,
  kFailed = 1,    // The plugin, the program or a comparison failed, or something does not hold.
  kUsage = 2,     // The command line, or a file that it names, is wrong.
  kNoPlugin = 3,  // No such plugin, or it cannot be loaded, or it is of another major version.
  kNoClient = 4,  // It is loaded, and makes no client: no hardware, or a variable is missing.
};

// The same for people: the end of --help and of the manual pages.
inline constexpr char kExitCodesText[] = R"(Exit codes:
  0  done
  1  the plugin, the program or a comparison failed, or something does not hold
  2  the command line or a file it names is wrong
  3  no such plugin, it cannot be loaded, or it is of another major version
  4  the plugin is loaded and makes no client: no hardware, or a missing variable)";

}  // namespace plinth::tools

#endif  // PLINTH_SUPPORT_EXIT_CODE_H_
