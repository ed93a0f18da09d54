// SPDX-License-Identifier: Apache-2.0
#include "impl/cli/command_line.h"

int main(int argc, char** argv) { return plinth::cli::RunCommandLine(argc, argv); }
