// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "impl/cli/command_line.h"

namespace {

// `plinth serve` is the program plinth-serve, which lies beside this one; it has more to link.
int Serve(char** argv) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "plinth-serve").string();
  execv(program.c_str(), argv);
  std::fprintf(stderr, "plinth serve: %s: %s; the install component `serve` has it\n",
               program.c_str(), std::strerror(errno));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string_view("serve")) return Serve(argv + 1);
  return plinth::cli::RunCommandLine(argc, argv);
}
