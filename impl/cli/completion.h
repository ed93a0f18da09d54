// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_IMPL_CLI_COMPLETION_H_
#define PLINTH_IMPL_CLI_COMPLETION_H_

#include <CLI/App.hpp>
#include <string>

namespace plinth::cli {

// A script for bash that completes commands, options and files, made from the command line's own
// description: source <(plinth completion bash).
std::string BashCompletion(const CLI::App& app);
// The same for zsh and fish, which also show what a word means.
std::string ZshCompletion(const CLI::App& app);
std::string FishCompletion(const CLI::App& app);

}  // namespace plinth::cli

#endif  // PLINTH_IMPL_CLI_COMPLETION_H_
