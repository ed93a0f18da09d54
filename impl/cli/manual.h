// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_MANUAL_H_
#define PLINTH_IMPL_CLI_MANUAL_H_

#include <string>

namespace CLI {
class App;
}

namespace plinth::cli {

// The manual page plinth(1) of a command line, for man: all that --help says, of every command.
std::string ManualPage(const CLI::App& app);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_MANUAL_H_
